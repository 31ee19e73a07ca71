"""Clusters: groups of texts that share more than chance explains, found by their fingerprints.

A fingerprint that few share weighs much, one that everybody has nothing, as terms do in a search (inverse
document frequency). Two texts are linked when a large part of the smaller one is in the other, and what they
share amounts to enough that is rare: an answer of a few tokens is no sign, however many gave it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from course.reporting.fingerprints import TOKENS_A_FINGERPRINT

Prints = frozenset[int]

LEAST_SHARE = 0.5
LEAST_WEIGHT = 40 / TOKENS_A_FINGERPRINT  # as much as 40 tokens that only two have
MOST_COMMON = 256  # what more different texts share is no clue where to look
ALWAYS = 3  # so many more are thought of as not sharing it: a class of two is no proof of what is common


@dataclass(frozen=True)
class ConnectedGroup:
    """A connected group, the least share of a linked pair, and the fingerprints that most of it share."""

    members: tuple[str, ...]
    share: float
    common: Prints


def clusters(texts: Mapping[str, Prints]) -> list[ConnectedGroup]:
    """The connected groups among these texts, the largest first; time and memory in proportion to what rare
    fingerprints there are."""
    return sorted(_Comparison(texts).clusters(), key=lambda one: (-len(one.members), one.members))


@dataclass
class _Comparison:
    texts: Mapping[str, Prints]
    groups: dict[Prints, list[str]] = field(init=False)
    nodes: list[Prints] = field(init=False)
    leader: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Equal texts are one node."""
        self.groups = defaultdict(list)
        for name, prints in self.texts.items():
            if len(prints) >= LEAST_WEIGHT:
                self.groups[prints].append(name)
        self.nodes = list(self.groups)

    @cached_property
    def owners(self) -> Counter[int]:
        """How many texts have each fingerprint."""
        return Counter(chain.from_iterable(self.texts.values()))

    def weight(self, prints: Prints) -> float:
        """What it says that somebody has all of these: 1 for each that two have, 0 for what all have."""
        most = len(self.texts) + ALWAYS
        logs = (math.log(most / self.owners[one]) for one in prints)
        return sum(min(1.0, log / math.log(most / 2)) for log in logs)

    def clusters(self) -> Iterator[ConnectedGroup]:
        shares: dict[int, float] = {}
        for one, other, share in self._links():
            root, branch = self._root(one), self._root(other)
            self.leader[branch] = root
            shares[root] = min(share, shares.get(root, 1.0), shares.get(branch, 1.0))
        members: dict[int, list[int]] = defaultdict(list)
        for node in {*self.leader, *self.leader.values()}:
            members[self._root(node)].append(node)
        yield from (self._cluster(nodes, shares[root]) for root, nodes in members.items())

    def _links(self) -> Iterator[tuple[int, int, float]]:
        """Nodes that are alike; a node that several texts share is linked to itself."""
        index: dict[int, list[int]] = defaultdict(list)
        for number, prints in enumerate(self.nodes):
            if len(self.groups[prints]) > 1 and self.weight(prints) >= LEAST_WEIGHT:
                yield number, number, 1.0
            known = (index[one] for one in prints if len(index[one]) < MOST_COMMON)
            for other, count in Counter(chain.from_iterable(known)).items():
                if count >= LEAST_WEIGHT and (share := self._share(prints, self.nodes[other])):
                    yield other, number, share
            for one in prints:
                if len(index[one]) < MOST_COMMON:
                    index[one].append(number)

    def _share(self, one: Prints, other: Prints) -> float:
        """The part of the smaller text that is in the other; 0 where that is too little or too common."""
        common = one & other
        share = len(common) / min(len(one), len(other))
        if share < LEAST_SHARE or (weight := self.weight(common)) < LEAST_WEIGHT:
            return 0.0
        return share if weight >= LEAST_SHARE * min(self.weight(one), self.weight(other)) else 0.0

    def _root(self, node: int) -> int:
        while (above := self.leader.setdefault(node, node)) != node:
            self.leader[node] = self.leader[above]
            node = above
        return node

    def _cluster(self, nodes: Sequence[int], share: float) -> ConnectedGroup:
        found = [self.nodes[node] for node in nodes]
        count = Counter(chain.from_iterable(found))
        common = frozenset(one for one, times in count.items() if 2 * times > len(found))
        return ConnectedGroup(tuple(sorted(chain.from_iterable(map(self.groups.get, found)))), share, common)
