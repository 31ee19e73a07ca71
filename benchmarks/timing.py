"""How well the harness measures: against torch.utils.benchmark on the same step, and what it adds around it.

    python benchmarks/timing.py [--rounds 300] [--threads 1]

Ratios of one run on one machine, so that the machine's speed cancels: our median ÷ torch's median over
interleaved rounds (wanted: 0.97 to 1.03), and the wall time of a run ÷ the time inside timed regions, resets
included (wanted: below 1.2).
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from torch.utils import benchmark

from helpers import experiment, preflight, text, timing
from helpers.experiment import model
from helpers.experiment.cache import hold
from helpers.experiment.device import runtime_for
from helpers.experiment.running import run_matrix
from helpers.experiment.shape import ShapeRun
from helpers.workload import Shape, registered


def settings(folder: str) -> experiment.Settings:
    """The full protocol (5 warm-ups, 20 repeats) on the tiny model of 28 layers."""
    protocol = registered("inf-iteration-budget-launch", batch_sizes=(1, 2), version="bench")
    return experiment.Settings(protocol, "real_cpu", "bench", result_dir=folder)


def step_of(loaded: model.Loaded, chosen: experiment.Settings):
    """A decode step at a fixed context; putting the cache back belongs to it here, for both harnesses."""
    work = ShapeRun(loaded, Shape(128, 1), chosen.workload, runtime_for("cpu"))
    cache = work.cache_of(work.forward(work.ids))
    restore = hold(cache, 128)

    def step() -> None:
        work.forward(work.following, cache)
        restore()

    return step


def ours(step) -> float:
    return timing.measure(step, timing.Clock(), timing.Repetition(1, 1)).samples_ms[0]


def theirs(step) -> float:
    timer = benchmark.Timer("step()", globals={"step": step}, num_threads=torch.get_num_threads())
    return timer.timeit(1).median * 1e3


def agreement(step, rounds: int) -> tuple[float, bool]:
    """Our median ÷ torch's, and whether the machine was quiet enough to say; they take turns."""
    samples: dict[str, list[float]] = {"ours": [], "theirs": []}
    harness = {"ours": ours, "theirs": theirs}
    for turn in range(rounds):
        for name in sorted(harness, reverse=turn % 2 == 0):
            samples[name].append(harness[name](step))
    mine, other = (timing.summarize(samples[name]) for name in ("ours", "theirs"))
    for name, summary in (("ours", mine), ("torch", other)):
        low, high = summary.median_low_ms, summary.median_high_ms
        print(f"{name:>6} {summary.median_ms:.3f} ms, 95 % interval {low:.3f} to {high:.3f}, n {summary.n}")
    quiet = max(mine.relative_interval or 1.0, other.relative_interval or 1.0) < 0.015
    return mine.median_ms / other.median_ms, quiet


def overhead(loaded: model.Loaded, checked: preflight.Preflight, chosen: experiment.Settings) -> float:
    """Wall time of a whole run ÷ the seconds inside timed regions."""
    began = time.perf_counter()
    report = run_matrix(chosen, loaded, runtime_for("cpu"), checked, progress=lambda line: None)
    wall_s = time.perf_counter() - began
    print(f"run {wall_s:.2f} s, of it timed {report.timed_s:.2f} s, {len(report.ok)} shapes")
    return wall_s / (report.timed_s or 1.0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--threads", type=int, default=1, help="more than one suffers on a busy machine")
    asked = parser.parse_args()
    text.speak("en")
    torch.set_num_threads(asked.threads)
    with tempfile.TemporaryDirectory() as folder:
        chosen = settings(folder)
        checked = experiment.check(chosen, torch)
        loaded = model.load(chosen, checked)
        with torch.inference_mode():
            gc.collect()
            gc.freeze()
            ratio, quiet = agreement(step_of(loaded, chosen), asked.rounds)
            gc.unfreeze()
        share = overhead(loaded, checked, chosen)
    good = 0.97 <= ratio <= 1.03 and share < 1.2
    verdict = "ok" if good else "missed" if quiet else "the machine was too busy to say"
    print(f"median ratio {ratio:.3f} (0.97 to 1.03), overhead {share:.3f} (below 1.2): {verdict}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
