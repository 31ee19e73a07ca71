def window_quantile(q, before, after):
    if q < 0 or q > 1 or len(before) != len(after):
        raise ValueError("q or pages")
    counts = []
    for (bound, then), (other, now) in zip(before, after):
        if bound != other:
            raise ValueError("pages")
        counts.append(now)
    if len(counts) < 2 or counts[-1] == 0:
        return None
    target = q * counts[-1]
    place = 0
    while counts[place] < target or counts[place] == 0:
        place += 1
    lower = 0.0 if place == 0 else after[place - 1][0]
    below = 0 if place == 0 else counts[place - 1]
    upper = after[place][0]
    if upper == float("inf"):
        return lower
    return lower + (upper - lower) * (target - below) / (counts[place] - below)
