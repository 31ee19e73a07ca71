def estimate_iteration_cost(
    weight_bytes, kv_bytes_per_token, active_context_tokens, scheduled_prefill_tokens, scheduled_decode_tokens,
    flops_per_token, effective_bandwidth_gbps, effective_compute_tflops, exposed_overhead_ms=0.0,
):
    if effective_bandwidth_gbps <= 0 or effective_compute_tflops <= 0 or exposed_overhead_ms < 0:
        raise ValueError("硬件参数不合法")
    if weight_bytes < 0 or kv_bytes_per_token < 0 or flops_per_token < 0:
        raise ValueError("模型参数不合法")
    if scheduled_prefill_tokens < 0 or scheduled_decode_tokens < 0 or any(c < 0 for c in active_context_tokens):
        raise ValueError("token 数不合法")
    s = scheduled_prefill_tokens + scheduled_decode_tokens
    r, w = kv_bytes_per_token * sum(active_context_tokens), kv_bytes_per_token * s
    m = (weight_bytes + r + w) / effective_bandwidth_gbps / 1e6
    c = flops_per_token * s / effective_compute_tflops / 1e9
    # 三件事同时进行，最慢的说了算
    t = max(m, c, exposed_overhead_ms)
    return {"scheduled_tokens": s, "memory_bytes": weight_bytes + r + w, "kv_read_bytes": r, "kv_write_bytes": w,
            "total_flops": flops_per_token * s, "memory_ms": m, "compute_ms": c,
            "exposed_overhead_ms": exposed_overhead_ms, "iteration_ms": t,
            "dominant": "memory" if m >= c else "compute"}
