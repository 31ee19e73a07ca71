def token_room(device_bytes, utilization, weight_bytes, other_bytes, bytes_per_token, block_tokens):
    usable = int(device_bytes * utilization)
    rest = usable - weight_bytes - other_bytes
    blocks = rest // (bytes_per_token * block_tokens)
    return {"usable_bytes": usable, "blocks": blocks, "tokens": blocks * block_tokens}
