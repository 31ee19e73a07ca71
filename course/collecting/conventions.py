"""Conventions: the ways in which learning platforms name what they let an instructor download.

Moodle: `NAME_NUMBER_assignsubmission_file_`, as a folder or before a file's name. Canvas:
`name[_LATE]_USER_ATTACHMENT_file[-N]`. nbgrader: `student+lesson+time+random`, or `student/lesson/`.
Gradescope: `submission_NUMBER`, named in `submission_metadata.yml` beside it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timezone

from course.collecting.moments import Moment, moment
from course.collecting.owners import Owner, platforms_id, student_id
from course.collecting.received import NotCollected, ReceivedFile

MOODLE = re.compile(r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)(?:_.*)?", re.DOTALL)
CANVAS = re.compile(
    r"(?P<name>[^\W_][^\W_-]*(?:-[^\W_]+)*)(?:_LATE)?_(?P<number>\d+)_(?P<order>\d+)_.+", re.I | re.S
)
INBOUND = re.compile(
    r"(?P<name>[^+]+)\+[^+]+\+(?P<time>\d{4}-\d\d-\d\d \d\d[:_-]\d\d[:_-]\d\d)[^+]*(?:\+.*)?"
)
GRADESCOPE = re.compile(r"submission_(?P<number>\d+)")
METADATA, METADATA_BYTES = "submission_metadata.yml", 4_000_000
MOST_DIGITS = 18
MOST_IN_A_GROUP = 50

Submitters = Mapping[str, Mapping]


def owner(name: str, submitters: Submitters) -> Owner | None:
    """Whose a file or folder is that a learning platform has named; none for any other."""
    moodle = MOODLE.fullmatch(name)
    if moodle:
        return _numbered(moodle)
    canvas = CANVAS.fullmatch(name)
    if canvas and re.search(r"[^\W\d]", canvas["name"]):
        return _numbered(canvas, order=int(canvas["order"][:MOST_DIGITS]))
    inbound = INBOUND.fullmatch(name)
    if inbound:
        return Owner(student_id(inbound["name"]), inbound["name"], "lms", moment=_nbgraders(inbound["time"]))
    return _gradescopes(name, submitters) if GRADESCOPE.fullmatch(name) else None


def submitters(file: ReceivedFile | None) -> Submitters:
    """What Gradescope's list says of each of its folders; nothing where there is none to be read."""
    if file is None or file.problem or file.size > METADATA_BYTES:
        return {}
    import yaml

    try:
        found = yaml.load(file.read(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, NotCollected, ValueError, RecursionError):
        return {}
    entries = found.items() if isinstance(found, dict) else ()
    return {str(folder): about for folder, about in entries if isinstance(about, dict)}


def _numbered(found: re.Match, order: int = 0) -> Owner:
    number = found["number"][:MOST_DIGITS]
    return Owner(platforms_id(found["name"], number), found["name"], "lms", number, order=order)


def _nbgraders(text: str) -> Moment | None:
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    try:
        return moment(datetime(*numbers, tzinfo=timezone.utc), "lms")
    except ValueError:
        return None


def _gradescopes(folder: str, submitters: Submitters) -> Owner:
    """Whoever comes first in Gradescope's list of who handed this in, with the others as the group."""
    about = submitters.get(folder, {})
    listed = about.get(":submitters")
    people = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    members = tuple(_member(folder, one, about) for one in people[:MOST_IN_A_GROUP])
    first = members[0] if members else _member(folder, {}, about)
    return replace(first, group=members if len(members) > 1 else ())


def _member(folder: str, person: Mapping, about: Mapping) -> Owner:
    sid, email, name = (str(person.get(key) or "").strip() for key in (":sid", ":email", ":name"))
    number = folder.rpartition("_")[2][:MOST_DIGITS]
    own = student_id(sid or email) if sid or email else platforms_id(name or "submission", number)
    return Owner(own, name or folder, "lms" if person else "guess", sid or email, moment=_time(about))


def _time(about: Mapping) -> Moment | None:
    """Gradescope's time, which YAML reads as UTC where it has no zone."""
    time = about.get(":created_at")
    if not isinstance(time, datetime):
        return None
    return moment(time if time.tzinfo else time.replace(tzinfo=timezone.utc), "lms")
