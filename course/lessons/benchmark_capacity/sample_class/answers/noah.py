import numpy as np


def classify_boundary(submit_us, synchronized_us, event_us):
    if submit_us <= 0 or synchronized_us <= 0 or event_us <= 0:
        raise ValueError("positive times only")
    result = {
        "submit_over_event": submit_us / event_us,
        "synchronized_over_larger": synchronized_us / max(submit_us, event_us),
    }
    if result["submit_over_event"] > 0.9:
        return {**result, "boundary": "launch"}
    if result["submit_over_event"] < 0.7:
        return {**result, "boundary": "device"}
    if result["synchronized_over_larger"] >= 2:
        return {**result, "boundary": "synchronization"}
    return {**result, "boundary": "unclear"}
