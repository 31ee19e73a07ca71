def quantized_cache_bytes(
    context_tokens, layers, kv_heads, head_dim, element_bits, scale_per, scale_bytes, group_size
):
    groups = (head_dim + group_size - 1) // group_size
    numbers = 2 * context_tokens * layers * kv_heads * head_dim
    per_head = {"tensor": 0, "head": 1, "group": groups}[scale_per]
    scales = 2 * context_tokens * layers * kv_heads * per_head
    if scale_per == "tensor":
        scales = 2 * layers
    return numbers * element_bits // 8 + scale_bytes * scales


def rank_cache(bytes_per_token, kv_heads, ranks):
    heads = max(kv_heads // ranks, 1)
    return dict(
        rank_heads=heads, rank_bytes=bytes_per_token // ranks, copies=max(1, ranks // kv_heads)
    )
