import math


def request_account(log, ttft_slo_ms, tpot_slo_ms):
    if min(ttft_slo_ms, tpot_slo_ms) <= 0 or log["status"] not in ["completed", "cancelled", "failed", "running"]:
        raise ValueError("bad input")
    done = log["status"] == "completed"
    started = log["first_token_ms"] is not None
    ttft = log["first_token_ms"] - log["arrival_ms"] if started else None
    latency = log["finish_ms"] - log["arrival_ms"] if done else None
    tpot = (latency - ttft) / log["output_tokens"] if done and started and log["output_tokens"] > 1 else None
    good = done and started and ttft <= ttft_slo_ms and (tpot or 0) <= tpot_slo_ms
    return dict(ttft_ms=ttft, tpot_ms=tpot, latency_ms=latency, good=good)


def run_account(logs, ttft_slo_ms, tpot_slo_ms, window_ms):
    if min(window_ms, ttft_slo_ms, tpot_slo_ms) <= 0:
        raise ValueError("window_ms")
    good = len([1 for log in logs if request_account(log, ttft_slo_ms, tpot_slo_ms)["good"]])
    return dict(
        arrived=len(logs), good=good, good_fraction=good / max(len(logs), 1), goodput_rps=1e3 * good / window_ms
    )
