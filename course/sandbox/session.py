"""Runs inside the sandbox, after the fork: the student's notebook, cell by cell, and the calls that tests
make.

Everything here is in the student's power. The trusted side takes its answers as what they are: the student's.
"""

from __future__ import annotations

import ast
import contextlib
import os
import socket
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from IPython.core.interactiveshell import ExecutionResult

from course.sandbox import remainder
from course.sandbox.causes import causes
from course.sandbox.channel import Channel, Closed
from course.sandbox.outputs import Stream, message_of
from course.sandbox.pictures import close_figures
from course.sandbox.shell import NotebookShell, prepare
from course.sandbox.wire import BadData, pack, unpack

RESULTS = "results"
MISSING = object()


def connect(port: str, word: str, *modules: str) -> None:
    """Without a sandbox: one process, which calls the trusted side back."""
    shell = prepare(list(modules))
    connection = socket.create_connection(("127.0.0.1", int(port)))
    connection.sendall(word.encode())
    connection.settimeout(None)
    serve(connection, shell)


def serve(connection: socket.socket, shell: NotebookShell) -> None:
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

    def __init__(self, channel: Channel, shell: NotebookShell) -> None:
        self.channel, self.shell, self.outputs = channel, shell, shell.outputs
        self.kept: list[Any] = []
        self.set_aside: dict[str, Any] = {}

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
        """Run a cell as a notebook does; one that died before, without what may have been deadly."""
        self.outputs.muted, self.outputs.dropped = order["quiet"], 0
        about: dict = {}
        try:
            if order["definitions_only"]:
                self._run_again(order["source"], order.get("without"))
            else:
                result = self.shell.run_cell(order["source"], store_history=True)
                about = {} if result.success else self._failure(order, result)
        finally:
            close_figures()
        return {"ok": not about, **about, "outputs": self.outputs.taken(), "dropped": self.outputs.dropped}

    def _run_again(self, source: str, without: list[str] | None) -> None:
        """The definitions of the cell, or all of it that uses none of these names."""
        tree, lost = self._tree(source), set(without or ())
        statements = remainder.definitions(tree) if without is None else tree.body
        remainder.Remainder(self.shell.user_ns, lost).run(statements)

    def _failure(self, order: dict, result: ExecutionResult) -> dict:
        """The line that failed, and whether what stands below it was taken."""
        before, problem = result.error_before_exec, result.error_before_exec or result.error_in_exec
        if isinstance(before, SyntaxError):
            line, taken = before.lineno, False
        else:
            line = remainder.failed_line(problem.__traceback__, self.shell.user_ns)
            taken = line is not None and order.get("goes_on") and self._goes_on(order["source"], line)
        kind, message = type(problem).__name__, message_of(problem)
        return {"failed": {"line": line, "kind": kind, "message": message, "taken": bool(taken)}}

    def _goes_on(self, source: str, line: int) -> bool:
        with contextlib.suppress(Exception):
            return remainder.below(self._tree(source), line, self.shell.user_ns)
        return False

    def _tree(self, source: str) -> ast.Module:
        return ast.parse(self.shell.transform_cell(source))

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
        try:
            value = function(*positional, **named)
        except TypeError as problem:
            return {**_raised(problem), **causes(function, problem, self.shell.user_ns)}
        after = pack([positional, named], self._keep)
        return {"value": self._packed(value), "after": after if after != order["arguments"] else None}

    def do_rebind(self, order: dict) -> dict:
        """Let names stand for what they stand for in the test that asks; what was there is set aside."""
        names = self.shell.user_ns
        bound = {name: unpack(node, lambda key, *_: self.kept[key]) for name, node in order["bound"].items()}
        for name in (*bound, *order["gone"]):
            self.set_aside.setdefault(name, names.get(name, MISSING))
        _set(names, bound, order["gone"])
        return {"ok": True}

    def do_put_back(self, order: dict) -> dict:
        """Undo what tests did to names."""
        before, self.set_aside = self.set_aside, {}
        there = {name: value for name, value in before.items() if value is not MISSING}
        _set(self.shell.user_ns, there, before.keys() - there.keys())
        return {"ok": True}

    def _packed(self, value: Any) -> Any:
        return pack(value, self._keep)

    def _keep(self, value: Any) -> int:
        self.kept.append(value)
        return len(self.kept) - 1


def _set(names: dict[str, Any], bound: Mapping[str, Any], gone: Iterable[str]) -> None:
    names.update(bound)
    for name in gone:
        names.pop(name, None)


def _raised(problem: BaseException) -> dict:
    names = [kind.__name__ for kind in type(problem).__mro__ if kind.__module__ == "builtins"]
    if isinstance(problem, BadData):
        names = ["RuntimeError"]
    return {"raised": names, "message": message_of(problem)}
