def compute_batch_bounds(
    max_num_seqs, available_kv_bytes, kv_bytes_per_token, context_tokens_per_request, reserved_output_tokens,
    max_num_batched_tokens, scheduled_tokens_per_request, slo_batch_limit, backend_batch_limit,
):
    if not (max_num_seqs > 0 and available_kv_bytes > 0 and kv_bytes_per_token > 0 and slo_batch_limit > 0
            and context_tokens_per_request > 0 and reserved_output_tokens > 0 and backend_batch_limit > 0
            and max_num_batched_tokens > 0 and scheduled_tokens_per_request > 0):
        raise ValueError("a bound needs positive inputs")
    names = ["slot", "kv", "token", "slo", "backend"]
    per_request = kv_bytes_per_token * (context_tokens_per_request + reserved_output_tokens)
    values = [
        max_num_seqs,
        available_kv_bytes // per_request,
        max_num_batched_tokens // scheduled_tokens_per_request,
        slo_batch_limit,
        backend_batch_limit,
    ]
    limits = dict(zip(names, values))
    return {
        "limits": limits,
        "final_limit": min(values),
        "binding_constraints": [n for n, v in zip(names, values) if v == min(values)],
        "kv_bytes_per_request": per_request,
    }
