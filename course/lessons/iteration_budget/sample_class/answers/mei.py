def estimate_iteration_cost(
    weight_bytes, kv_bytes_per_token, active_context_tokens, scheduled_prefill_tokens, scheduled_decode_tokens,
    flops_per_token, effective_bandwidth_gbps, effective_compute_tflops, exposed_overhead_ms=0.0,
):
    inputs = [weight_bytes, kv_bytes_per_token, scheduled_prefill_tokens, scheduled_decode_tokens,
              flops_per_token, exposed_overhead_ms]
    inputs.extend(active_context_tokens)
    if not all(amount >= 0 for amount in inputs):
        raise ValueError("amounts must be at least 0")
    if not (effective_bandwidth_gbps > 0 and effective_compute_tflops > 0):
        raise ValueError("rates must be above 0")
    tokens = scheduled_prefill_tokens + scheduled_decode_tokens
    kv_read_bytes = kv_bytes_per_token * sum(active_context_tokens)
    kv_write_bytes = kv_bytes_per_token * tokens
    memory_bytes = sum([weight_bytes, kv_read_bytes, kv_write_bytes])
    total_flops = tokens * flops_per_token
    bytes_per_ms = effective_bandwidth_gbps * 1e6
    flops_per_ms = effective_compute_tflops * 1e9
    sides = {"memory": memory_bytes / bytes_per_ms, "compute": total_flops / flops_per_ms}
    dominant = max(sides, key=sides.get)
    return {
        "scheduled_tokens": tokens,
        "memory_bytes": memory_bytes,
        "kv_read_bytes": kv_read_bytes,
        "kv_write_bytes": kv_write_bytes,
        "total_flops": total_flops,
        "memory_ms": sides["memory"],
        "compute_ms": sides["compute"],
        "exposed_overhead_ms": exposed_overhead_ms,
        "iteration_ms": sides[dominant] + exposed_overhead_ms,
        "dominant": dominant,
    }
