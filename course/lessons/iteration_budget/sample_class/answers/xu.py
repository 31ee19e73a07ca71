def estimate_iteration_cost(weight_bytes, kv_bytes_per_token, active_context_tokens, scheduled_prefill_tokens,
                            scheduled_decode_tokens, flops_per_token, effective_bandwidth_gbps,
                            effective_compute_tflops, exposed_overhead_ms=0.0):
    ok = effective_bandwidth_gbps > 0 and effective_compute_tflops > 0
    ok = ok and weight_bytes >= 0 and kv_bytes_per_token >= 0 and flops_per_token >= 0
    ok = ok and scheduled_prefill_tokens >= 0 and scheduled_decode_tokens >= 0 and exposed_overhead_ms >= 0
    ok = ok and not [t for t in active_context_tokens if t < 0]
    if not ok:
        raise ValueError("输入不合法")
    tokens = scheduled_prefill_tokens + scheduled_decode_tokens
    out = {"scheduled_tokens": tokens, "exposed_overhead_ms": exposed_overhead_ms}
    cached = 0
    for t in active_context_tokens:
        cached += t
    out["kv_read_bytes"] = cached * kv_bytes_per_token
    out["kv_write_bytes"] = tokens * kv_bytes_per_token
    out["memory_bytes"] = weight_bytes + (cached + tokens) * kv_bytes_per_token
    out["total_flops"] = tokens * flops_per_token
    out["memory_ms"] = out["memory_bytes"] * 1e3 / (effective_bandwidth_gbps * 1e9)
    out["compute_ms"] = out["total_flops"] * 1e3 / (effective_compute_tflops * 1e12)
    out["dominant"] = "compute" if out["compute_ms"] > out["memory_ms"] else "memory"
    out["iteration_ms"] = out[out["dominant"] + "_ms"] + exposed_overhead_ms
    return out


def compute_batch_bounds(max_num_seqs, available_kv_bytes, kv_bytes_per_token, context_tokens_per_request,
                         reserved_output_tokens, max_num_batched_tokens, scheduled_tokens_per_request,
                         slo_batch_limit, backend_batch_limit):
    if max_num_seqs <= 0 or slo_batch_limit <= 0 or backend_batch_limit <= 0:
        raise ValueError("上限必须为正")
    if available_kv_bytes <= 0 or kv_bytes_per_token <= 0:
        raise ValueError("KV 必须为正")
    if context_tokens_per_request <= 0 or reserved_output_tokens <= 0:
        raise ValueError("长度必须为正")
    if max_num_batched_tokens <= 0 or scheduled_tokens_per_request <= 0:
        raise ValueError("token 数必须为正")
    one = kv_bytes_per_token * (context_tokens_per_request + reserved_output_tokens)
    kv = int(available_kv_bytes // one)
    token = int(max_num_batched_tokens // scheduled_tokens_per_request)
    limits = {"slot": max_num_seqs, "kv": kv, "token": token, "slo": slo_batch_limit,
              "backend": backend_batch_limit}
    low = min(max_num_seqs, kv, token, slo_batch_limit, backend_batch_limit)
    return {"limits": limits, "final_limit": low, "kv_bytes_per_request": one,
            "binding_constraints": [k for k, v in limits.items() if v == low]}


def select_operating_knee(records, max_iteration_ms, min_relative_throughput_gain=0.10):
    if not records:
        raise ValueError("空的 sweep")
    if max_iteration_ms <= 0:
        raise ValueError("SLO 必须为正")
    if min_relative_throughput_gain < 0:
        raise ValueError("阈值不能为负")
    rows = list(records)
    rows.sort(key=lambda row: row["batch"])
    i, reason = -1, "largest_valid_batch"
    while i + 1 < len(rows):
        nxt = rows[i + 1]
        if nxt["iteration_ms"] > max_iteration_ms:
            reason = "slo_violation"
            break
        if i >= 0:
            base = rows[i]["throughput"]
            ratio = nxt["throughput"] / base - 1 if base else (1e9 if nxt["throughput"] else 0)
            if ratio < min_relative_throughput_gain:
                reason = "throughput_saturation"
                break
        i += 1
    if i < 0:
        raise ValueError("第一档就超过了 SLO")
    return {"selected_batch": rows[i]["batch"], "selected_record": dict(rows[i]), "stop_reason": reason}


measured_decision = dict(would_change=["slo", "context"])
measured_decision["batch"] = measured_choice["selected_batch"]
measured_decision["stop_reason"] = measured_choice["stop_reason"]
for key in ("throughput", "iteration_ms"):
    measured_decision[key] = measured_choice["selected_record"][key]


decision = {}
for row in NIM.rows:
    if row["ttft_ms"] > 1000 or row["iteration_ms"] > 50:
        break
    decision = {
        "concurrency": row["batch"],
        "throughput": row["throughput"],
        "stopped_by": "itl",
        "running": round(row["throughput"] * row["iteration_ms"] / 1000),
    }
