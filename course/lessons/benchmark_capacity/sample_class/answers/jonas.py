def token_capacity(total_gib, weights_gib, runtime_gib, kv_bytes_per_token, utilization):
    """Memory left for KV."""
    if total_gib <= 0 or kv_bytes_per_token <= 0 or not 0 < utilization <= 1:
        raise ValueError("bad memory")
    if weights_gib < 0 or runtime_gib < 0:
        raise ValueError("bad sizes")
    GB = 1e9
    usable = int(total_gib * utilization * GB)
    fixed = int((weights_gib + runtime_gib) * GB)
    return {"usable_bytes": usable, "fixed_bytes": fixed, "tokens": max(0, usable - fixed) // kv_bytes_per_token}


def request_capacity(tokens, context, reserved_output, block_size):
    if tokens < 0 or context <= 0 or reserved_output < 0 or block_size <= 0:
        raise ValueError("bad sizes")
    blocks = -(-(context + reserved_output) // block_size)
    return {
        "blocks_per_request": blocks,
        "requests": tokens // block_size // blocks,
        "wasted_tokens_per_request": blocks * block_size - context - reserved_output,
    }
