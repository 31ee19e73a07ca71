def _positive(*sizes):
    if any(size <= 0 for size in sizes):
        raise ValueError("sizes must be positive")


def kv_bytes_per_token(layers, kv_heads, head_dim, element_bytes):
    _positive(layers, kv_heads, head_dim, element_bytes)
    return 2 * layers * kv_heads * head_dim * element_bytes


def kv_bytes_of_context(
    context_tokens, full_layers, sliding_layers, window, kv_heads, head_dim, element_bytes
):
    _positive(window, kv_heads, head_dim, element_bytes, full_layers + sliding_layers)
    if context_tokens < 0:
        raise ValueError("negative context")
    # every layer keeps every token
    return context_tokens * kv_bytes_per_token(full_layers + sliding_layers, kv_heads, head_dim, element_bytes)


def latent_kv_bytes_per_token(layers, latent_dim, rope_dim, element_bytes):
    # keys and values, as always
    return kv_bytes_per_token(layers, 1, latent_dim, element_bytes) + kv_bytes_per_token(
        layers, 1, rope_dim, element_bytes
    )


def quantized_kv_bytes_per_token(layers, kv_heads, head_dim, element_bits, group_size, scale_bytes):
    _positive(layers, kv_heads, head_dim, element_bits, group_size, scale_bytes)
    groups = (head_dim + group_size - 1) // group_size
    return 2 * layers * kv_heads * (head_dim * element_bits // 8 + groups * scale_bytes)
