"""Branching: at which level of a download the people stand, and whose each file is.

What a learning platform named is its owner's. Elsewhere people stand at the level at which several works
branch; the roster decides where there is one, and all else is a guess and says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath

from course.collecting import conventions
from course.collecting.known_students import KnownStudents
from course.collecting.owners import Owner, bare, is_generic, person, student_id
from course.collecting.received import NO_NOTEBOOKS, ReceivedFile
from course.submission.packs import MANIFEST

MOST_BRANCHES = 50
MANY = 5  # folders with work in one folder: more than one person's


@dataclass(frozen=True)
class Placed:
    """A file, whose it is, and where that person's files stand: together they are one hand-in.

    `is_shared`: it is accounted for with another one of the group that it belongs to.
    """

    file: ReceivedFile
    owner: Owner | None
    place: PurePosixPath
    is_shared: bool = False


@dataclass(eq=False)
class Branch:
    """A folder, an archive or a file of a download; an archive that was looked into has both."""

    path: PurePosixPath
    file: ReceivedFile | None = None
    children: dict[str, Branch] = field(default_factory=dict)
    files: list[ReceivedFile] = field(default_factory=list)
    systems: list[ReceivedFile] = field(default_factory=list)
    typed: str | None = None
    looked_into: bool = False

    @property
    def name(self) -> str:
        """Its own name."""
        return self.path.name

    def add(self, file: ReceivedFile, inside: PurePosixPath) -> Branch:
        """Put a file where it stands below this branch; the branch that holds it."""
        here = self
        for part in inside.parts[:-1]:
            here = here.children.setdefault(part, Branch(here.path / part))
        known = here.children.get(inside.name)
        if known is None:
            known = here.children[inside.name] = Branch(here.path / inside.name, file)
        else:
            known.files.append(file)  # a zip may hold one name twice
        return known

    @property
    def is_pack(self) -> bool:
        """True for a hand-in pack, unpacked or not."""
        return self.typed is not None

    @cached_property
    def has_work(self) -> bool:
        """True when something in it may be a lesson's work."""
        if self.children:
            return self.is_pack or any(child.has_work for child in self.children.values())
        return self.file is not None and (self.file.is_notebook or self.file.is_archive)

    @cached_property
    def submitters(self) -> conventions.Submitters:
        """What Gradescope's list in it says of its folders; read for a class only, never out of what a
        student sent."""
        listed = self.children.get(conventions.METADATA)
        return conventions.submitters(listed.file) if listed is not None else {}

    def all_files(self) -> Iterator[ReceivedFile]:
        """The files in it as they came; an archive is one."""
        yield from self.files
        if self.file is not None:
            yield self.file
        if self.looked_into:
            return
        for child in self.children.values():
            yield from child.all_files()


@dataclass(frozen=True)
class Settling:
    """Who owns what in a download for one lesson."""

    lesson: str
    known: KnownStudents

    def settle(self, top: Branch) -> Iterator[Placed]:
        """Every file of a branch that holds a class, with its owner; none where nobody can be named."""
        yield from (Placed(file, None, top.path) for file in top.systems)
        strangers = []
        for child in top.children.values():
            owner = conventions.owner(child.name, top.submitters) or self._nbgraders(child)
            if owner is not None:
                yield from self._placed(child, owner, top.path)
            else:
                strangers.append(child)
        names = self._names_beside([child for child in strangers if child.children and child.has_work])
        single = {child for child, own in names.items() if self._is_one(child, own)}
        for child in strangers:
            others = len(single - {child})
            yield from self._settle_one(child, names.get(child, set()), 2 * others > len(names) - 1, top.path)

    def _names_beside(self, beside: list[Branch]) -> dict[Branch, set[str]]:
        """Names of people below each of these; those that most of them share, such as `part A` and `part B`,
        are nobody's."""
        names = {branch: self._names(branch) for branch in beside}
        shared = Counter(name for own in names.values() for name in own)
        return {
            branch: {name for name in own if shared[name] < 2 or len(beside) <= len(own)}
            for branch, own in names.items()
        }

    def is_class(self, branch: Branch, names: set[str], of_people: bool) -> bool:
        """True when people, by these names, stand below this branch and it is none of them; `of_people` says
        that most of those beside it are people."""
        if branch.is_pack or (self.known and self.known.find(self._person(branch.name))):
            return False
        if is_generic(branch.name, self.lesson) or (self.known and any(map(self.known.find, names))):
            return True
        if any(conventions.owner(name, {}) for name in branch.children):
            return True
        if not self._person(branch.name) and (names or branch.file is not None):
            return True
        if len(names) < 2:
            return False
        return not of_people or len(self._names(branch, files=False)) >= MANY

    def _settle_one(
        self, child: Branch, names: set[str], of_people: bool, place: PurePosixPath
    ) -> Iterator[Placed]:
        if child.children and self.is_class(child, names, of_people):
            own = child.files if child.looked_into or child.file is None else [*child.files, child.file]
            yield from (Placed(file, None, place) for file in own)
            yield from self.settle(child)
        elif child.children or child.file is None or child.file.is_archive or self._is_hand_in(child):
            yield from self._placed(child, self._of_name(child), place)
        else:
            yield from (Placed(file, None, place) for file in child.all_files())

    def _is_hand_in(self, child: Branch) -> bool:
        return child.file.is_notebook or bool(NO_NOTEBOOKS.search(child.name)) or bool(child.file.problem)

    def _placed(self, branch: Branch, owner: Owner | None, place: PurePosixPath) -> Iterator[Placed]:
        settled = owner and self._settled(owner)
        together = owner is not None and owner.number and owner.moment is None  # a platform's two folders
        whole = place / owner.id if together else branch.path if branch.file is None else place
        return (Placed(file, settled, whole) for file in branch.all_files())

    def _settled(self, owner: Owner) -> Owner:
        """The owner by the roster, and everybody of the group."""
        group = tuple({one.id: one for one in map(self.known.settled, owner.group)}.values())
        return replace(self.known.settled(owner), group=group if len(group) > 1 else ())

    def _person(self, name: str) -> str:
        """The part of a name that may be a person's: the roster knows some that look like a count."""
        found = person(name, self.lesson)
        return found or (bare(name) if self.known and self.known.find(bare(name)) else "")

    def _of_name(self, branch: Branch) -> Owner | None:
        """Whoever the branch is named after; a pack with no name of anybody is whose id was typed into
        it."""
        name = self._person(branch.name)
        if not name and not branch.is_pack and branch.file is None:
            name = branch.name if not is_generic(branch.name, self.lesson) else ""
        if name:
            return Owner(student_id(name), name, "guess")
        return Owner(student_id(branch.typed), branch.typed, "typed") if branch.typed else None

    def _names(self, branch: Branch, files: bool = True) -> set[str]:
        """Names of people below a branch, as far as names say that; at most so many."""
        found: set[str] = set()
        for child in branch.children.values():
            if len(found) >= MOST_BRANCHES:
                break
            owner = conventions.owner(child.name, {})
            if owner is not None:
                found.add(owner.id)
            elif child.has_work and (files or child.file is None):
                found |= self._name(child, files)
        return found

    def _name(self, branch: Branch, files: bool) -> set[str]:
        name = self._person(branch.name)
        if branch.children and not branch.is_pack:
            below = self._names(branch, files)
            if len(below) > 1 or not name:
                return below
        return {name} if name else set()

    def _is_one(self, branch: Branch, names: set[str]) -> bool:
        return not is_generic(branch.name, self.lesson) and len(names) < 2

    def _nbgraders(self, branch: Branch) -> Owner | None:
        """`student/lesson/lesson.ipynb`, as nbgrader lays out what was submitted."""
        below = branch.children.get(self.lesson)
        own = below is not None and below.file is None and f"{self.lesson}.ipynb" in below.children
        if not own or branch.file is not None or is_generic(branch.name, self.lesson):
            return None
        return Owner(student_id(branch.name), branch.name, "guess")


def manifest_of(branch: Branch) -> ReceivedFile | None:
    """The file that makes a branch a pack, if it is one."""
    found = branch.children.get(MANIFEST)
    return found.file if found is not None else None
