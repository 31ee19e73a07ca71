"""The finish is a student's own page: right exercises, guesses beside what came out, decisions, pictures."""

import base64
import json
import subprocess
import sys

import pytest
import small
from bs4 import BeautifulSoup

from helpers import finish, handin, lessons, platforms, plots, text
from helpers.lessons import Lesson

FILE = {
    "number": 3,
    "promise": {"zh": "你能算两倍", "en": "You can double"},
    "exercises": {"double": ["double"], "choice": ["choice"]},
    "words": {"concept": {**small.FILE["words"]["concept"], "choice": {"zh": "选择", "en": "the choice"}}},
}
ANSWERS = ("def double(x):\n    return {'double_ms': 2 * x}", "choice = {'batch': 8, 'why': '<b>fast</b>'}")
CHECKS = (
    'from helpers import checks\nchecks.equal(double(3), double_ms=6)\nchecks.passed("double")',
    'from helpers import checks\nchecks.form(choice, batch=int)\nchecks.formed("choice")',
)
LIMITS = {
    "limits": {"slot": 9, "kv": 3, "token": 5, "slo": 4, "backend": 7},
    "final_limit": 3,
    "binding_constraints": ["kv"],
}


@pytest.fixture
def lesson(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    (tmp_path / "lessons").mkdir()
    (tmp_path / "lessons" / "third.json").write_text(json.dumps(FILE), encoding="utf-8")
    made = Lesson.read(tmp_path / "lessons" / "third.json")
    text.read_lessons(tmp_path / "lessons")
    here = platforms.Platform("local", tmp_path / "results", True)
    monkeypatch.setattr(platforms, "detect", lambda: here)
    monkeypatch.setattr(lessons, "every", lambda: (made,))
    text.speak("en")
    return made


def session(*sources, **names):
    namespace = {"In": ["", *sources], **names}
    for source in sources:
        exec(source, namespace)
    return namespace


def figures(count):
    """Pictures as a session holds them: what ran, and what came of it."""
    drawn = ["plots.bounds({4: limits})", "plots.knee(rows)", "plots.lives(spans)", "plots.memory(report)"]
    ran = ["", *drawn[:count]]
    return {"In": ran, "Out": {number: plots.bounds({4: LIMITS}) for number in range(1, count + 1)}}


def made(lesson, language="en", **names):
    return BeautifulSoup(finish.page(lesson, ["double", "choice"], names, language), "html.parser")


def test_the_page_says_what_was_right_guessed_and_decided(lesson):
    names = {"guesses": {"step": 2, "chats": None}, "computed": {"step": 8.0, "chats": 92}}
    shown = made(lesson, **names, choice={"batch": 8, "would": ["a", "b"], "inner": {"x": 1.5}})
    assert shown.h1.get_text() == "Lesson 3 is finished"
    assert shown.p.get_text() == "You can double."
    assert [one.get_text() for one in shown.find_all("li")] == ["✓ TODO 1 twice", "✓ the choice"]
    rows = [[cell.get_text() for cell in row.find_all(["th", "td"])] for row in shown.find_all("tr")]
    assert rows[1:3] == [["step", "2", "8", "× 4"], ["chats", "–", "92", "–"]]
    assert rows[3:] == [["batch", "8"], ["would", "a, b"], ["inner", "x: 1.5"]]


def test_it_speaks_the_notebook_s_language(lesson):
    shown = made(lesson, "zh", guesses={"step": 2})
    assert shown.html["lang"] == "zh-CN"
    assert shown.h1.get_text() == "第 3 课完成了"
    assert shown.p.get_text() == "你能算两倍。"


def test_the_last_three_pictures_are_shown_with_what_they_show(lesson):
    shown = made(lesson, **figures(4))
    images = shown.find_all("img")
    assert len(images) == 3
    assert all(base64.b64decode(one["src"].partition(",")[2]).startswith(b"\x89PNG") for one in images)
    assert all("token budget" in one["alt"] for one in images)
    assert len(shown.find_all("figcaption")) == 3


def test_a_picture_drawn_again_counts_once(lesson):
    names = figures(2)
    names["In"] += ["plots.knee(rows)", "plots.knee(rows)"]
    names["Out"] |= {3: names["Out"][1], 4: names["Out"][1]}
    assert len(made(lesson, **names).find_all("img")) == 2


def test_without_pictures_the_page_says_how_to_get_them(lesson):
    assert "run the notebook from the top" in made(lesson).get_text()


@pytest.mark.parametrize("bad", ["<script>x()</script>", '"><img src=x onerror=x()>'])
def test_what_a_student_wrote_stands_there_as_text(lesson, bad):
    shown = made(lesson, guesses={bad: bad}, computed={bad: bad}, choice={bad: bad})
    assert shown.find(["script", "img"]) is None
    assert bad in shown.get_text()


@pytest.mark.parametrize("guesses", [None, [], {}, 3, "x"])
def test_guesses_that_are_none_leave_no_table(lesson, guesses):
    assert made(lesson, guesses=guesses, computed=5).find("table") is None


def test_the_last_cell_makes_it_when_all_is_right_and_not_before(lesson, tmp_path):
    path = tmp_path / "finish-third.html"
    half = handin.pack(session(ANSWERS[0], CHECKS[0]))
    assert "page" not in str(half)
    assert not path.exists()
    whole = handin.pack(session(*ANSWERS, *CHECKS))
    assert str(whole).splitlines()[-1].endswith("are on a page: finish-third.html")
    shown = path.read_text(encoding="utf-8")
    assert "&lt;b&gt;fast&lt;/b&gt;" in shown


def test_the_page_is_not_handed_in(lesson, tmp_path):
    handin.pack(session(*ANSWERS, *CHECKS))
    import zipfile

    with zipfile.ZipFile(handin.pack(session(*ANSWERS, *CHECKS)).path) as archive:
        assert not [name for name in archive.namelist() if "finish" in name or "progress" in name]


def test_a_folder_that_takes_no_page_stops_nobody(lesson, tmp_path):
    (tmp_path / "finish-third.html").mkdir()
    assert handin.pack(session(*ANSWERS, *CHECKS)).complete


def test_handing_in_loads_no_matplotlib():
    code = "import sys; from helpers import handin, classroom, hints; print('matplotlib' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=small.ROOT, check=True
    )
    assert done.stdout == "False\n"
