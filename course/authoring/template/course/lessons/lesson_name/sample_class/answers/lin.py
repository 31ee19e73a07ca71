def lesson_name_throughput(batch_size, iteration_ms, weight_bytes, bandwidth_gbps):
    if batch_size <= 0 or iteration_ms <= 0:
        raise ValueError("批次和时间必须为正")
    if weight_bytes <= 0 or bandwidth_gbps <= 0:
        raise ValueError("权重和带宽必须为正")
    # 一秒走几轮
    iterations_per_s = 1000 / iteration_ms
    tokens_per_s = batch_size * iterations_per_s
    # 读一遍权重要几秒
    read_s = weight_bytes / (bandwidth_gbps * 10**9)
    max_tokens_per_s = batch_size / read_s
    return {"tokens_per_s": tokens_per_s, "max_tokens_per_s": max_tokens_per_s}
