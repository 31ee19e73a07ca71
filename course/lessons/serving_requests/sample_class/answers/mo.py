def best_efficiencies(candidates, recorded):
    if len(candidates) == 0 or any(value <= 0 for value in recorded.values()):
        raise ValueError("nothing to fit")
    best = best_sum = None
    for candidate in candidates:
        ttft = candidate["ttft_ms"] - recorded["ttft_ms"]
        tpot = candidate["tpot_ms"] - recorded["tpot_ms"]
        latency = candidate["latency_ms"] - recorded["latency_ms"]
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
