"""Without matplotlib a lesson still runs: its pictures become one line."""

import subprocess
import sys

import numpy
import pytest

from helpers import absent, text, timing

HIDE = """
import importlib.abc, sys

class Hide(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "matplotlib":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hide())
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "matplotlib" else found(name, package)
"""


def test_the_stand_in_takes_any_call_and_says_why_there_is_no_picture(capsys):
    text.speak("en")
    assert absent.Plots().knee([1], max_iteration_ms=2) is None
    assert capsys.readouterr().out.startswith("No picture here, matplotlib is missing")
    text.speak("zh")


def test_the_stand_in_is_no_notebook_output():
    with pytest.raises(AttributeError):
        absent.Plots()._repr_png_  # noqa: B018


def test_a_lesson_s_imports_work_without_matplotlib():
    code = HIDE + "from helpers import checks, plots, recorded\nplots.timeline([])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "pip install matplotlib" in done.stdout


def test_where_matplotlib_is_there_plots_is_the_real_module():
    from helpers import plots

    assert plots.__name__ == "helpers.plots"


def test_anything_else_that_helpers_lacks_is_an_attribute_error():
    import helpers

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        helpers.nothing  # noqa: B018


def test_percentiles_need_no_numpy(monkeypatch):
    samples = [5.0, 1.0, 4.0, 4.0, 2.5, 9.0, 7.0]
    with_numpy = [numpy.percentile(samples, q, method="inverted_cdf") for q in range(1, 101)]
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert [timing.percentile(samples, q) for q in range(1, 101)] == with_numpy
