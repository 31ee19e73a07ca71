def token_room(device_bytes, utilization, weight_bytes, other_bytes, bytes_per_token, block_tokens):
    usable = int(utilization * device_bytes)
    tokens = max(usable - weight_bytes, 0) // bytes_per_token
    blocks = tokens // block_tokens
    return dict(usable_bytes=usable, blocks=blocks, tokens=block_tokens * blocks)
