def select_operating_knee(records, max_iteration_ms, min_relative_throughput_gain=0.10):
    if not records or max_iteration_ms <= 0 or min_relative_throughput_gain < 0:
        raise ValueError("参数不合法")
    previous = None
    reason = "largest_valid_batch"
    for item in sorted(records, key=lambda x: x["batch"]):
        if item["iteration_ms"] > max_iteration_ms:
            reason = "slo_violation"
            break
        if previous is not None:
            gain = (item["throughput"] - previous["throughput"]) / max(previous["throughput"], 1e-12)
            if gain <= min_relative_throughput_gain:
                reason = "throughput_saturation"
                break
        previous = item
    if previous is None:
        raise ValueError("没有可用的批次")
    return {"selected_batch": previous["batch"], "selected_record": dict(previous), "stop_reason": reason}
