def plan_tokens(running, waiting, limits):
    left = limits["max_num_batched_tokens"]
    plan = {}
    count = len(running)
    for request in running:
        if request["todo"] <= left:
            plan[request["id"]] = request["todo"]
            left -= request["todo"]
    for request in waiting:
        if left == 0 or count == limits["max_num_seqs"]:
            break
        if request["todo"] > left:
            continue
        plan[request["id"]] = request["todo"]
        left -= request["todo"]
        count += 1
    return {"tokens": plan}
