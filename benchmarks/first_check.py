"""Seconds from the start page to the first green check, in the browser site, for each language.

make lite
python benchmarks/first_check.py
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import in_browser  # noqa: E402

from course.lesson import notebooks, regions  # noqa: E402
from course.lesson.folder import CourseFolder  # noqa: E402

LESSON = "iteration-budget"


def main() -> int:
    """Visit the site once in each language and print how long it took."""
    bundle = ROOT / "bundle"
    if not (bundle / "lite" / "index.html").is_file():
        print("skipped: bundle/lite is missing, `make lite` builds it")
        return 0
    course = CourseFolder(ROOT)
    master = notebooks.load(course.master(LESSON))
    answer = regions.without({cell.id: cell for cell in master.cells}["cost"].source, "marker")
    for language in course.languages:
        found = in_browser.visit(bundle, language, answer)
        print(f"{language}: {found.seconds:.1f} s from the start page to the first green check")
    return 0


if __name__ == "__main__":
    sys.exit(main())
