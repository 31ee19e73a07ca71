def blocks_held(prompts, reserved_output, block_tokens):
    counts = {}
    own = 0
    for prompt in prompts:
        used = 0
        while used + block_tokens <= len(prompt):
            used += block_tokens
            key = tuple(prompt[:used])
            counts[key] = counts.get(key, 0) + 1
        own += -(-(len(prompt) - used) // block_tokens)
    return {
        "blocks": len(counts) + own,
        "unshared_blocks": sum(counts.values()) + own,
        "most_references": max(counts.values()) if counts else 0,
    }
