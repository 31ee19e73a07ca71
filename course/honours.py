"""The commands that end a lesson: certificates, signed and verified."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from course.arguments import Folder, option, print_lines
from course.text import Problem, few, say

if TYPE_CHECKING:
    from course.reporting.certificate import Issued


def _certify(folder: Folder) -> Callable[..., int]:
    def certify(
        lesson: Annotated[str | None, typer.Argument(metavar="[LESSON]")] = None,
        students: Annotated[list[str] | None, typer.Argument(metavar="[ID]...")] = None,
        into: Annotated[str | None, option("cli.certify.into", "--into", metavar="FOLDER")] = None,
        names: Annotated[bool, option("cli.certify.names", "--names")] = False,
        least: Annotated[float, option("cli.certify.least", "--least", metavar="POINTS", min=0)] = 0.0,
        make_key: Annotated[bool, option("cli.certify.make_key", "--make-key")] = False,
        key: Annotated[str | None, option("cli.certify.key", "--key", metavar="FILE")] = None,
        gradebook: Annotated[str | None, option("cli.gradebook", metavar="URL")] = None,
    ) -> int:
        from course.reporting import certificate, signing

        own = signing.SigningKey(Path(key)) if key else signing.SigningKey.usual()
        if make_key:
            own.make()
            about = signing.fingerprint(signing.public_key(own.public))
            print(say("certify.made", path=own.path, public=own.public, key=about))
            return 0
        if lesson is None:
            raise Problem("certify.no_lesson")
        here = folder()
        here.lesson(lesson)
        options = certificate.IssueOptions(own, Path(into) if into else None, names, least, gradebook)
        return _show(certificate.issue(here, lesson, students or [], options))

    return certify


def _show(done: Issued) -> int:
    """Say who got none and why, and where the pages are; 1 where there is none."""
    left = (("waiting", done.waiting), ("below", done.below))
    print_lines(say(f"certify.{key}", count=len(who), names=few(who)) for key, who in left if who)
    print(say("certify.written", count=len(done.pages), path=done.folder))
    return 0 if done.pages else 1


def _verify(folder: Folder) -> Callable[..., int]:
    def verify(
        file: Annotated[str, typer.Argument(metavar="FILE")],
        key: Annotated[str | None, option("cli.verify.key", "--key", metavar="FILE")] = None,
    ) -> int:
        from course.reporting import certificate, signing

        public = Path(key) if key else signing.SigningKey.usual().public
        found = certificate.verify(Path(file), public)
        about = {"title": found.title, "date": found.issued, "key": found.key}
        points = {"points": f"{found.points:g}", "max_points": f"{found.max_points:g}"}
        print(say("verify.valid", student=f"{found.student} {found.name}".strip(), **points, **about))
        return 0

    return verify


COMMANDS = (_certify, _verify)
