def estimate_iteration_cost(
    weight_bytes: int,
    kv_bytes_per_token: int,
    active_context_tokens: Sequence[int],
    scheduled_prefill_tokens: int,
    scheduled_decode_tokens: int,
    flops_per_token: float,
    effective_bandwidth_gbps: float,
    effective_compute_tflops: float,
    exposed_overhead_ms: float = 0.0,
) -> dict:
    # 先检查输入
    if effective_bandwidth_gbps <= 0 or effective_compute_tflops <= 0:
        raise ValueError("速率必须为正")
    for x in (weight_bytes, kv_bytes_per_token, scheduled_prefill_tokens, scheduled_decode_tokens,
              flops_per_token, exposed_overhead_ms):
        if x < 0:
            raise ValueError("不能为负")
    for c in active_context_tokens:
        if c < 0:
            raise ValueError("上下文不能为负")

    n = scheduled_prefill_tokens + scheduled_decode_tokens
    read = sum(c * kv_bytes_per_token for c in active_context_tokens)
    write = n * kv_bytes_per_token
    total = weight_bytes + read + write
    flop = n * flops_per_token

    t_mem = total / effective_bandwidth_gbps / 1e6   # GB/s -> 字节每毫秒
    t_cmp = flop / effective_compute_tflops / 1e9    # TFLOP/s -> FLOP 每毫秒

    if t_cmp > t_mem:
        side, t = "compute", t_cmp
    else:
        side, t = "memory", t_mem
    return dict(
        scheduled_tokens=n, memory_bytes=total, kv_read_bytes=read, kv_write_bytes=write,
        total_flops=flop, memory_ms=t_mem, compute_ms=t_cmp,
        exposed_overhead_ms=exposed_overhead_ms, iteration_ms=t + exposed_overhead_ms, dominant=side,
    )


def compute_batch_bounds(
    max_num_seqs: int,
    available_kv_bytes: int,
    kv_bytes_per_token: int,
    context_tokens_per_request: int,
    reserved_output_tokens: int,
    max_num_batched_tokens: int,
    scheduled_tokens_per_request: int,
    slo_batch_limit: int,
    backend_batch_limit: int,
) -> dict:
    if any(v <= 0 for v in (
        max_num_seqs, available_kv_bytes, kv_bytes_per_token, context_tokens_per_request,
        reserved_output_tokens, max_num_batched_tokens, scheduled_tokens_per_request,
        slo_batch_limit, backend_batch_limit,
    )):
        raise ValueError("输入必须为正")
    per_request = (context_tokens_per_request + reserved_output_tokens) * kv_bytes_per_token
    limits = {}
    limits["slot"] = max_num_seqs
    limits["kv"] = available_kv_bytes // per_request
    limits["token"] = max_num_batched_tokens // scheduled_tokens_per_request
    limits["slo"] = slo_batch_limit
    limits["backend"] = backend_batch_limit
    smallest = min(limits.values())
    names = []
    for k in limits:
        if limits[k] == smallest:
            names.append(k)
    return {"limits": limits, "final_limit": smallest, "binding_constraints": names,
            "kv_bytes_per_request": per_request}


def select_operating_knee(
    records: Sequence[dict],
    max_iteration_ms: float,
    min_relative_throughput_gain: float = 0.10,
) -> dict:
    if len(records) == 0:
        raise ValueError("没有记录")
    if max_iteration_ms <= 0 or min_relative_throughput_gain < 0:
        raise ValueError("阈值不对")
    rows = sorted(records, key=lambda r: r["batch"])
    best, why = None, "largest_valid_batch"
    for r in rows:
        if r["iteration_ms"] > max_iteration_ms:
            why = "slo_violation"
            break
        if best is not None:
            old, new = best["throughput"], r["throughput"]
            # 上一档是 0：只要有吞吐就算涨
            grown = (new - old) / old if old > 0 else (float("inf") if new > 0 else 0.0)
            if grown < min_relative_throughput_gain:
                why = "throughput_saturation"
                break
        best = r
    if best is None:
        raise ValueError("没有满足延迟的批次")
    return {"selected_batch": best["batch"], "selected_record": dict(best), "stop_reason": why}


# 一直没停：batch 32 一步 99.5 ms，还在 4 × 38.2 = 153 ms 里面
选中 = [row for row in measured_sweep if row["batch"] == measured_choice["selected_batch"]][0]
measured_decision = {
    "batch": 选中["batch"],
    "stop_reason": measured_choice["stop_reason"],
    "throughput": round(选中["throughput"], 2),
    "iteration_ms": round(选中["iteration_ms"], 2),
    "would_change": ["slo", "context"],
}


decision = {"concurrency": 25, "throughput": 623.4, "stopped_by": "itl", "running": 24}
