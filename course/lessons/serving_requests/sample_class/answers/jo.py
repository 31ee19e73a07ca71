def blocks_needed(request, tokens, block_tokens):
    return (request["cached"] + tokens) // block_tokens - request["blocks"]


def schedule(running, waiting, free_blocks, limits):
    size, budget = limits["block_tokens"], limits["max_num_batched_tokens"]
    plan = plan_tokens(running, [], limits)["tokens"]
    gone, free = [], free_blocks
    for place, request in enumerate(running):
        name = request["id"]
        if name not in plan or name in gone:
            continue
        need = blocks_needed(request, plan[name], size)
        for victim in reversed(running[place:]):
            if need <= free or name in gone:
                break
            if victim["id"] not in gone:
                gone.append(victim["id"])
                free += victim["blocks"]
        if name not in gone:
            free -= need
    tokens = {name: take for name, take in plan.items() if name not in gone}
    budget -= sum(tokens.values())
    slots = limits["max_num_seqs"] - len(running)
    if not gone:
        for request in waiting[: max(slots, 0)]:
            take = min(budget, request["todo"])
            need = blocks_needed(request, take, size)
            if not take or need > free:
                break
            tokens[request["id"]] = take
            budget -= take
            free -= need
    return dict(tokens=tokens, preempted=gone)
