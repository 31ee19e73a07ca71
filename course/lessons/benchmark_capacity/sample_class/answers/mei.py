def classify_boundary(submit_us, synchronized_us, event_us):
    if min(submit_us, synchronized_us, event_us) <= 0:
        raise ValueError("时间必须为正")
    提交 = submit_us / event_us
    同步 = synchronized_us / max(submit_us, event_us)
    if 同步 >= 2:
        边界 = "synchronization"
    else:
        边界 = "launch" if 提交 > 0.9 else "device" if 提交 < 0.7 else "unclear"
    return {"submit_over_event": 提交, "synchronized_over_larger": 同步, "boundary": 边界}


def summarize_samples(samples_ms, cold_samples):
    if cold_samples < 0 or len(samples_ms) <= cold_samples:
        raise ValueError("没有样本")
    if min(samples_ms) <= 0 or not all(s < float("inf") for s in samples_ms):
        raise ValueError("坏样本")
    稳态 = sorted(samples_ms[cold_samples:])
    n = len(稳态)
    out = {"cold_ms": samples_ms[:cold_samples], "steady_count": n, "too_few": []}
    out["median_ms"] = (稳态[(n - 1) // 2] + 稳态[n // 2]) / 2
    for 名, 百分, 要 in (("p95", 95, 60), ("p99", 99, 300)):
        out[名 + "_ms"] = 稳态[(百分 * n + 99) // 100 - 1] if n >= 要 else None
        if n < 要:
            out["too_few"].append(名)
    return out
