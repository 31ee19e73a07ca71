"""The examiner: a student's process and the trusted one side by side, and the verdicts that come of it.

Two runs of the student's cells. The first is for show: its outputs are what the student printed, and it
never hears a question. The second answers the hidden tests, which run here, and nothing that it prints is
shown.
"""

from __future__ import annotations

import contextlib
import io
import threading
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from course.lesson.hidden_tests import HiddenTest
from course.sandbox.proxies import exception, received
from course.sandbox.sandbox import MemoryWatch, Process, ResourceLimits, Sandbox
from course.sandbox.session import MIME_TYPES, OUTPUTS
from course.sandbox.wire import BadData, Closed, Late
from course.submission.rebuilt import Rebuilt, RebuiltCell
from course.submission.untouched import is_untouched
from course.text import say
from helpers import text
from helpers.checks import CheckFailed

GRACE_SECONDS = 1.0
AGAIN_SECONDS = 3.0
SHOWN_CHARACTERS = 20_000
SHOWN_PER_CELL = 60_000
SHOWN_IN_ALL = 8_000_000
MESSAGE_CHARACTERS = 2_000
KINDS = {"execute_result", "display_data", "stream", "error"}

_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Verdict:
    """What one graded cell came to; no score where a person has to decide."""

    cell: str
    score: float | None
    max_score: float
    message: str = ""


@dataclass
class Examined:
    """A graded submission: the notebook with its outputs, and a verdict for each graded cell."""

    notebook: dict
    verdicts: tuple[Verdict, ...]
    no_response: frozenset[str]
    notes: tuple
    language: str
    seconds: float = 0.0
    trusted: bool = False


def examine(rebuilt: Rebuilt, sandbox: Sandbox, *, every_cell: bool = False) -> Examined:
    """Run the student's cells in the sandbox and the hidden tests here.

    Cells of the instructor's that the student left alone, and that nothing else needs, run only with
    `every_cell`: they draw the same pictures for everyone, and no mark depends on them.
    """
    started = time.monotonic()
    with _one_at_a_time, _speaking(rebuilt.language):
        outputs = _Examination(rebuilt, sandbox, every_cell).outputs()
    verdicts = tuple(
        _verdict(piece, outputs.get(piece.name, [])) for piece in rebuilt.pieces if _is_graded(piece)
    )
    untouched = frozenset(
        piece.name
        for piece in rebuilt.pieces
        if piece.master is not None and piece.master.owner == "solution" and _is_untouched(piece)
    )
    return Examined(
        rebuilt.notebook(outputs),
        verdicts,
        untouched,
        rebuilt.notes,
        rebuilt.language,
        time.monotonic() - started,
        not sandbox.isolates,
    )


@contextlib.contextmanager
def _speaking(language: str) -> Iterator[None]:
    before = text.spoken()
    text.speak(language)
    try:
        yield
    finally:
        text.speak(before)


@dataclass
class _Examination:
    rebuilt: Rebuilt
    sandbox: Sandbox
    every_cell: bool = False
    deaths: Counter[int] = field(default_factory=Counter)
    slow: set[int] = field(default_factory=set)
    deadline: float = 0.0

    def outputs(self) -> dict[str, list[dict]]:
        """For each cell what is shown under it."""
        self.deadline = time.monotonic() + self.limits.total_seconds
        shown = self._run_for_show()
        self.deadline = time.monotonic() + self.limits.total_seconds
        answerer = _Answerer(self)
        try:
            for position, piece in enumerate(self.rebuilt.pieces):
                if piece.is_test:
                    shown[piece.name] = _run_test(self.rebuilt.master.tests[piece.name], answerer, position)
        finally:
            answerer.leave()
        return shown

    @property
    def limits(self) -> ResourceLimits:
        return self.sandbox.limits

    @cached_property
    def needed(self) -> frozenset[int]:
        """The cells that answers depend on: the student's own, and what those or the tests may use, found
        upwards."""
        tests = self.rebuilt.master.tests
        wanted = {name for test in tests.values() for name in test.students_names}
        kept: set[int] = set()
        for position, piece in reversed(list(enumerate(self.rebuilt.pieces))):
            if piece.runs is not None and (piece.is_students or piece.is_setting or piece.defines & wanted):
                kept.add(position)
                wanted |= piece.mentions
        return frozenset(kept)

    def is_run(self, position: int, quiet: bool) -> bool:
        """Whether the cell runs in the show (with the visible checks) or, `quiet`, before the tests.

        A cell that killed its process runs once more, definitions only, and after a second death no more.
        """
        piece = self.rebuilt.pieces[position]
        wanted = self.every_cell or position in self.needed or (piece.is_visible_check and not quiet)
        return wanted and self.deaths[position] < 2

    def _run_for_show(self) -> dict[str, list[dict]]:
        shown: dict[str, list[dict]] = {}
        room = SHOWN_IN_ALL
        replay = _Replay(self, quiet=False)
        try:
            for position, piece in enumerate(self.rebuilt.pieces):
                if piece.runs is not None:
                    found = replay.play(position)
                    room -= sum(map(_size, found))
                    shown[piece.name] = [] if piece.is_test or room < 0 else found
        finally:
            replay.leave()
        return shown


@dataclass
class _Replay:
    """A student's process that has run every cell before a place; it is replaced when a cell kills it."""

    examination: _Examination
    quiet: bool
    process: Process | None = None
    at: int = 0

    def play(self, position: int) -> list[dict]:
        """What the cell at `position` shows, after every cell before it has run."""
        self.advance(position)
        return self._run(position)

    def advance(self, position: int) -> None:
        """Run what stands between here and `position`, in a fresh process if there is none."""
        for _ in range(len(self.examination.rebuilt.pieces) + 1):
            if self.process is None:
                self.process, self.at = self._born(), 0
            while self.process is not None and self.at < position:
                self._run(self.at)
            if self.process is not None:
                return

    def leave(self) -> None:
        if self.process is not None:
            self.process.end()
        self.process = None

    def _born(self) -> Process:
        process = self.examination.sandbox.student()
        if self.examination.sandbox.isolates:
            threading.Thread(target=MemoryWatch(process).run, daemon=True).start()
        self._lay_out_results(process)
        return process

    def _lay_out_results(self, process: Process) -> None:
        """Give the process the result files that the student handed in; one that fails here fails later."""
        results = self.examination.rebuilt.results
        if results:
            with contextlib.suppress(Late, Closed, BadData):
                process.ask({"do": "files", "files": dict(results)}, self.examination.limits.call_seconds)

    def _run(self, position: int) -> list[dict]:
        self.at = position + 1
        piece = self.examination.rebuilt.pieces[position]
        if piece.runs is None or not piece.runs.strip() or not self.examination.is_run(position, self.quiet):
            return []
        left = self.examination.deadline - time.monotonic()
        if left <= 0:
            return [_error("TimeoutError", say("examiner.time_used_up"))]
        return self._asked(position, piece, left)

    def _asked(self, position: int, piece: RebuiltCell, left: float) -> list[dict]:
        limits, slow = self.examination.limits, position in self.examination.slow
        seconds = min(AGAIN_SECONDS if slow else limits.cell_seconds, left)
        order = {"do": "run", "source": piece.runs, "quiet": self.quiet}
        order["definitions_only"] = self.examination.deaths[position] > 0
        try:
            return _shown(self.process.ask(order, seconds))
        except Late:
            self.examination.slow.add(position)
            return [
                *self._stopped(position),
                _error("TimeoutError", say("examiner.cell_late", seconds=seconds)),
            ]
        except (Closed, BadData):
            return self._dead(position)

    def _stopped(self, position: int) -> list[dict]:
        self.process.interrupt()
        try:
            return _shown(self.process.channel.receive(time.monotonic() + GRACE_SECONDS))
        except (Late, Closed, BadData):
            return self._dead(position)[:-1]

    def _dead(self, position: int) -> list[dict]:
        reason = "examiner.cell_memory" if self.process.died_of_memory else "examiner.cell_died"
        self.examination.deaths[position] += 1
        self.leave()
        return [_error("SystemExit", say(reason))]


@dataclass
class _Answerer:
    """The process that answers hidden tests, brought to the place of each."""

    examination: _Examination
    replay: _Replay | None = None
    lost: str = ""

    def stand(self, position: int) -> None:
        """Be a process that has run every cell before `position`; a lost one is replaced."""
        self.lost = ""
        if self.replay is None:
            self.replay = _Replay(self.examination, quiet=True)
        self.replay.advance(position)

    def names(self, names: tuple[str, ...]) -> dict[str, Any]:
        """What these names stand for at this place."""
        reply = self.ask({"do": "names", "names": list(names)})
        if "raised" in reply:
            raise exception(reply)
        known = reply.get("names")
        known = known if isinstance(known, dict) else {}
        return {name: received(known[name], self.ask) for name in names if name in known}

    def ask(self, order: dict) -> dict:
        """The answer to one question; a process that does not give one is lost, and with it this test."""
        if self.lost or self.replay.process is None:
            raise RuntimeError(self.lost or say("examiner.call_died"))
        seconds = min(self.examination.limits.call_seconds, self.examination.deadline - time.monotonic())
        try:
            reply = self.replay.process.ask(order, max(0.01, seconds))
        except Late:
            self._lose(say("examiner.call_late", seconds=self.examination.limits.call_seconds))
            raise TimeoutError(self.lost) from None
        except (Closed, BadData):
            memory = self.replay.process.died_of_memory
            self._lose(say("examiner.call_memory" if memory else "examiner.call_died"))
            raise RuntimeError(self.lost) from None
        if not isinstance(reply, dict):
            self._lose(say("examiner.call_died"))
            raise RuntimeError(self.lost)
        return reply

    def leave(self) -> None:
        if self.replay is not None:
            self.replay.leave()

    def _lose(self, reason: str) -> None:
        self.lost = reason
        self.replay.leave()


def _run_test(test: HiddenTest, answerer: _Answerer, position: int) -> list[dict]:
    """The outputs of one graded cell: nothing but what the test itself said."""
    said = io.StringIO()
    if time.monotonic() > answerer.examination.deadline:
        return [_failure(say("examiner.time_used_up"))]
    answerer.stand(position)
    try:
        with (
            contextlib.redirect_stdout(said),
            contextlib.redirect_stderr(io.StringIO()),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            _execute(test, answerer)
    except CheckFailed as problem:
        return [_failure(str(problem))]
    except Exception as problem:
        return [_failure(_reason(test, problem))]
    if answerer.lost:
        return [_failure(answerer.lost)]
    printed = said.getvalue()[:SHOWN_CHARACTERS]
    return [{"output_type": "stream", "name": "stdout", "text": printed}] if printed else []


def _execute(test: HiddenTest, answerer: _Answerer) -> None:
    names = answerer.names(test.students_names)
    scope = {"__name__": "examiner", **names}
    if test.setup is not None:
        exec(test.setup, scope)
    exec(test.code, scope)


def _reason(test: HiddenTest, problem: Exception) -> str:
    """A sentence instead of a traceback, which would show the test."""
    if isinstance(problem, NameError):
        missing = problem.name or ""
        if missing in test.students_names:
            return say("examiner.not_defined", name=missing)
    return say("examiner.failed", kind=type(problem).__name__)


def _failure(message: str) -> dict:
    said = _clean(message)[:MESSAGE_CHARACTERS]
    return {"output_type": "error", "ename": "CheckFailed", "evalue": said, "traceback": [f"✗ {said}"]}


def _error(kind: str, message: str) -> dict:
    return {"output_type": "error", "ename": kind, "evalue": message, "traceback": [f"{kind}: {message}"]}


def _shown(reply: Any) -> list[dict]:
    """A cell's outputs as a notebook file may hold them; whatever else came over the border is left out."""
    outputs, room = [], SHOWN_PER_CELL
    items = reply.get("outputs") if isinstance(reply, dict) else None
    for item in items[:OUTPUTS] if isinstance(items, list) else []:
        if not isinstance(item, dict) or item.get("output_type") not in KINDS:
            continue
        output = _output(item)
        size = _size(output)
        if size > room:
            outputs.append({"output_type": "stream", "name": "stdout", "text": say("examiner.cut")})
            return outputs
        room -= size
        outputs.append(output)
    if isinstance(reply, dict) and reply.get("dropped"):
        outputs.append({"output_type": "stream", "name": "stdout", "text": say("examiner.cut")})
    return outputs


def _output(item: dict) -> dict:
    kind = item["output_type"]
    if kind == "stream":
        name = "stderr" if item.get("name") == "stderr" else "stdout"
        return {"output_type": kind, "name": name, "text": _clean(item.get("text"))[:SHOWN_CHARACTERS]}
    if kind == "error":
        trace = item.get("traceback")
        lines = [_clean(line) for line in trace[:200]] if isinstance(trace, list) else []
        return {
            "output_type": kind,
            "ename": _clean(item.get("ename"))[:100],
            "evalue": _clean(item.get("evalue")),
            "traceback": lines,
        }
    data = item.get("data") if isinstance(item.get("data"), dict) else {}
    shown = {mime: _clean(data[mime]) for mime in MIME_TYPES if mime in data}
    output = {"output_type": kind, "data": shown, "metadata": {}}
    return {**output, "execution_count": None} if kind == "execute_result" else output


def _size(output: dict) -> int:
    return 50 + sum(len(part) for part in _texts(output))


def _texts(output: dict) -> Iterator[str]:
    yield output.get("text", "")
    yield output.get("evalue", "")
    yield from output.get("traceback", [])
    yield from output.get("data", {}).values()


def _clean(value: object) -> str:
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def _is_graded(piece: RebuiltCell) -> bool:
    return piece.master is not None and piece.master.graded


def _is_untouched(piece: RebuiltCell) -> bool:
    return piece.untouched or is_untouched(piece.source, piece.master)


def _verdict(piece: RebuiltCell, outputs: list[dict]) -> Verdict:
    cell = piece.master
    if cell.manual:
        return Verdict(cell.name, 0.0 if _is_untouched(piece) else None, cell.points)
    failed = next((output for output in outputs if output["output_type"] == "error"), None)
    return Verdict(cell.name, 0.0 if failed else cell.points, cell.points, failed["evalue"] if failed else "")
