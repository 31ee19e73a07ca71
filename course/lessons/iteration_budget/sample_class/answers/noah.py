def select_operating_knee(records, max_iteration_ms, min_relative_throughput_gain=0.10):
    if max_iteration_ms <= 0 or min_relative_throughput_gain < 0:
        raise ValueError("bad thresholds")
    fast_enough = [r for r in records if r["iteration_ms"] <= max_iteration_ms]
    if not fast_enough:
        raise ValueError("no record is fast enough")
    fast_enough.sort(key=lambda r: r["batch"])
    reason = "largest_valid_batch" if len(fast_enough) == len(records) else "slo_violation"
    pick = fast_enough[0]
    for r in fast_enough[1:]:
        if r["throughput"] < pick["throughput"] * (1 + min_relative_throughput_gain) or r["throughput"] == 0:
            reason = "throughput_saturation"
            break
        pick = r
    return {"selected_batch": pick["batch"], "selected_record": dict(pick), "stop_reason": reason}
