def lesson_name_throughput(batch_size, iteration_ms, weight_bytes, bandwidth_gbps):
    if min(batch_size, iteration_ms, weight_bytes, bandwidth_gbps) <= 0:
        raise ValueError("输入必须大于 0")
    out = {"tokens_per_s": 1000 * batch_size / iteration_ms}
    shortest = weight_bytes / (bandwidth_gbps * 1024**3)  # 秒
    out["max_tokens_per_s"] = batch_size / shortest
    return out
