from math import ceil


def compute_batch_bounds(
    max_num_seqs, available_kv_bytes, kv_bytes_per_token, context_tokens_per_request, reserved_output_tokens,
    max_num_batched_tokens, scheduled_tokens_per_request, slo_batch_limit, backend_batch_limit,
):
    everything = (max_num_seqs, available_kv_bytes, kv_bytes_per_token, context_tokens_per_request,
                  reserved_output_tokens, max_num_batched_tokens, scheduled_tokens_per_request, slo_batch_limit,
                  backend_batch_limit)
    if any(x < 1 for x in everything):
        raise ValueError("inputs must be positive")
    kv_bytes_per_request = (reserved_output_tokens + context_tokens_per_request) * kv_bytes_per_token
    limits = {}
    limits["slot"], limits["slo"], limits["backend"] = max_num_seqs, slo_batch_limit, backend_batch_limit
    limits["kv"] = ceil(available_kv_bytes / kv_bytes_per_request)
    limits["token"] = ceil(max_num_batched_tokens / scheduled_tokens_per_request)
    final_limit = min(limits.values())
    binding = [name for name in limits if limits[name] <= final_limit]
    return dict(limits=limits, final_limit=final_limit, binding_constraints=binding,
                kv_bytes_per_request=kv_bytes_per_request)
