"""A witness: a student's functions, as the hidden tests heard them and as they answer to further calls."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from course.grading.diagnosis.behaviour import Behaviour, Call
from course.grading.questions import Answerer, Unanswered

CALL_SECONDS = 1.0


@dataclass
class Witness:
    """What the functions do, until a moment; after that, or after a call without an answer, Unanswered."""

    answerer: Answerer
    seconds: float
    calls: int = 0
    _known: dict[str, list[Behaviour]] = field(default_factory=dict)
    _deadline: float = 0.0

    def __post_init__(self) -> None:
        self._deadline = time.monotonic() + self.seconds
        for heard in self.answerer.heard:
            call = Call(heard.function, heard.arguments)
            self._known.setdefault(call.key, []).append(Behaviour.of_reply(heard.reply))

    def behaviours(self, call: Call) -> list[Behaviour]:
        """What the call came to each time that a test made it, else what it comes to now."""
        if call.key not in self._known:
            self._known[call.key] = [self.ask(call)]
        return self._known[call.key]

    def ask(self, call: Call) -> Behaviour:
        """What the call comes to now."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise Unanswered
        self.calls += 1
        return Behaviour.of_reply(self.answerer.reply(call.function, call.arguments, min(left, CALL_SECONDS)))
