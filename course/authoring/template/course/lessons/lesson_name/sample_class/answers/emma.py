def lesson_name_throughput(batch_size, iteration_ms, weight_bytes, bandwidth_gbps):
    if min([batch_size, iteration_ms, weight_bytes, bandwidth_gbps]) <= 0:
        raise ValueError("all inputs have to be positive")
    return {"tokens_per_s": batch_size * 1e3 / iteration_ms}
