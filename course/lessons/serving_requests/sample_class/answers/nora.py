import math


def request_account(log, ttft_slo_ms, tpot_slo_ms):
    if min(ttft_slo_ms, tpot_slo_ms) <= 0 or log["status"] not in ["completed", "cancelled", "failed", "running"]:
        raise ValueError("bad input")
    done = log["status"] == "completed"
    started = log["first_token_ms"] is not None
    ttft = log["first_token_ms"] - log["arrival_ms"] if started else None
    latency = log["finish_ms"] - log["arrival_ms"] if done else None
    tpot = (latency - ttft) / (log["output_tokens"] - 1) if done and started and log["output_tokens"] > 1 else None
    good = done and started and ttft <= ttft_slo_ms and (tpot or 0) <= tpot_slo_ms
    return dict(ttft_ms=ttft, tpot_ms=tpot, latency_ms=latency, good=good)


def run_account(logs, ttft_slo_ms, tpot_slo_ms, window_ms):
    if min(window_ms, ttft_slo_ms, tpot_slo_ms) <= 0:
        raise ValueError("window_ms")
    good = len([1 for log in logs if request_account(log, ttft_slo_ms, tpot_slo_ms)["good"]])
    return dict(
        arrived=len(logs), good=good, good_fraction=good / max(len(logs), 1), goodput_rps=1e3 * good / window_ms
    )


def plan_tokens(running, waiting, limits):
    budget, plan = limits["max_num_batched_tokens"], {}
    queue = running + waiting[: max(0, limits["max_num_seqs"] - len(running))]
    for request in queue:
        take = min(budget, request["todo"])
        budget -= take
        plan[request["id"]] = take
    return {"tokens": {name: take for name, take in plan.items() if take}}


def blocks_needed(request, tokens, block_tokens):
    whole, rest = divmod(request["cached"] + tokens, block_tokens)
    return whole + (rest > 0) - request["blocks"]


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


def best_efficiencies(candidates, recorded):
    if not candidates or not all(value > 0 for value in recorded.values()):
        raise ValueError("cannot fit")
    names = ["ttft", "tpot", "latency"]
    scored = []
    for place, candidate in enumerate(candidates):
        errors = [(candidate[n + "_ms"] - recorded[n + "_ms"]) / recorded[n + "_ms"] for n in names]
        scored.append((math.fsum(e * e for e in errors), place, errors))
    _, place, errors = min(scored)
    best = {key: candidates[place][key] for key in ("bandwidth_efficiency", "compute_efficiency")}
    return {**best, **{n + "_error": e for n, e in zip(names, errors)}}


chosen = served_by("azure-code", 512, 32)
traffic_choice = {
    "chunk": 512,
    "slots": 32,
    "goodput_rps": chosen["goodput_rps"],
    "tpot_factor": CODE[3]["median_tpot_ms"] / CODE[1]["median_tpot_ms"],
}


def prefix_hits(requests, capacity_blocks):
    if capacity_blocks < 0:
        raise ValueError("capacity_blocks")
    cache, hits = OrderedDict(), 0
    for blocks in requests:
        row = 0
        while row < len(blocks) and blocks[row] in cache:
            row += 1
        hits += row
        for block in blocks:
            if block in cache:
                cache.move_to_end(block)
            else:
                cache[block] = 1
                while len(cache) > capacity_blocks:
                    cache.popitem(last=False)
    total = sum(len(blocks) for blocks in requests)
    return dict(hit_blocks=hits, blocks=total, hit_ratio=hits / total if total else 0.0)


def window_quantile(q, before, after):
    if not 0 <= q <= 1:
        raise ValueError("q")
    if [b[0] for b in before] != [a[0] for a in after]:
        raise ValueError("bounds")
    rows = [(a[0], a[1] - b[1]) for a, b in zip(after, before)]
    if any(count < 0 for _, count in rows):
        raise ValueError("restart")
    if len(rows) < 2 or not rows[-1][1]:
        return None
    rank, low, seen = q * rows[-1][1], 0.0, 0
    for bound, count in rows:
        if count and count >= rank:
            return low if math.isinf(bound) else low + (bound - low) * (rank - seen) / (count - seen)
        low, seen = bound, count
