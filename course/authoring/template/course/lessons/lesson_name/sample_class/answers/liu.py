def lesson_name_throughput(batch_size, iteration_ms, weight_bytes, bandwidth_gbps):
    if any(x <= 0 for x in [batch_size, iteration_ms, weight_bytes, bandwidth_gbps]):
        raise ValueError("输入不合法")
    shortest_s = batch_size * weight_bytes / (bandwidth_gbps * 1e9)
    return {
        "tokens_per_s": batch_size / iteration_ms * 1000,
        "max_tokens_per_s": batch_size / shortest_s,
    }
