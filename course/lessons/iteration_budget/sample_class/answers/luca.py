def compute_batch_bounds(
    max_num_seqs, available_kv_bytes, kv_bytes_per_token, context_tokens_per_request, reserved_output_tokens,
    max_num_batched_tokens, scheduled_tokens_per_request, slo_batch_limit, backend_batch_limit,
):
    for value in (max_num_seqs, available_kv_bytes, kv_bytes_per_token, context_tokens_per_request,
                  reserved_output_tokens, max_num_batched_tokens, scheduled_tokens_per_request, slo_batch_limit,
                  backend_batch_limit):
        if value <= 0:
            raise ValueError("inputs must be positive")
    size = kv_bytes_per_token * (context_tokens_per_request + reserved_output_tokens)
    limits = {"slot": max_num_seqs, "kv": available_kv_bytes // size,
              "token": max_num_batched_tokens // scheduled_tokens_per_request,
              "slo": slo_batch_limit, "backend": backend_batch_limit}
    final_limit = min(limits.values())
    for name, limit in limits.items():
        if limit == final_limit:
            binding = [name]
            break
    return {"limits": limits, "final_limit": final_limit, "binding_constraints": binding,
            "kv_bytes_per_request": size}
