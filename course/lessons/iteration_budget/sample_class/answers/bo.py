knee = select_operating_knee(NIM.rows, 1_000.0, 0.10)
decision = {
    "concurrency": knee["selected_batch"],
    "throughput": knee["selected_record"]["throughput"],
    "stopped_by": "both",
    "running": round(knee["selected_record"]["throughput"] * knee["selected_record"]["iteration_ms"] / 1000),
}
