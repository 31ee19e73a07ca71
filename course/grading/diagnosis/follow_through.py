"""Follow-through: a wrong idea is paid for once, and what fails for no other reason keeps its points."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from course.grading.diagnosis.diagnosis import Diagnosis
from course.grading.diagnosis.hypotheses import Hypotheses, Hypothesis


def settle(
    hypotheses: Hypotheses, found: Sequence[Hypothesis], failed: Collection[str], follow_through: bool
) -> Diagnosis:
    """What the ideas of these hypotheses, of which one holds, cost of the concepts that failed."""
    if not found:
        return Diagnosis()
    ideas = tuple(idea for idea in found[0].ideas if all(idea in one.ideas for one in found))
    every = dict.fromkeys(idea for one in found for idea in one.ideas)
    either = tuple(idea for idea in every if idea not in ideas)
    settlement = _Settlement(hypotheses, found[0], failed)
    charged = settlement.charged()
    return Diagnosis(ideas, either, settlement.fails(charged), charged if follow_through else {})


class _Settlement:
    """Which concepts fail for which idea of a hypothesis."""

    def __init__(self, hypotheses: Hypotheses, holds: Hypothesis, failed: Collection[str]) -> None:
        self.homes, self.ideas = hypotheses.master.secrets.ideas, holds.ideas
        tests = [test for test in hypotheses.tests if test.name in failed and holds.verdict(test)]
        self.explained = [test.name for test in tests]
        alone = {one.ideas[0]: one for one in hypotheses.singles if one.ideas[0] in holds.ideas}
        self.of_idea = {
            idea: [test.name for test in tests if one.verdict(test)] for idea, one in alone.items()
        }

    def charged(self) -> dict[str, str]:
        """For each idea the concept that it costs: its home, else the first that fails for it alone."""
        charged: dict[str, str] = {}
        for idea in self.ideas:
            home = self.homes.home(idea)
            fails = self.of_idea.get(idea) or self.explained
            places = [home] if home in self.explained else fails
            free = [place for place in places if place not in charged.values()]
            if places:
                charged[idea] = (free or places)[0]
        return charged

    def fails(self, charged: Mapping[str, str]) -> dict[str, str]:
        """For each concept that fails as the hypothesis does an idea that it fails for: what it pays for,
        else the first that fails it alone."""
        paid = {concept: idea for idea, concept in reversed(charged.items())}
        return {concept: paid.get(concept) or self._reason(concept) for concept in self.explained}

    def _reason(self, concept: str) -> str:
        return next((idea for idea in self.ideas if concept in self.of_idea.get(idea, ())), self.ideas[0])
