"""Pages of metrics as shipped beside this file, built from recorded measurements by our own generator."""

from __future__ import annotations

from pathlib import Path

from helpers.recorded.files import FOLDER, known_name

_PAGES = {
    "rtx4090-llama-3.1-8b": "vllm_metrics_rtx4090.prom",
    "rtx4090-llama-3.1-8b-at-60s": "vllm_metrics_rtx4090_at_60s.prom",
}


def metrics_pages() -> tuple[str, ...]:
    """The names that `metrics_page` knows."""
    return tuple(_PAGES)


def metrics_page(name: str = "rtx4090-llama-3.1-8b") -> Path:
    """The file of that page in the Prometheus text format, for `helpers.metrics.read`."""
    return FOLDER / _PAGES[known_name(name, metrics_pages())]
