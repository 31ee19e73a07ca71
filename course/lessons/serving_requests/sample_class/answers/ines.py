from math import ceil


def blocks_needed(request, tokens, block_tokens):
    return ceil((request["cached"] + tokens) / block_tokens) - request["blocks"]


def schedule(running, waiting, free_blocks, limits):
    left = limits["max_num_batched_tokens"]
    alive = running[:]
    tokens, preempted = {}, []
    for request in running:
        if left == 0:
            break
        if request["id"] in preempted:
            continue
        give = min(left, request["todo"])
        need = blocks_needed(request, give, limits["block_tokens"])
        while need > free_blocks:
            last = alive.pop(0)
            preempted.append(last["id"])
            free_blocks += last["blocks"]
            if last["id"] == request["id"]:
                break
        if request["id"] not in preempted:
            tokens[request["id"]] = give
            left -= give
            free_blocks -= need
    if not preempted:
        for request in waiting:
            give = min(left, request["todo"])
            need = blocks_needed(request, give, limits["block_tokens"])
            if give == 0 or need > free_blocks or len(alive) >= limits["max_num_seqs"]:
                break
            alive.append(request)
            tokens[request["id"]] = give
            left -= give
            free_blocks -= need
    return {"tokens": tokens, "preempted": preempted}
