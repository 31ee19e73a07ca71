def measure_three_ways(machine, tolerance, warmup, samples):
    device = queues.opened(machine)

    def wall(step_only):
        device.synchronize()
        start = device.now_us()
        output = device.step()
        if not step_only:
            device.synchronize()
        return device.now_us() - start, output

    cold, output = wall(step_only=False)
    differences = [abs(a - b) for a, b in zip(device.read(output), device.reference)]
    if max(differences) > tolerance:
        raise ValueError("结果不对")
    for _ in range(warmup):
        device.step()
    found = {"cold_us": cold, "max_difference": max(differences)}
    found["submit_us"] = [wall(step_only=True)[0] for _ in range(samples)]
    found["synchronized_us"] = [wall(step_only=False)[0] for _ in range(samples)]
    found["event_us"] = []
    for _ in range(samples):
        device.synchronize()
        first = device.event()
        device.step()
        second = device.event()
        device.synchronize()
        found["event_us"].append(device.between_us(first, second))
    return found


def read_timing(submit_us, synchronized_us, event_us):
    share = median(submit_us) / median(event_us)
    pace = "unclear"
    if not timing.summarize(event_us).spread_is_wide:
        if share > 0.9:
            pace = "launch"
        if share < 0.7:
            pace = "device"
    return {
        "submit_over_event": share,
        "sync_over_event": median(synchronized_us) / median(event_us),
        "pace": pace,
    }


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
        "median_us": median(steady),
        "spread": (steady[high] - steady[low]) / median(steady),
        "needed": needed,
        "percentile_us": steady[place] if n >= needed else None,
    }


report_a = {"fault": "closed_loop", "repaired": 917.26 / 500}
report_b = {"fault": "timer_patched", "repaired": (2.636 - 2.234) * 1000 / 600}
report_c = {"fault": "warmup_in_window", "repaired": 3675.16}
report_d = {"fault": "client_bottleneck", "repaired": 486}
report_e = {"fault": "lazy_output", "repaired": 3.381}
report_f = {"fault": "nothing_wrong", "repaired": 1249.8}
report_g = {"fault": "no_synchronisation", "repaired": 673.03}
report_h = {"fault": "cached_answer", "repaired": 4.62}
report_i = {"fault": "wrong_peak_bandwidth", "repaired": 0.2559}
