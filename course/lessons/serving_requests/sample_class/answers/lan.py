from math import ceil


def request_account(log, ttft_slo_ms, tpot_slo_ms):
    if ttft_slo_ms <= 0 or tpot_slo_ms <= 0:
        raise ValueError("slo")
    if log["status"] not in {"completed", "cancelled", "failed", "running"}:
        raise ValueError("status")
    result = {"ttft_ms": None, "tpot_ms": None, "latency_ms": None, "good": False}
    if log["first_token_ms"] is not None:
        result["ttft_ms"] = log["first_token_ms"] - log["arrival_ms"]
    if log["status"] != "completed":
        return result
    result["latency_ms"] = log["finish_ms"] - log["arrival_ms"]
    if result["ttft_ms"] is None:
        return result
    if log["output_tokens"] > 1:
        result["tpot_ms"] = (log["finish_ms"] - log["first_token_ms"]) / (log["output_tokens"] - 1)
    result["good"] = result["ttft_ms"] <= ttft_slo_ms
    if result["tpot_ms"] is not None and result["tpot_ms"] > tpot_slo_ms:
        result["good"] = False
    return result


def run_account(logs, ttft_slo_ms, tpot_slo_ms, window_ms):
    if window_ms <= 0 or ttft_slo_ms <= 0 or tpot_slo_ms <= 0:
        raise ValueError("window")
    good = 0
    for log in logs:
        if request_account(log, ttft_slo_ms, tpot_slo_ms)["good"]:
            good += 1
    finished = len([log for log in logs if log["status"] == "completed"])
    share = 0.0 if finished == 0 else good / finished
    return {"arrived": finished, "good": good, "good_fraction": share, "goodput_rps": good * 1000 / window_ms}
