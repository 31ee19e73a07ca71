def estimate_iteration_cost(
    weight_bytes, kv_bytes_per_token, active_context_tokens, scheduled_prefill_tokens, scheduled_decode_tokens,
    flops_per_token, effective_bandwidth_gbps, effective_compute_tflops, exposed_overhead_ms=0.0,
):
    数量 = [weight_bytes, kv_bytes_per_token, scheduled_prefill_tokens, scheduled_decode_tokens, flops_per_token,
          exposed_overhead_ms, *active_context_tokens]
    if any(x < 0 for x in 数量) or effective_bandwidth_gbps <= 0 or effective_compute_tflops <= 0:
        raise ValueError("输入不对")
    token = scheduled_prefill_tokens + scheduled_decode_tokens
    读 = kv_bytes_per_token * sum(active_context_tokens)
    写 = kv_bytes_per_token * token
    字节 = weight_bytes + 读 + 写
    memory_ms = 字节 / (effective_bandwidth_gbps * 1e9)
    compute_ms = flops_per_token * token / (effective_compute_tflops * 1e12)
    return {
        "scheduled_tokens": token, "memory_bytes": 字节, "kv_read_bytes": 读, "kv_write_bytes": 写,
        "total_flops": flops_per_token * token, "memory_ms": memory_ms, "compute_ms": compute_ms,
        "exposed_overhead_ms": exposed_overhead_ms,
        "iteration_ms": max(memory_ms, compute_ms) + exposed_overhead_ms,
        "dominant": "memory" if memory_ms >= compute_ms else "compute",
    }
