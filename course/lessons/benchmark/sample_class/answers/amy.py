def measure_three_ways(machine, tolerance, warmup, samples):
    device = queues.opened(machine)
    times = {"submit_us": [], "synchronized_us": [], "event_us": []}
    for turn in range(1 + warmup + samples):
        device.synchronize()
        start = device.now_us()
        output = device.step()
        returned = device.now_us()
        device.synchronize()
        done = device.now_us()
        if turn == 0:
            cold_us = done - start
            off = max(abs(x - y) for x, y in zip(device.read(output), device.reference))
            if off > tolerance:
                raise ValueError(f"off by {off}")
        elif turn > warmup:
            times["submit_us"].append(returned - start)
            times["synchronized_us"].append(done - start)
    for _ in range(samples):
        before = device.event()
        device.step()
        after = device.event()
        device.synchronize()
        times["event_us"].append(device.between_us(before, after))
    return {"cold_us": cold_us, "max_difference": off, **times}


def read_timing(submit_us, synchronized_us, event_us):
    submit, synchronized, event = map(median, (submit_us, synchronized_us, event_us))
    noisy = timing.summarize(event_us).relative_iqr > 0.1
    if noisy or 0.7 <= submit / event <= 0.9:
        pace = "unclear"
    else:
        pace = "launch" if submit > event * 0.8 else "device"
    return {
        "submit_over_event": submit / event,
        "sync_over_event": synchronized / event,
        "pace": pace,
    }


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
        "percentile_us": None if n < needed else nearest_rank(percent),
    }


row = recorded.benchmark_report("A").rows[4]
latency_s = (row["ttft_ms"] + 499 * row["itl_ms"]) / 1000
report_a = {"fault": "closed_loop", "repaired": 100 / latency_s}
report_b = {"fault": "timer_patched", "repaired": 0.67}
full = [s["generated_tokens_per_s"] for s in recorded.benchmark_report("C").rows if s["running"] > 119]
report_c = {"fault": "warmup_in_window", "repaired": sum(full) / len(full)}
report_d = {"fault": "client_bottleneck", "repaired": 486.0}
report_e = {"fault": "lazy_output", "repaired": 0.021 + 3.418}
report_f = {"fault": "nothing_wrong", "repaired": 199_486 / 159.6}
report_g = {"fault": "no_synchronization", "repaired": 14_431_090_114_560 * 50 / 1.0721 / 1e12}
report_h = {"fault": "cached_answer", "repaired": 4.62}
report_i = {"fault": "wrong_peak_bandwidth", "repaired": 25.59}
