"""Likeness: answers and measurements that look copied; shown to a person, never a mark."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import combinations

from nbformat import NotebookNode

from course.lesson import cells, regions
from course.lesson.folder import CourseFolder
from course.reporting.fingerprints import fingerprint
from course.reporting.marks import Marks
from course.submission import attachments
from course.submission.files import NotRegular, read_regular
from course.submission.foreign_json import parsed
from course.submission.reading import read
from course.submission.untouched import only_given
from course.text import progress, say
from helpers import recorded, results

LARGEST_GROUP = 4
LEAST_SHARE = 0.1
SAMPLES = 5_000
COURSE = "*"


@dataclass(frozen=True)
class SharedMeasurement:
    """Students whose result files hold the same raw samples; `COURSE` stands for our own recordings."""

    students: tuple[str, ...]
    share: float


def answers(graded: Iterable[Marks], master: NotebookNode) -> tuple[tuple[str, ...], ...]:
    """Small groups whose answers are all alike; an answer that many share, or the master's, is no sign."""
    solutions = {cells.name(cell): cell for cell in master.cells if cells.is_solution(cell)}
    models = tuple(fingerprint(regions.without(cell.source, "marker")) for cell in solutions.values())
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for found in graded:
        sources = _answered(found, solutions)
        if sources is not None:
            groups[tuple(map(fingerprint, sources))].append(found.student)
    return tuple(
        tuple(group)
        for prints, group in groups.items()
        if 1 < len(group) <= LARGEST_GROUP and prints != models
    )


def _answered(found: Marks, solutions: Mapping[str, NotebookNode]) -> list[str] | None:
    """The student's answers, if each exercise has one."""
    sources = [found.answers[name].source if name in found.answers else "" for name in solutions]
    given = [regions.visible(cell.source) for cell in solutions.values()]
    untouched = any(map(only_given, sources, given))
    return sources if found.readable and not untouched else None


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
    try:
        data, _ = read_regular(folder.submitted(student, lesson), folder.root)
    except NotRegular:
        return
    yield from attachments.attached(read(data).notebook).values()


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
