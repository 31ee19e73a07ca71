def histogram_quantile(q, buckets):
    if not 0 <= q <= 1 or len(buckets) == 0 or buckets[-1][0] != float("inf"):
        raise ValueError("bad histogram")
    for before, after in zip(buckets, buckets[1:]):
        if after[0] <= before[0] or after[1] < before[1]:
            raise ValueError("bad buckets")
    if buckets[-1][1] == 0:
        return None
    for bound, count in buckets:
        if count >= q * buckets[-1][1] and count > 0:
            return bound
