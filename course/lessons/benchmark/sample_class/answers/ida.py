from math import ceil, isfinite


def sample_summary(samples_us, cold_samples, percent):
    if not 0 < percent < 100 or int(percent) != percent:
        raise ValueError("percent")
    if cold_samples < 0 or not all(isfinite(s) and s > 0 for s in samples_us):
        raise ValueError("samples")
    cold, steady = samples_us[:cold_samples], sorted(samples_us[cold_samples:])
    if not steady:
        raise ValueError("no steady samples")
    n = len(steady)

    def nearest_rank(p):
        return steady[ceil(p * n / 100) - 1]

    half = n // 2
    middle = steady[half] if n % 2 else (steady[half - 1] + steady[half]) / 2
    needed = 1
    chance = percent / 100
    while not chance < 0.05:
        chance *= percent / 100
        needed += 1
    return {
        "cold_us": cold,
        "n": n,
        "median_us": middle,
        "spread": (nearest_rank(75) - nearest_rank(25)) / middle,
        "needed": needed,
        "percentile_us": None if n < needed else steady[min(ceil(percent * n / 100), n - 1)],
    }
