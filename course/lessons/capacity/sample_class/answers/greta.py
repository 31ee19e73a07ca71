def blocks_held(prompts, reserved_output, block_tokens):
    names = [
        tuple(prompt[end - block_tokens : end])
        for prompt in prompts
        for end in range(block_tokens, len(prompt) + 1, block_tokens)
    ]
    own = sum(-(-(len(prompt) % block_tokens + reserved_output) // block_tokens) for prompt in prompts)
    return dict(
        blocks=len(set(names)) + own,
        unshared_blocks=len(names) + own,
        most_references=max(map(names.count, names), default=0),
    )
