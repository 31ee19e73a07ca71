"""Seconds from the start page to the first green check, in the browser site, for each language.

make lite
python benchmarks/first_check.py
python benchmarks/first_check.py --quick    # the smallest form: one language
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import in_browser  # noqa: E402

from course.lesson.folder import CourseFolder  # noqa: E402


def main() -> int:
    """Visit the site once in each language and print how long it took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="the smallest form: one language")
    asked = parser.parse_args()
    bundle = ROOT / "bundle"
    exercise, answer = in_browser.first_exercise(CourseFolder(ROOT))
    missing = lacking(bundle)
    if missing:
        print(f"skipped: {missing}")
        return 0
    languages = CourseFolder(ROOT).languages
    for language in languages[:1] if asked.quick else languages:
        found = in_browser.visit(bundle, language, exercise, answer)
        print(f"{language}: {found.seconds:.1f} s from the start page to the first green check")
    return 0


def lacking(bundle: Path) -> str:
    """What a visit needs and this machine has not."""
    if not (bundle / "lite" / "index.html").is_file():
        return "bundle/lite is missing, `make lite` builds it"
    if not in_browser.CHROMIUM.is_file():
        return f"{in_browser.CHROMIUM} is missing"
    return "" if importlib.util.find_spec("playwright") else "playwright is missing"


if __name__ == "__main__":
    sys.exit(main())
