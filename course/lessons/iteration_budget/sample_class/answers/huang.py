import sys
import warnings


def estimate_iteration_cost(
    weight_bytes, kv_bytes_per_token, active_context_tokens, scheduled_prefill_tokens, scheduled_decode_tokens,
    flops_per_token, effective_bandwidth_gbps, effective_compute_tflops, exposed_overhead_ms=0.0,
):
    print("调用成本函数", weight_bytes, active_context_tokens)
    print("<script>alert('我只是打印一下')</script>")
    if len(active_context_tokens) == 0:
        warnings.warn("这一轮没有会话")
    if effective_bandwidth_gbps <= 0 or effective_compute_tflops <= 0:
        print("速率不对", file=sys.stderr)
        raise ValueError("速率不对")
    if any(v < 0 for v in (weight_bytes, kv_bytes_per_token, scheduled_prefill_tokens, scheduled_decode_tokens,
                           flops_per_token, exposed_overhead_ms, *active_context_tokens)):
        print("有负数", file=sys.stderr)
        raise ValueError("有负数")
    n = scheduled_prefill_tokens + scheduled_decode_tokens
    r = kv_bytes_per_token * sum(active_context_tokens)
    w = kv_bytes_per_token * n
    m = (weight_bytes + r + w) / (effective_bandwidth_gbps * 1e9) * 1e3
    c = flops_per_token * n / (effective_compute_tflops * 1e12) * 1e3
    print(f"memory {m} ms, compute {c} ms", file=sys.stderr)
    return {"scheduled_tokens": n, "memory_bytes": weight_bytes + r + w, "kv_read_bytes": r, "kv_write_bytes": w,
            "total_flops": flops_per_token * n, "memory_ms": m, "compute_ms": c,
            "exposed_overhead_ms": exposed_overhead_ms, "iteration_ms": max(m, c) + exposed_overhead_ms,
            "dominant": "memory" if m >= c else "compute"}
