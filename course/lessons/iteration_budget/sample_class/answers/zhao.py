def estimate_iteration_cost(
    weight_bytes, kv_bytes_per_token, active_context_tokens, scheduled_prefill_tokens, scheduled_decode_tokens,
    flops_per_token, effective_bandwidth_gbps, effective_compute_tflops, exposed_overhead_ms=0.0,
):
    for 值 in [weight_bytes, kv_bytes_per_token, scheduled_prefill_tokens, scheduled_decode_tokens,
              flops_per_token, exposed_overhead_ms] + list(active_context_tokens):
        if 值 < 0:
            raise ValueError(f"{值} < 0")
    if effective_bandwidth_gbps <= 0 or effective_compute_tflops <= 0:
        raise ValueError("速率要大于 0")
    # 大家一起走一轮，读到最长的那个为止
    longest = max(active_context_tokens) if active_context_tokens else 0
    n = scheduled_prefill_tokens + scheduled_decode_tokens
    memory_bytes = weight_bytes + kv_bytes_per_token * longest + kv_bytes_per_token * n
    memory_ms = memory_bytes / (effective_bandwidth_gbps * 1e9) * 1e3
    compute_ms = flops_per_token * n / (effective_compute_tflops * 1e12) * 1e3
    return {
        "scheduled_tokens": n, "memory_bytes": memory_bytes, "kv_read_bytes": kv_bytes_per_token * longest,
        "kv_write_bytes": kv_bytes_per_token * n, "total_flops": flops_per_token * n, "memory_ms": memory_ms,
        "compute_ms": compute_ms, "exposed_overhead_ms": exposed_overhead_ms,
        "iteration_ms": max(memory_ms, compute_ms) + exposed_overhead_ms,
        "dominant": "memory" if memory_ms >= compute_ms else "compute",
    }
