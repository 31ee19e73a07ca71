def sample_summary(samples_us, cold_samples, percent):
    if cold_samples < 0 or cold_samples >= len(samples_us):
        raise ValueError("没有稳态样本")
    if percent < 1 or percent > 99:
        raise ValueError("percent")
    for sample in samples_us:
        if not (sample > 0 and sample != float("inf")):
            raise ValueError("坏样本")
    steady = sorted(samples_us[cold_samples:])
    n = len(steady)
    needed = next(k for k in range(1, 999) if (percent / 100) ** k < 0.05)
    low, high, place = ((share * n + 99) // 100 - 1 for share in (25, 75, percent))
    return {
        "cold_us": samples_us[:cold_samples],
        "n": n,
        "median_us": sum(steady) / n,
        "spread": (steady[high] - steady[low]) / (sum(steady) / n),
        "needed": needed,
        "percentile_us": steady[place] if n >= needed else None,
    }
