import numpy as np


def classify_boundary(submit_us, synchronized_us, event_us):
    times = np.array([submit_us, synchronized_us, event_us], dtype=float)
    if (times <= 0).any():
        raise ValueError(f"times must be positive: {times}")
    host = times[0] / times[2]
    waits = times[1] / times[[0, 2]].max()
    names = np.array(["synchronization", "launch", "device", "unclear"])
    boundary = str(names[np.argmax([waits >= 2, host > 0.9, host < 0.7, True])])
    return {"submit_over_event": host, "synchronized_over_larger": waits, "boundary": boundary}


def summarize_samples(samples_ms, cold_samples):
    samples = np.array(samples_ms, dtype=float)
    if cold_samples < 0 or cold_samples >= samples.size or not (np.isfinite(samples) & (samples > 0)).all():
        raise ValueError("bad samples")
    steady = samples[cold_samples:]
    enough = {"p95": steady.size >= 60, "p99": steady.size >= 300}
    by_rank = {name: np.percentile(steady, int(name[1:]), method="inverted_cdf") for name in enough}
    return {
        "cold_ms": samples[:cold_samples].tolist(),
        "steady_count": int(steady.size),
        "median_ms": np.median(steady),
        "p95_ms": by_rank["p95"] if enough["p95"] else None,
        "p99_ms": by_rank["p99"] if enough["p99"] else None,
        "too_few": [name for name in enough if not enough[name]],
    }


def _positive(*sizes):
    if min(sizes) <= 0:
        raise ValueError("sizes must be positive")


def kv_bytes_per_token(layers, kv_heads, head_dim, element_bytes):
    _positive(layers, kv_heads, head_dim, element_bytes)
    return int(2 * np.prod([layers, kv_heads, head_dim, element_bytes]))


def kv_bytes_of_context(
    context_tokens, full_layers, sliding_layers, window, kv_heads, head_dim, element_bytes
):
    _positive(window, kv_heads, head_dim, element_bytes, full_layers + sliding_layers)
    if min(context_tokens, full_layers, sliding_layers) < 0:
        raise ValueError("negative")
    seen = np.concatenate([np.full(full_layers, context_tokens), np.full(sliding_layers, min(context_tokens, window))])
    return int(seen.sum() * 2 * kv_heads * head_dim * element_bytes)


def latent_kv_bytes_per_token(layers, latent_dim, rope_dim, element_bytes):
    _positive(layers, latent_dim, rope_dim, element_bytes)
    return layers * np.sum([latent_dim, rope_dim]) * element_bytes


def quantized_kv_bytes_per_token(layers, kv_heads, head_dim, element_bits, group_size, scale_bytes):
    _positive(layers, kv_heads, head_dim, element_bits, group_size, scale_bytes)
    scales = np.ceil(head_dim / group_size) * scale_bytes
    return int(2 * layers * kv_heads * (head_dim * element_bits / 8 + scales))


def token_capacity(total_gib, weights_gib, runtime_gib, kv_bytes_per_token, utilization):
    _positive(total_gib, kv_bytes_per_token, utilization)
    if utilization > 1 or weights_gib < 0 or runtime_gib < 0:
        raise ValueError("bad memory")
    usable = int(np.floor(total_gib * utilization * 2**30))
    fixed = int(np.floor((weights_gib + runtime_gib) * 2**30))
    tokens = np.maximum(0, usable - fixed) // kv_bytes_per_token
    return {"usable_bytes": usable, "fixed_bytes": fixed, "tokens": tokens}


def request_capacity(tokens, context, reserved_output, block_size):
    _positive(context, block_size)
    if tokens < 0 or reserved_output < 0:
        raise ValueError("negative")
    blocks = int(np.ceil((context + reserved_output) / block_size))
    return {
        "blocks_per_request": blocks,
        "requests": int(np.floor_divide(np.floor_divide(tokens, block_size), blocks)),
        "wasted_tokens_per_request": blocks * block_size - context - reserved_output,
    }


def request_goodput(requests, ttft_slo_ms, tpot_slo_ms, window_s):
    if not len(requests) or min(ttft_slo_ms, tpot_slo_ms, window_s) <= 0:
        raise ValueError("bad input")
    status = np.array([r["status"] for r in requests])
    if not np.isin(status, ["completed", "cancelled", "failed"]).all():
        raise ValueError("bad status")
    done = [r for r in requests if r["status"] == "completed"]
    ttft = np.array([r["ttft_ms"] for r in done])
    tokens = np.array([r["output_tokens"] for r in done])
    decode = np.array([r["e2e_s"] for r in done]) * 1e3 - ttft
    tpot = np.where(tokens > 1, decode / np.maximum(tokens - 1, 1), 0.0)
    good = int(((ttft <= ttft_slo_ms) & (tpot <= tpot_slo_ms)).sum())
    return {
        "arrived": len(requests),
        "completed": len(done),
        "good": good,
        "good_fraction": good / len(requests),
        "goodput_rps": good / window_s,
        "throughput_tokens_per_s": tokens.sum() / window_s,
    }


def histogram_quantile(q, buckets):
    if not 0 <= q <= 1 or not len(buckets) or buckets[-1][0] != np.inf:
        raise ValueError("bad input")
    bounds = np.array([b for b, _ in buckets], dtype=float)
    counts = np.array([c for _, c in buckets], dtype=float)
    if (np.diff(bounds) <= 0).any() or (np.diff(counts) < 0).any():
        raise ValueError("out of order")
    if counts[-1] == 0:
        return None
    rank = q * counts[-1]
    i = int(np.argmax((counts >= rank) & (counts > 0)))
    if bounds[i] == np.inf:
        return float(bounds[i - 1]) if i else 0.0
    left, before = (bounds[i - 1], counts[i - 1]) if i else (0.0, 0.0)
    return left + (bounds[i] - left) * (rank - before) / (counts[i] - before)


rows = {name: recorded.exhibit(name).rows for name in recorded.exhibits()}
columns = {name: {key: np.array([r[key] for r in table]) for key in table[0]} for name, table in rows.items()}
a, h, i = columns["A"], columns["H"], columns["I"]
verdicts = {
    "A": {"fault": "first_token_in_itl", "repaired": ((a["e2e_ms"] - a["ttft_ms"]) / (a["output_tokens"] - 1)).mean()},
    "B": {"fault": "gb_for_gib", "repaired": 50_850},
    "C": {"fault": "honest", "repaired": 199_486 / 159.617},
    "D": {"fault": "no_synchronisation", "repaired": 673.0},
    "E": {"fault": "failed_requests_dropped", "repaired": 72 / 300},
    "F": {"fault": "littles_law", "repaired": 920},
    "G": {"fault": "wrong_peak_bandwidth", "repaired": 0.2559},
    "H": {"fault": "warmup_inside_window", "repaired": h["generated_tokens_per_s"][h["running"] >= 120].mean()},
    "I": {"fault": "prefix_cache_hit", "repaired": i["ttft_ms"][i["round"] == 1].mean()},
}
