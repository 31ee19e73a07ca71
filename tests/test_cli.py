"""The command: a mistake ends in one sentence with the way out, in either language, never in a traceback."""

from __future__ import annotations

import pytest
import small

from course import cli
from course.lesson import notebooks
from course.text import CATALOG, Problem, chosen_language
from helpers.text import LANGUAGES


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command; returns its exit code, what it printed and what it complained about."""
    monkeypatch.delenv("COURSE_LANGUAGE", raising=False)

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            cli.main(list(arguments))
        printed = capsys.readouterr()
        return stop.value.code, printed.out, printed.err

    return call


@pytest.fixture
def tiny(tmp_path):
    return small.course(tmp_path / "course")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        (["--course", "{tmp}/nowhere", "translate"], "folder.missing"),
        (["--course", "{tmp}", "translate"], "folder.no_course"),
        (["--course", "{tmp}", "new-lesson", "kv-offloading"], "folder.no_course"),
        (["--course", "{course}", "new-lesson", "Offloading"], "new_lesson.name"),
        (["--course", "{course}", "new-lesson", "iteration-budget"], "new_lesson.exists"),
        (["--course", "{course}", "release", "unknown"], "folder.unknown_lesson"),
        (["--course", "{course}", "grade", "unknown", "--trust-submissions"], "folder.unknown_lesson"),
        (["--course", "{course}", "grade", "tiny"], "grade.nothing"),
        (["--course", "{course}", "collect", "tiny", "nowhere.zip"], "intake.missing"),
        (["--course", "{course}", "grade", "tiny", "--trust-submissions"], "grade.nothing"),
        (["--course", "{course}", "feedback", "tiny"], "feedback.not_graded"),
        (["--course", "{course}", "report", "tiny"], "feedback.not_graded"),
        (["--course", "{course}", "demo"], "demo.no_sample"),
        (["--course", "{course}", "translate", "--translated", "unknown"], "translations.unknown_cell"),
        (["--course", "{course}", "report", "tiny", "--history", "nobody"], "history.nothing"),
        (["--course", "{course}", "regrade", "tiny", "--concept", "double-zero"], "regrade.why"),
        (
            ["--course", "{course}", "regrade", "tiny", "--concept", "x", "--why", "y"],
            "regrade.nobody_answers",
        ),
        (["--course", "{course}", "regrade", "tiny", "--concept", "x", "--dry-run"], "feedback.not_graded"),
        (["--course", "{course}", "regrade", "unknown", "--concept", "x"], "folder.unknown_lesson"),
        (["--course", "{course}", "archive"], "archive.lesson_or_verify"),
        (["--course", "{course}", "archive", "tiny"], "archive.nothing"),
        (["archive", "--verify", "{tmp}/nowhere.zip"], "archive.missing"),
        (["grade"], "cli.missing"),
        (["regrade", "tiny"], "cli.missing"),
        (["grade", "tiny", "--no-such-option"], "cli.no_such_option"),
        (["no-such-command"], "cli.usage"),
    ],
)
def test_a_mistake_ends_in_one_sentence_and_code_2(run, tiny, tmp_path, language, arguments, key):
    words = [word.format(tmp=tmp_path, course=tiny.root) for word in arguments]
    code, printed, complaint = run("--language", language, *words)
    beginning = CATALOG.messages(language)[key].split("{")[0]
    assert code == 2
    assert beginning in complaint
    assert complaint.startswith("✗ ")
    assert complaint.count("\n") == 1
    assert "Traceback" not in printed + complaint


def test_an_unknown_language_is_refused_in_both(run):
    code, _, complaint = run("--language", "fr", "translate")
    assert code == 2
    assert "没有语言 fr" in complaint
    assert "There is no language fr" in complaint


@pytest.mark.parametrize(("language", "sentence"), [("zh", "评分"), ("en", "grade what was submitted")])
def test_the_help_teaches_in_either_language(run, language, sentence):
    code, printed, _ = run("--language", language, "--help")
    assert code == 0
    assert sentence in printed


def test_without_a_command_the_help_is_shown(run):
    code, printed, _ = run("--language", "en")
    assert code == 0
    assert "course demo" in printed


@pytest.mark.parametrize(
    "command",
    [
        "new-lesson",
        "translate",
        "release",
        "grade",
        "feedback",
        "report",
        "regrade",
        "archive",
        "demo",
        "doctor",
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_explains_itself(run, command, language):
    code, printed, _ = run(command, "--help", "--language", language)
    first = CATALOG.messages(language)[f"cli.{command.replace('-', '_')}.help"].split("\n")[0]
    assert code == 0
    assert "".join(first.split())[:20].replace("`", "") in "".join(printed.split())


def test_twins_out_of_step_end_in_code_1_and_name_the_cell(run, tiny):
    path = tiny.master(small.LESSON)
    notebook = notebooks.load(path)
    small.cell(notebook, "task").source = "换了一句。"
    notebooks.save(notebook, path)
    code, printed, complaint = run("--course", str(tiny.root), "--language", "en", "translate", "--check")
    assert code == 1
    assert "tiny · task: the Chinese text changed" in printed
    assert complaint == "The two languages differ in 1 places.\n"


def test_twins_in_step_end_in_code_0(run, tiny):
    assert run("--course", str(tiny.root), "--language=en", "translate", "--check") == (
        0,
        "✓ tiny: the two languages agree (10 cells).\n",
        "",
    )


def test_translate_still_answers_to_its_former_name(run, tiny):
    assert run("--course", str(tiny.root), "--language=en", "twins", "--check")[0] == 0
    assert "twins" not in run("--language=en", "--help")[1]


def test_a_release_that_is_not_there_ends_in_code_1(run, tiny):
    code, printed, _ = run("--course", str(tiny.root), "--language", "en", "release", "--check")
    assert code == 1
    assert "release/zh/tiny/tiny.ipynb: not released yet" in printed


def test_the_solved_edition_goes_where_it_is_told(run, tiny, tmp_path):
    code, printed, _ = run(
        "--course", str(tiny.root), "release", "--solutions", "--to", str(tmp_path / "out")
    )
    assert code == 0
    assert str(tmp_path / "out") in printed
    assert (tmp_path / "out" / "en" / "tiny" / "tiny.ipynb").is_file()


@pytest.mark.parametrize(
    ("option", "environment", "expected"),
    [
        ("en", {"COURSE_LANGUAGE": "zh", "LANG": "zh_CN.UTF-8"}, "en"),
        (None, {"COURSE_LANGUAGE": "zh", "LANG": "en_US.UTF-8"}, "zh"),
        (None, {"LANG": "zh_CN.UTF-8"}, "zh"),
        (None, {"LANG": "zh_TW"}, "zh"),
        (None, {"LC_ALL": "de_DE.UTF-8", "LANG": "zh_CN.UTF-8"}, "en"),
        (None, {"LANG": "C.UTF-8"}, "en"),
        (None, {}, "en"),
    ],
)
def test_the_language_is_the_option_else_the_variable_else_the_locale(option, environment, expected):
    assert chosen_language(option, environment) == expected


def test_a_wrong_variable_is_refused():
    with pytest.raises(Problem, match="fr"):
        chosen_language(None, {"COURSE_LANGUAGE": "fr"})


def test_the_doctor_says_what_is_missing_and_how_to_get_it(run, monkeypatch):
    from course import doctor

    asked = ["pydantic>=2.5", "no-such-package>=1; extra == 'grading'", "gone; extra == 'gpu'"]
    monkeypatch.setattr(doctor.metadata, "requires", lambda name: asked)
    code, printed, _ = run("--language", "en", "doctor")
    assert code == 1
    assert "Missing: no-such-package." in printed
    assert f"  {doctor.install(doctor.GRADING)}" in printed.splitlines()


def test_the_doctor_is_content_here(run):
    code, printed, _ = run("--language", "en", "doctor")
    assert code == 0
    assert "Everything needed is there." in printed
