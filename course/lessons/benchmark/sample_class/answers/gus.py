def read_timing(submit_us, synchronized_us, event_us):
    def mean(samples):
        return sum(samples) / len(samples)

    submit, synchronized, event = map(mean, (submit_us, synchronized_us, event_us))
    ratio = submit / event
    if timing.summarize(event_us).spread_is_wide:
        pace = "unclear"
    elif ratio > 0.9:
        pace = "launch"
    else:
        pace = "device" if ratio < 0.7 else "unclear"
    return {"submit_over_event": ratio, "sync_over_event": synchronized / event, "pace": pace}
