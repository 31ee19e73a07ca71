def attention_cache_bytes(context_tokens, full_layers, sliding_layers, window, kv_heads, head_dim, element_bytes):
    if context_tokens < 0 or kv_heads < 0 or head_dim < 0:
        raise ValueError("negative")
    per_layer = 2 * kv_heads * head_dim * element_bytes
    total = full_layers * context_tokens * per_layer
    total += sliding_layers * context_tokens * per_layer
    return total


def latent_cache_bytes(context_tokens, layers, latent_dim, position_dim, element_bytes):
    entry = (latent_dim + position_dim) * element_bytes
    return entry * layers * context_tokens


def expanded_cache_bytes(context_tokens, layers, heads, key_dim, value_dim, element_bytes):
    keys = heads * key_dim
    values = heads * value_dim
    return (keys + values) * element_bytes * layers * context_tokens
