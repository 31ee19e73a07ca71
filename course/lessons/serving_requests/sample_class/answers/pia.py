def plan_tokens(running, waiting, limits):
    budget, plan = limits["max_num_batched_tokens"], {}
    queue = waiting[: max(0, limits["max_num_seqs"] - len(running))] + running
    for request in queue:
        take = min(budget, request["todo"])
        budget -= take
        plan[request["id"]] = take
    return {"tokens": {name: take for name, take in plan.items() if take}}
