def select_operating_knee(records, max_iteration_ms, min_relative_throughput_gain=0.10):
    if not records or max_iteration_ms <= 0 or min_relative_throughput_gain < 0:
        raise ValueError("bad input")
    ordered = sorted(records, key=lambda r: r["batch"])
    selected, reason = None, "largest_valid_batch"
    for i, r in enumerate(ordered)
        if r["iteration_ms"] > max_iteration_ms:
            reason = "slo_violation"
            break
        if i and (r["throughput"] - selected["throughput"]) / selected["throughput"] < min_relative_throughput_gain:
            reason = "throughput_saturation"
            break
        selected = r
    return {"selected_batch": selected["batch"], "selected_record": selected, "stop_reason": reason}


decision = {"concurrency": 25, "throughput": 623.4, "stopped_by": "itl", "running": 24}
