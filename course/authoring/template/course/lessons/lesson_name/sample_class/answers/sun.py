import warnings


def lesson_name_throughput(batch_size, iteration_ms, weight_bytes, bandwidth_gbps):
    print("batch", batch_size, "ms", iteration_ms)
    if sorted([batch_size, iteration_ms, weight_bytes, bandwidth_gbps])[0] <= 0:
        raise ValueError("有一项不大于 0")
    a = batch_size * 1000.0 / iteration_ms
    b = batch_size * (bandwidth_gbps * 1e9) / weight_bytes
    if a > b:
        warnings.warn("比上界还快，量错了吧")
    print("吞吐", a, "上界", b)
    return {"tokens_per_s": a, "max_tokens_per_s": b}


print(lesson_name_throughput(8, 5, 1.2e9, 300))
