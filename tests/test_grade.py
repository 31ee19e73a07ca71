"""Grading, feedback and report on a class of a few: what each kind of submission comes to."""

from __future__ import annotations

import csv
import sqlite3

import pytest
import small
from nbformat import NotebookNode

from course.authoring import release
from course.grading import backup, grade, grading_run
from course.grading.gradebook import Gradebook
from course.grading.grading_run import GradingRun
from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.reporting import feedback, marks, report
from course.text import Problem, say_in
from helpers.text import LANGUAGES, speak

RIGHT = 'def double(number):\n    return {"double_ms": 2 * number}'
SECONDS = 'def double(number):\n    return {"double_ms": 2 * number / 1000}'
LOUD = """import sys, warnings
def double(number):
    print("doubling", number)
    print("really", file=sys.stderr)
    warnings.warn("a warning")
    return {"double_ms": 2 * number}"""
FORGED = """def double(number):
    get_ipython().displayhook(1.0)
    return {"double_ms": 0.5}"""
DEADLY = "import os\ndef double(number):\n    os._exit(1)"
HTML = """# <script>alert('source')</script>
print("<img src=x onerror=alert('output')>")
def double(number):
    raise RuntimeError("<script>alert('error')</script>")"""
ANSWERS = {
    "ada": ("en", RIGHT),
    "bao": ("zh", SECONDS),
    "dan": ("en", DEADLY),
    "eve": ("en", FORGED),
    "fay": ("zh", LOUD),
    "gil": ("en", HTML),
    "hui": ("zh", RIGHT.replace("number", "x").replace("x)", "number)").replace("* x", "* number")),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> CourseFolder:
    made = small.course(tmp_path_factory.mktemp("course"))
    release.release(made, [small.LESSON])
    for student, (language, answer) in ANSWERS.items():
        released = notebooks.load(made.released(small.LESSON, language))
        small.hand_in(made, student, small.answered(released, answer))
    small.hand_in(made, "cut", b'{"cells": [')
    small.hand_in(made, "ivy", b"").unlink()
    small.hand_in(made, "jo", b"").unlink()
    made.submitted("jo", small.LESSON).symlink_to(made.submitted("ada", small.LESSON))
    return made


@pytest.fixture(scope="module")
def run(folder) -> GradingRun:
    return grade.grade(folder, small.LESSON)


@pytest.fixture
def graded(run):
    return {found.student: found for found in marks.of_run(run)}


def points(found: marks.Marks) -> dict[str, float]:
    return {mark.concept: mark.points for mark in found.concepts}


def said(found: marks.Marks, concept: str) -> str:
    return next(mark.said(found.language) for mark in found.concepts if mark.concept == concept)


@pytest.mark.parametrize(
    ("student", "expected"),
    [
        ("ada", {"double-units": 1, "double-zero": 1}),
        ("bao", {"double-units": 0, "double-zero": 1}),
        ("cut", {"double-units": 0, "double-zero": 0}),
        ("dan", {"double-units": 0, "double-zero": 0}),
        ("eve", {"double-units": 0, "double-zero": 0}),
        ("fay", {"double-units": 1, "double-zero": 1}),
        ("gil", {"double-units": 0, "double-zero": 0}),
    ],
)
def test_each_submission_gets_its_points(graded, student, expected):
    assert points(graded[student]) == expected


def test_a_file_that_cannot_be_read_stops_nobody(run, graded):
    assert not graded["cut"].readable
    assert set(graded) == {*ANSWERS, "cut"}


def test_a_missing_file_and_a_link_are_said_and_not_graded(run):
    assert [(refused.student, refused.reason) for refused in run.refused] == [
        ("ivy", "missing"),
        ("jo", "link"),
    ]


def test_a_failed_check_speaks_the_language_of_the_submission(graded):
    assert said(graded["bao"], "double-units") == (
        "double_ms：应为 42 ms，得到 0.042 ms。这正是“忘了把秒换成毫秒”会得到的结果。"
    )
    assert graded["bao"].ideas == ("left_in_seconds",)


def test_a_check_that_never_ran_has_failed(graded):
    assert [mark.facts.key for mark in graded["dan"].concepts] == ["examiner.call_died"] * 2
    assert "ended during the call" in said(graded["dan"], "double-units")


def test_what_is_submitted_stays_as_it_came(folder, run):
    assert folder.submitted("cut", small.LESSON).read_bytes() == b'{"cells": ['


def test_a_manual_score_survives_a_second_grading(folder, run):
    with small.gradebook(folder) as book:
        found = book.find_grade("double-units", small.LESSON, small.LESSON, "bao")
        found.manual_score = 0.5
        book.find_comment("double", small.LESSON, small.LESSON, "bao").manual_comment = "下次 <b>看单位</b>"
        book.db.commit()
    again = grade.grade(folder, small.LESSON, ["bao"])
    assert points(marks.of_run(again)[0]) == {"double-units": 0.5, "double-zero": 1}
    page = feedback.page(folder, small.LESSON, "bao")
    assert "1.5 / 2" in page
    assert "下次 &lt;b&gt;看单位&lt;/b&gt;" in page


def test_the_gradebook_is_copied_before_each_run(folder, run):
    copies = sorted(folder.root.glob("gradebook.db.before-*"))
    assert copies
    with sqlite3.connect(copies[0]) as copy:
        assert copy.execute("select count(*) from submitted_assignment").fetchone() == (0,)
    copy.close()


def test_old_copies_of_the_gradebook_go(tmp_path):
    made = small.course(tmp_path)
    sqlite3.connect(made.gradebook).close()
    for _ in range(backup.KEPT_COPIES + 3):
        backup.copy(f"sqlite:///{made.gradebook}", made.root)
    assert len(list(tmp_path.glob("gradebook.db.before-*"))) == backup.KEPT_COPIES


def test_grading_without_submissions_is_refused_with_the_way_out(tmp_path):
    with pytest.raises(Problem, match=r"submitted/.*/tiny/tiny\.ipynb"):
        grade.grade(small.course(tmp_path), small.LESSON)


def failing(*concepts: str) -> NotebookNode:
    """The small master, whose reference fails these tests."""
    master = small.master()
    for concept in concepts:
        cell = small.cell(master, concept)
        cell.source = cell.source.replace("double_ms=0", "double_ms=1").replace(
            "double_ms=42", "double_ms=43"
        )
    return master


def test_nobody_gets_0_where_the_reference_itself_fails(tmp_path):
    made = small.course(tmp_path, failing("double-zero", "double-units"))
    small.hand_in(made, "ada", small.master())
    with pytest.raises(Problem, match="double-units:4"):
        grade.grade(made, small.LESSON)
    assert not made.gradebook.exists()


def test_a_test_that_the_reference_fails_stops_nothing_but_itself(tmp_path):
    made = small.course(tmp_path, failing("double-zero"))
    small.hand_in(
        made, "ada", small.answered(small.master(), "def double(n):\n    return {'double_ms': 2 * n}")
    )
    small.hand_in(made, "bao", small.answered(small.master(), "def double(n):\n    return {'double_ms': 1}"))
    said = small.run(made, "grade", small.LESSON)
    assert "double-zero:4: the reference solution itself fails this test" in said
    assert "waiting for you: zero (2: ada, bao)" in said
    assert small.scores(made.gradebook) == {
        "ada": {"double-units": 1.0, "double-zero": None},
        "bao": {"double-units": 0.0, "double-zero": None},
    }
    small.run(made, "feedback", small.LESSON)
    assert "等待老师批改：零。" in made.feedback("bao", small.LESSON).read_text(encoding="utf-8")
    notebooks.save(small.master(), made.master(small.LESSON))  # put right: everybody is graded again
    assert "2 graded" in small.run(made, "grade", small.LESSON)
    assert small.points(made.gradebook) == {"ada": 2.0, "bao": 0.0}


def test_grading_somebody_who_handed_in_nothing_is_refused(folder):
    with pytest.raises(Problem, match="nobody"):
        grade.grade(folder, small.LESSON, ["nobody"])


def test_the_summary_names_what_was_not_graded(run, capsys):
    speak("en")
    grading_run.show(run)
    printed = capsys.readouterr().out
    assert "cut: the file is no notebook (not JSON)" in printed
    assert "✗ ivy: there is no tiny.ipynb" in printed
    assert "8 graded, 2 not gradable" in printed


def test_a_page_is_in_the_language_of_the_notebook(folder, run):
    assert "Each concept has points of its own." in feedback.page(folder, small.LESSON, "ada")
    assert "每个概念单独计分。" in feedback.page(folder, small.LESSON, "bao")


@pytest.mark.parametrize("student", [*ANSWERS, "cut"])
def test_no_page_shows_a_hidden_test_or_a_traceback(folder, run, student):
    page = feedback.page(folder, small.LESSON, student)
    for secret in ("checks.concept", "checks.equal", "ideas=", "HIDDEN", "Traceback", "twice_the_number"):
        assert secret not in page


def test_what_a_student_writes_or_prints_is_text_on_the_page(folder, run):
    page = feedback.page(folder, small.LESSON, "gil")
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;alert(&#39;source&#39;)&lt;/script&gt;" in page
    assert "&lt;img src=x onerror=alert(&#39;output&#39;)&gt;" in page
    assert "&lt;script&gt;alert(&#39;error&#39;)&lt;/script&gt;" in page


def test_a_sentence_that_every_check_says_stands_once(folder, run):
    page = feedback.page(folder, small.LESSON, "gil")
    assert page.count("raised RuntimeError") == 1
    assert feedback.page(folder, small.LESSON, "bao").count("应为 42 ms") == 1


def test_the_page_of_an_unreadable_file_says_why_and_lists_no_checks(folder, run):
    page = feedback.page(folder, small.LESSON, "cut")
    assert "不是 JSON" in page
    assert "0 / 2" in page
    assert "NameError" not in page


def test_pages_lie_where_nbgrader_keeps_them_and_need_nothing_else(folder, run):
    pages = feedback.write(folder, small.LESSON)
    assert folder.root / "feedback" / "ada" / small.LESSON / f"{small.LESSON}.html" in pages
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "http://" not in text
        assert "https://" not in text
        assert " src=" not in text.replace("&lt;img src=", "")


def test_feedback_for_somebody_not_graded_is_refused(folder, run):
    with pytest.raises(Problem, match="ivy"):
        feedback.write(folder, small.LESSON, ["ivy"])


def test_nbgraders_own_feedback_step_writes_our_page(folder, run):
    """formgrader's button runs this converter with the same configuration."""
    from nbgrader.converters import GenerateFeedback

    expected = feedback.page(folder, small.LESSON, "gil")
    directory = folder.directory(small.LESSON, "zh")
    directory.student_id = "gil"
    GenerateFeedback(coursedir=directory, config=directory.config, force=True).start()
    assert folder.feedback("gil", small.LESSON).read_text(encoding="utf-8") == expected


def test_the_report_counts_failures_and_names_wrong_ideas(folder, run):
    result = report.of(folder, small.LESSON)
    rates = {concept.name: (concept.failed, concept.students) for concept in result.concepts}
    assert rates == {"double-units": (5, 8), "double-zero": (4, 8)}
    assert [(idea.name, idea.students) for idea in result.ideas] == [("left_in_seconds", ("bao",))]


def test_the_same_line_in_two_answers_to_a_short_exercise_is_no_sign(folder, run):
    assert report.of(folder, small.LESSON).look_alikes == ()


@pytest.mark.parametrize(
    ("language", "heading"), [("zh", "各概念的失败率"), ("en", "Failure rates by concept")]
)
def test_the_report_is_one_page_in_the_language_of_the_command(folder, run, tmp_path, language, heading):
    speak(language)
    report.write_html(report.of(folder, small.LESSON), tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert heading in page
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")


def test_the_report_prints_a_table(folder, run, capsys):
    speak("en")
    report.show(report.of(folder, small.LESSON))
    printed = capsys.readouterr().out
    assert "Failure rates by concept" in printed
    assert "seconds are not turned into milliseconds" in printed


def test_the_csv_has_one_row_a_student(folder, run, tmp_path):
    report.write_csv(report.of(folder, small.LESSON), tmp_path / "report.csv")
    with (tmp_path / "report.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert set(rows) == {*ANSWERS, "cut"}
    assert rows["ada"]["points"] == "2"
    assert rows["bao"]["ideas"] == "left_in_seconds"
    assert rows["cut"]["notes"] == "unreadable.not_json"


def test_an_answer_that_holds_the_sentence_of_an_idea_is_not_blamed_for_it(tmp_path):
    """The same text in a value, in an exception and in what is printed: none of it is read back."""
    made = small.course(tmp_path)
    release.release(made, [small.LESSON])
    blame = {
        lang: say_in(lang, "check.idea", idea=say_in(lang, "idea.left_in_seconds")) for lang in LANGUAGES
    }
    for language, words in blame.items():
        released = notebooks.load(made.released(small.LESSON, language))
        returns = f"def double(number):\n    print({words!r})\n    return {{'double_ms': {words!r}}}"
        raises = f"def double(number):\n    raise KeyError({words!r})"
        small.hand_in(made, f"value-{language}", small.answered(released, returns))
        small.hand_in(made, f"error-{language}", small.answered(released, raises))
    run = grade.grade(made, small.LESSON)
    assert {found.student: found.ideas for found in marks.of_run(run)} == {
        f"{kind}-{language}": () for kind in ("error", "value") for language in LANGUAGES
    }
    assert report.of(made, small.LESSON).ideas == ()


def test_what_a_check_found_is_kept_as_data_in_the_graded_notebook(folder, run):
    about = notebooks.load(folder.autograded("bao", small.LESSON)).metadata[notebooks.METADATA]
    assert about["failed"] == {
        "double-units": {
            "key": "check.expected",
            "values": {"what": "double_ms", "expected": 42, "got": 0.042, "unit": "ms"},
            "idea": "left_in_seconds",
            "concept": "double-units",
        }
    }


def test_a_notebook_graded_before_facts_were_kept_shows_its_sentences(folder, run):
    path = folder.autograded("bao", small.LESSON)
    notebook = notebooks.load(path)
    before = path.read_bytes()
    del notebook.metadata[notebooks.METADATA]["failed"]
    notebooks.save(notebook, path)
    try:
        (found,) = marks.of_students(folder, small.LESSON, ["bao"])
        assert "应为 42 ms" in said(found, "double-units")
        assert found.ideas == ()
    finally:
        path.write_bytes(before)


def test_the_gradebook_says_of_everyone_what_nbgraders_own_interface_says(tmp_path):
    made = small.course(tmp_path)
    release.release(made, [small.LESSON])
    released = notebooks.load(made.released(small.LESSON, "en"))
    for student in ("ada", "bo", "cy"):
        answer = 'def double(number):\n    return {"double_ms": 2 * number}'
        small.hand_in(made, student, small.answered(released, answer if student != "bo" else "1"))
    grade.grade(made, small.LESSON)
    with small.gradebook(made) as book:
        changed = book.find_grade("double-units", small.LESSON, small.LESSON, "bo")
        changed.manual_score, changed.extra_credit = 0.5, 0.25
        book.find_comment("double", small.LESSON, small.LESSON, "bo").manual_comment = "look again"
        book.find_submission_notebook(small.LESSON, small.LESSON, "cy").late_submission_penalty = 1.5
        book.db.commit()
        peers = {
            student: (
                max(0.0, found.score - found.late_submission_penalty),
                found.needs_manual_grade,
                {g.name: (g.score, g.max_score) for g in found.notebooks[0].grades},
                {c.name: c.manual_comment for c in found.notebooks[0].comments if c.manual_comment},
            )
            for student in ("ada", "bo", "cy")
            for found in [book.find_submission(small.LESSON, student)]
        }
    with Gradebook(made.database, small.LESSON) as ours:
        found = {
            student: (
                record.points,
                record.needs_review,
                {name: (cell.points, cell.max_points) for name, cell in record.grades.items()},
                dict(record.comments),
            )
            for student, record in ours.records(["ada", "bo", "cy", "nobody"]).items()
        }
    assert found == peers
    assert found["bo"][0] == 0.75
    assert found["cy"][0] == 0.5
