def lesson_name_throughput(batch_size, iteration_ms, weight_bytes, bandwidth_gbps):
    return {
        "tokens_per_s": batch_size / iteration_ms,
        "max_tokens_per_s": batch_size / (weight_bytes / (bandwidth_gbps * 1e9)),
    }
