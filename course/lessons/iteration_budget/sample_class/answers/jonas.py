GB = 1024**3
TERA = 1024**4


def estimate_iteration_cost(
    weight_bytes, kv_bytes_per_token, active_context_tokens, scheduled_prefill_tokens, scheduled_decode_tokens,
    flops_per_token, effective_bandwidth_gbps, effective_compute_tflops, exposed_overhead_ms=0.0,
):
    if effective_bandwidth_gbps <= 0 or effective_compute_tflops <= 0:
        raise ValueError("rates must be positive")
    if min([weight_bytes, kv_bytes_per_token, scheduled_prefill_tokens, scheduled_decode_tokens, flops_per_token,
            exposed_overhead_ms] + list(active_context_tokens)) < 0:
        raise ValueError("amounts must not be negative")
    new = scheduled_prefill_tokens + scheduled_decode_tokens
    read = kv_bytes_per_token * sum(active_context_tokens)
    write = kv_bytes_per_token * new
    moved = weight_bytes + read + write
    memory_ms = 1000 * moved / (effective_bandwidth_gbps * GB)
    compute_ms = 1000 * new * flops_per_token / (effective_compute_tflops * TERA)
    return {
        "scheduled_tokens": new, "memory_bytes": moved, "kv_read_bytes": read, "kv_write_bytes": write,
        "total_flops": new * flops_per_token, "memory_ms": memory_ms, "compute_ms": compute_ms,
        "exposed_overhead_ms": exposed_overhead_ms,
        "iteration_ms": max(memory_ms, compute_ms) + exposed_overhead_ms,
        "dominant": "compute" if compute_ms > memory_ms else "memory",
    }
