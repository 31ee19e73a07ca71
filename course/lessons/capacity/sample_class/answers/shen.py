def attention_cache_bytes(context_tokens, full_layers, sliding_layers, window, kv_heads, head_dim, element_bytes):
    if context_tokens < 0 or kv_heads < 0 or head_dim < 0:
        raise ValueError("negative")
    per_layer = 2 * kv_heads * head_dim * element_bytes
    total = full_layers * context_tokens * per_layer
    total += sliding_layers * min(context_tokens, window) * per_layer
    return total


def latent_cache_bytes(context_tokens, layers, latent_dim, position_dim, element_bytes):
    entry = (latent_dim + position_dim) * element_bytes
    return entry * layers * context_tokens


def expanded_cache_bytes(context_tokens, layers, heads, key_dim, value_dim, element_bytes):
    keys = heads * key_dim
    values = heads * value_dim
    return (keys + values) * element_bytes * layers * context_tokens


def quantized_cache_bytes(
    context_tokens, layers, kv_heads, head_dim, element_bits, scale_per, scale_bytes, group_size
):
    rows = 2 * layers * kv_heads * context_tokens
    payload = rows * head_dim * element_bits // 8
    if scale_per == "tensor":
        scales = 2 * layers
    elif scale_per == "head":
        scales = rows
    else:
        scales = rows * -(-head_dim // group_size)
    return payload + scales * scale_bytes


def rank_cache(bytes_per_token, kv_heads, ranks):
    if ranks >= kv_heads:
        return {"rank_heads": 1, "rank_bytes": bytes_per_token // kv_heads, "copies": ranks // kv_heads}
    return {"rank_heads": kv_heads // ranks, "rank_bytes": bytes_per_token // ranks, "copies": 1}


def token_room(device_bytes, utilization, weight_bytes, other_bytes, bytes_per_token, block_tokens):
    usable = int(device_bytes * utilization)
    rest = usable - weight_bytes - other_bytes
    blocks = rest // (bytes_per_token * block_tokens) if rest > 0 else 0
    return {"usable_bytes": usable, "blocks": blocks, "tokens": blocks * block_tokens}


def blocks_held(prompts, reserved_output, block_tokens):
    counts = {}
    own = 0
    for prompt in prompts:
        used = 0
        while used + block_tokens <= len(prompt):
            used += block_tokens
            key = tuple(prompt[:used])
            counts[key] = counts.get(key, 0) + 1
        own += -(-(len(prompt) - used + reserved_output) // block_tokens)
    return {
        "blocks": len(counts) + own,
        "unshared_blocks": sum(counts.values()) + own,
        "most_references": max(counts.values()) if counts else 0,
    }


def mixture_limits(blocks, block_tokens, first_tokens, second_tokens):
    first, second = -(-first_tokens // block_tokens), -(-second_tokens // block_tokens)
    limits = []
    used = 0
    while used <= blocks:
        limits.append((blocks - used) // second)
        used += first
    return limits


cap_slips = {
    "a": "query_heads",
    "b": "query_heads",
    "c": "layers",
    "d": "gib",
    "factor_a": 4.0,
    "factor_b": 8.0,
    "factor_c": 1 / 28,
    "factor_d": 1.0737,
}
