def lesson_name_throughput(batch_size, iteration_ms, weight_bytes, bandwidth_gbps)
    if batch_size <= 0:
        raise ValueError("no chats")
    return {"tokens_per_s": batch_size * 1000 / iteration_ms}
