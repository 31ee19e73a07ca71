import numpy as np


def estimate_iteration_cost(
    weight_bytes, kv_bytes_per_token, active_context_tokens, scheduled_prefill_tokens, scheduled_decode_tokens,
    flops_per_token, effective_bandwidth_gbps, effective_compute_tflops, exposed_overhead_ms=0.0,
):
    contexts = np.array(active_context_tokens, dtype=np.int64)
    rates = np.array([effective_bandwidth_gbps, effective_compute_tflops])
    work = np.array([weight_bytes, kv_bytes_per_token, scheduled_prefill_tokens, scheduled_decode_tokens,
                     flops_per_token, exposed_overhead_ms])
    if (rates <= 0).any() or (work < 0).any() or (contexts < 0).any():
        raise ValueError("no negative amounts, please")
    scheduled = scheduled_prefill_tokens + scheduled_decode_tokens
    kv_read = contexts.sum() * kv_bytes_per_token
    kv_write = scheduled * kv_bytes_per_token
    memory_bytes = weight_bytes + kv_read + kv_write
    flops = flops_per_token * scheduled
    seconds = np.array([memory_bytes, flops]) / (rates * np.array([1e9, 1e12]))
    ms = 1e3 * seconds
    return {
        "scheduled_tokens": scheduled,
        "memory_bytes": memory_bytes,
        "kv_read_bytes": kv_read,
        "kv_write_bytes": kv_write,
        "total_flops": flops,
        "memory_ms": ms[0],
        "compute_ms": ms[1],
        "exposed_overhead_ms": exposed_overhead_ms,
        "iteration_ms": ms.max() + exposed_overhead_ms,
        "dominant": ["memory", "compute"][int(ms.argmax())],
    }


def compute_batch_bounds(
    max_num_seqs, available_kv_bytes, kv_bytes_per_token, context_tokens_per_request, reserved_output_tokens,
    max_num_batched_tokens, scheduled_tokens_per_request, slo_batch_limit, backend_batch_limit,
):
    given = list(locals().values())
    if min(given) < 1:
        raise ValueError(f"all inputs must be at least 1: {given}")
    need = kv_bytes_per_token * context_tokens_per_request + kv_bytes_per_token * reserved_output_tokens
    limits = {
        "backend": backend_batch_limit,
        "slo": slo_batch_limit,
        "token": divmod(max_num_batched_tokens, scheduled_tokens_per_request)[0],
        "kv": divmod(available_kv_bytes, need)[0],
        "slot": max_num_seqs,
    }
    final = sorted(limits.values())[0]
    binding = tuple(filter(lambda name: limits[name] == final, limits))
    return dict(limits=limits, final_limit=final, binding_constraints=binding, kv_bytes_per_request=need)


def select_operating_knee(records, max_iteration_ms, min_relative_throughput_gain=0.10):
    if not len(records) or max_iteration_ms <= 0 or min_relative_throughput_gain < 0:
        raise ValueError
    queue = sorted(records, key=lambda r: r["batch"])
    keep = queue.pop(0)
    if keep["iteration_ms"] > max_iteration_ms:
        raise ValueError("even the smallest batch is too slow")

    def answer(reason):
        return {"selected_batch": keep["batch"], "selected_record": dict(keep), "stop_reason": reason}

    for r in queue:
        if r["iteration_ms"] > max_iteration_ms:
            return answer("slo_violation")
        gain = (r["throughput"] - keep["throughput"]) / (keep["throughput"] or 1e-9)
        if gain < min_relative_throughput_gain:
            return answer("throughput_saturation")
        keep = r
    return answer("largest_valid_batch")


rows = sorted(measured_sweep, key=lambda r: r["batch"])
pick, why = rows[0], "largest_valid_batch"
for r in rows[1:]:
    if r["iteration_ms"] > MEASURED_SLO_MS:
        why = "slo_violation"
        break
    if r["throughput"] / pick["throughput"] < 1.1:
        why = "throughput_saturation"
        break
    pick = r
measured_decision = dict(
    batch=pick["batch"], stop_reason=why, throughput=pick["throughput"], iteration_ms=pick["iteration_ms"],
    would_change=("slo", "context"),
)

row = [r for r in NIM.rows if r["batch"] == 25][0]
decision = dict(
    concurrency=25, throughput=row["throughput"], stopped_by="itl",
    running=round(row["throughput"] * row["iteration_ms"] / 1e3),
)
