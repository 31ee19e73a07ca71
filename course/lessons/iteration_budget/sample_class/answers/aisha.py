def estimate_iteration_cost(
    weight_bytes, kv_bytes_per_token, active_context_tokens, scheduled_prefill_tokens, scheduled_decode_tokens,
    flops_per_token, effective_bandwidth_gbps, effective_compute_tflops, exposed_overhead_ms=0.0,
):
    bad = effective_bandwidth_gbps <= 0 or effective_compute_tflops <= 0 or weight_bytes < 0
    bad = bad or kv_bytes_per_token < 0 or scheduled_prefill_tokens < 0 or scheduled_decode_tokens < 0
    bad = bad or flops_per_token < 0 or exposed_overhead_ms < 0 or any(c < 0 for c in active_context_tokens)
    if bad:
        raise ValueError("negative or zero input")
    cost = {}
    cost["scheduled_tokens"] = scheduled_decode_tokens + scheduled_prefill_tokens
    cost["kv_read_bytes"] = kv_bytes_per_token * sum(active_context_tokens)
    cost["kv_write_bytes"] = kv_bytes_per_token * cost["scheduled_tokens"]
    cost["memory_bytes"] = weight_bytes + cost["kv_read_bytes"] + cost["kv_write_bytes"]
    cost["total_flops"] = flops_per_token * cost["scheduled_tokens"]
    cost["memory_ms"] = cost["memory_bytes"] / effective_bandwidth_gbps * 1e-6
    cost["compute_ms"] = cost["total_flops"] / effective_compute_tflops * 1e-9
    cost["exposed_overhead_ms"] = exposed_overhead_ms
    # first the data is moved, then it is used
    cost["iteration_ms"] = cost["memory_ms"] + cost["compute_ms"] + exposed_overhead_ms
    cost["dominant"] = "memory" if cost["memory_ms"] >= cost["compute_ms"] else "compute"
    return cost
