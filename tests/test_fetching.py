"""Fetching what a picture needs never hangs and never ends in a traceback, whatever the server does."""

import json
import shutil
import socket
import subprocess
import sys
import types
from contextlib import contextmanager

import pytest

from helpers import absent, text

NODE = shutil.which("node")
SCRIPT = """
const race = %s;
const began = Date.now();
process.on("unhandledRejection", (problem) => { console.error(problem); process.exit(3); });
race(fetch(%s).then((answer) => { if (!answer.ok) throw new Error("refused"); }), %d).then((loaded) => {
  console.log(JSON.stringify(loaded));
  process.exit(0);
});
"""


@contextmanager
def silent():
    """The address of a server that takes a call and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"


def raced(address, ms):
    code = SCRIPT % (absent.RACE, json.dumps(address), ms)
    return subprocess.run([NODE, "-e", code], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.skipif(not NODE, reason="node runs what the page runs; there is none here")
def test_a_server_that_never_answers_is_left_after_the_page_s_own_clock():
    with silent() as address:
        done = raced(address, 300)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "false", "")


@pytest.mark.skipif(not NODE, reason="node runs what the page runs; there is none here")
def test_a_server_that_is_not_there_is_no_error_either():
    with silent() as address:
        pass
    done = raced(address, 30_000)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "false", "")


def test_the_clock_leaves_room_within_twelve_seconds():
    assert 5 <= absent.SECONDS <= 11


class Page:
    """Stands in for Pyodide: `answers` are what the race comes to, one after another."""

    def __init__(self, monkeypatch, *answers, can_run_sync=True):
        self.asked, self.answers, self.limits_ms = [], list(answers), []
        modules = {
            "pyodide_js": {"loadPackage": self.asked.append},
            "pyodide": {},
            "pyodide.code": {"run_js": self.run_js},
            "pyodide.ffi": {"can_run_sync": lambda: can_run_sync, "run_sync": self.run_sync},
        }
        for name, content in modules.items():
            module = types.ModuleType(name)
            vars(module).update(content)
            monkeypatch.setitem(sys.modules, name, module)

    def run_js(self, source):
        assert source == absent.RACE
        return lambda loading, ms: self.limits_ms.append(ms)

    def run_sync(self, awaited):
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.mark.parametrize(("language", "said"), [("en", "run this cell again"), ("zh", "再运行这一格")])
@pytest.mark.parametrize("answer", [False, RuntimeError("no network")])
def test_what_did_not_come_is_said_in_one_sentence(monkeypatch, capsys, language, said, answer):
    page = Page(monkeypatch, answer)
    with text.speaking(language):
        assert absent.fetch("matplotlib") is False
    fetching, sentence = capsys.readouterr().out.splitlines()
    assert "matplotlib" in fetching
    assert said in sentence
    assert page.limits_ms == [absent.SECONDS * 1000]


def test_running_the_cell_again_tries_again(monkeypatch, capsys):
    page = Page(monkeypatch, False, True)
    text.speak("en")
    assert not absent.fetch("matplotlib")
    assert absent.fetch("matplotlib")
    assert page.asked == ["matplotlib"] * 2
    assert capsys.readouterr().out.count("another try") == 1


def test_where_nothing_can_be_waited_for_nothing_is_begun(monkeypatch, capsys):
    page = Page(monkeypatch, can_run_sync=False)
    assert absent.fetch("matplotlib") is False
    assert page.asked == []
    assert capsys.readouterr().out == ""
