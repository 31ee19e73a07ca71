"""A guess is typed before it is computed, stands beside what came out, and travels without harm."""

from __future__ import annotations

import json

import pytest

from course.reporting import before_after
from course.submission import attachments
from helpers import guessing, platforms, text
from helpers.guessing import Guess, guess


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    here = platforms.Platform("local", tmp_path / "results", True)
    monkeypatch.setattr(platforms, "detect", lambda: here)
    text.speak("en")
    yield tmp_path
    text.speak("zh")


def test_a_guess_stands_beside_what_came_out_with_the_factor_between_them():
    guess(pages=12, height=None)
    shown = guessing.beside(pages=4, height=2.5)
    assert shown.rows == (("pages", "12", "4", "× 3"), ("height", "–", "2.5", "–"))
    assert guessing.every("height", "pages").rows == (shown.rows[1], shown.rows[0])


def test_a_guess_may_change_until_the_answer_was_seen():
    guess(pages=12)
    guess(pages=10)
    guessing.beside(pages=4)
    assert guess(pages=4).rows == (("pages", "10"),)


@pytest.mark.parametrize("typed", [None, "ten", True, float("nan"), float("inf"), 10**400, [3], ...])
def test_what_is_no_number_is_a_dash_and_blocks_nothing(typed):
    assert guess(pages=typed).rows == (("pages", "–"),)
    assert guessing.beside(pages=4).rows == (("pages", "–", "4", "–"),)


def test_where_nothing_can_be_written_a_guess_is_shown(folder, monkeypatch):
    blocked = folder / "file"
    blocked.write_text("")
    monkeypatch.setattr(platforms, "detect", lambda: platforms.Platform("local", blocked / "results", True))
    assert guess(pages=12).rows == (("pages", "12"),)
    assert guessing.beside(pages=4).rows == (("pages", "–", "4", "–"),)


def file(**guesses):
    return json.dumps({"format": guessing.FORMAT, "guesses": guesses}).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[" * 9_000,
        b'{"a":' * 90,
        b'{"format": "other", "guesses": {}}',
        file(pages={"guessed": "12"}),
        file(pages={"guessed": float("nan")}),
        file(pages={"guessed": float("inf")}),
        file(pages={"guessed": 1, "computed": True}),
        file(pages=12),
        file(**{"<script>": {"guessed": 1.0}}),
        file(**{f"p{number}": {"guessed": 1.0} for number in range(101)}),
        file(pages={"guessed": 1.0}) + b" " * guessing.MAX_BYTES,
        file(pages={"guessed": 7}).replace(b"7", b"9" * 5_000),
    ],
)
def test_a_file_that_we_did_not_write_holds_no_guess(data):
    assert guessing.parsed(data) == {}


def test_guesses_travel_in_a_notebook_s_metadata_and_are_checked_there():
    kept = {"pages": Guess(12.0, 4.0)}
    notebook = json.loads(attachments.attach_guesses(b'{"cells": []}', kept))
    assert attachments.guesses_in(notebook) == kept
    assert attachments.guesses_in({"metadata": {"iteration_budget": {"guesses": [1]}}}) == {}
    assert attachments.guesses_in({"metadata": {"iteration_budget": {"guesses": "\ud800"}}}) == {}


def test_a_question_is_drawn_where_three_guessed_around_what_came_out_for_most():
    some = [Guess(1.0, 10.0), Guess(10.0, 10.0), Guess(200.0, 5.0), Guess(None, 10.0), Guess(0.0, 10.0)]
    row = before_after._row("pages", some)
    assert (row.before, row.after, row.median) == ((0.1, 1.0, 20.0), (0.5, 1.0, 1.0), 1.0)
    assert before_after._row("pages", some[:2]) is None
    assert before_after._row("pages", [Guess(1e308, 1e-308)] * 3) is None
    assert [row.place(factor) for factor in (1e-9, 0.001, 1.0, 1e9)] == [14.0, 14.0, 300.0, 586.0]
