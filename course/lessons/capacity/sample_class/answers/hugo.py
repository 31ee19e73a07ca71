def mixture_limits(blocks, block_tokens, first_tokens, second_tokens):
    first = (first_tokens + block_tokens - 1) // block_tokens
    second = (second_tokens + block_tokens - 1) // block_tokens
    return [left // second for left in range(blocks, first - 1, -first)]
