def attention_cache_bytes(context_tokens, full_layers, sliding_layers, window, kv_heads, head_dim, element_bytes):
    if any(value < 0 for value in (context_tokens, kv_heads, head_dim)):
        raise ValueError("must not be negative")
    layers = [context_tokens] * full_layers + [min(window, context_tokens)] * sliding_layers
    return sum(layers) * kv_heads * head_dim * element_bytes * 2


def latent_cache_bytes(context_tokens, layers, latent_dim, position_dim, element_bytes):
    return element_bytes * context_tokens * layers * (position_dim + latent_dim)


def expanded_cache_bytes(context_tokens, layers, heads, key_dim, value_dim, element_bytes):
    return element_bytes * context_tokens * layers * heads * (value_dim + key_dim)


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
        rank_heads=heads, rank_bytes=bytes_per_token * heads // kv_heads, copies=max(1, ranks // kv_heads)
    )


def token_room(device_bytes, utilization, weight_bytes, other_bytes, bytes_per_token, block_tokens):
    usable = int(utilization * device_bytes)
    tokens = max(usable - weight_bytes - other_bytes, 0) // bytes_per_token
    blocks = tokens // block_tokens
    return dict(usable_bytes=usable, blocks=blocks, tokens=block_tokens * blocks)


def blocks_held(prompts, reserved_output, block_tokens):
    names = [
        tuple(prompt[:end])
        for prompt in prompts
        for end in range(block_tokens, len(prompt) + 1, block_tokens)
    ]
    own = sum(-(-(len(prompt) % block_tokens + reserved_output) // block_tokens) for prompt in prompts)
    return dict(
        blocks=len(set(names)) + own,
        unshared_blocks=len(names) + own,
        most_references=max(map(names.count, names), default=0),
    )


def mixture_limits(blocks, block_tokens, first_tokens, second_tokens):
    first = (first_tokens + block_tokens - 1) // block_tokens
    second = (second_tokens + block_tokens - 1) // block_tokens
    return [left // second for left in range(blocks, -1, -first)]


cap_slips = dict(
    a="query_heads", b="query_heads", c="layers", d="gib", factor_a=4, factor_b=8, factor_c=0.0357, factor_d=1.074
)
