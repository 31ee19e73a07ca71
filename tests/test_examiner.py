"""What the examiner makes of a submission: points as the code earns them, however the submission goes about it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest
from classroom import answer, blank, bundle, cell, honest, useless, with_cell

from course.bundle import text_of
from course.examiner import Examined, examine
from course.rebuild import rebuild
from course.sandbox import Limits, Sandbox, unavailable

pytestmark = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))
LIMITS = Limits(cell_seconds=1.5, call_seconds=0.5, total_seconds=60.0, memory_bytes=1_000_000_000)
FULL = 24.0
COST_POINTS = 8.0
CHEAT = "def estimate_iteration_cost(*a, **k):\n    return {}"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(LIMITS) as opened:
        yield opened


def points(examined: Examined) -> float:
    return sum(verdict.score or 0.0 for verdict in examined.verdicts)


def failed(examined: Examined) -> dict[str, str]:
    return {
        verdict.cell: verdict.message for verdict in examined.verdicts if verdict.score != verdict.max_score
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
    for one in bundle().masters["zh"].cells:
        if one.graded:
            found += [
                line.strip()
                for line in one.source.split("\n")
                if len(line.strip()) > 25 and line not in one.released
            ]
    return found


def graded(sandbox: Sandbox, notebook: dict) -> Examined:
    examined = examine(rebuild(notebook, bundle()), sandbox)
    json.dumps(examined.notebook, ensure_ascii=False).encode("utf-8")
    text = shown(examined)
    assert not [line for line in secrets() if line in text]
    return examined


@pytest.mark.parametrize("language", ["zh", "en"])
def test_an_honest_student_gets_every_point(sandbox: Sandbox, language: str) -> None:
    examined = graded(sandbox, honest(language))
    assert not failed(examined)
    assert points(examined) == FULL


def test_a_blank_submission_gets_none_and_is_told_so_in_its_language(sandbox: Sandbox) -> None:
    examined = graded(sandbox, blank("en"))
    assert points(examined) == 0
    assert "still empty" in failed(examined)["cost-units"]
    assert examined.no_response == {"cost", "bounds", "knee", "decision"}
    assert "还空着" in failed(graded(sandbox, blank("zh")))["cost-units"]


def test_useless_functions_get_none(sandbox: Sandbox) -> None:
    assert points(graded(sandbox, useless())) == 0


def test_every_cell_runs_when_asked_to(sandbox: Sandbox) -> None:
    examined = examine(rebuild(honest(), bundle()), sandbox, every_cell=True)
    assert points(examined) == FULL
    assert "prefill" in output(examined, "loop-replay")


FORGERIES = {
    "drops asserts by an ast transformer": """
        import ast
        class Drop(ast.NodeTransformer):
            def visit_Assert(self, node): return ast.Pass()
            def visit_With(self, node): return ast.Pass()
        get_ipython().ast_transformers.append(Drop())
        """,
    "equals everything": """
        class Any(dict):
            def __eq__(self, other): return True
            __ne__ = __lt__ = __gt__ = __le__ = __ge__ = __contains__ = __eq__
            def __hash__(self): return 0
            def __getitem__(self, key): return self
            def __float__(self): return 1.0
            def get(self, *a): return self
        def estimate_iteration_cost(*a, **k): return Any()
        """,
    "equals everything, entry by entry": """
        class Any(float):
            def __eq__(self, other): return True
            def __sub__(self, other): return 0.0
            __rsub__ = __sub__
            def __le__(self, other): return True
            __ge__ = __lt__ = __gt__ = __le__
            def __abs__(self): return 0.0
        class All(dict):
            def __missing__(self, key): return Any(1)
        def estimate_iteration_cost(*a, **k):
            return All({n: Any(1) for n in "scheduled_tokens memory_bytes kv_read_bytes kv_write_bytes total_flops "
                        "memory_ms compute_ms exposed_overhead_ms iteration_ms dominant".split()})
        """,
    "shows a value in place of the test's": """
        def estimate_iteration_cost(*a, **k):
            get_ipython().displayhook('ok')
            from IPython.display import display
            display(1.0)
            return {}
        """,
    "patches compile": """
        import builtins
        real = builtins.compile
        builtins.compile = lambda source, *a, **k: real("pass", "x", "exec")
        """,
    "redefines what tests use": """
        import builtins
        for name in ("set", "sum", "abs", "isinstance", "all", "any", "len", "float", "sorted", "repr", "zip"):
            setattr(builtins, name, lambda *a, **k: True)
            globals()[name] = lambda *a, **k: True
        """,
    "patches the checks": """
        import helpers.checks as c
        for name in ("close", "equal", "raises", "call", "leaves_unchanged", "is_close", "is_equal", "_compare"):
            setattr(c, name, lambda *a, **k: {})
        """,
    "patches the data's way out": """
        import course.exchange, course.student
        course.exchange.pack = course.student.pack = lambda *a, **k: {"t": "dict", "v": []}
        course.student.Session.do_call = lambda self, order: {"value": {"t": "pickle", "v": "x"}, "after": None}
        """,
    "answers with more than one message": """
        import course.student, json, struct
        def send(self, reply):
            data = json.dumps({"ok": True, "outputs": [], "dropped": 0, "value": 1, "after": None, "names": {}}).encode()
            self.channel.socket.sendall((struct.pack(">I", len(data)) + data) * 5)
        course.student.Session._send = send
        """,
    "traces and hooks": """
        import sys, threading
        sys.settrace(lambda *a: None)
        sys.setprofile(lambda *a: None)
        sys.excepthook = lambda *a: None
        get_ipython().set_custom_exc((Exception,), lambda *a, **k: None)
        get_ipython().run_cell = lambda *a, **k: type("R", (), {"success": True})()
        """,
    "raises the test's own failure": """
        from helpers.checks import CheckFailed
        def estimate_iteration_cost(*a, **k): raise CheckFailed("passed")
        """,
    "ends the program": """
        def estimate_iteration_cost(*a, **k): raise SystemExit(0)
        """,
    "is a class with a hostile metaclass": """
        class Meta(type):
            def __call__(cls, *a, **k): return cls
            def __instancecheck__(cls, other): return True
            __eq__ = lambda a, b: True
            __hash__ = None
            __name__ = property(lambda self: 1 / 0)
        class estimate_iteration_cost(metaclass=Meta): pass
        """,
    "lies about its class": """
        class Liar:
            __class__ = property(lambda self: dict)
            def __eq__(self, other): return True
            def items(self): return [("memory_ms", self)] * 3
            def __reduce__(self): return (__import__("os").system, ("touch /tmp/reduced",))
            def __repr__(self): return "10.0"
            def __deepcopy__(self, memo): return self
        def estimate_iteration_cost(*a, **k): return Liar()
        """,
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_pass_earns_nothing(sandbox: Sandbox, forgery: str) -> None:
    import textwrap

    notebook = with_cell(useless(), textwrap.dedent(FORGERIES[forgery]), "cost-look")
    assert points(graded(sandbox, notebook)) == 0


RESULTS = {
    "nan": "float('nan')",
    "infinity": "float('inf')",
    "a string": "'10.0'",
    "a complex": "10 + 0j",
    "a decimal": "__import__('decimal').Decimal(10)",
    "a fraction": "__import__('fractions').Fraction(10)",
    "a list": "[10.0]",
    "an array": "__import__('numpy').array([10.0])",
    "a generator": "(x for x in [10.0])",
    "itself nested": "(lambda l: (l.append(l), l)[1])([])",
    "very deep": "__import__('functools').reduce(lambda a, _: [a], range(5000), 1)",
    "a function": "lambda: 10.0",
    "a huge integer": "10 ** 100_000",
    "1 GB": "'x' * 400_000_000",
    "two million values": "list(range(2_000_000))",
    "a module": "__import__('os')",
    "half a character": "'\\ud800'",
    "an exception": "ValueError('x')",
    "many keys": "{i * (2**61 - 1): 0 for i in range(30_000)}",
}


@pytest.mark.parametrize("result", RESULTS)
def test_a_strange_result_fails_and_harms_nothing(sandbox: Sandbox, result: str) -> None:
    source = (
        f"def estimate_iteration_cost(*a, **k):\n    return dict(memory_ms={RESULTS[result]}, compute_ms=0.1)"
    )
    examined = graded(sandbox, honest(cost=source))
    assert points(examined) == FULL - COST_POINTS


@pytest.mark.parametrize("result", RESULTS)
def test_a_strange_result_in_place_of_the_dictionary_fails_too(sandbox: Sandbox, result: str) -> None:
    examined = graded(
        sandbox, honest(cost=f"def estimate_iteration_cost(*a, **k):\n    return {RESULTS[result]}")
    )
    assert points(examined) == FULL - COST_POINTS


def test_right_values_of_other_number_types_pass(sandbox: Sandbox) -> None:
    source = answer("cost") + "\nimport numpy, enum, collections\n_own = estimate_iteration_cost\n"
    source += "def estimate_iteration_cost(*a, **k):\n    found = _own(*a, **k)\n"
    source += "    found = {n: numpy.float64(v) if isinstance(v, float) else v for n, v in found.items()}\n"
    source += "    return collections.OrderedDict(found)\n"
    assert points(graded(sandbox, honest(cost=source))) == FULL


def test_a_tuple_or_set_of_constraints_is_judged_as_the_visible_check_does(sandbox: Sandbox) -> None:
    for kind in ("tuple", "set", "frozenset"):
        source = answer("bounds") + "\n_own = compute_batch_bounds\n"
        source += "def compute_batch_bounds(*a, **k):\n    found = _own(*a, **k)\n"
        source += f"    return dict(found, binding_constraints={kind}(found['binding_constraints']))\n"
        examined = graded(sandbox, honest(bounds=source))
        visible_passes = "✓" in output(examined, "bounds-check")
        assert visible_passes == (points(examined) == FULL)


SPIES = {
    "own notebook": "import glob\nprint(glob.glob('**/*.ipynb', recursive=True), [open(f).read() for f in glob.glob('*')])",
    "history": "print(In[-1], get_ipython().user_ns.keys())",
    "frames": "import sys\nf = sys._getframe()\nwhile f:\n    print(f.f_code, sorted(f.f_globals)[:50], sorted(f.f_locals)[:50])\n    f = f.f_back",
    "memory": "import gc\nprint([o for o in gc.get_objects() if isinstance(o, str) and 'HIDDEN' in o])",
    "environment": "import os\nprint(os.environ, os.getcwd(), os.listdir('/'))",
    "files": "import os\nprint([p for p, d, f in os.walk('/') if not p.startswith(('/proc', '/usr')) and any(x.endswith('.ipynb') or x.endswith('.db') for x in f)])",
    "modules": "import sys\nprint([m for m in sys.modules if m.startswith(('course', 'nbgrader'))])\nimport course\nprint(course.__path__, dir(course))",
}  # fmt: skip


@pytest.mark.parametrize("spy", SPIES)
def test_a_spy_sees_no_hidden_test(sandbox: Sandbox, spy: str) -> None:
    body = SPIES[spy].replace("\n", "\n    ")
    source = f"def estimate_iteration_cost(*a, **k):\n    {body}\n    return {{}}\n"
    examined = graded(sandbox, with_cell(honest(cost=source), SPIES[spy], "cost-look"))
    text = shown(examined)
    assert "HIDDEN TESTS" not in text
    assert "source/zh" not in text
    assert "gradebook" not in text


def test_what_a_test_asks_never_reaches_an_output(sandbox: Sandbox) -> None:
    """A function that writes down its arguments, and a later cell that prints them by every way there is."""
    source = "import json, os\nseen = []\ndef estimate_iteration_cost(*a, **k):\n    seen.append((a, k))\n"
    source += "    open('/tmp/seen', 'a').write(repr(k))\n    print('ASKED', k)\n    os.write(1, b'ASKED')\n    return {}\n"
    late = "print('LATER', seen, open('/tmp/seen').read() if os.path.exists('/tmp/seen') else '')"
    examined = graded(sandbox, with_cell(honest(cost=source), late, "knee-text"))
    text = shown(examined)
    assert "LATER" in text
    assert "1192099840" not in text
    assert "95000000000.0" not in text


DEADLY = {
    "os._exit": "import os; os._exit(0)",
    "segmentation fault": "import ctypes; ctypes.string_at(0)",
    "abort": "import os; os.abort()",
    "kill -9": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
    "closes every file": "import os; os.closerange(0, 200)",
    "never ends": "while True: pass",
    "cannot be interrupted": "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n{indent}while True: pass",
    "sleeps": "import time; time.sleep(100)",
    "swallows interrupts": "while True:\n{indent}    try:\n{indent}        while True: pass\n{indent}    except BaseException: pass",
    "no stack": "import sys; sys.setrecursionlimit(10**9); f = lambda: f(); f()",
    "no memory": "x = []\n{indent}while True: x.append(bytearray(10**7))",
    "stops itself": "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)\n{indent}while True: pass",
    "execs another program": "import os; os.execv('/bin/sleep', ['sleep', '100'])",
    "reads input": "input('?')",
}  # fmt: skip


@pytest.mark.parametrize("death", DEADLY)
def test_a_deadly_function_costs_its_own_points_only(sandbox: Sandbox, death: str) -> None:
    body = DEADLY[death].format(indent="    ")
    started = time.monotonic()
    examined = graded(
        sandbox, honest(cost=f"def estimate_iteration_cost(*a, **k):\n    {body}\n    return {{}}")
    )
    assert points(examined) == FULL - COST_POINTS
    assert time.monotonic() - started < 40


@pytest.mark.parametrize("death", DEADLY)
def test_a_deadly_cell_costs_nothing_else(sandbox: Sandbox, death: str) -> None:
    notebook = with_cell(honest(), DEADLY[death].format(indent=""), "bounds-text")
    examined = graded(sandbox, notebook)
    assert points(examined) == FULL


def test_a_definition_above_a_deadly_line_still_counts(sandbox: Sandbox) -> None:
    for line in ("import os; os._exit(0)", "while True: pass"):
        assert points(graded(sandbox, honest(cost=answer("cost") + "\n" + line))) == FULL


def test_a_cell_that_is_stopped_says_so(sandbox: Sandbox) -> None:
    examined = graded(sandbox, with_cell(honest("en"), "while True: pass", "bounds-text"))
    assert "took more than 1.5 s" in shown(examined)


FLOODS = {
    "200 MB": "for _ in range(200):\n    print('x' * 1_000_000)",
    "two million lines": "for _ in range(2_000_000):\n    print('x')",
    "on stderr": "import sys\nfor _ in range(300):\n    sys.stderr.write('x' * 1_000_000)",
    "below Python": "import os\nfor _ in range(300):\n    os.write(1, b'x' * 1_000_000)",
    "displays": "from IPython.display import display, HTML\nfor _ in range(5000):\n    display(HTML('<p>' * 1000))",
    "a long error": "raise ValueError('x' * 10_000_000)",
    "many files": "for i in range(300):\n    try:\n        open(f'/tmp/{i}', 'wb').write(b'x' * 1_000_000)\n    except OSError:\n        break",
}  # fmt: skip


@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_is_cut_and_costs_nothing(sandbox: Sandbox, flood: str) -> None:
    examined = graded(sandbox, with_cell(honest(), FLOODS[flood], "bounds-text"))
    assert points(examined) == FULL
    assert len(json.dumps(examined.notebook)) < 600_000


ACCIDENTS = {
    "warns": "import warnings\nwarnings.warn('careful')",
    "prints to stderr": "import sys\nprint('note', file=sys.stderr)",
    "a syntax error in a cell of its own": "def broken(:",
    "an exception in a cell of its own": "1 / 0",
    "names of builtins reused": "sum = 3\nlist = [1]\nmax = 7\nid = 'x'\ninput = 4\nprint = print",
    "magics": "%%time\nx = 1",
    "a shell command": "!ls /tmp",
    "await": "import asyncio\nawait asyncio.sleep(0)",
    "plots": "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()",
    "installs": "%pip install numpy\n!pip install torch",
    "a logger": "import logging\nlogging.basicConfig(level=10)\nlogging.getLogger().warning('x')",
    "CRLF": "x = 1\r\ny = 2\r\n",
}


@pytest.mark.parametrize("accident", ACCIDENTS)
def test_an_honest_accident_costs_nothing(sandbox: Sandbox, accident: str) -> None:
    source = ACCIDENTS[accident]
    if accident == "names of builtins reused":
        notebook = with_cell(honest(), source, "end")
    else:
        notebook = with_cell(honest(), source, "cost")
    assert points(graded(sandbox, notebook)) == FULL


def test_correct_code_that_warns_in_every_call_gets_full_points(sandbox: Sandbox) -> None:
    source = answer("cost").replace(
        "    scheduled_tokens = ",
        "    import sys, warnings\n    warnings.warn('w')\n    print('p')\n    print('e', file=sys.stderr)\n    scheduled_tokens = ",
        1,
    )
    assert points(graded(sandbox, honest(cost=source))) == FULL


def test_an_import_and_a_helper_in_added_cells_count(sandbox: Sandbox) -> None:
    notebook = with_cell(honest(), "import math\ndef rounded(x):\n    return math.floor(x)", "bounds-look")
    cell(notebook, "knee")["source"] = answer("knee") + "\n_ = rounded(1.5)"
    assert points(graded(sandbox, notebook)) == FULL


def test_a_syntax_error_in_one_answer_is_local(sandbox: Sandbox) -> None:
    examined = graded(sandbox, honest("en", cost="def estimate_iteration_cost(:"))
    assert points(examined) == FULL - COST_POINTS
    assert "is not defined" in failed(examined)["cost-units"]


def test_a_name_means_what_it_means_where_the_test_stands(sandbox: Sandbox) -> None:
    notebook = with_cell(honest(), "def estimate_iteration_cost(*a, **k):\n    return {}", "bounds-text")
    assert points(graded(sandbox, notebook)) == FULL


def test_a_function_that_changes_its_input_is_found_out(sandbox: Sandbox) -> None:
    source = answer("knee").replace("sorted(records, key", "(records.sort(key", 1)
    body = "def select_operating_knee(records, max_iteration_ms, min_relative_throughput_gain=0.10):\n"
    body += "    records.sort(key=lambda r: r['batch'])\n    return _own(records, max_iteration_ms, min_relative_throughput_gain)\n"
    source = answer("knee").replace("def select_operating_knee", "def _own") + "\n\n" + body
    examined = graded(sandbox, honest("en", knee=source))
    assert "changed the data" in failed(examined)["knee-unsorted"]


def test_messages_say_concept_expected_and_got_and_never_the_code(sandbox: Sandbox) -> None:
    source = answer("cost").replace("* 1e9) * 1e3", "* 2**30) * 1e3")
    message = failed(graded(sandbox, honest("en", cost=source)))["cost-units"]
    assert "unit conversion" in message
    assert "expected 10 ms, got 9.31323 ms" in message
    assert "checks." not in message


def test_only_trusted_outputs_stand_under_a_test(sandbox: Sandbox) -> None:
    source = "def estimate_iteration_cost(*a, **k):\n    print('mine')\n    get_ipython().displayhook(99)\n    return {}"
    examined = graded(sandbox, honest(cost=source))
    for one in examined.notebook["cells"]:
        if one["id"].startswith("cost-") and one["metadata"].get("nbgrader", {}).get("grade"):
            assert [o["output_type"] for o in one["outputs"]] == ["error"]
            assert "mine" not in json.dumps(one["outputs"])
            assert "HIDDEN TESTS" in text_of(one)


def test_the_student_before_and_after_are_graded_the_same(sandbox: Sandbox) -> None:
    before = graded(sandbox, honest())
    for forgery in ("redefines what tests use", "patches the checks"):
        import textwrap

        graded(sandbox, with_cell(honest(), textwrap.dedent(FORGERIES[forgery]), "cost"))
    after = graded(sandbox, honest())
    assert before.notebook == after.notebook
    assert before.verdicts == after.verdicts
