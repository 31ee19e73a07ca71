"""Collect: whatever students hand in, a folder, a platform's zip or one file, to `submitted/`.

Reads regular files only and follows no link; bounds sizes, counts and depth, each student's by themselves;
writes the bytes as they came, under the right name. Nothing good is lost: what cannot be read replaces
nothing, what is older replaces nothing newer, and every version is kept. What cannot be taken is said in a
sentence, in the student's language.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path, PurePosixPath

from course.collecting import account, receipts, sources
from course.collecting.account import Account, AccountLine
from course.collecting.archives import OpenArchives
from course.collecting.choosing import Candidate, Choice
from course.collecting.identity import Identity
from course.collecting.known_students import KnownStudents
from course.collecting.moments import Moment
from course.collecting.owners import Owner
from course.collecting.receipts import Receipt
from course.collecting.received import NO_NOTEBOOKS, NotCollected, ReceivedFile
from course.collecting.sources import Placed
from course.collecting.versions import Outcome, Version, Versions
from course.collecting.work import TooMuch, Work
from course.lesson.assignment import Assignment
from course.lesson.folder import CourseFolder
from course.submission import attachments
from course.submission.hand_in import HandIn
from course.submission.notes import Note
from course.text import Problem
from helpers import guessing
from helpers.guessing import Guess
from helpers.platforms import RESULTS


def collect(
    source: Path,
    submitted: Path,
    assignment: Assignment,
    student: str | None = None,
    received: Moment | None = None,
    known: KnownStudents | None = None,
) -> Account:
    """Take in everything under `source` for one lesson: a receipt a student, in order of their ids, and a
    line a file. `received` is when all of it was handed in, `known` the roster."""
    known = known or KnownStudents()
    with OpenArchives() as archives:
        download = sources.received(source, assignment.lesson, student, known, archives)
        identity = Identity.of(download.placed, submitted, known)
        books = _Books(submitted, assignment, received, identity, archives)
        done = Account(assignment.lesson, notes=download.notes)
        for owner, hand_ins in _by_owner(download.placed):
            receipt, lines = books.take(owner, hand_ins)
            done.receipts.append(receipt)
            done.lines += lines
    done.lines += (_nobodys(placed.file) for placed in download.placed if placed.owner is None)
    return done


def collect_into(
    folder: CourseFolder,
    lesson: str,
    source: Path,
    student: str | None = None,
    received: Moment | None = None,
) -> Account:
    """Take in for a course folder, with its roster; what cannot be taken in at all is a Problem."""
    if not os.path.lexists(source):
        raise Problem("intake.missing", path=source)
    known = KnownStudents.read(folder.database)
    try:
        done = collect(source, folder.root / "submitted", folder.assignment(lesson), student, received, known)
        done.write(folder.root / account.FOLDER / lesson)
    except NotCollected as problem:
        raise Problem(problem.key, cell=problem.about or source) from None
    return done


def _by_owner(placed: Iterable[Placed]) -> list[tuple[Owner, list[list[Placed]]]]:
    """Each owner's files, those that were handed in together side by side; in order of the ids."""
    owners: dict[str, Owner] = {}
    found: dict[str, dict[PurePosixPath, list[Placed]]] = {}
    for one in (own for each in placed for own in _each_owners(each)):
        if one.owner is not None:
            surer = min(owners.get(one.owner.id, one.owner), one.owner, key=lambda owner: owner.is_guess)
            owners[one.owner.id] = surer
            found.setdefault(one.owner.id, {}).setdefault(one.place, []).append(one)
    return [(owners[name], list(found[name].values())) for name in sorted(found)]


def _each_owners(placed: Placed) -> list[Placed]:
    """A group's file once for each of its people; the first of them has it in the account."""
    owner = placed.owner
    if owner is None or not owner.group:
        return [placed]
    group = [replace(one, group=owner.group) for one in owner.group]
    return [replace(placed, owner=one, is_shared=one.id != owner.id) for one in group]


@dataclass
class _HandedIn:
    """What came in at one place of one student: its files, what was chosen, and what became of each file."""

    placed: list[Placed]
    notes: list[Note] = field(default_factory=list)
    chosen: Candidate | None = None
    hand_in: HandIn | None = None
    older: list[Candidate] = field(default_factory=list)
    became: dict[ReceivedFile, AccountLine] = field(default_factory=dict)

    def say(self, file: ReceivedFile, **about: object) -> None:
        """Say what became of a file, if nothing is said yet."""
        came = file.came
        self.became.setdefault(came, AccountLine(str(came.path), **about))

    def lines(self, owner: Owner) -> list[AccountLine]:
        """A line for each file as it came."""
        if all(placed.is_shared for placed in self.placed):
            return []
        for placed in self.placed:
            self.say(placed.file, became="aside", note=Note("account.not_needed", str(placed.file.path)))
        return [replace(line, owner=owner) for line in self.became.values()]


@dataclass
class _Books:
    """The works of a lesson as they lie in `submitted/`, and what is added to them."""

    submitted: Path
    assignment: Assignment
    received: Moment | None
    identity: Identity
    archives: OpenArchives

    def take(self, owner: Owner, hand_ins: list[list[Placed]]) -> tuple[Receipt, list[AccountLine]]:
        """Take in what one student handed in, in the order in which that was."""
        receipt = Receipt(owner.id, owner=owner)
        looked = [self._look(owner, placed) for placed in hand_ins]
        self._refuse_ties(looked)
        for one in sorted(looked, key=_when):
            try:
                self._keep(owner, one, receipt)
            except (NotCollected, OSError):
                raise
            except Exception as problem:  # one student's file, whatever is wrong with it, stops nobody else
                receipt.notes.append(Note("intake.failed", type(problem).__name__))
        refusal = CourseFolder(self.submitted.parent).refused(owner.id, self.assignment.lesson)
        if receipt.taken:
            refusal.unlink(missing_ok=True)
        elif Versions.read(self.submitted, owner.id, self.assignment).current is None:
            receipts.keep_refused(receipt, refusal)
        return receipt, [line for one in looked for line in one.lines(owner)]

    def _look(self, owner: Owner, placed: list[Placed]) -> _HandedIn:
        """Read what came in together, and choose the notebook."""
        one = _HandedIn(placed)
        try:
            self._choose(owner, one)
        except TooMuch as problem:
            one.notes = [problem.note]
        except (NotCollected, OSError):
            raise
        except Exception as problem:
            one.notes.append(Note("intake.failed", type(problem).__name__))
        if one.chosen is None:
            for placed_one in placed:
                if placed_one.file.is_notebook or placed_one.file.is_archive:
                    one.say(placed_one.file, became="refused", note=next(iter(one.notes), None))
        return one

    def _choose(self, owner: Owner, one: _HandedIn) -> None:
        files = [_timed(placed) for placed in sources.unpacked(one.placed, self.archives)]
        work = Work(files)
        choice = Choice(work, self.assignment, lambda typed: self.identity.is_anothers(owner, typed))
        chosen = choice.make()
        results = _results(work) if chosen is not None else {}
        if results:
            choice.notes.append(Note("intake.results", ", ".join(sorted(results))))
        one.notes = [*work.notes, *choice.notes, *_of_group(one.placed[0].owner)]
        self._account(one, work, choice, chosen)
        if chosen is None:
            return
        for file in [file for file in work.files if file.path.name in results] + choice.used:
            if file.came is not chosen.file.came:
                one.say(file, became="taken")
        one.chosen, one.older = chosen, [found for found in choice.older if found.hand_in.is_answered]
        hand_in = chosen.hand_in.with_results(results) if results else chosen.hand_in
        one.hand_in = hand_in.with_guesses(_guesses(work))

    def _account(self, one: _HandedIn, work: Work, choice: Choice, chosen: Candidate | None) -> None:
        """Say what became of each file that is not the chosen one."""
        own = chosen.file.came if chosen is not None else None
        twice = next((note for note in choice.notes if note.key == "intake.two_notebooks"), None)
        refused = (*work.refused, *choice.broken.items())
        said = [(file, {"became": "refused", "note": note}) for file, note in refused]
        said += [(found.file, {"became": "refused", "note": twice}) for found in choice.differ]
        said += [(found.file, {"became": "older"}) for found in choice.older]
        said += [(found.file, {"became": "equal"}) for found in choice.equal]
        for file, about in said:
            if file.came is not own:
                one.say(file, **about)

    def _refuse_ties(self, looked: list[_HandedIn]) -> None:
        """Two different works of which nobody says which is newer: none is chosen."""
        chosen = [one for one in looked if one.chosen is not None]
        chosen = [one for one in chosen if one.hand_in.is_answered] or chosen
        last = max(map(_when, chosen), default=None)
        newest = [one for one in chosen if _when(one) == last]
        if len({one.hand_in.work for one in newest}) < 2:
            return
        note = Note("intake.two_notebooks", ", ".join(sorted(str(one.chosen.file.path) for one in newest)))
        for one in newest:
            one.say(one.chosen.file, became="refused", note=note)
            one.chosen, one.notes = None, [note]

    def _keep(self, owner: Owner, one: _HandedIn, receipt: Receipt) -> None:
        """Put what was chosen where it belongs, and say what became of it."""
        versions = Versions.read(self.submitted, owner.id, self.assignment)
        if one.chosen is None:
            if not receipt.taken:
                receipt.notes += [note for note in one.notes if note not in receipt.notes]
                stays = Note("intake.stays", str(versions.current.number)) if versions.current else None
                receipt.notes += [stays] if stays is not None and stays not in receipt.notes else []
            return
        outcome, version = versions.judge(self._version(one.chosen.file, one.hand_in, versions), one.hand_in)
        replaced = versions.current.number if versions.current is not None else None
        if outcome == "untouched":
            _pass_over(one, receipt)
            return
        replaced = replaced if outcome == "taken" else None
        one.say(one.chosen.file, became=outcome, version=version, replaced=replaced, is_work=True)
        if outcome != "older" or not receipt.taken:
            _fill(receipt, one, outcome, version, replaced)
        if outcome == "taken":
            receipts.keep_new(receipt, versions, version, one.hand_in.data)
        elif outcome == "equal":
            receipts.keep_time(versions, version)
        else:
            receipts.keep_beside(versions, version, one.hand_in.data)
        self._keep_older(one, versions)

    def _keep_older(self, one: _HandedIn, versions: Versions) -> None:
        """Works that came together with the one that was chosen, and before it."""
        for candidate in one.older:
            outcome, version = versions.judge(
                self._version(candidate.file, candidate.hand_in, versions), candidate.hand_in
            )
            if outcome in ("older", "taken"):
                receipts.keep_beside(versions, version, candidate.hand_in.data)

    def _version(self, file: ReceivedFile, hand_in: HandIn, versions: Versions) -> Version:
        """The work as a version that is not kept yet."""
        now = Moment(datetime.now(timezone.utc).replace(microsecond=0), "collected")
        said = file.moment
        told = self.received or (said if said is not None and said.is_told else None)
        return Version(
            versions.next_number,
            hand_in.digest,
            hand_in.work,
            told or now,
            str(file.path),
            seen=file.moment,
            order=file.order,
        )


def _of_group(owner: Owner) -> list[Note]:
    """A hand-in that belongs to several says so with each of them."""
    others = ", ".join(one.id for one in owner.group if one.id != owner.id)
    return [Note("intake.group", others)] if others else []


def _pass_over(one: _HandedIn, receipt: Receipt) -> None:
    """Nothing was answered in it, and there is a work in which something was."""
    note = Note("intake.untouched", str(one.chosen.file.path))
    one.say(one.chosen.file, became="refused", note=note, is_work=True)
    if not receipt.taken:
        receipt.source = str(one.chosen.file.path)
        receipt.notes.append(note)


def _fill(receipt: Receipt, one: _HandedIn, outcome: Outcome, version: Version, replaced: int | None) -> None:
    """Say in the receipt what became of a work."""
    receipt.source, receipt.outcome = str(one.chosen.file.path), outcome
    receipt.language, receipt.moment = one.hand_in.language, version.moment
    receipt.version, receipt.replaced = version.number, replaced
    own = one.chosen.hand_in.notes if outcome == "taken" else ()
    receipt.notes = list(dict.fromkeys((*one.notes, *own)))


def _when(one: _HandedIn) -> tuple[int, float]:
    """By which what one student handed in is put in order."""
    if one.chosen is None:
        return (0, 0.0)
    file = one.chosen.file
    return file.order, file.moment.time.timestamp() if file.moment is not None else 0.0


def _timed(placed: Placed) -> ReceivedFile:
    """A file with the time and the number that its owner's platform gives it."""
    owner, file = placed.owner, placed.file
    return replace(file, part_of=file.came, moment=owner.moment or file.moment, order=owner.order)


def _results(work: Work) -> dict[str, str]:
    """The result files that came with a notebook, by name."""
    small = [file for file in work.files if attachments.may_be_result(file.path, file.size)]
    small.sort(key=lambda file: RESULTS not in file.path.parts)  # those in a folder of results come first
    return attachments.results_in((file.path, work.data(file)) for file in small)


def _guesses(work: Work) -> dict[str, Guess]:
    """The guesses that came with a notebook: the first file of them that can be read."""
    small = (file for file in work.files if file.path.name == guessing.FILE)
    found = (guessing.parsed(work.data(file)) for file in small if file.size <= guessing.MAX_BYTES)
    return next(filter(None, found), {})


def _nobodys(file: ReceivedFile) -> AccountLine:
    if file.is_systems:
        return AccountLine(str(file.path), "system", note=Note("account.of_system", str(file.path)))
    may_be_work = file.is_notebook or file.is_archive or NO_NOTEBOOKS.search(file.path.name)
    key = "account.no_name" if may_be_work else account.NO_HAND_IN
    note = Note(f"intake.{file.problem}" if file.problem else key, str(file.path))
    return AccountLine(str(file.path), "nobody", note=note)
