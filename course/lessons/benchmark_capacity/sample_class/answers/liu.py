def request_capacity(tokens, context, reserved_output, block_size):
    if tokens < 0 or context <= 0 or reserved_output < 0 or block_size <= 0:
        raise ValueError("输入不合法")
    长度 = context + reserved_output
    块 = (长度 + block_size - 1) // block_size
    return {"blocks_per_request": 块, "requests": tokens // 长度, "wasted_tokens_per_request": 块 * block_size - 长度}


def token_capacity(total_gib, weights_gib, runtime_gib, kv_bytes_per_token, utilization):
    if total_gib <= 0 or kv_bytes_per_token <= 0 or weights_gib < 0 or runtime_gib < 0:
        raise ValueError("输入不合法")
    if not 0 < utilization <= 1:
        raise ValueError("比例不合法")
    可用, 固定 = int(total_gib * utilization * 2**30), int((weights_gib + runtime_gib) * 2**30)
    return {"usable_bytes": 可用, "fixed_bytes": 固定, "tokens": max(0, (可用 - 固定) // kv_bytes_per_token)}
