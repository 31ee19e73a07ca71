def sample_summary(samples_us, cold_samples, percent):
    steady = sorted(samples_us[cold_samples:])
    if not steady
        raise ValueError("没有稳态样本")
    return {"n": len(steady)}
