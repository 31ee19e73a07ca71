"""Similarity: answers and measurements that look copied; shown to a person, never a mark."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import combinations

from nbformat import NotebookNode

from course.lesson import cells, regions
from course.lesson.folder import CourseFolder
from course.reporting import fingerprints
from course.reporting.clusters import Prints, clusters
from course.reporting.fingerprints import Fingerprint
from course.reporting.marks import Marks
from course.submission import attachments
from course.submission.foreign_json import parsed
from course.text import progress, say
from helpers import recorded, results

FINGERPRINTS = 3_000  # of a student's; of more those with the smallest hashes, the same ones for everybody
SHOWN_LINES = 30
LEAST_SHARE = 0.1
SAMPLES = 5_000
COURSE = "*"


@dataclass(frozen=True)
class SharedMeasurement:
    """Students whose result files hold the same raw samples; `COURSE` stands for our own recordings."""

    students: tuple[str, ...]
    share: float


@dataclass(frozen=True)
class Excerpt:
    """What a group shares in one exercise: how many lines, and the first of them, as one of it wrote them."""

    exercise: str
    lines: int
    source: str


@dataclass(frozen=True)
class AlikeAnswers:
    """Students whose answers are alike, each to another: the least share, and what they have in common."""

    students: tuple[str, ...]
    share: float
    common: tuple[Excerpt, ...]


def answers(
    graded: Iterable[Marks], master: NotebookNode, release: NotebookNode, again: Callable[[str], Marks]
) -> tuple[AlikeAnswers, ...]:
    """Groups whose answers share more than chance explains; what the master or the release holds is none.

    Of each student only the fingerprints stay in memory; `again` gives the marks of one whose lines are to be
    shown.
    """
    solutions = [cell for cell in master.cells if cells.is_solution(cell)]
    given = _given(solutions, release)
    texts = {found.student: _prints(found, solutions) - given for found in graded if found.readable}
    return tuple(
        AlikeAnswers(one.members, one.share, tuple(_excerpts(again(one.members[0]), solutions, one.common)))
        for one in clusters(texts)
    )


def _given(solutions: Sequence[NotebookNode], release: NotebookNode) -> Prints:
    """The fingerprints of what nobody has to copy from a classmate."""
    references = {cells.name(cell): regions.without(cell.source, "marker") for cell in solutions}
    released = {cells.name(cell): cell.source for cell in release.cells}
    both = ({name: one.get(name, "") for name in references} for one in (references, released))
    return frozenset(p.value for sources in both for p in _of_sources(sources, solutions))


def _prints(found: Marks, solutions: Sequence[NotebookNode]) -> Prints:
    sources = {name: answer.source for name, answer in found.answers.items()}
    every = (one.value for one in _of_sources(sources, solutions))
    return frozenset(nsmallest(FINGERPRINTS, set(every)))


def _of_sources(sources: Mapping[str, str], solutions: Sequence[NotebookNode]) -> Iterator[Fingerprint]:
    for cell in solutions:
        yield from _of_source(sources.get(cells.name(cell), ""), cell)


def _of_source(source: str, cell: NotebookNode) -> Iterator[Fingerprint]:
    of = fingerprints.of_code if cells.is_code(cell) else fingerprints.of_words
    return of(source, cells.name(cell))


def _excerpts(found: Marks, solutions: Sequence[NotebookNode], common: Prints) -> Iterator[Excerpt]:
    """The lines of one student's answers that the whole group shares."""
    for cell in solutions:
        source = found.answers[cells.name(cell)].source if cells.name(cell) in found.answers else ""
        lines = {
            number
            for one in _of_source(source, cell)
            if one.value in common
            for number in range(one.first_line, one.last_line + 1)
        }
        shown = [line for number, line in enumerate(source.split("\n"), 1) if number in lines]
        if shown:
            yield Excerpt(cells.name(cell), len(shown), "\n".join(shown[:SHOWN_LINES]))


def measurements(folder: CourseFolder, lesson: str, students: Sequence[str]) -> tuple[SharedMeasurement, ...]:
    """Students whose result files share raw samples, the largest share first.

    Two honest runs share none: a sample is a time of an own clock to the last digit.
    """
    same: dict[frozenset[float], list[str]] = defaultdict(list)
    same[_samples(recorded.own_results())].append(COURSE)
    for student in progress.over(students, say("report.look_alikes")):
        same[_samples(_handed_in(folder, lesson, student))].append(student)
    same.pop(frozenset(), None)
    whole = [SharedMeasurement(tuple(group), 1.0) for group in same.values() if len(group) > 1]
    return tuple(sorted((*whole, *_in_part(same)), key=lambda one: (-one.share, one.students)))


def _in_part(same: Mapping[frozenset[float], list[str]]) -> Iterator[SharedMeasurement]:
    """Of files that are not the same, those that share more than chance explains."""
    owners: dict[float, list[frozenset[float]]] = defaultdict(list)
    for samples in same:
        for sample in samples:
            owners[sample].append(samples)
    common = Counter(pair for group in owners.values() for pair in combinations(group, 2))
    for (one, other), count in common.items():
        share = count / min(len(one), len(other))
        if share >= LEAST_SHARE:
            yield SharedMeasurement((*same[one], *same[other]), share)


def _handed_in(folder: CourseFolder, lesson: str, student: str) -> Iterator[str]:
    """The result files in a submission; those of an unreadable one are none."""
    notebook = attachments.carrier(folder.submitted(student, lesson), folder.root)
    yield from attachments.attached(notebook).values()


def _samples(texts: Iterable[str]) -> frozenset[float]:
    """The raw samples in these result files; a damaged file has none. Of very many those with the smallest
    hashes stand for all: the same ones in every file."""
    found: set[float] = set()
    for text in texts:
        try:
            report = results.from_dict(parsed(text), check_digest=False)
            found |= results.raw_samples(report)
        except Exception:  # a hint to look; whatever a student sent must not stop the report
            continue
    return frozenset(nsmallest(SAMPLES, found, key=hash))
