import numpy


def summarize_samples(samples_ms, cold_samples):
    if cold_samples < 0 or cold_samples >= len(samples_ms):
        raise ValueError("没有稳态样本")
    if any(not (0 < s < float("inf")) for s in samples_ms):
        raise ValueError("坏样本")
    稳态 = samples_ms[cold_samples:]
    n = len(稳态)
    return {
        "cold_ms": list(samples_ms[:cold_samples]),
        "steady_count": n,
        "median_ms": float(numpy.median(samples_ms)),
        "p95_ms": float(numpy.percentile(稳态, 95)) if n >= 60 else None,
        "p99_ms": float(numpy.percentile(稳态, 99)) if n >= 300 else None,
        "too_few": [名 for 名, 要 in (("p95", 60), ("p99", 300)) if n < 要],
    }
