"""How long a simulated server takes: the recorded 300 requests, and ten minutes of chats, of one core.

    python benchmarks/replay.py
    python benchmarks/replay.py --quick    # the smallest form: each replay once

The scheduler and the clock are the reference's, read from the master; the smallest of several runs counts.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from course.lesson import cells, notebooks  # noqa: E402
from course.lesson.folder import CourseFolder  # noqa: E402

LESSON = "serving-requests"
NEEDED = ("imports", "account", "cohorts", "step", "blocks", "real-clock", "traffic")


def main() -> None:
    """Replay both and print the seconds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="the smallest form: each replay once")
    times = 1 if parser.parse_args().quick else 5
    names = reference()
    recorded_s = shortest(lambda: names["predict"](names["R4090"]), times)
    chats_s = shortest(lambda: names["served_by"].__wrapped__("azure-conversation", 512), times)
    print(f"300 recorded requests: {recorded_s:.2f} s; ten minutes of chats: {chats_s:.2f} s")


def reference() -> dict[str, object]:
    """What the master's cells up to the traffic define."""
    names: dict[str, object] = {}
    for cell in notebooks.load(CourseFolder(ROOT).master(LESSON)).cells:
        if cells.name(cell) in NEEDED:
            exec(compile(cell.source, cells.name(cell), "exec"), names)
    return names


def shortest(replay: Callable[[], object], times: int) -> float:
    """The smallest processor time of so many replays, in seconds."""
    found = []
    for _ in range(times):
        start = time.process_time()
        replay()
        found.append(time.process_time() - start)
    return min(found)


if __name__ == "__main__":
    main()
