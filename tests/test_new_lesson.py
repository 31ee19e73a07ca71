"""`course new-lesson`: a third lesson goes the whole way in a copy of this checkout; nothing else changes.

The copy holds the files that git tracks. Everything runs there as a person would run it.
"""

from __future__ import annotations

import csv
import functools
import json
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
import small
from nbclient import NotebookClient

from course.authoring import new_lesson, proof, translations
from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.text import Problem
from helpers import text

LESSON, IN_CODE = "batch-pacing", "batch_pacing"
SIGNATURE = f"def {IN_CODE}_throughput(batch_size, iteration_ms, weight_bytes, bandwidth_gbps):\n"
RIGHT = f"""{SIGNATURE}    if any(value <= 0 for value in locals().values()):
        raise ValueError("not above 0")
    return {{
        "tokens_per_s": batch_size / (iteration_ms / 1000),
        "max_tokens_per_s": batch_size * bandwidth_gbps * 10**9 / weight_bytes,
    }}
"""
WRONG = RIGHT.replace("(iteration_ms / 1000)", "iteration_ms")
GENERAL_TESTS = ("mutants", "ideas_told_apart", "sample_class", "proof", "release", "general_code")
GENERAL_TESTS += ("translations", "layers")
OPTIONAL = ("probes.json", "kept.csv")  # for a lesson that needs them
ALL_AT_ONCE = ("test_translations.py", "test_text.py")  # these ask for whatever lessons there are
ABOUT_IT = f"{LESSON} or {IN_CODE} or this_course or committed or general or layers"


@dataclass(frozen=True)
class Checkout:
    """A copy of this checkout, in a git repository of its own."""

    root: Path

    @classmethod
    def at(cls, root: Path) -> Checkout:
        made = cls(root)
        tracked = subprocess.run(["git", "ls-files", "-z"], cwd=small.ROOT, capture_output=True, check=True)
        names = tracked.stdout.decode("utf-8").rstrip("\0").split("\0")
        for name in (name for name in names if (small.ROOT / name).is_file()):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(small.ROOT / name, root / name)
        made.git("init", "--quiet")
        made.git("add", "--all")
        made.git("-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "--quiet", "-m", "all")
        return made

    @property
    def environment(self) -> dict[str, str]:
        return {**small.environment(), "PYTHONPATH": str(self.root), "OMP_NUM_THREADS": "1"}

    def run(self, *command: str) -> str:
        done = subprocess.run(
            command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def git(self, *words: str) -> str:
        return self.run("git", *words)

    def python(self, program: str, *words: str) -> str:
        return self.run(sys.executable, "-c", program, *words)

    def course(self, *words: str) -> str:
        return self.run(*small.command(*words))

    def released(self, language: str) -> Path:
        return CourseFolder(self.root).released(LESSON, language)

    def answered(self, language: str, answer: str):
        """The released notebook with this answer in it."""
        notebook = notebooks.load(self.released(language))
        small.cell(notebook, f"{LESSON}-throughput").source = answer
        return notebook

    def sample(self, file: str) -> list[dict[str, str]]:
        path = self.root / "course" / "lessons" / IN_CODE / "sample_class" / file
        with path.open(encoding="utf-8", newline="") as rows:
            return list(csv.DictReader(rows))


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Checkout:
    if not (small.ROOT / ".git").exists():
        pytest.skip("git does not track these files")
    return Checkout.at(tmp_path_factory.mktemp("checkout").resolve())


@pytest.fixture(scope="module")
def made(checkout) -> str:
    """The lesson written and released; what the command said."""
    said = checkout.course("new-lesson", LESSON)
    checkout.course("release", LESSON)
    return said


@pytest.fixture(scope="module")
def graded(checkout, made) -> dict[str, dict[str, float | None]]:
    """Two submissions, collected and graded, with feedback and a report; their scores."""
    for student, language, answer in (("s901", "zh", RIGHT), ("s902", "en", WRONG)):
        path = checkout.root / "downloaded" / student / f"{LESSON}.ipynb"
        notebooks.save(checkout.answered(language, answer), path)
    checkout.course("collect", LESSON, "downloaded")
    checkout.course("grade", LESSON, *trust_where_no_sandbox_is())
    checkout.course("feedback", LESSON)
    checkout.course("report", LESSON)
    return small.scores(checkout.root / "gradebook.db")


def trust_where_no_sandbox_is() -> list[str]:
    """The class is our own: it runs where no sandbox can be made, too."""
    from course.sandbox.sandbox import unavailable

    return ["--trust-submissions"] if unavailable() else []


@pytest.fixture(scope="module")
def published(checkout, made) -> Path:
    """The students' bundle, and the browser site's notebooks in `site/`."""
    checkout.course("publish")
    checkout.python(
        "from pathlib import Path\nfrom course.lesson.folder import CourseFolder\n"
        "from course.publishing import browser\nbrowser.contents(CourseFolder.find(), Path('site'))"
    )
    return checkout.root


def test_the_command_says_what_it_wrote_and_what_comes_next(checkout, made):
    written = set(re.findall(r"^✎ (.+)$", made, re.MULTILINE))
    assert {f"source/{language}/{LESSON}/{LESSON}.ipynb" for language in text.LANGUAGES} <= written
    assert {f"helpers/lessons/{LESSON}.json", f"course/lessons/{IN_CODE}/mutants.toml"} <= written
    assert all((checkout.root / name).is_file() for name in written)
    assert f"course release {LESSON}" in made
    assert "docs/new-lesson.md" in made


def test_the_lesson_comes_last_in_the_course(checkout, made):
    folder = CourseFolder(checkout.root)
    assert folder.lessons() == [*CourseFolder(small.ROOT).lessons(), LESSON]
    assert folder.public_half(LESSON).number == len(folder.lessons())


def test_nothing_is_left_of_the_template_s_name(checkout, made):
    written = re.findall(r"^✎ (.+)$", made, re.MULTILINE)
    texts = [name + (checkout.root / name).read_text(encoding="utf-8") for name in written]
    assert [found for found in texts if re.search("lesson[-_]name", found)] == []


def test_the_page_lists_every_file_and_finds_every_test(checkout, made):
    page = (small.ROOT / "docs" / "new-lesson.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([^`]+)`", page, re.MULTILINE)
    listed = {row.replace("NAME_", IN_CODE).replace("NAME", LESSON) for row in rows if "NAME" in row}
    needed = {name for name in listed if not name.endswith(OPTIONAL)}
    assert [name for name in needed if not (checkout.root / name).exists()] == []
    written = re.findall(r"^✎ (.+)$", made, re.MULTILINE)
    assert [name for name in written if not any(name.startswith(place) for place in listed)] == []
    for name in {*re.findall(r"`(test_\w+\.py)`", page)}:
        assert "lessons()" in (small.ROOT / "tests" / name).read_text("utf-8") or name in ALL_AT_ONCE


def test_both_languages_are_in_step_and_in_the_frame(checkout, made):
    assert f"✓ {LESSON}: the two languages agree" in checkout.course("translate", "--check")
    names = [cell.id for cell in notebooks.load(CourseFolder(checkout.root).master(LESSON, "en")).cells]
    assert (names[1], names[-1]) == ("setup", "handin")


def test_everyone_in_its_sample_class_gets_the_points_written_by_hand(checkout, made):
    said = checkout.course("demo", LESSON)
    rows = re.findall(r"│ (s\d\d-\w+) .*│ +(\d+) │ +(\d+) │ ✓ │", said)
    by_hand = {row["student"]: row["total"] for row in checkout.sample("points.csv")}
    assert len(by_hand) >= 10
    assert {student: expected for student, expected, got in rows if expected == got} == by_hand


def test_submissions_get_their_points(graded):
    concepts = [f"{LESSON}-{concept}" for concept in ("units", "bound", "refuses")]
    assert graded["s901"] == dict.fromkeys(concepts, 1.0)
    assert graded["s902"] == {**dict.fromkeys(concepts, 1.0), f"{LESSON}-units": 0.0}


def test_a_page_names_concept_and_wrong_idea_in_the_students_language(checkout, graded):
    pages = {
        student: (checkout.root / "feedback" / student / LESSON / f"{LESSON}.html").read_text("utf-8")
        for student in graded
    }
    assert "milliseconds are not turned into seconds" in pages["s902"]
    assert "unit conversion" in pages["s902"]
    assert "单位换算" in pages["s901"]
    report = next((checkout.root / "reports").glob(f"{LESSON}*.html")).read_text("utf-8")
    assert "milliseconds are not turned into seconds" in report


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_the_lesson_is_published(published, language):
    wheel = next((published / "bundle").glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        assert f"helpers/lessons/{LESSON}.json" in archive.namelist()
    released = CourseFolder(published).released(LESSON, language)
    title = notebooks.title(notebooks.load(released))
    page = published / "bundle" / ("index.html" if language == "zh" else f"index.{language}.html")
    assert title in page.read_text(encoding="utf-8")
    for place in ("bundle", "site"):
        given = published / place / language / LESSON / f"{LESSON}.ipynb"
        assert [c.id for c in notebooks.load(given).cells] == [c.id for c in notebooks.load(released).cells]


def test_nothing_but_the_lesson_s_own_files_changed(checkout, made, graded, published):
    changed = checkout.git("status", "--porcelain", "--untracked-files=all").splitlines()
    own = re.compile(
        rf"\?\? (?:(?:source|release)/(?:zh|en)/{LESSON}/{LESSON}\.ipynb"
        rf"|helpers/lessons/{LESSON}\.json|course/lessons/{IN_CODE}/.+)"
    )
    assert [line for line in changed if not own.fullmatch(line)] == []
    assert len(changed) > 15
    assert checkout.git("diff", "--stat") == ""


def test_the_general_tests_find_the_lesson_and_pass(checkout, made):
    files = [f"tests/test_{name}.py" for name in GENERAL_TESTS]
    said = checkout.run(
        sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-k", ABOUT_IT, *files
    )
    passed = set(re.findall(r"^tests/test_(\S+) PASSED", said, re.MULTILINE))
    mutants = (checkout.root / "course" / "lessons" / IN_CODE / "mutants.toml").read_text("utf-8")
    ideas = re.findall(r'^idea = "(\w+)"', mutants, re.MULTILINE)
    assert len(ideas) >= 3
    caught = "mutants.py::test_a_wrong_idea_fails_a_hidden_check[{}]"
    of_ideas = {re.sub(r"\d+\]$", "]", name) for name in passed}  # an idea with two mutants is tried twice
    assert {caught.format(idea) for idea in ideas} <= of_ideas
    roster = [row["student"] for row in checkout.sample("roster.csv")]
    in_class = "sample_class.py::test_a_student_gets_the_points_written_by_hand[{}-{}-{}]"
    both = ("followed", "strict")
    assert {in_class.format(LESSON, student, how) for student in roster for how in both} <= passed
    assert f"proof.py::test_every_lesson_of_this_course_is_proven[{LESSON}]" in passed
    assert "release.py::test_the_committed_release_is_fresh" in passed


@functools.cache
def worked_on(checkout: Checkout, language: str, answer: str) -> dict[str, str]:
    """What a student reads under each cell after filling in the released notebook and running it."""
    notebook = checkout.answered(language, answer)
    client = NotebookClient(
        notebook,
        timeout=120,
        allow_errors=True,
        resources={"metadata": {"path": str(checkout.released(language).parent)}},
        extra_arguments=["--log-level=ERROR", "--HistoryManager.hist_file=:memory:"],
    )
    client.execute(env=checkout.environment)
    for pack in checkout.released(language).parent.glob("handin-*.zip"):
        pack.unlink()
    return {
        cell.id: "".join(
            output.get("text", "") or output.get("data", {}).get("text/plain", "") or output.get("evalue", "")
            for output in cell.get("outputs", [])
        )
        for cell in notebook.cells
    }


@pytest.mark.parametrize(
    ("language", "answer", "said"),
    [
        ("zh", RIGHT, "✓ TODO 1 吞吐和它的上界"),
        ("en", RIGHT, "✓ TODO 1 throughput and its bound"),
        ("zh", WRONG, "忘了把毫秒换成秒"),
        ("en", WRONG, "This is what you get when milliseconds are not turned into seconds."),
    ],
)
def test_the_visible_check_tells_a_student_the_truth(checkout, made, language, answer, said):
    under = worked_on(checkout, language, answer)
    assert said in under[f"{LESSON}-check"]
    expected = "1,600" if answer is RIGHT else "1.6"
    assert expected in under["throughput-look"].split()
    assert LESSON in under["handin"]


@pytest.fixture
def tiny(tmp_path) -> CourseFolder:
    text.speak("en")
    return small.course(tmp_path)


@pytest.mark.parametrize(
    "name",
    ["Kv-cache", "kv_cache", "kv cache", "kv", "2-kv", "-kv", "kv-", "kv--cache", "../kv-cache", "预-算", "",
     "lesson-name", "kv-" + "x" * 40],
)  # fmt: skip
def test_a_name_that_is_none_is_refused(tiny, name):
    before = everything(tiny)
    with pytest.raises(Problem, match="No lesson can be called"):
        new_lesson.write(tiny, name)
    assert everything(tiny) == before


def everything(folder: CourseFolder) -> dict[str, bytes]:
    """Every file of the course, as it is."""
    return {str(path): path.read_bytes() for path in folder.root.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "there",
    [
        "source/zh/kv-cache/notes.txt",
        "source/en/kv-cache/kv-cache.ipynb",
        "helpers/lessons/kv-cache.json",
        "course/lessons/kv_cache/mutants.toml",
    ],
)
def test_nothing_is_overwritten(tiny, there):
    path = tiny.root / there
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}", encoding="utf-8")
    before = everything(tiny)
    with pytest.raises(Problem, match=r"There is .*kv.cache.* already; nothing was written"):
        new_lesson.write(tiny, "kv-cache")
    assert everything(tiny) == before


def test_a_lesson_of_the_package_keeps_its_name_in_every_course(tiny):
    with pytest.raises(Problem, match=r"There is .* already"):
        new_lesson.write(tiny, CourseFolder(small.ROOT).lessons()[-1])


def test_a_word_of_another_lesson_is_not_taken(tiny):
    about = {"number": 2, "exercises": {"speed": ["kv_cache_throughput"]}}
    tiny.public_file(small.LESSON).write_text(json.dumps(about), encoding="utf-8")
    with pytest.raises(Problem, match="calls something kv_cache_throughput already"):
        new_lesson.write(tiny, "kv-cache")


def test_a_lesson_that_cannot_be_written_whole_leaves_nothing_behind(tiny):
    shutil.rmtree(tiny.root / "source" / "en")
    (tiny.root / "source" / "en").write_text("in the way", encoding="utf-8")
    before = everything(tiny)
    with pytest.raises(NotADirectoryError):  # the command says it in a sentence, as every refusal of a disk
        new_lesson.write(tiny, "kv-cache")
    assert everything(tiny) == before
    assert not tiny.master("kv-cache").parent.exists()


def test_two_new_lessons_do_not_meet(tiny, monkeypatch):
    monkeypatch.setattr(text._Voice, "lessons", text._Voice.lessons)
    for name in ("kv-cache", "kv-cache-again"):
        new_lesson.write(tiny, name)
    text.read_lessons(tiny.public_halves)
    assert tiny.lessons() == [small.LESSON, "kv-cache", "kv-cache-again"]
    assert text.clashes() == ()
    assert [proof.findings(tiny, name) for name in ("kv-cache", "kv-cache-again")] == [[], []]


def test_a_course_in_one_language_gets_a_lesson_and_a_class_in_it(tiny):
    shutil.rmtree(tiny.root / "source" / "en")
    written = new_lesson.write(tiny, "kv-cache")
    assert [path for path in written if path.suffix == ".ipynb"] == [tiny.master("kv-cache")]
    roster = next(path for path in written if path.name == "roster.csv").read_text(encoding="utf-8")
    assert {row["language"] for row in csv.DictReader(roster.splitlines())} == {"zh"}


def test_a_language_that_the_template_does_not_speak_waits_for_its_translator(tiny):
    (tiny.root / "source" / "de").mkdir()
    new_lesson.write(tiny, "kv-cache")
    assert new_lesson.untranslated(tiny) == ["de"]
    gaps = [gap for gap in translations.check(tiny) if gap.lesson == "kv-cache"]
    assert {(gap.kind, gap.language) for gap in gaps} == {("untranslated", "de")}


@pytest.mark.parametrize("name", ["a-b", "a-" + "b" * 34])
def test_what_is_written_is_in_the_house_s_style_however_long_the_name(tiny, name):
    new_lesson.write(tiny, name)
    written = [str(tiny.root / part) for part in (f"source/zh/{name}", f"source/en/{name}", "course")]
    settings = small.ROOT / "pyproject.toml"
    for command in (["check"], ["format", "--check"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--no-cache", "--config", str(settings)]
        done = subprocess.run([*ruff, *written], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
