"""How long the search for copied answers takes, and how much memory, for a class of 300 and one of 3,000.

    python benchmarks/similarity.py [STUDENTS]...
    python benchmarks/similarity.py --quick           # the smallest form: 30 students

Each student's answers are about 1,300 tokens of made-up code, a third of it lines that the whole class may
write; five students in a hundred copied from another and changed a few lines. The pairs that are found are
counted against those that were made.
"""

from __future__ import annotations

import argparse
import random
import resource
import time

from course.reporting.clusters import clusters
from course.reporting.fingerprints import of_code

SIZES = (300, 3_000)
LINES, COMMON_LINES = 120, 60
COPIED = 0.05
OPERATORS = "+-*/%"


def line(source: random.Random) -> str:
    """One made-up statement of some ten tokens."""
    names = [source.choice("abcdefgh") for _ in range(4)]
    signs = [source.choice(OPERATORS) for _ in range(3)]
    number = source.randrange(50)
    return f"{names[0]} = {names[1]} {signs[0]} {number} {signs[1]} ({names[2]} {signs[2]} {names[3]})"


def answer(source: random.Random, common: list[str]) -> list[str]:
    """One student's own lines among those that everybody may write."""
    return [source.choice(common) if source.random() < 1 / 3 else line(source) for _ in range(LINES)]


def classroom(size: int, seed: int = 1) -> tuple[dict[str, str], set[frozenset[str]]]:
    """Answers by student, and the pairs in which one copied from the other."""
    source = random.Random(seed)
    common = [line(source) for _ in range(COMMON_LINES)]
    written = [answer(source, common) for _ in range(size)]
    pairs = set()
    for number in range(int(size * COPIED)):
        original, copy = number, size - 1 - number
        written[copy] = [line(source) if source.random() < 0.05 else one for one in written[original]]
        pairs.add(frozenset((f"s{original}", f"s{copy}")))
    return {f"s{number}": "\n".join(lines) for number, lines in enumerate(written)}, pairs


def _sizes() -> list[int]:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("students", nargs="*", type=int, help="sizes of classes")
    parser.add_argument("--quick", action="store_true", help="the smallest form: 30 students")
    options = parser.parse_args()
    return [30] if options.quick else options.students or list(SIZES)


def main() -> None:
    print("| students | seconds | peak MB | pairs copied | found | others |")
    print("|---:|---:|---:|---:|---:|---:|")
    for size in _sizes():
        texts, pairs = classroom(size)
        started = time.process_time()
        found = clusters({who: frozenset(one.value for one in of_code(text)) for who, text in texts.items()})
        seconds = time.process_time() - started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        groups = {frozenset(one.members) for one in found}
        counts = f"{len(pairs)} | {len(groups & pairs)} | {len(groups - pairs)}"
        print(f"| {size} | {seconds:.1f} | {peak:.0f} | {counts} |", flush=True)


if __name__ == "__main__":
    main()
