"""Causes: what is behind a failed test, where a process says it and the submission bears it out.

What a process says may be made up, and a function knows what a hidden test asks. So nothing of it is told
but words that stand in the student's own source.
"""

from __future__ import annotations

import builtins
import difflib
import re
from dataclasses import dataclass, field, replace
from typing import Any

from course.grading.examination import Examination
from course.sandbox.wire import unpack
from course.submission.rebuilt import RebuiltCell
from helpers.facts import CheckFacts
from helpers.names import defined, words

MOST_PARAMETERS = 50
EXPERIMENT = "experiment"  # what a lesson calls the module that measures


@dataclass
class Causes:
    """What the last call and the names of one test tell about why it failed."""

    examination: Examination
    position: int
    functions: dict[int, str] = field(default_factory=dict)
    asked: frozenset[str] = frozenset()
    found: CheckFacts | None = None

    def explain(self, facts: CheckFacts) -> CheckFacts:
        """These facts, or the cause behind them under the same concept."""
        cause = self._split() or self.found
        if cause is None and facts.key.startswith("check.") and self._lacks_results():
            cause = CheckFacts("examiner.no_results")
        return replace(cause, concept=facts.concept) if cause else facts

    def hear_names(self, asked: tuple[str, ...], known: dict[str, Any]) -> None:
        """A name that is missing since a line of its cell failed; and which key stands for which function."""
        self.asked = frozenset(asked)
        missing = (self._line_failed(name) for name in asked if name not in known)
        self.found = next(filter(None, missing), None)
        for name in known.keys() & set(asked):
            node = known[name] if isinstance(known[name], dict) else {}
            if node.get("t") == "foreign" and type(node.get("v")) is int:
                self.functions[node["v"]] = name

    def hear_call(self, order: dict, reply: dict) -> None:
        """What a call came to: an overwritten builtin, another parameter, a coroutine."""
        name = self.functions.get(order["key"], "")
        value = reply.get("value")
        if isinstance(value, dict) and (value.get("t"), value.get("kind")) == ("foreign", "coroutine"):
            self.found = CheckFacts("examiner.coroutine", {"name": name}) if name else None
        elif "overwritten" in reply:
            self.found = self._overwritten(reply["overwritten"])
        elif "parameters" in reply:
            self.found = self._renamed(name, order, reply["parameters"])
        else:
            self.found = None

    def _split(self) -> CheckFacts | None:
        """A cell that was to define what is asked for, and an added one behind it that is its second half."""
        other, second = "", None
        for position, piece in self._students():
            failed = self.examination.failed_lines.get(position)
            is_broken = failed is not None and failed.is_syntax
            if piece.is_answer:
                is_half = second is not None and (is_broken or second.is_second_half)
                if is_half and self.asked & (piece.defines | defined(piece.source)):
                    return CheckFacts("examiner.split", {"cell": piece.name, "other": other})
                second = None
            elif is_broken:
                other, second = piece.name, failed
        return None

    def _lacks_results(self) -> bool:
        """Whether the test asks for what an experiment gave, and no result came with the notebook."""
        rebuilt = self.examination.rebuilt
        if rebuilt.results:
            return False
        written = (piece for _, piece in self._students() if piece.master is None or piece.is_answer)
        wanted = set(self.asked).difference(*(piece.defines | defined(piece.source) for piece in written))
        for piece in reversed(rebuilt.pieces[: self.position]):
            if piece.runs is not None and piece.defines & wanted:
                if EXPERIMENT in piece.mentions - piece.defines:
                    return True
                wanted |= piece.mentions
        return False

    def _line_failed(self, name: str) -> CheckFacts | None:
        for position, piece in self._students():
            if name in piece.defines | defined(piece.source) and position in self.examination.failed_lines:
                failed = self.examination.failed_lines[position]
                return failed.facts(name, piece.name, piece.source)
        return None

    def _overwritten(self, name: Any) -> CheckFacts | None:
        if not isinstance(name, str) or not hasattr(builtins, name):
            return None
        cells = (piece.name for _, piece in self._students() if name in defined(piece.source))
        cell = next(cells, None)
        return cell and CheckFacts("examiner.overwritten", {"name": name, "cell": cell})

    def _renamed(self, function: str, order: dict, parameters: Any) -> CheckFacts | None:
        """The first parameter that the call names and the function lacks, and what is nearest to it there."""
        named = list(unpack(order["arguments"])[1])
        parameters = parameters[:MOST_PARAMETERS] if isinstance(parameters, list) else []
        own = [one for one in parameters if isinstance(one, str)]
        lacking = [name for name in named if name not in own]
        if not lacking or not function:
            return None
        written = self._parameters(function)
        free = [name for name in own if name not in named and name in written]
        near = difflib.get_close_matches(lacking[0], free, 1, 0.5)
        near = near or [name for name in own[named.index(lacking[0]) :][:1] if name in free]
        values = {"function": function, "name": lacking[0]}
        if near:
            return CheckFacts("examiner.parameter_renamed", {**values, "own": near[0]})
        return CheckFacts("examiner.parameter_missing", values)

    def _parameters(self, function: str) -> frozenset[str]:
        """The words between the parentheses of the function, as the student wrote them."""
        heads = re.compile(rf"def +{function} *\(([^()]*)")
        found = [head for _, piece in self._students() for head in heads.findall(piece.source)]
        return words(" ".join(found))

    def _students(self) -> list[tuple[int, RebuiltCell]]:
        """The student's code above this test, the last first."""
        above = list(enumerate(self.examination.rebuilt.pieces[: self.position]))
        return [(at, piece) for at, piece in reversed(above) if piece.is_students and piece.kind == "code"]
