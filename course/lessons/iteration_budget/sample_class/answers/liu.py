def compute_batch_bounds(
    max_num_seqs, available_kv_bytes, kv_bytes_per_token, context_tokens_per_request, reserved_output_tokens,
    max_num_batched_tokens, scheduled_tokens_per_request, slo_batch_limit, backend_batch_limit,
):
    所有输入 = [max_num_seqs, available_kv_bytes, kv_bytes_per_token, context_tokens_per_request,
            reserved_output_tokens, max_num_batched_tokens, scheduled_tokens_per_request, slo_batch_limit,
            backend_batch_limit]
    if not all(x > 0 for x in 所有输入):
        raise ValueError("输入必须大于 0")
    每个请求 = kv_bytes_per_token * context_tokens_per_request
    limits = {
        "slot": max_num_seqs,
        "kv": available_kv_bytes // 每个请求,
        "token": max_num_batched_tokens // scheduled_tokens_per_request,
        "slo": slo_batch_limit,
        "backend": backend_batch_limit,
    }
    最小 = min(limits.values())
    return {"limits": limits, "final_limit": 最小, "kv_bytes_per_request": 每个请求,
            "binding_constraints": [k for k in limits if limits[k] == 最小]}
