"""Runs inside the sandbox, after the fork: the student's notebook, cell by cell, and the calls that tests
make.

Everything here is in the student's power. The trusted side takes its answers as what they are: the student's.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from course.sandbox.wire import BadData, Channel, Closed, pack, unpack

OUTPUT_CHARACTERS = 100_000
OUTPUTS = 200
RESULTS = "results"
MIME_TYPES = ("text/plain", "text/html", "text/markdown", "text/latex", "image/png", "image/jpeg")
MESSAGE_CHARACTERS = 500
INSTALLERS = ("pip", "pip3", "conda", "mamba", "apt", "apt-get", "uv")
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


@dataclass
class Outputs:
    """What a cell shows, bounded; `muted` drops everything."""

    items: list[dict] = field(default_factory=list)
    characters: int = 0
    dropped: int = 0
    muted: bool = False

    def text(self, name: str, text: str) -> None:
        """Text printed to `name`."""
        room = 0 if self.muted else OUTPUT_CHARACTERS - self.characters
        self.dropped += max(0, len(text) - room)
        text = text[:room]
        if not text:
            return
        self.characters += len(text)
        last = self.items[-1] if self.items else {}
        if last.get("output_type") == "stream" and last["name"] == name:
            last["parts"].append(text)
        elif len(self.items) < OUTPUTS:
            self.items.append({"output_type": "stream", "name": name, "parts": [text]})

    def rich(self, kind: str, data: dict) -> None:
        """A displayed value, in the types that a notebook may show."""
        shown = {mime: value for mime, value in data.items() if mime in MIME_TYPES and isinstance(value, str)}
        size = sum(map(len, shown.values()))
        if self.muted or size > OUTPUT_CHARACTERS - self.characters or len(self.items) >= OUTPUTS:
            self.dropped += size
            return
        self.characters += size
        self.items.append({"output_type": kind, "data": shown})

    def error(self, kind: type, problem: object, lines: list[str]) -> None:
        """An exception that reached the top of the cell."""
        trace = "\n".join(lines)[-5_000:].split("\n")
        self.items.append(
            {"output_type": "error", "ename": kind.__name__, "evalue": _message(problem), "traceback": trace}
        )

    def taken(self) -> list[dict]:
        """All that was shown since the last call."""
        items, self.items, self.characters = self.items, [], 0
        for item in items:
            if "parts" in item:
                item["text"] = "".join(item.pop("parts"))
        return items


class Stream(io.TextIOBase):
    """sys.stdout or sys.stderr of a notebook."""

    encoding = "utf-8"

    def __init__(self, name: str, outputs: Outputs) -> None:
        self.name, self.outputs = name, outputs

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.outputs.text(self.name, text)
        return len(text)

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    def fileno(self) -> int:
        return 2 if self.name == "stderr" else 1


def prepare(modules: list[str]) -> Any:
    """Import what every notebook needs and make the shell that all children inherit."""
    from IPython.core.displayhook import DisplayHook
    from IPython.core.displaypub import DisplayPublisher
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    outputs = Outputs()

    class Results(DisplayHook):
        def __call__(self, result: object = None) -> None:
            if not outputs.muted:
                super().__call__(result)
            elif result is not None:
                self.update_user_ns(result)

        def write_output_prompt(self) -> None:
            pass

        def write_format_data(self, format_dict: dict, md_dict: dict | None = None) -> None:
            outputs.rich("execute_result", format_dict)

        def finish_displayhook(self) -> None:
            pass

    class Displays(DisplayPublisher):
        def publish(self, data: dict, *_: object, **__: object) -> None:
            outputs.rich("display_data", data)

        def clear_output(self, wait: bool = False) -> None:
            outputs.taken()

    class Shell(InteractiveShell):
        displayhook_class = Results
        display_pub_class = Displays

        def _showtraceback(self, etype: type, evalue: object, stb: list[str]) -> None:
            outputs.error(etype, evalue, stb)

        def transform_cell(self, raw_cell: str) -> str:
            return f"{raw_cell}\n" if _is_plain(raw_cell) else super().transform_cell(raw_cell)

        def enable_gui(self, gui: str | None = None) -> None:
            pass

        def enable_matplotlib(self, gui: str | None = None) -> tuple[str, str]:
            return "inline", "agg"

        def system(self, command: str) -> None:
            _system(self, command)

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.xmode = "Context"
    config.InteractiveShell.colors = "NoColor" if _ipython_before_9() else "nocolor"
    shell = Shell.instance(config=config)
    shell.display_formatter.active_types = [mime for mime in MIME_TYPES if mime.startswith("text/")]
    shell.outputs = outputs
    for name in ("pip", "conda", "mamba", "uv"):
        shell.register_magic_function(lambda line: None, "line", name)
    for module in modules:
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    _quiet_figures()
    _lazy_pictures()
    _warm(shell)
    return shell


def _is_plain(source: str) -> bool:
    """True when nothing in the cell could be IPython's own: it is spared a slow second tokenizer."""
    return not re.search(r"[%!?]|^\s*(?:[,;/>]|In \[)|\A\s", source, re.MULTILINE)


def _ipython_before_9() -> bool:
    import IPython

    return IPython.version_info[0] < 9


def _quiet_figures() -> None:
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.switch_backend("agg")
        pyplot.show = lambda *_, **__: None


class Undrawn:
    """A picture of the lesson that is drawn when somebody looks into it; no mark depends on how it looks."""

    def __init__(self, draw: Callable, positional: tuple, named: dict) -> None:
        self._work, self._drawn = (draw, positional, named), None

    def __repr__(self) -> str:
        return f"<{self._work[0].__name__}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("_repr_", "_ipython_")):
            raise AttributeError(name)
        if self._drawn is None:
            draw, positional, named = self._work
            self._drawn = draw(*positional, **named)
        return getattr(self._drawn, name)


def _lazy_pictures() -> None:
    plots = sys.modules.get("helpers.plots")
    for name, draw in list(vars(plots).items()) if plots is not None else []:
        own = callable(draw) and not isinstance(draw, type) and draw.__module__.startswith("helpers.plots")
        if own and not name.startswith("_"):
            setattr(plots, name, partial(_undrawn, draw))


def _undrawn(draw: Callable, *positional: Any, **named: Any) -> Undrawn:
    return Undrawn(draw, positional, named)


def _warm(shell: Any) -> None:
    """Take the first, slow way through the shell before the fork."""
    shell.run_cell("_warm = [1]\n_warm", store_history=False)
    shell.run_cell("1 / 0", store_history=False)
    shell.reset(new_session=True)
    shell.outputs.taken()


def _system(shell: Any, command: str) -> None:
    """`!command`: output captured, bounded in time, and nothing to install while grading."""
    command = shell.var_expand(command, depth=2)
    if (command.split() or [""])[0] in INSTALLERS:
        return
    done = subprocess.run(command, shell=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=10)
    sys.stdout.write(done.stdout.decode("utf-8", "replace"))
    sys.stderr.write(done.stderr.decode("utf-8", "replace"))
    shell.user_ns["_exit_code"] = done.returncode


def connect(port: str, word: str, *modules: str) -> None:
    """Without a sandbox: one process, which calls the trusted side back."""
    shell = prepare(list(modules))
    connection = socket.create_connection(("127.0.0.1", int(port)))
    connection.sendall(word.encode())
    connection.settimeout(None)
    serve(connection, shell)


def serve(connection: socket.socket, shell: Any) -> None:
    """Answer orders until the trusted side hangs up."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nowhere, fd)
    sys.path.insert(0, "")  # as in a notebook: a module that the student wrote can be imported
    sys.stdout, sys.stderr = Stream("stdout", shell.outputs), Stream("stderr", shell.outputs)
    session = Session(Channel(connection), shell)
    while True:
        try:
            session.answer()
        except KeyboardInterrupt:
            continue
        except Closed:
            return


class Session:
    """One student's namespace, and the orders it takes."""

    def __init__(self, channel: Channel, shell: Any) -> None:
        self.channel, self.shell, self.outputs = channel, shell, shell.outputs
        self.kept: list[Any] = []

    def answer(self) -> None:
        """Take one order and answer it; whatever goes wrong is an answer too."""
        order = self.channel.receive()
        try:
            reply = getattr(self, "do_" + order["do"])(order)
        except Closed:
            raise
        except BaseException as problem:
            reply = _raised(problem)
        self._send(reply)

    def _send(self, reply: dict) -> None:
        try:
            self.channel.send(reply)
        except Closed:
            raise
        except BaseException as problem:
            self.channel.send(_raised(problem))

    def do_run(self, order: dict) -> dict:
        """Run a cell as a notebook does."""
        self.outputs.muted, self.outputs.dropped = order["quiet"], 0
        try:
            if order["definitions_only"]:
                self._define(order["source"])
                ok = True
            else:
                ok = self.shell.run_cell(order["source"], store_history=True).success
        finally:
            _close_figures()
        return {"ok": ok, "outputs": self.outputs.taken(), "dropped": self.outputs.dropped}

    def _define(self, source: str) -> None:
        tree = ast.parse(self.shell.transform_cell(source))
        tree.body = [statement for statement in tree.body if isinstance(statement, DEFINITIONS)]
        exec(compile(tree, "<cell>", "exec"), self.shell.user_ns)

    def do_files(self, order: dict) -> dict:
        """Lay out the result files that the student handed in, where the experiment looks for them."""
        os.makedirs(RESULTS, exist_ok=True)
        for name, text in order["files"].items():
            with open(os.path.join(RESULTS, os.path.basename(name)), "w", encoding="utf-8") as file:
                file.write(text)
        return {"ok": True}

    def do_names(self, order: dict) -> dict:
        """What these names stand for here; names that stand for nothing are left out."""
        known = {name: self.shell.user_ns[name] for name in order["names"] if name in self.shell.user_ns}
        return {"names": {name: self._named(value) for name, value in known.items()}}

    def _named(self, value: Any) -> Any:
        try:
            return self._packed(value)
        except Exception:
            return {"t": "foreign", "v": self._keep(value), "kind": type(value).__name__, "callable": False}

    def do_call(self, order: dict) -> dict:
        """Call a kept function; the arguments go back as the call left them, when it changed them."""
        function = self.kept[order["key"]]
        positional, named = unpack(order["arguments"])
        self.outputs.muted = True
        value = function(*positional, **named)
        after = pack([positional, named], self._keep)
        return {"value": self._packed(value), "after": after if after != order["arguments"] else None}

    def _packed(self, value: Any) -> Any:
        return pack(value, self._keep)

    def _keep(self, value: Any) -> int:
        self.kept.append(value)
        return len(self.kept) - 1


def _close_figures() -> None:
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    if helpers is not None and helpers.Gcf.figs:
        helpers.Gcf.destroy_all()


def _raised(problem: BaseException) -> dict:
    names = [kind.__name__ for kind in type(problem).__mro__ if kind.__module__ == "builtins"]
    if isinstance(problem, BadData):
        names = ["RuntimeError"]
    return {"raised": names, "message": _message(problem)}


def _message(problem: object) -> str:
    try:
        return str.__str__(str(problem))[:MESSAGE_CHARACTERS]
    except Exception:
        return ""
