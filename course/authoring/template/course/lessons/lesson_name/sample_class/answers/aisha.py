def lesson_name_throughput(batch_size, iteration_ms, weight_bytes, bandwidth_gbps):
    if batch_size <= 0 or iteration_ms <= 0 or weight_bytes <= 0 or bandwidth_gbps <= 0:
        raise ValueError("bad input")
    # an iteration makes one token
    rate = 1000 / iteration_ms
    best = batch_size * 1e9 * bandwidth_gbps / weight_bytes
    return {"tokens_per_s": rate, "max_tokens_per_s": best}
