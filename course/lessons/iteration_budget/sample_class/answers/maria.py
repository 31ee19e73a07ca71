import math


def _require(condition, message):
    if not condition:
        raise ValueError(message)


def estimate_iteration_cost(
    weight_bytes,
    kv_bytes_per_token,
    active_context_tokens,
    scheduled_prefill_tokens,
    scheduled_decode_tokens,
    flops_per_token,
    effective_bandwidth_gbps,
    effective_compute_tflops,
    exposed_overhead_ms=0.0,
):
    """The bill of one iteration."""
    _require(effective_bandwidth_gbps > 0, "bandwidth")
    _require(effective_compute_tflops > 0, "compute")
    nonnegative = {
        "weights": weight_bytes, "kv": kv_bytes_per_token, "prefill": scheduled_prefill_tokens,
        "decode": scheduled_decode_tokens, "flops": flops_per_token, "overhead": exposed_overhead_ms,
    }
    for key, amount in nonnegative.items():
        _require(amount >= 0, key + " must not be negative")
    _require(all(tokens >= 0 for tokens in active_context_tokens), "context must not be negative")

    MS = 1000
    result = {"scheduled_tokens": scheduled_prefill_tokens + scheduled_decode_tokens}
    result["kv_read_bytes"] = sum(active_context_tokens) * kv_bytes_per_token
    result["kv_write_bytes"] = result["scheduled_tokens"] * kv_bytes_per_token
    result["memory_bytes"] = weight_bytes + result["kv_read_bytes"] + result["kv_write_bytes"]
    result["total_flops"] = result["scheduled_tokens"] * flops_per_token
    result["memory_ms"] = MS * result["memory_bytes"] / (effective_bandwidth_gbps * 10**9)
    result["compute_ms"] = MS * result["total_flops"] / (effective_compute_tflops * 10**12)
    result["exposed_overhead_ms"] = exposed_overhead_ms
    bound = max(result["memory_ms"], result["compute_ms"])
    result["iteration_ms"] = bound + exposed_overhead_ms
    result["dominant"] = "memory" if bound == result["memory_ms"] else "compute"
    return result


def compute_batch_bounds(**inputs):
    """The five bounds."""
    for key, amount in inputs.items():
        _require(amount > 0, key + " must be positive")
    tokens = inputs["context_tokens_per_request"] + inputs["reserved_output_tokens"]
    kv_bytes_per_request = inputs["kv_bytes_per_token"] * tokens
    limits = dict(
        slot=inputs["max_num_seqs"],
        kv=math.floor(inputs["available_kv_bytes"] / kv_bytes_per_request),
        token=math.floor(inputs["max_num_batched_tokens"] / inputs["scheduled_tokens_per_request"]),
        slo=inputs["slo_batch_limit"],
        backend=inputs["backend_batch_limit"],
    )
    final = min(limits.values())
    return {
        "limits": limits,
        "final_limit": final,
        "binding_constraints": {key for key, limit in limits.items() if limit == final},
        "kv_bytes_per_request": kv_bytes_per_request,
    }


_by_name = compute_batch_bounds


def compute_batch_bounds(
    max_num_seqs, available_kv_bytes, kv_bytes_per_token, context_tokens_per_request, reserved_output_tokens,
    max_num_batched_tokens, scheduled_tokens_per_request, slo_batch_limit, backend_batch_limit,
):
    return _by_name(**locals())


def select_operating_knee(records, max_iteration_ms, min_relative_throughput_gain=0.10):
    """Walk up the batches as long as it pays."""
    _require(records and max_iteration_ms > 0 and min_relative_throughput_gain >= 0, "bad sweep")
    ordered = sorted(records, key=lambda record: record["batch"])
    within = []
    for record in ordered:
        if record["iteration_ms"] > max_iteration_ms:
            break
        within.append(record)
    _require(within, "nothing within the SLO")
    reason = "slo_violation" if len(within) < len(ordered) else "largest_valid_batch"
    chosen = within[0]
    for previous, record in zip(within, within[1:]):
        if record["throughput"] - previous["throughput"] < min_relative_throughput_gain * previous["throughput"]:
            reason = "throughput_saturation"
            break
        if record["throughput"] == previous["throughput"] == 0 and min_relative_throughput_gain > 0:
            reason = "throughput_saturation"
            break
        chosen = record
    return {"selected_batch": chosen["batch"], "selected_record": {**chosen}, "stop_reason": reason}


measured_decision = {
    "batch": measured_choice["selected_batch"],
    "stop_reason": measured_choice["stop_reason"],
    "throughput": measured_choice["selected_record"]["throughput"],
    "iteration_ms": measured_choice["selected_record"]["iteration_ms"],
    "would_change": ["context", "slo"],
}


allowed = [row for row in NIM.rows if row["ttft_ms"] <= 1000 and row["iteration_ms"] <= 50]
best = allowed[-1]
decision = {
    "concurrency": best["batch"],
    "throughput": best["throughput"],
    "stopped_by": "itl",
    "running": int(best["throughput"] * best["iteration_ms"] / 1000 + 0.5),
}
