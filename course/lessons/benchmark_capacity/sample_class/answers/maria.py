import math
import statistics


def _require(condition, message):
    if not condition:
        raise ValueError(message)


def classify_boundary(submit_us, synchronized_us, event_us):
    _require(min(submit_us, synchronized_us, event_us) > 0, "times must be positive")
    host, waiting = submit_us / event_us, synchronized_us / max(submit_us, event_us)
    rules = [("synchronization", waiting >= 2), ("launch", host > 0.9), ("device", host < 0.7), ("unclear", True)]
    return {
        "submit_over_event": host,
        "synchronized_over_larger": waiting,
        "boundary": next(name for name, holds in rules if holds),
    }


ENOUGH = {"p95": 60, "p99": 300}


def summarize_samples(samples_ms, cold_samples):
    _require(0 <= cold_samples < len(samples_ms), "nothing steady is left")
    _require(all(math.isfinite(s) and s > 0 for s in samples_ms), "samples must be positive numbers")
    cold, steady = list(samples_ms[:cold_samples]), sorted(samples_ms[cold_samples:])
    n = len(steady)
    too_few = {name for name, count in ENOUGH.items() if n < count}
    ranked = {name: steady[math.ceil(round(int(name[1:]) * n / 100, 9)) - 1] for name in ENOUGH}
    return {
        "cold_ms": cold,
        "steady_count": n,
        "median_ms": statistics.median(steady),
        "too_few": too_few,
        **{f"{name}_ms": None if name in too_few else value for name, value in ranked.items()},
    }


def kv_bytes_per_token(layers, kv_heads, head_dim, element_bytes):
    sizes = [layers, kv_heads, head_dim, element_bytes]
    _require(all(size > 0 for size in sizes), "sizes must be positive")
    return 2 * math.prod(sizes)


def kv_bytes_of_context(
    context_tokens, full_layers, sliding_layers, window, kv_heads, head_dim, element_bytes
):
    _require(context_tokens >= 0 and full_layers >= 0 and sliding_layers >= 0, "negative")
    _require(full_layers or sliding_layers, "no layers")
    _require(window > 0, "no window")
    one_layer = kv_bytes_per_token(1, kv_heads, head_dim, element_bytes)
    return one_layer * (full_layers * context_tokens + sliding_layers * min(window, context_tokens))


def latent_kv_bytes_per_token(layers, latent_dim, rope_dim, element_bytes):
    _require(min(layers, latent_dim, rope_dim, element_bytes) > 0, "sizes must be positive")
    return element_bytes * layers * (rope_dim + latent_dim)


def quantized_kv_bytes_per_token(layers, kv_heads, head_dim, element_bits, group_size, scale_bytes):
    for size in (layers, kv_heads, head_dim, element_bits, group_size, scale_bytes):
        _require(size > 0, "sizes must be positive")
    payload = head_dim * element_bits / 8
    scales = math.ceil(head_dim / group_size) * scale_bytes
    return int(2 * layers * kv_heads * (payload + scales))


def token_capacity(total_gib, weights_gib, runtime_gib, kv_bytes_per_token, utilization):
    _require(total_gib > 0 and kv_bytes_per_token > 0, "must be positive")
    _require(weights_gib >= 0 and runtime_gib >= 0, "must not be negative")
    _require(0 < utilization <= 1, "utilization is a share")
    usable, fixed = (int(gib * 2**30) for gib in (total_gib * utilization, weights_gib + runtime_gib))
    return {
        "usable_bytes": usable,
        "fixed_bytes": fixed,
        "tokens": max(usable - fixed, 0) // kv_bytes_per_token,
    }


def request_capacity(tokens, context, reserved_output, block_size):
    _require(tokens >= 0 and reserved_output >= 0 and context > 0 and block_size > 0, "bad sizes")
    blocks, rest = divmod(context + reserved_output, block_size)
    wasted = (block_size - rest) % block_size
    blocks += bool(rest)
    return {
        "blocks_per_request": blocks,
        "requests": (tokens // block_size) // blocks,
        "wasted_tokens_per_request": wasted,
    }


def _served(request, ttft_slo_ms, tpot_slo_ms):
    gaps = request["output_tokens"] - 1
    budget_ms = request["ttft_ms"] + gaps * tpot_slo_ms
    slack = 1e-9 * budget_ms
    return request["ttft_ms"] <= ttft_slo_ms and (gaps == 0 or request["e2e_s"] * 1e3 <= budget_ms + slack)


def request_goodput(requests, ttft_slo_ms, tpot_slo_ms, window_s):
    _require(len(requests) > 0, "no requests")
    _require(min(ttft_slo_ms, tpot_slo_ms, window_s) > 0, "limits must be positive")
    _require({r["status"] for r in requests} <= {"completed", "cancelled", "failed"}, "unknown status")
    done = [r for r in requests if r["status"] == "completed"]
    good = [r for r in done if _served(r, ttft_slo_ms, tpot_slo_ms)]
    return dict(
        arrived=len(requests),
        completed=len(done),
        good=len(good),
        good_fraction=len(good) / len(requests),
        goodput_rps=len(good) / window_s,
        throughput_tokens_per_s=sum(r["output_tokens"] for r in done) / window_s,
    )


def histogram_quantile(q, buckets):
    _require(0 <= q <= 1, "q is a share")
    _require(len(buckets) > 0 and math.isinf(buckets[-1][0]), "the last bucket must be open")
    bounds, counts = zip(*buckets)
    _require(list(bounds) == sorted(set(bounds)) and list(counts) == sorted(counts), "buckets out of order")
    if not counts[-1]:
        return None
    rank = q * counts[-1]
    index = next(i for i, count in enumerate(counts) if count >= rank and count > 0)
    lower, below = (bounds[index - 1], counts[index - 1]) if index else (0.0, 0)
    if math.isinf(bounds[index]):
        return lower
    share = (rank - below) / (counts[index] - below)
    return lower + share * (bounds[index] - lower)


reports = {name: recorded.exhibit(name) for name in recorded.exhibits()}

mean = statistics.fmean

verdicts = {name: {"fault": "honest", "repaired": report.claimed} for name, report in reports.items()}
verdicts["A"] = {
    "fault": "first_token_in_itl",
    "repaired": mean((r["e2e_ms"] - r["ttft_ms"]) / (r["output_tokens"] - 1) for r in reports["A"].rows),
}
memory = reports["B"].figures["device_memory_bytes"] * 0.9 - reports["B"].figures["weight_bytes"]
verdicts["B"] = {"fault": "gb_for_gib", "repaired": math.floor(memory / reports["B"].figures["kv_bytes_per_token"])}
verdicts["C"]["repaired"] = reports["C"].claimed["output_tokens_per_s"]
last = reports["D"].rows[-1]
per_call_s = last["loop_total_ms"] / last["calls"] / 1e3
verdicts["D"] = {"fault": "no_synchronisation", "repaired": last["flops_per_call"] / per_call_s / 1e12}
verdicts["E"] = {
    "fault": "failed_requests_dropped",
    "repaired": reports["E"].rows[0]["ttft_within_slo"] / sum(r["requests"] for r in reports["E"].rows),
}
verdicts["F"] = {"fault": "littles_law", "repaired": 917.26}
verdicts["G"] = {"fault": "wrong_peak_bandwidth", "repaired": reports["G"].rows[0]["weights_gbps"] / 2039.04}
verdicts["H"] = {
    "fault": "warmup_inside_window",
    "repaired": mean(r["generated_tokens_per_s"] for r in reports["H"].rows if r["running"] >= 120),
}
verdicts["I"] = {
    "fault": "prefix_cache_hit",
    "repaired": mean(r["ttft_ms"] for r in reports["I"].rows if r["round"] == 1),
}
