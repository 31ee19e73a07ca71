"""Questions: a hidden test runs here, and what it asks of the student's names is answered in the sandbox."""

from __future__ import annotations

import contextlib
import io
import math
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from course.grading.causes import Causes
from course.grading.disclosure import disclosure
from course.grading.examination import Examination
from course.grading.mirror import PUT_BACK, Mirror, NotMirrored
from course.grading.outputs import SHOWN_CHARACTERS
from course.grading.replay import NotebookReplay
from course.lesson.assertions import AssertionFailed, AssertionRecord
from course.lesson.hidden_tests import HiddenTest
from course.sandbox.channel import Closed, Late
from course.sandbox.proxies import Function, exception, is_of_student, received
from course.sandbox.wire import BadData
from course.submission.inert import text
from course.text import sentence
from helpers.checks import CheckFailed
from helpers.drawing import drawing
from helpers.facts import CheckFacts, raised, said

MOST_HEARD = 1_000
HEARD_CHARACTERS = 20_000


class Unanswered(Exception):
    """The process gave no answer to a call that no test made."""


@dataclass(frozen=True)
class HeardCall:
    """A call that a hidden test made of a student's function, and the process's reply."""

    function: str
    arguments: Any
    reply: dict


@dataclass
class Answerer:
    """The process that answers hidden tests, brought to the place of each; `heard` are their calls."""

    examination: Examination
    replay: NotebookReplay | None = None
    lost: CheckFacts | None = None
    causes: Causes | None = None
    mirror: Mirror | None = None
    heard: list[HeardCall] = field(default_factory=list)

    def stand(self, position: int) -> None:
        """Be a process that has run every cell before `position`; a lost one is replaced."""
        self._put_back()
        self.lost = None
        self.causes = Causes(self.examination, position)
        if self.replay is None:
            self.replay = NotebookReplay(self.examination, quiet=True)
        self.replay.advance(position)

    def names(self, names: tuple[str, ...]) -> dict[str, Any]:
        """What these names stand for at this place."""
        reply = self.ask({"do": "names", "names": list(names)})
        if "raised" in reply:
            raise exception(reply)
        known = reply.get("names")
        known = known if isinstance(known, dict) else {}
        self.causes.hear_names(names, known)
        return {name: received(known[name], self._call) for name in names if name in known}

    def _put_back(self) -> None:
        """Undo what the last test did to the student's names, so that it means nothing for this one."""
        used, self.mirror = self.mirror is not None and self.mirror.used, None
        if used and not self.lost:
            with contextlib.suppress(RuntimeError):
                self.ask(PUT_BACK)

    def _call(self, order: dict) -> dict:
        changed = self.mirror and self.mirror.order()
        if changed:
            self.ask(changed)
        reply = self.ask(order)
        self.causes.hear_call(order, reply)
        function = self.causes.functions.get(order["key"])
        if function and len(self.heard) < MOST_HEARD and len(str(reply)) < HEARD_CHARACTERS:
            self.heard.append(HeardCall(function, order["arguments"], reply))
        return reply

    def knows(self, functions: Sequence[str]) -> bool:
        """True when the process stands there with all of these functions."""
        try:
            known = self.names(tuple(functions))
        except Exception:  # lost, or whatever a student's process answers with
            return False
        return all(isinstance(known.get(name), Function) for name in functions)

    def reply(self, function: str, arguments: Any, seconds: float) -> dict:
        """What a call comes to that no test makes; raises Unanswered where the process does not say."""
        key = next((key for key, name in self.causes.functions.items() if name == function), None)
        try:
            return self.ask({"do": "call", "key": key, "arguments": arguments}, seconds)
        except RuntimeError:
            raise Unanswered from None

    def ask(self, order: dict, most_seconds: float = math.inf) -> dict:
        """The answer to one question; a process that does not give one is lost, and with it this test."""
        if self.lost or self.replay.process is None:
            raise self._gone()
        seconds = min(self.examination.limits.call_seconds, most_seconds)
        try:
            reply = self.examination.ask(self.replay.process, order, seconds)
        except Late:
            self._lose("examiner.call_late", seconds=self.examination.limits.call_seconds)
            raise self._gone() from None
        except (Closed, BadData):
            memory = self.replay.process.died_of_memory
            self._lose("examiner.call_memory" if memory else "examiner.call_died")
            raise self._gone() from None
        if not isinstance(reply, dict):
            self._lose("examiner.call_died")
            raise self._gone()
        return reply

    def leave(self) -> None:
        if self.replay is not None:
            self.replay.leave()

    def _lose(self, key: str, **values: float) -> None:
        self.lost = CheckFacts(key, values)
        self.replay.leave()

    def _gone(self) -> RuntimeError:
        """What the test sees; what counts are the facts, whatever the test makes of this."""
        self.lost = self.lost or CheckFacts("examiner.call_died")
        return RuntimeError(self.lost.key)


def run_test(test: HiddenTest, answerer: Answerer, position: int) -> tuple[list[dict], CheckFacts | None]:
    """The outputs of one graded cell, nothing but what the test said, and what it found if it failed."""
    if answerer.examination.seconds_left < 0:
        return failure(CheckFacts("examiner.time_used_up"))
    printed = io.StringIO()
    answerer.stand(position)
    found = _found(test, answerer, printed)
    if found is not None:
        told = disclosure(test, answerer.examination.rebuilt.master).of(found)
        return failure(told if answerer.lost else answerer.causes.explain(told))
    shown = printed.getvalue()[:SHOWN_CHARACTERS]
    return ([{"output_type": "stream", "name": "stdout", "text": shown}] if shown else []), None


def _found(test: HiddenTest, answerer: Answerer, printed: io.StringIO) -> CheckFacts | None:
    """What the test found wrong. A process that was lost is the reason, whatever the test says after that."""
    try:
        with (
            drawing(answerer.examination.rebuilt.master.sitting.seed),
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(io.StringIO()),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            _execute(test, answerer)
    except CheckFailed as problem:
        lost = answerer.lost and replace(answerer.lost, concept=problem.facts.concept)
        return lost or _at_line(test, problem, problem.facts)
    except Exception as problem:
        return answerer.lost or _at_line(test, problem, _reason(test, problem))
    return answerer.lost


def _execute(test: HiddenTest, answerer: Answerer) -> None:
    names = answerer.names(test.students_names)
    scope = {"__name__": "examiner", **AssertionRecord().names, **names}
    if test.setup is not None:
        exec(test.setup, scope)
    answerer.mirror = Mirror(scope, test.students_names, names)
    exec(test.code, scope)


def _reason(test: HiddenTest, problem: Exception) -> CheckFacts:
    """Why the test could not be completed; a traceback would show it."""
    if isinstance(problem, AssertionFailed):
        return problem.facts
    if isinstance(problem, NotMirrored):
        return CheckFacts("examiner.not_mirrored", {"name": problem.student_name})
    if is_of_student(problem):
        is_todo = isinstance(problem, NotImplementedError)
        return (
            CheckFacts("check.todo")
            if is_todo
            else CheckFacts("check.student_error", {"got": raised(problem)})
        )
    if isinstance(problem, NameError) and problem.name in test.students_names:
        return CheckFacts("examiner.not_defined", {"name": problem.name})
    if type(problem) is AssertionError and problem.args:
        return said(str(problem))
    return CheckFacts("examiner.failed", {"kind": type(problem).__name__})


def _at_line(test: HiddenTest, problem: BaseException, facts: CheckFacts) -> CheckFacts:
    """These facts with the line of the test, as its author counts them: the innermost that was running."""
    line, error = None, problem
    while error is not None:
        frames = traceback.walk_tb(error.__traceback__)
        own = [number for frame, number in frames if frame.f_code.co_filename == test.code.co_filename]
        line, error = (own[-1] if own else line), error.__context__
    return replace(facts, line=line)


def failure(facts: CheckFacts) -> tuple[list[dict], CheckFacts]:
    """What a failed test shows, and what it found."""
    words = text(sentence(facts))
    shown = {"output_type": "error", "ename": "CheckFailed", "evalue": words, "traceback": [f"✗ {words}"]}
    return [shown], facts
