"""Fairness: what goes wrong beside an answer costs nothing, and what costs points is told by its cause."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import copying
import numpy as np
import psutil
import pytest
import small
from copying import ASSIGNMENT, FULL, OF_COPY, answer, honest
from handout import added, find, index, with_cell

from course.authoring import release
from course.grading import clock
from course.grading.assessment import Assessment, assess
from course.grading.pool import TRIES, GradingSettings, Pool
from course.sandbox.limits import ResourceLimits
from course.sandbox.sandbox import Sandbox, unavailable
from course.text import sentence
from helpers import checks

pytestmark = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
LIMITS = ResourceLimits(cell_seconds=1.5, call_seconds=0.5, total_seconds=60.0, memory_bytes=1_000_000_000)


@pytest.fixture(scope="module")
def sandbox(copying_words: None) -> Iterator[Sandbox]:
    with Sandbox(LIMITS) as opened:
        yield opened


def graded(sandbox: Sandbox, notebook: dict) -> Assessment:
    return assess(json.dumps(notebook).encode(), ASSIGNMENT, sandbox)


def said(assessment: Assessment, cell: str) -> str:
    """What is said of a concept that failed."""
    (facts,) = (verdict.facts for verdict in assessment.verdicts if verdict.cell == cell)
    return sentence(facts, assessment.language)


def shown(assessment: Assessment, cell: str) -> str:
    """The text under a cell."""
    outputs = find(_with_ids(assessment), cell)["outputs"]
    return "".join("".join(output.get("text", "")) for output in outputs)


def _with_ids(assessment: Assessment) -> dict:
    return json.loads(assessment.notebook)


FAILING = {
    "a question to nobody": "name = input('your name? ')",
    "a library that is not there": "import pandas as pd",
    "another place's own": "from google.colab import drive\ndrive.mount('/content/drive')",
    "a long pause": "!sleep 12",
    "a pause of Python's": "import time\ntime.sleep(12)",
    "a file that is not there": "rows = open('my_rows.csv').read()",
    "an end": "import sys\nsys.exit()",
    "an end by force": "import os\nos._exit(1)",
    "two of them": "import pandas as pd\nframe = pd.read_csv('x.csv')\nprint(frame.head())\ninput()",
}


@pytest.mark.parametrize("failing", FAILING)
def test_a_failing_line_above_an_answer_costs_nothing(sandbox: Sandbox, failing: str) -> None:
    above = f"{FAILING[failing]}\n\nGIGA = 1e9\n\n"
    notebook = honest("en", copy=above + answer("copy").replace("1e9", "GIGA"))
    assert graded(sandbox, notebook).points == FULL


@pytest.mark.parametrize("failing", FAILING)
def test_a_failing_line_above_a_helper_in_an_added_cell_costs_nothing(sandbox: Sandbox, failing: str) -> None:
    notebook = with_cell(honest("en"), f"{FAILING[failing]}\ndef same(value):\n    return value", "stop")
    find(notebook, "stop")["source"] = answer("stop").replace('"files": chosen,', '"files": same(chosen),')
    assert graded(sandbox, notebook).points == FULL


@pytest.mark.parametrize("decision", ["largest_within(TRIALS, 50.0)", '{"files": 20, "reason": "too_slow"}'])
def test_a_failing_line_above_a_decision_costs_nothing(sandbox: Sandbox, decision: str) -> None:
    notebook = honest("en", choice=f"import pandas\nchoice = {decision}\nchoice")
    assert graded(sandbox, notebook).points == FULL


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "line 2: ModuleNotFoundError: No module named 'pandas'; the definitions below it were taken"),
        ("zh", "第 2 行：ModuleNotFoundError: No module named 'pandas'；这一行以下的定义仍然有效。"),
    ],
)
def test_the_line_that_failed_is_named(sandbox: Sandbox, language: str, words: str) -> None:
    notebook = honest(language, copy="# mine\nimport pandas\n" + answer("copy"))
    assert words in shown(graded(sandbox, notebook), "copy")


SPOILED = {
    "the value that the answer uses": "GIGA = float('one billion')\n{answer}",
    "a change of the value that it uses": "GIGA = 1e9\nGIGA = GIGA * unknown\n{answer}",
    "a change within the value that it uses": "SIZES = [1e9]\nSIZES[0] = unknown\nGIGA = SIZES[0]\n{answer}",
    "the answer itself": "{answer}\nGIGA = 1e9\ncopy_time = unknown(copy_time)\ndel copy_time",
}


@pytest.mark.parametrize("spoiled", SPOILED)
def test_a_line_that_makes_the_answer_wrong_earns_nothing(sandbox: Sandbox, spoiled: str) -> None:
    source = SPOILED[spoiled].format(answer=answer("copy").replace("1e9", "GIGA"))
    lost = 0 if spoiled == "the answer itself" else OF_COPY  # there the notebook keeps the right function
    assert graded(sandbox, honest("en", copy=source)).points == FULL - lost


def test_what_a_cell_had_before_its_failing_line_stays(sandbox: Sandbox) -> None:
    draft = "def copy_time(*a, **k):\n    return {}"
    source = f"{answer('copy')}\nprint(unknown)\nTHREE = 3\n{draft}"
    assert graded(sandbox, honest("en", copy=source)).points == FULL


def test_a_visible_check_that_failed_does_not_go_on_to_its_praise(sandbox: Sandbox) -> None:
    assessment = graded(sandbox, honest("en", copy="def copy_time(*a, **k):\n    return {}"))
    assert "✓" not in shown(assessment, "copy-check")


def test_a_deadly_function_takes_no_cell_of_the_instructors_with_it(sandbox: Sandbox) -> None:
    """The lesson's own cell calls the function that ends the process; what else it binds is there later."""
    deadly = "def copy_time(*a, **k):\n    import os\n    os._exit(1)"
    notebook = honest("en", copy=deadly, stop="NIM = dict(RATES)\n" + answer("stop"))
    find(notebook, "copy-rate")["source"] = (
        "RATES = dict(disk=2.0)\nfirst = copy_time(1, 1.0)\nlast = dict(RATES)"
    )
    find(notebook, "stop")["source"] += "\nNIM = last['disk']"
    assessment = graded(sandbox, notebook)
    assert assessment.points == FULL - OF_COPY


def test_memory_is_named_where_it_was_the_reason(sandbox: Sandbox) -> None:
    greedy = "def copy_time(*a, **k):\n    held = []\n    while True:\n        held.append(bytearray(10**7))"
    patient = ResourceLimits(call_seconds=10, memory_bytes=500_000_000)
    with Sandbox(patient) as opened:
        assessment = graded(opened, honest("en", copy=greedy))
    assert assessment.points == FULL - OF_COPY
    assert "memory" in said(assessment, "copy-units").lower()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_builtin_that_was_overwritten_is_named(sandbox: Sandbox, language: str) -> None:
    notebook = with_cell(honest(language), "min = 3.7", "walls-text")
    notebook["cells"][[cell["id"] for cell in notebook["cells"]].index("walls-text") - 1]["id"] = "mine"
    assessment = graded(sandbox, notebook)
    assert assessment.points == FULL - 2
    facts = next(verdict.facts for verdict in assessment.verdicts if verdict.cell == "walls-each")
    assert (facts.key, facts.values) == ("examiner.overwritten", {"name": "min", "cell": "mine"})
    assert facts.concept == "walls-each"
    assert "min" in said(assessment, "walls-each")


def test_an_async_function_is_told_to_take_async_away(sandbox: Sandbox) -> None:
    assessment = graded(sandbox, honest("en", copy="async " + answer("copy")))
    assert "take async away" in said(assessment, "copy-units")


@pytest.mark.parametrize(
    ("renamed", "words"),
    [
        ({"size_bytes": "bytes_to_copy"}, "calls its parameter bytes_to_copy, not size_bytes"),
        ({"size_bytes": "nbytes", "bandwidth_gbps": "rate"}, "calls its parameter nbytes, not size_bytes"),
        ({"bandwidth_gbps": "bandwidth_gpbs"}, "calls its parameter bandwidth_gpbs, not bandwidth_gbps"),
    ],
)
def test_a_renamed_parameter_is_called_renamed(sandbox: Sandbox, renamed: dict[str, str], words: str) -> None:
    source = answer("copy")
    for name, own in renamed.items():
        source = source.replace(name, own)
    assert f"copy_time {words};" in said(graded(sandbox, honest("en", copy=source)), "copy-units")


def test_a_forged_parameter_tells_nothing(sandbox: Sandbox) -> None:
    """What a function takes can be made up of what a test asked; what it wrote is told."""
    source = """import inspect
class Spy:
    asked = ""
    def __call__(self, **named):
        Spy.asked = "size_bytes" + "".join(str(int(v)) for v in named.values())
        raise TypeError("x")
    @property
    def __signature__(self):
        return inspect.Signature([inspect.Parameter(Spy.asked, inspect.Parameter.KEYWORD_ONLY)])
copy_time = Spy()"""
    assessment = graded(sandbox, honest("en", copy=source))
    assert "size_bytes1000" not in assessment.notebook.decode()


@pytest.mark.parametrize(
    ("language", "typed", "words"),
    [
        ("en", (":", "："), "Line 1 holds a full-width colon, ‘：’; Python knows ‘:’ only."),
        ("zh", (":", "："), "第 1 行有全角冒号“：”；Python 只认半角的“:”。"),
        ("zh", (",", "，"), "第 1 行有全角逗号“，”；Python 只认半角的“,”。"),
    ],
)
def test_a_full_width_character_is_told_by_name_and_place(
    sandbox: Sandbox, language: str, typed: tuple[str, str], words: str
) -> None:
    assessment = graded(sandbox, honest(language, copy=answer("copy").replace(*typed, 1)))
    assert words in shown(assessment, "copy")
    assert words in said(assessment, "copy-units")
    assert assessment.points == FULL - OF_COPY


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "total_ms: expected 8,000,000,000,000 ms, got 7,999,999,967,232 ms: it needs more digits."),
        ("zh", "total_ms：应为 8,000,000,000,000 ms，得到 7,999,999,967,232 ms：位数不够。"),
    ],
)
def test_a_number_of_too_few_digits_is_told_to_have_more(language: str, words: str) -> None:
    """8e12 in np.float32 is 7,999,999,967,232: in six digits the same."""
    for got in (np.float32(8e12), float(np.float32(8e12))):
        with pytest.raises(checks.CheckFailed) as caught:
            checks.equal({"total_ms": got}, total_ms=8_000_000_000_000)
        assert words in sentence(caught.value.facts, language)


@pytest.mark.parametrize(("got", "expected"), [(1_000_001, 1_000_000), (1.001, 1.0), (1e-13, 0.0), ("8", 8)])
def test_another_number_is_just_another_number(got: object, expected: float) -> None:
    with pytest.raises(checks.CheckFailed) as caught:
        checks.equal({"total_ms": got}, total_ms=expected)
    assert caught.value.facts.key == "check.expected"


BEFORE, RETURN, AFTER = answer("copy").partition("return {")
HALVES = {
    "in a bracket": (BEFORE + RETURN, AFTER),
    "the rest moved to the left": (
        "def copy_time(size_bytes, bandwidth_gbps, overhead_ms=0.0):\n    pass",
        'transfer_ms = 1\nreturn {"transfer_ms": transfer_ms}',
    ),
    "another cell between": (BEFORE.rstrip(), f"    {RETURN}{AFTER}"),
}


def split(language: str, first: str, second: str, between: list[dict] | None = None) -> dict:
    """The first exercise in two cells."""
    notebook = honest(language, copy=first)
    place = index(notebook, "copy") + 1
    notebook["cells"][place:place] = [*(between or []), {**added(second), "id": "rest"}]
    return notebook


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "The cell copy was split in two, its second half stands in rest"),
        ("zh", "单元 copy 被拆成了两个，后一半在 rest 里"),
    ],
)
@pytest.mark.parametrize("halves", HALVES)
def test_a_split_cell_that_cannot_be_put_together_is_called_split(
    sandbox: Sandbox, halves: str, language: str, words: str
) -> None:
    between = [added("4 + 4")] if halves == "another cell between" else []
    assessment = graded(sandbox, split(language, *HALVES[halves], between))
    assert assessment.points < FULL
    assert words in said(assessment, "copy-units")


def test_a_cell_that_was_split_around_a_text_is_put_together(sandbox: Sandbox) -> None:
    text = {"cell_type": "markdown", "id": "between", "metadata": {}, "source": "now the rest"}
    first, second = HALVES["another cell between"]
    assessment = graded(sandbox, split("en", first, second, [text]))
    assert assessment.points == FULL
    assert "repaired.split" in {note.key for note in assessment.notes}


@pytest.mark.parametrize("added_cell", ["print('mine')", "def mine(:\n    pass"])
def test_a_bracket_that_is_missing_is_not_called_a_split(sandbox: Sandbox, added_cell: str) -> None:
    assessment = graded(sandbox, split("en", "def copy_time(*a, **k):\n    return {}", added_cell))
    assert "split" not in said(assessment, "copy-units")
    assessment = graded(sandbox, split("en", answer("copy").replace("})", "}"), "print('mine')"))
    assert "split" not in "".join(sentence(v.facts) for v in assessment.verdicts if v.facts)


def test_two_answers_in_one_cell_are_taken_from_it(sandbox: Sandbox) -> None:
    notebook = honest("en", copy=f"{answer('copy')}\n\n{answer('walls')}")
    notebook["cells"].remove(find(notebook, "walls"))
    assessment = graded(sandbox, notebook)
    assert assessment.points == FULL
    assert ("repaired.merged", "walls") in {(note.key, note.cell) for note in assessment.notes}


def test_two_answers_in_one_cell_that_fails_are_told_its_line(sandbox: Sandbox) -> None:
    notebook = honest("en", copy=f"{answer('copy')}\n\n{answer('walls')}\nif True")
    notebook["cells"].remove(find(notebook, "walls"))
    line = len(find(notebook, "copy")["source"].split("\n"))
    assert f"narrowest is not defined: line {line} of cell copy" in said(
        graded(sandbox, notebook), "walls-each"
    )


SLOW_CELL = "import time\ntime.sleep(0.8)\n" + answer("copy")
GRADER = f"""
import sys
from pathlib import Path
from course.grading.grade import grade
from course.grading.grading_run import GradingOptions
from course.lesson.folder import CourseFolder
from course.sandbox.limits import ResourceLimits
if __name__ == "__main__":
    limits = ResourceLimits(cell_seconds=3, total_seconds=4)
    options = GradingOptions(workers=1, limits=limits)
    grade(CourseFolder(Path(sys.argv[1])), "{copying.LESSON}", options=options)
"""


def suspend(program: subprocess.Popen, seconds: float) -> None:
    """What Ctrl-Z and, later, fg do to a program that was started in a group of its own."""
    os.killpg(program.pid, signal.SIGSTOP)
    time.sleep(seconds)
    os.killpg(program.pid, signal.SIGCONT)


@pytest.mark.parametrize(
    ("after", "seconds"), [(1.4, 6), (0.4, 13)], ids=["one run's time", "the time for a whole submission"]
)
def test_a_suspended_grader_takes_nobody_for_slow(tmp_path: Path, after: float, seconds: float) -> None:
    """It stands still for longer than a submission may take: the time runs on, and nobody has used it."""
    made, script = copying.course(tmp_path / "course"), tmp_path / "grader.py"
    release.release(made, [copying.LESSON])
    for student, source in {"a": answer("copy"), "b": SLOW_CELL, "c": answer("copy")}.items():
        small.hand_in(made, student, honest("en", copy=source))
    script.write_text(GRADER, encoding="utf-8")
    command = [sys.executable, str(script), str(made.root)]
    first = made.autograded("a", copying.LESSON).with_name("graded.json")
    with subprocess.Popen(command, env=small.environment(), start_new_session=True) as program:
        until = time.monotonic() + 60
        while not first.is_file() and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(after)
        suspend(program, seconds)
        assert program.wait(60) == 0
    assert small.points(made.gradebook) == dict.fromkeys("abc", FULL)


def programs_of(grader: subprocess.Popen, whose: str) -> list[psutil.Process]:
    """Its worker; or the sandbox: everything that the worker started."""
    (worker,) = (
        child for child in psutil.Process(grader.pid).children() if "spawn_main" in " ".join(child.cmdline())
    )
    return [worker] if whose == "worker" else worker.children(recursive=True)


@pytest.mark.parametrize("whose", ["worker", "sandbox"])
def test_a_part_of_the_grader_that_is_stopped_alone_takes_nobody_for_slow(tmp_path: Path, whose: str) -> None:
    made, script = copying.course(tmp_path / "course"), tmp_path / "grader.py"
    release.release(made, [copying.LESSON])
    for student in "abc":
        small.hand_in(made, student, honest("en", copy=SLOW_CELL))
    script.write_text(GRADER, encoding="utf-8")
    command = [sys.executable, str(script), str(made.root)]
    first = made.autograded("a", copying.LESSON).with_name("graded.json")
    with subprocess.Popen(command, env=small.environment(), start_new_session=True) as program:
        until = time.monotonic() + 60
        while not first.is_file() and time.monotonic() < until:
            time.sleep(0.02)
        stopped = programs_of(program, whose)
        for one in stopped:
            with contextlib.suppress(psutil.NoSuchProcess):  # a student's process may end at this very moment
                one.suspend()
        time.sleep(6)
        for one in stopped:
            with contextlib.suppress(psutil.NoSuchProcess):
                one.resume()
        assert program.wait(60) == 0
    assert small.points(made.gradebook) == dict.fromkeys("abc", FULL)


@pytest.mark.parametrize(("stopped", "is_given_up"), [(True, False), (False, True)])
def test_a_worker_that_stays_stopped_is_ended_and_its_submission_graded_again(
    stopped: bool, is_given_up: bool
) -> None:
    """Nobody knows how long it would have taken; one that ran all the time would take as long again."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as program:
        if stopped:
            psutil.Process(program.pid).suspend()
            while not clock.is_stopped(program.pid):
                time.sleep(0.01)
        worker = SimpleNamespace(
            task=("ann", b""),
            since=time.monotonic() - 1_000_000,
            process=SimpleNamespace(pid=program.pid, is_alive=lambda: True, kill=program.kill),
        )
        pool = Pool(GradingSettings(ASSIGNMENT), 1)
        pool._end_the_slow([worker], 0.0)
        assert program.wait(60) == -signal.SIGKILL
    assert (pool._tries["ann"] == TRIES) is is_given_up


def test_only_a_wait_that_took_far_too_long_is_a_gap() -> None:
    assert clock.stood_still(0.3, 0.25) == 0
    assert clock.stood_still(1.0, 0.25) == 0
    assert clock.stood_still(125.25, 0.25) == 125
