def classify_boundary(submit_us: float, synchronized_us: float, event_us: float) -> dict:
    # 三个时间都必须是正数
    for t in (submit_us, synchronized_us, event_us):
        if t <= 0:
            raise ValueError("时间必须大于 0")
    a = submit_us / event_us
    大的 = submit_us
    if event_us > 大的:
        大的 = event_us
    b = synchronized_us / 大的
    if b >= 2:
        结论 = "synchronization"
    elif a > 0.9:
        结论 = "launch"
    elif a < 0.7:
        结论 = "device"
    else:
        结论 = "unclear"
    return {"submit_over_event": a, "synchronized_over_larger": b, "boundary": 结论}


def summarize_samples(samples_ms: Sequence[float], cold_samples: int) -> dict:
    if cold_samples < 0:
        raise ValueError("cold_samples 不能为负")
    for s in samples_ms:
        if not s > 0 or s == float("inf"):
            raise ValueError("样本必须是有限的正数")
    冷 = [samples_ms[i] for i in range(min(cold_samples, len(samples_ms)))]
    热 = [samples_ms[i] for i in range(cold_samples, len(samples_ms))]
    if len(热) == 0:
        raise ValueError("至少要有一个稳态样本")
    热.sort()
    n = len(热)
    if n % 2 == 1:
        中位数 = 热[n // 2]
    else:
        中位数 = (热[n // 2 - 1] + 热[n // 2]) / 2

    def 第(百分比):
        k = (百分比 * n + 99) // 100  # 向上取整
        return 热[k - 1]

    结果 = {"cold_ms": 冷, "steady_count": n, "median_ms": 中位数, "p95_ms": None, "p99_ms": None, "too_few": []}
    if n >= 60:
        结果["p95_ms"] = 第(95)
    else:
        结果["too_few"].append("p95")
    if n >= 300:
        结果["p99_ms"] = 第(99)
    else:
        结果["too_few"].append("p99")
    return 结果


def kv_bytes_per_token(layers: int, kv_heads: int, head_dim: int, element_bytes: int) -> int:
    for x in (layers, kv_heads, head_dim, element_bytes):
        if x <= 0:
            raise ValueError("必须为正")
    key = layers * kv_heads * head_dim * element_bytes
    value = key
    return key + value


def kv_bytes_of_context(
    context_tokens: int,
    full_layers: int,
    sliding_layers: int,
    window: int,
    kv_heads: int,
    head_dim: int,
    element_bytes: int,
) -> int:
    if context_tokens < 0 or full_layers < 0 or sliding_layers < 0:
        raise ValueError("不能为负")
    if full_layers + sliding_layers == 0 or window <= 0 or kv_heads <= 0 or head_dim <= 0 or element_bytes <= 0:
        raise ValueError("必须为正")
    一层一个 = 2 * kv_heads * head_dim * element_bytes
    看得见 = context_tokens if context_tokens < window else window
    return 一层一个 * full_layers * context_tokens + 一层一个 * sliding_layers * 看得见


def latent_kv_bytes_per_token(layers: int, latent_dim: int, rope_dim: int, element_bytes: int) -> int:
    for x in (layers, latent_dim, rope_dim, element_bytes):
        if x <= 0:
            raise ValueError("必须为正")
    return layers * latent_dim * element_bytes + layers * rope_dim * element_bytes


def quantized_kv_bytes_per_token(
    layers: int, kv_heads: int, head_dim: int, element_bits: int, group_size: int, scale_bytes: int
) -> int:
    for x in (layers, kv_heads, head_dim, element_bits, group_size, scale_bytes):
        if x <= 0:
            raise ValueError("必须为正")
    组 = (head_dim + group_size - 1) // group_size
    一个头 = head_dim * element_bits // 8 + 组 * scale_bytes
    return layers * kv_heads * 一个头 * 2


def token_capacity(
    total_gib: float, weights_gib: float, runtime_gib: float, kv_bytes_per_token: int, utilization: float
) -> dict:
    if total_gib <= 0 or kv_bytes_per_token <= 0 or weights_gib < 0 or runtime_gib < 0:
        raise ValueError("显存参数不合法")
    if utilization <= 0 or utilization > 1:
        raise ValueError("utilization 要在 (0, 1] 里")
    GIB = 1024 * 1024 * 1024
    可用 = int(total_gib * utilization * GIB)
    固定 = int((weights_gib + runtime_gib) * GIB)
    剩下 = 可用 - 固定
    if 剩下 < 0:
        剩下 = 0
    return {"usable_bytes": 可用, "fixed_bytes": 固定, "tokens": 剩下 // kv_bytes_per_token}


def request_capacity(tokens: int, context: int, reserved_output: int, block_size: int) -> dict:
    if tokens < 0 or context <= 0 or reserved_output < 0 or block_size <= 0:
        raise ValueError("输入不合法")
    一共 = context + reserved_output
    块 = 一共 // block_size
    if 一共 % block_size:
        块 += 1
    整块 = tokens // block_size
    return {
        "blocks_per_request": 块,
        "requests": 整块 // 块,
        "wasted_tokens_per_request": 块 * block_size - 一共,
    }


def request_goodput(
    requests: Sequence[dict], ttft_slo_ms: float, tpot_slo_ms: float, window_s: float
) -> dict:
    if len(requests) == 0:
        raise ValueError("没有请求")
    if ttft_slo_ms <= 0 or tpot_slo_ms <= 0 or window_s <= 0:
        raise ValueError("SLO 与窗口必须为正")
    完成, 达标, token = 0, 0, 0
    for r in requests:
        if r["status"] not in ("completed", "cancelled", "failed"):
            raise ValueError("不认识的状态")
        if r["status"] != "completed":
            continue
        完成 += 1
        token += r["output_tokens"]
        if r["ttft_ms"] > ttft_slo_ms:
            continue
        if r["output_tokens"] > 1:
            tpot = (r["e2e_s"] * 1000 - r["ttft_ms"]) / (r["output_tokens"] - 1)
            if tpot > tpot_slo_ms:
                continue
        达标 += 1
    return {
        "arrived": len(requests),
        "completed": 完成,
        "good": 达标,
        "good_fraction": 达标 / len(requests),
        "goodput_rps": 达标 / window_s,
        "throughput_tokens_per_s": token / window_s,
    }


def histogram_quantile(q: float, buckets: Sequence[tuple]) -> float | None:
    if q < 0 or q > 1:
        raise ValueError("q 要在 [0, 1] 里")
    if len(buckets) == 0:
        raise ValueError("没有桶")
    if buckets[-1][0] != float("inf"):
        raise ValueError("最后一个桶的上界必须是无穷")
    for i in range(1, len(buckets)):
        if buckets[i][0] <= buckets[i - 1][0] or buckets[i][1] < buckets[i - 1][1]:
            raise ValueError("桶没有按顺序")
    总数 = buckets[-1][1]
    if 总数 == 0:
        return None
    目标 = q * 总数
    i = 0
    while buckets[i][1] < 目标 or buckets[i][1] == 0:
        i += 1
    if i == len(buckets) - 1:
        return buckets[i - 1][0] if i > 0 else 0.0
    左, 前 = (0.0, 0) if i == 0 else buckets[i - 1]
    右, 到 = buckets[i]
    return 左 + (右 - 左) * (目标 - 前) / (到 - 前)


A = recorded.exhibit("A").rows
间隔 = [(r["e2e_ms"] - r["ttft_ms"]) / (r["output_tokens"] - 1) for r in A]
D = recorded.exhibit("D").rows[-1]
F = [r for r in recorded.exhibit("F").rows if r["concurrency"] == 100][0]
一个请求 = (F["ttft_ms"] + 499 * F["itl_ms"]) / 1000
稳态 = [r["generated_tokens_per_s"] for r in recorded.exhibit("H").rows if r["running"] >= 120]
新的 = [r["ttft_ms"] for r in recorded.exhibit("I").rows if r["round"] == 1]
verdicts = {
    "A": {"fault": "first_token_in_itl", "repaired": sum(间隔) / len(间隔)},
    "B": {"fault": "gb_for_gib", "repaired": (25_250_627_584 * 0.9 - 16_060_522_496) // 131_072},
    "C": {"fault": "honest", "repaired": 1249.8},
    "D": {"fault": "no_synchronisation", "repaired": D["flops_per_call"] * 50 / D["loop_total_ms"] / 1e9},
    "E": {"fault": "failed_requests_dropped", "repaired": 0.24},
    "F": {"fault": "littles_law", "repaired": 100 / 一个请求 * 500},
    "G": {"fault": "wrong_peak_bandwidth", "repaired": 521.7 / 2039},
    "H": {"fault": "warmup_inside_window", "repaired": sum(稳态) / len(稳态)},
    "I": {"fault": "prefix_cache_hit", "repaired": sum(新的) / len(新的)},
}
