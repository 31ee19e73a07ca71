def attention_cache_bytes(context_tokens, full_layers, sliding_layers, window, kv_heads, head_dim, element_bytes):
    if any(value < 0 for value in (context_tokens, kv_heads, head_dim)):
        raise ValueError("must not be negative")
    layers = [context_tokens] * full_layers + [min(window, context_tokens)] * sliding_layers
    return sum(layers) * kv_heads * head_dim * element_bytes * 2


def latent_cache_bytes(context_tokens, layers, latent_dim, position_dim, element_bytes):
    return 2 * element_bytes * context_tokens * layers * (position_dim + latent_dim)


def expanded_cache_bytes(context_tokens, layers, heads, key_dim, value_dim, element_bytes):
    return element_bytes * context_tokens * layers * heads * (value_dim + key_dim)
