"""What the examiner makes of a submission: points as the code earns them, however the submission goes about
it."""

from __future__ import annotations

import json
import textwrap
import time
from collections.abc import Iterator

import pytest
import saved_by
from copying import ASSIGNMENT, FULL, OF_COPY, answer, blank, honest, useless
from handout import find, with_cell
from hostile import ACCIDENTS, DEADLY, FLOODS, FORGERIES, RESULTS, SPIES

from course.grading.examiner import Examined, examine
from course.lesson.cells import source as source_of
from course.sandbox.limits import ResourceLimits
from course.sandbox.sandbox import Sandbox, unavailable
from course.submission.rebuilding import rebuild
from course.text import sentence

pytestmark = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
LIMITS = ResourceLimits(cell_seconds=1.5, call_seconds=0.5, total_seconds=60.0, memory_bytes=1_000_000_000)


@pytest.fixture(scope="module")
def sandbox(copying_words: None) -> Iterator[Sandbox]:
    with Sandbox(LIMITS) as opened:
        yield opened


def points(examined: Examined) -> float:
    return sum(verdict.score or 0.0 for verdict in examined.verdicts)


def failed(examined: Examined) -> dict[str, str]:
    return {
        verdict.cell: sentence(verdict.facts, examined.language)
        for verdict in examined.verdicts
        if verdict.score != verdict.max_score
    }


def shown(examined: Examined) -> str:
    """Everything in the graded notebook but the master's own text."""
    found = [json.dumps(one.get("outputs", []), ensure_ascii=False) for one in examined.notebook["cells"]]
    return "\n".join(found)


def output(examined: Examined, name: str) -> str:
    one = next(one for one in examined.notebook["cells"] if one["id"] == name)
    return json.dumps(one["outputs"], ensure_ascii=False)


def secrets() -> list[str]:
    """Lines of hidden tests that no student may see."""
    found = []
    for one in ASSIGNMENT.masters["zh"].cells:
        if one.graded:
            found += [
                line.strip()
                for line in one.source.split("\n")
                if len(line.strip()) > 25 and line not in one.released
            ]
    return found


def graded(sandbox: Sandbox, notebook: dict) -> Examined:
    examined = examine(rebuild(notebook, ASSIGNMENT), sandbox)
    json.dumps(examined.notebook, ensure_ascii=False).encode("utf-8")
    text = shown(examined)
    assert not [line for line in secrets() if line in text]
    return examined


@pytest.mark.parametrize("language", ["zh", "en"])
def test_an_honest_student_gets_every_point(sandbox: Sandbox, language: str) -> None:
    examined = graded(sandbox, honest(language))
    assert not failed(examined)
    assert points(examined) == FULL


def test_an_older_releases_order_gets_the_same_verdicts(sandbox: Sandbox) -> None:
    mistaken = honest("en", copy=answer("copy").replace("1e9) * 1e3", "2**30) * 1e3"))
    now = graded(sandbox, mistaken)
    then = graded(sandbox, json.loads(saved_by.older_release(mistaken)))
    assert 0 < points(now) < FULL
    assert then.verdicts == now.verdicts


def test_a_blank_submission_gets_none_and_is_told_so_in_its_language(sandbox: Sandbox) -> None:
    examined = graded(sandbox, blank("en"))
    assert points(examined) == 0
    assert "still empty" in failed(examined)["copy-units"]
    assert examined.no_response == {"copy", "walls", "stop", "choice"}
    assert "还空着" in failed(graded(sandbox, blank("zh")))["copy-units"]


def test_useless_functions_get_none(sandbox: Sandbox) -> None:
    assert points(graded(sandbox, useless())) == 0


def test_every_cell_runs_when_asked_to(sandbox: Sandbox) -> None:
    examined = examine(rebuild(honest(), ASSIGNMENT), sandbox, every_cell=True)
    assert points(examined) == FULL
    assert "GB/s" in output(examined, "copy-rate")


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_pass_earns_nothing(sandbox: Sandbox, forgery: str) -> None:

    notebook = with_cell(useless(), textwrap.dedent(FORGERIES[forgery]), "copy-look")
    assert points(graded(sandbox, notebook)) == 0


@pytest.mark.parametrize("result", RESULTS)
def test_a_strange_result_fails_and_harms_nothing(sandbox: Sandbox, result: str) -> None:
    source = f"def copy_time(*a, **k):\n    return dict(transfer_ms={RESULTS[result]}, total_ms=0.1)"
    examined = graded(sandbox, honest(copy=source))
    assert points(examined) == FULL - OF_COPY


@pytest.mark.parametrize("result", RESULTS)
def test_a_strange_result_in_place_of_the_dictionary_fails_too(sandbox: Sandbox, result: str) -> None:
    examined = graded(sandbox, honest(copy=f"def copy_time(*a, **k):\n    return {RESULTS[result]}"))
    assert points(examined) == FULL - OF_COPY


def test_right_values_of_other_number_types_pass(sandbox: Sandbox) -> None:
    source = answer("copy") + "\nimport numpy, enum, collections\n_own = copy_time\n"
    source += "def copy_time(*a, **k):\n    found = _own(*a, **k)\n"
    source += "    found = {n: numpy.float64(v) if isinstance(v, float) else v for n, v in found.items()}\n"
    source += "    return collections.OrderedDict(found)\n"
    assert points(graded(sandbox, honest(copy=source))) == FULL


def test_a_tuple_or_set_of_constraints_is_judged_as_the_visible_check_does(sandbox: Sandbox) -> None:
    for kind in ("tuple", "set", "frozenset"):
        source = answer("walls") + "\n_own = narrowest\n"
        source += "def narrowest(*a, **k):\n    found = _own(*a, **k)\n"
        source += f"    return dict(found, binding={kind}(found['binding']))\n"
        examined = graded(sandbox, honest(walls=source))
        visible_passes = "✓" in output(examined, "walls-check")
        assert visible_passes == (points(examined) == FULL)


@pytest.mark.parametrize("spy", SPIES)
def test_a_spy_sees_no_hidden_test(sandbox: Sandbox, spy: str) -> None:
    body = SPIES[spy].replace("\n", "\n    ")
    source = f"def copy_time(*a, **k):\n    {body}\n    return {{}}\n"
    examined = graded(sandbox, with_cell(honest(copy=source), SPIES[spy], "copy-look"))
    text = shown(examined)
    assert "HIDDEN TESTS" not in text
    assert "source/zh" not in text
    assert "gradebook" not in text


def test_what_a_test_asks_never_reaches_an_output(sandbox: Sandbox) -> None:
    """A function that writes down its arguments, and a later cell that prints them by every way there is."""
    source = "import json, os\nseen = []\ndef copy_time(*a, **k):\n    seen.append((a, k))\n"
    source += "    open('/tmp/seen', 'a').write(repr(k))\n    print('ASKED', k)\n"
    source += "    os.write(1, b'ASKED')\n    return {}\n"
    late = "print('LATER', seen, open('/tmp/seen').read() if os.path.exists('/tmp/seen') else '')"
    examined = graded(sandbox, with_cell(honest(copy=source), late, "stop-text"))
    text = shown(examined)
    assert "LATER" in text
    assert "95000000000.0" not in text


@pytest.mark.parametrize("death", DEADLY)
def test_a_deadly_function_costs_its_own_points_only(sandbox: Sandbox, death: str) -> None:
    body = DEADLY[death].format(indent="    ")
    started = time.monotonic()
    examined = graded(sandbox, honest(copy=f"def copy_time(*a, **k):\n    {body}\n    return {{}}"))
    assert points(examined) == FULL - OF_COPY
    assert time.monotonic() - started < 40


@pytest.mark.parametrize("death", DEADLY)
def test_a_deadly_cell_costs_nothing_else(sandbox: Sandbox, death: str) -> None:
    notebook = with_cell(honest(), DEADLY[death].format(indent=""), "walls-text")
    examined = graded(sandbox, notebook)
    assert points(examined) == FULL


def test_a_definition_above_a_deadly_line_still_counts(sandbox: Sandbox) -> None:
    for line in ("import os; os._exit(0)", "while True: pass"):
        assert points(graded(sandbox, honest(copy=answer("copy") + "\n" + line))) == FULL


@pytest.mark.parametrize(
    "line", ["def f(x=__import__('os')._exit(0)): pass", "class A:\n    import os; os.abort()"]
)
def test_a_definition_that_is_deadly_itself_costs_nothing_else(sandbox: Sandbox, line: str) -> None:
    examined = graded(sandbox, with_cell(honest("en"), line, "walls-text"))
    assert points(examined) == FULL
    assert "ended" in shown(examined)


def test_a_cell_that_is_stopped_says_so(sandbox: Sandbox) -> None:
    examined = graded(sandbox, with_cell(honest("en"), "while True: pass", "walls-text"))
    assert "took more than 1.5 s" in shown(examined)


@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_is_cut_and_costs_nothing(sandbox: Sandbox, flood: str) -> None:
    examined = graded(sandbox, with_cell(honest(), FLOODS[flood], "walls-text"))
    assert points(examined) == FULL
    assert len(json.dumps(examined.notebook)) < 600_000


@pytest.mark.parametrize("accident", ACCIDENTS)
def test_an_honest_accident_costs_nothing(sandbox: Sandbox, accident: str) -> None:
    source = ACCIDENTS[accident]
    if accident == "names of builtins reused":
        notebook = with_cell(honest(), source, "end")
    else:
        notebook = with_cell(honest(), source, "copy")
    assert points(graded(sandbox, notebook)) == FULL


def test_correct_code_that_warns_in_every_call_gets_full_points(sandbox: Sandbox) -> None:
    source = answer("copy").replace(
        "    transfer_ms = ",
        "    import sys, warnings\n    warnings.warn('w')\n    print('p')\n"
        "    print('e', file=sys.stderr)\n    transfer_ms = ",
        1,
    )
    assert points(graded(sandbox, honest(copy=source))) == FULL


def test_an_import_and_a_helper_in_added_cells_count(sandbox: Sandbox) -> None:
    notebook = with_cell(honest(), "import math\ndef rounded(x):\n    return math.floor(x)", "walls-look")
    find(notebook, "stop")["source"] = answer("stop") + "\n_ = rounded(1.5)"
    assert points(graded(sandbox, notebook)) == FULL


def test_a_syntax_error_in_one_answer_is_local(sandbox: Sandbox) -> None:
    examined = graded(sandbox, honest("en", copy="def copy_time(:"))
    assert points(examined) == FULL - OF_COPY
    assert "is not defined" in failed(examined)["copy-units"]


def test_a_name_means_what_it_means_where_the_test_stands(sandbox: Sandbox) -> None:
    notebook = with_cell(honest(), "def copy_time(*a, **k):\n    return {}", "walls-text")
    assert points(graded(sandbox, notebook)) == FULL


def test_a_function_that_changes_its_input_is_found_out(sandbox: Sandbox) -> None:
    body = "def largest_within(records, max_ms):\n"
    body += "    records.sort(key=lambda r: r['files'])\n"
    body += "    return _own(records, max_ms)\n"
    source = answer("stop").replace("def largest_within", "def _own") + "\n\n" + body
    examined = graded(sandbox, honest("en", stop=source))
    assert "changed the data" in failed(examined)["stop-unsorted"]


def test_messages_say_concept_expected_and_got_and_never_the_code(sandbox: Sandbox) -> None:
    source = answer("copy").replace("* 1e9) * 1e3", "* 2**30) * 1e3")
    message = failed(graded(sandbox, honest("en", copy=source)))["copy-units"]
    assert "unit conversion" in message
    assert "expected 10 ms, got 9.31323 ms" in message
    assert "checks." not in message


def test_only_trusted_outputs_stand_under_a_test(sandbox: Sandbox) -> None:
    source = "def copy_time(*a, **k):\n    print('mine')\n"
    source += "    get_ipython().displayhook(99)\n    return {}"
    examined = graded(sandbox, honest(copy=source))
    for one in examined.notebook["cells"]:
        if one["id"].startswith("copy-") and one["metadata"].get("nbgrader", {}).get("grade"):
            assert [o["output_type"] for o in one["outputs"]] == ["error"]
            assert "mine" not in json.dumps(one["outputs"])
            assert "HIDDEN TESTS" in source_of(one)


def test_the_student_before_and_after_are_graded_the_same(sandbox: Sandbox) -> None:
    before = graded(sandbox, honest())
    for forgery in ("redefines what tests use", "patches the checks"):
        graded(sandbox, with_cell(honest(), textwrap.dedent(FORGERIES[forgery]), "copy"))
    after = graded(sandbox, honest())
    assert before.notebook == after.notebook
    assert before.verdicts == after.verdicts


EMPTY_OUTPUTS = """import course.sandbox.outputs as s
s.Outputs.taken = lambda self: [{"output_type": "stream"}] * 100_000"""


def test_outputs_of_no_length_are_bounded_too(sandbox: Sandbox) -> None:
    notebook = with_cell(honest("en"), EMPTY_OUTPUTS, "walls-text")
    for number in range(3):
        notebook = with_cell(notebook, f"x = {number}", "stop-text")
    examined = graded(sandbox, notebook)
    assert points(examined) == FULL
    assert len(json.dumps(examined.notebook)) < 600_000


def test_a_message_is_bounded(sandbox: Sandbox) -> None:
    wide = "def copy_time(*a, **k): return {str(i) + 'k' * 690: 0 for i in range(900)}"
    examined = graded(sandbox, honest("en", copy=wide))
    assert max(len(json.dumps(v.facts.to_dict())) for v in examined.verdicts if v.facts) <= 2_000
    assert max(map(len, failed(examined).values())) <= 2_000


def test_types_that_a_notebook_may_not_show_are_left_out(sandbox: Sandbox) -> None:
    forged = """import course.sandbox.outputs as s
s.Outputs.taken = lambda self: [
    {"output_type": "display_data", "data": {"application/javascript": "alert(1)", "image/svg+xml": "<svg>"}}
]"""
    examined = graded(sandbox, with_cell(honest("en"), forged, "walls-text"))
    assert "javascript" not in json.dumps([cell.get("outputs") for cell in examined.notebook["cells"]])


def test_data_that_cannot_pass_is_no_refusal_of_bad_input(sandbox: Sandbox) -> None:
    garbage = "def copy_time(*a, **k): return {'x': 10**9999}"
    refuses = {v.cell: v.score for v in graded(sandbox, honest("en", copy=garbage)).verdicts}
    assert refuses["copy-refuses"] == 0.0


DRAFT = "def copy_time(*a, **k): return {}"


@pytest.mark.parametrize(
    "bind",
    ["if True:\n{indented}", "try:\n{indented}\nfinally: pass", "{plain}\nmine = copy_time"],
)
def test_a_draft_above_does_not_override_the_official_cell(sandbox: Sandbox, bind: str) -> None:
    source = answer("copy")
    notebook = honest("en", copy=bind.format(indented=textwrap.indent(source, "    "), plain=source))
    assert points(graded(sandbox, with_cell(notebook, DRAFT, "copy-text"))) == FULL


@pytest.mark.parametrize(
    "line",
    [
        "best = DISK, NETWORK",
        "import faulthandler; faulthandler.enable()",
        "open('my_util.py', 'w').write('def same(x): return x')\nimport my_util",
    ],
    ids=["an instructor's names from a tuple", "faulthandler", "a module of one's own"],
)
def test_what_works_in_a_notebook_works_here(sandbox: Sandbox, line: str) -> None:
    examined = graded(sandbox, with_cell(honest("en"), line, "choice-text"))
    assert points(examined) == FULL
    assert "Error" not in shown(examined)


def test_results_in_long_doubles_are_numbers(sandbox: Sandbox) -> None:
    wrapped = (
        answer("copy")
        + """

_plain = copy_time
def copy_time(*a, **k):
    import numpy
    return {n: numpy.longdouble(v) if isinstance(v, float) else v for n, v in _plain(*a, **k).items()}"""
    )
    assert points(graded(sandbox, honest("en", copy=wrapped))) == FULL


def test_slow_exploring_leaves_the_tests_their_time() -> None:
    with Sandbox(ResourceLimits(cell_seconds=2, call_seconds=1, total_seconds=9)) as strict:
        notebook = honest("en")
        for _ in range(4):
            notebook = with_cell(notebook, "import time; time.sleep(1.7)", "copy-text")
        assert points(graded(strict, notebook)) > FULL / 2


def test_pictures_of_the_lesson_are_drawn_only_when_somebody_looks(sandbox: Sandbox) -> None:
    looking = "from helpers import plots\nfrom helpers.plots import style\n"
    looking += "print(type(plots.knee).__name__, type(plots.style).__name__)"
    examined = graded(sandbox, with_cell(honest("en"), looking, "walls-text"))
    assert "partial module" in shown(examined)
