def positive(*numbers):
    return all(number > 0 for number in numbers)


def lesson_name_throughput(batch_size, iteration_ms, weight_bytes, bandwidth_gbps):
    if not positive(batch_size, iteration_ms, weight_bytes, bandwidth_gbps):
        raise ValueError("everything must be above zero")
    return dict(
        tokens_per_s=batch_size / (iteration_ms / 1000),
        max_tokens_per_s=batch_size * bandwidth_gbps * 1e9 / weight_bytes,
    )
