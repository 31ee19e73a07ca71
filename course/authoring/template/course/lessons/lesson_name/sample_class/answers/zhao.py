def lesson_name_throughput(batch_size, iteration_ms, weight_bytes, bandwidth_gbps):
    每秒轮数 = 1e3 / iteration_ms
    最短一轮 = weight_bytes / bandwidth_gbps / 1e9
    return {"tokens_per_s": batch_size * 每秒轮数, "max_tokens_per_s": batch_size / 最短一轮}
