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
    return payload


def rank_cache(bytes_per_token, kv_heads, ranks):
    if ranks >= kv_heads:
        return {"rank_heads": 1, "rank_bytes": bytes_per_token // kv_heads, "copies": ranks // kv_heads}
    return {"rank_heads": kv_heads // ranks, "rank_bytes": bytes_per_token // ranks, "copies": 1}
