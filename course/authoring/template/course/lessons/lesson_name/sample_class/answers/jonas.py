def lesson_name_throughput(batch_size, iteration_ms, weight_bytes, bandwidth_gbps):
    for value in (batch_size, iteration_ms, weight_bytes, bandwidth_gbps):
        if value <= 0:
            raise ValueError(f"must be positive: {value}")
    speed = batch_size / iteration_ms
    limit = batch_size / (weight_bytes / bandwidth_gbps / 1e9)
    return {"tokens_per_s": speed, "max_tokens_per_s": limit}
