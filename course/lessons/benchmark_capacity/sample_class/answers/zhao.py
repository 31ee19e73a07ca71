def request_goodput(requests, ttft_slo_ms, tpot_slo_ms, window_s):
    if not requests or ttft_slo_ms <= 0 or tpot_slo_ms <= 0 or window_s <= 0:
        raise ValueError("输入不合法")
    if not all(r["status"] in ("completed", "cancelled", "failed") for r in requests):
        raise ValueError("状态不合法")
    # 没完成的请求没有意义，先去掉
    requests = [r for r in requests if r["status"] == "completed"]
    good = 0
    for r in requests:
        steps = r["output_tokens"] - 1
        tpot = (r["e2e_s"] * 1e3 - r["ttft_ms"]) / steps if steps else 0
        good += r["ttft_ms"] <= ttft_slo_ms and tpot <= tpot_slo_ms
    return {
        "arrived": len(requests), "completed": len(requests), "good": good,
        "good_fraction": good / len(requests), "goodput_rps": good / window_s,
        "throughput_tokens_per_s": sum(r["output_tokens"] for r in requests) / window_s,
    }
