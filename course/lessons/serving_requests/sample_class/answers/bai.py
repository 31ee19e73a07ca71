from math import ceil


def blocks_needed(request, tokens, block_tokens):
    return ceil((request["cached"] + tokens) / block_tokens) - request["blocks"]


def schedule(running, waiting, free_blocks, limits):
    left = limits["max_num_batched_tokens"]
    alive = running[:]
    tokens, preempted = {}, []
    place = 0
    while place < len(alive) and left > 0:
        request = alive[place]
        give = min(left, request["todo"])
        need = blocks_needed(request, give, limits["block_tokens"])
        while need > free_blocks:
            last = alive.pop()
            preempted.append(last["id"])
            free_blocks += last["blocks"]
            if last["id"] == request["id"]:
                break
        if place < len(alive):
            tokens[request["id"]] = give
            left -= give
            free_blocks -= need
        place += 1
    if not preempted:
        for request in waiting:
            give = min(left, request["todo"])
            need = blocks_needed(request, give, limits["block_tokens"])
            if give == 0 or len(alive) >= limits["max_num_seqs"]:
                break
            if need > free_blocks:
                continue
            alive.append(request)
            tokens[request["id"]] = give
            left -= give
            free_blocks -= need
    return {"tokens": tokens, "preempted": preempted}
