"""Guesses come in with a hand-in and are drawn for the class; no file harms the picture or the marks."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
import small

from course.lesson import notebooks
from course.reporting import before_after
from course.sandbox.sandbox import unavailable
from helpers.guessing import FORMAT

pytestmark = pytest.mark.skipif(unavailable() is not None, reason="no sandbox on this machine")

WORDS = {**small.FILE["words"], "guess": {"pages": {"zh": "几页", "en": "how many pages"}}}
RIGHT = 'def double(number):\n    return {"double_ms": 2 * number}'
GUESSES = {
    "anna": {"format": FORMAT, "guesses": {"pages": {"guessed": 2, "computed": 4}}},
    "bo": {"format": FORMAT, "guesses": {"pages": {"guessed": 4, "computed": 4}}},
    "chen": {"format": FORMAT, "guesses": {"pages": {"guessed": 32, "computed": 4}}},
    "dora": {"format": FORMAT, "guesses": {"pages": {"guessed": float("inf"), "computed": 4}}},
    "emil": {"format": FORMAT, "guesses": {"pages": [[[[9]]]]}},
    "fay": None,
}


def hand_in(released: dict, guesses: object) -> bytes:
    """What the last cell packs: the notebook and, if there are any, the guesses."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as pack:
        pack.writestr("notebook.ipynb", json.dumps(small.answered(released, RIGHT)))
        if guesses is not None:
            pack.writestr("guesses.json", json.dumps(guesses))
    return buffer.getvalue()


def test_guesses_are_drawn_before_and_after(tmp_path: Path) -> None:
    made = small.course(tmp_path / "course", public={**small.FILE, "words": WORDS})
    small.run(made, "release")
    released = notebooks.load(made.released(small.LESSON, "en"))
    for student, guesses in GUESSES.items():
        place = tmp_path / "box" / student
        place.mkdir(parents=True)
        (place / f"handin-{small.LESSON}.zip").write_bytes(hand_in(released, guesses))
    small.run(made, "collect", small.LESSON, str(tmp_path / "box"))
    small.run(made, "grade", small.LESSON)
    assert small.points(made.gradebook) == dict.fromkeys(GUESSES, 2)
    (row,) = before_after.of(made, small.LESSON, sorted(GUESSES))
    assert (row.question, row.before, row.after) == ("pages", (0.5, 1.0, 8.0), (1.0, 1.0, 1.0))
    small.run(made, "--language", "en", "report", small.LESSON, "--html", "report.html")
    page = (made.root / "report.html").read_text(encoding="utf-8")
    assert "how many pages" in page
    assert "<svg" in page
