"""An empty TODO is one calm line, in a real IPython shell."""

from __future__ import annotations

import re
import sys

import IPython
import pytest
from IPython.core.interactiveshell import InteractiveShell

from helpers import text, todo

STUB = 'def half(number):\n    raise NotImplementedError("TODO")'


@pytest.fixture
def shell(monkeypatch):
    opened = InteractiveShell()
    monkeypatch.setattr(IPython, "get_ipython", lambda: opened)
    text.speak("en")
    todo.calm()
    return opened


def run(shell, source: str, capsys) -> str:
    result = shell.run_cell(source)
    assert not result.success  # so that Run all stops here
    printed = capsys.readouterr()
    return re.sub(r"\x1b\[[\d;]*m", "", printed.out + printed.err).strip()


def test_an_empty_function_is_named_in_one_line(shell, capsys):
    shell.run_cell(STUB)
    said = run(shell, "half(3)", capsys)
    assert said == "✎ `half` is still empty: write it, run its cell, then go on from here."
    text.speak("zh")
    assert run(shell, "half(3)", capsys) == "✎ `half` 还空着：写好它、运行它那一格，再从这里往下运行。"


def test_an_empty_value_is_said_in_one_line(shell, capsys):
    said = run(shell, 'raise NotImplementedError("TODO")', capsys)
    assert said == "✎ This TODO is still empty: fill it in, then go on from here."


def test_every_other_error_keeps_its_traceback(shell, capsys):
    assert "Traceback" in run(shell, 'raise NotImplementedError("mine")', capsys)
    assert "ZeroDivisionError" in run(shell, "1 / 0", capsys)


def test_without_ipython_nothing_happens(monkeypatch):
    monkeypatch.setattr(IPython, "get_ipython", lambda: None)
    todo.calm()
    monkeypatch.delitem(sys.modules, "IPython")
    todo.calm()
