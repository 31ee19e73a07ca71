def read_timing(submit_us, synchronized_us, event_us):
    event = median(event_us)
    share = median(submit_us) / event
    pace = "launch" if share > 0.9 else "device" if share < 0.7 else "unclear"
    return {
        "submit_over_event": share,
        "sync_over_event": median(synchronized_us) / event,
        "pace": pace,
    }
