def estimate_iteration_cost(weight_bytes, kv_bytes_per_token, active_context_tokens, scheduled_prefill_tokens,
                            scheduled_decode_tokens, flops_per_token, effective_bandwidth_gbps,
                            effective_compute_tflops, exposed_overhead_ms=0.0):
    合法 = effective_bandwidth_gbps > 0 and effective_compute_tflops > 0
    合法 = 合法 and weight_bytes >= 0 and kv_bytes_per_token >= 0 and flops_per_token >= 0
    合法 = 合法 and scheduled_prefill_tokens >= 0 and scheduled_decode_tokens >= 0 and exposed_overhead_ms >= 0
    合法 = 合法 and not [t for t in active_context_tokens if t < 0]
    if not 合法:
        raise ValueError("输入不合法")
    本轮 = scheduled_prefill_tokens + scheduled_decode_tokens  # 排进来的
    结果 = {"scheduled_tokens": 本轮, "exposed_overhead_ms": exposed_overhead_ms}
    历史 = 0
    for t in active_context_tokens:
        历史 += t
    结果["kv_read_bytes"] = 历史 * kv_bytes_per_token
    结果["kv_write_bytes"] = 本轮 * kv_bytes_per_token
    结果["memory_bytes"] = weight_bytes + (历史 + 本轮) * kv_bytes_per_token
    结果["total_flops"] = 本轮 * flops_per_token
    结果["memory_ms"] = 结果["memory_bytes"] * 1e3 / (effective_bandwidth_gbps * 1e9)
    结果["compute_ms"] = 结果["total_flops"] * 1e3 / (effective_compute_tflops * 1e12)
    结果["dominant"] = "compute" if 结果["compute_ms"] > 结果["memory_ms"] else "memory"
    结果["iteration_ms"] = 结果[结果["dominant"] + "_ms"] + exposed_overhead_ms
    return 结果


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
    单个 = kv_bytes_per_token * (context_tokens_per_request + reserved_output_tokens)
    显存 = int(available_kv_bytes // 单个)
    配额 = int(max_num_batched_tokens // scheduled_tokens_per_request)
    limits = {"slot": max_num_seqs, "kv": 显存, "token": 配额, "slo": slo_batch_limit,
              "backend": backend_batch_limit}
    下限 = min(max_num_seqs, 显存, 配额, slo_batch_limit, backend_batch_limit)
    return {"limits": limits, "final_limit": 下限, "kv_bytes_per_request": 单个,
            "binding_constraints": [k for k, v in limits.items() if v == 下限]}


def select_operating_knee(records, max_iteration_ms, min_relative_throughput_gain=0.10):
    if not records:
        raise ValueError("空的 sweep")
    if max_iteration_ms <= 0:
        raise ValueError("SLO 必须为正")
    if min_relative_throughput_gain < 0:
        raise ValueError("阈值不能为负")
    档位 = list(records)
    档位.sort(key=lambda row: row["batch"])
    位置, 原因 = -1, "largest_valid_batch"
    while 位置 + 1 < len(档位):
        下一档 = 档位[位置 + 1]
        if 下一档["iteration_ms"] > max_iteration_ms:
            原因 = "slo_violation"
            break
        if 位置 >= 0:
            底 = 档位[位置]["throughput"]
            涨幅 = 下一档["throughput"] / 底 - 1 if 底 else (1e9 if 下一档["throughput"] else 0)
            if 涨幅 < min_relative_throughput_gain:
                原因 = "throughput_saturation"
                break
        位置 += 1
    if 位置 < 0:
        raise ValueError("第一档就超过了 SLO")
    return {"selected_batch": 档位[位置]["batch"], "selected_record": dict(档位[位置]), "stop_reason": 原因}


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
