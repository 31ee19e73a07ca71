from math import ceil


def request_account(log, ttft_slo_ms, tpot_slo_ms):
    if ttft_slo_ms <= 0 or tpot_slo_ms <= 0:
        raise ValueError("slo")
    if log["status"] not in {"completed", "cancelled", "failed", "running"}:
        raise ValueError("status")
    result = {"ttft_ms": None, "tpot_ms": None, "latency_ms": None, "good": False}
    if log["first_token_ms"] is not None:
        result["ttft_ms"] = log["first_token_ms"] - log["arrival_ms"]
    if log["status"] != "completed":
        return result
    result["latency_ms"] = log["finish_ms"] - log["arrival_ms"]
    if result["ttft_ms"] is None:
        return result
    if log["output_tokens"] > 1:
        result["tpot_ms"] = (log["finish_ms"] - log["first_token_ms"]) / (log["output_tokens"] - 1)
    result["good"] = result["ttft_ms"] <= ttft_slo_ms
    if result["tpot_ms"] is not None and result["tpot_ms"] > tpot_slo_ms:
        result["good"] = False
    return result


def run_account(logs, ttft_slo_ms, tpot_slo_ms, window_ms):
    if window_ms <= 0 or ttft_slo_ms <= 0 or tpot_slo_ms <= 0:
        raise ValueError("window")
    good = 0
    for log in logs:
        if request_account(log, ttft_slo_ms, tpot_slo_ms)["good"]:
            good += 1
    share = 0.0 if len(logs) == 0 else good / len(logs)
    return {"arrived": len(logs), "good": good, "good_fraction": share, "goodput_rps": good * 1000 / window_ms}


def plan_tokens(running, waiting, limits):
    left = limits["max_num_batched_tokens"]
    plan = {}
    count = len(running)
    for request in running:
        give = min(left, request["todo"])
        if give:
            plan[request["id"]] = give
            left -= give
    for request in waiting:
        if left == 0 or count == limits["max_num_seqs"]:
            break
        give = min(left, request["todo"])
        plan[request["id"]] = give
        left -= give
        count += 1
    return {"tokens": plan}


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
            if give == 0 or need > free_blocks or len(alive) >= limits["max_num_seqs"]:
                break
            alive.append(request)
            tokens[request["id"]] = give
            left -= give
            free_blocks -= need
    return {"tokens": tokens, "preempted": preempted}


def best_efficiencies(candidates, recorded):
    if len(candidates) == 0 or any(value <= 0 for value in recorded.values()):
        raise ValueError("nothing to fit")
    best = best_sum = None
    for candidate in candidates:
        ttft = candidate["ttft_ms"] / recorded["ttft_ms"] - 1
        tpot = candidate["tpot_ms"] / recorded["tpot_ms"] - 1
        latency = candidate["latency_ms"] / recorded["latency_ms"] - 1
        total = ttft**2 + tpot**2 + latency**2
        if best is None or total < best_sum:
            best_sum = total
            best = {
                "bandwidth_efficiency": candidate["bandwidth_efficiency"],
                "compute_efficiency": candidate["compute_efficiency"],
                "ttft_error": ttft,
                "tpot_error": tpot,
                "latency_error": latency,
            }
    return best


traffic_choice = {"chunk": 512, "slots": 32, "goodput_rps": 1.283, "tpot_factor": 8.53}


def prefix_hits(requests, capacity_blocks):
    if capacity_blocks < 0:
        raise ValueError("capacity")
    used = {}
    hits = total = 0
    for blocks in requests:
        total += len(blocks)
        for block in blocks:
            if block not in used:
                break
            hits += 1
        for block in blocks:
            used.pop(block, None)
            used[block] = True
            if len(used) > capacity_blocks:
                del used[next(iter(used))]
    return {"hit_blocks": hits, "blocks": total, "hit_ratio": hits / total if total else 0.0}


def window_quantile(q, before, after):
    if q < 0 or q > 1 or len(before) != len(after):
        raise ValueError("q or pages")
    counts = []
    for (bound, then), (other, now) in zip(before, after):
        if bound != other or now < then:
            raise ValueError("pages")
        counts.append(now - then)
    if len(counts) < 2 or counts[-1] == 0:
        return None
    target = q * counts[-1]
    place = 0
    while counts[place] < target or counts[place] == 0:
        place += 1
    lower = 0.0 if place == 0 else after[place - 1][0]
    below = 0 if place == 0 else counts[place - 1]
    upper = after[place][0]
    if upper == float("inf"):
        return lower
    return lower + (upper - lower) * (target - below) / (counts[place] - below)
