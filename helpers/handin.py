"""Hand in: one file with the answers, the results and the decision, after saying what is still missing.

docs/handin.md describes the file. It holds what the student wrote and measured, and nothing about the person
but the id typed in: no outputs (they show paths), no names, no times.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import json
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import helpers
from helpers import finish, guessing, lessons, platforms, progress, writing
from helpers import notebook as notebooks
from helpers.checks import CheckFailed
from helpers.guessing import Guess
from helpers.lessons import Exercise, Lesson
from helpers.notebook import Notebook, defining
from helpers.progress import Remembered
from helpers.session import checked_by, definition, digest
from helpers.text import CATALOG, say, spoken

FORMAT = "iteration-budget-handin/v1"
STUB = 'raise NotImplementedError("TODO")'
EPOCH = (1980, 1, 1, 0, 0, 0)

State = Literal["todo", "failed", "unchecked", "passed"]


@dataclass(frozen=True)
class PackedAnswer:
    """What a student wrote for an exercise, how its visible check went, and what was known of it before."""

    exercise: Exercise
    source: str | None
    state: State
    why: str = ""
    before: Remembered = field(default_factory=Remembered)

    @property
    def line(self) -> str:
        title = say(f"concept.{self.exercise.cell}")
        values = {"why": self.why} if self.state == "failed" else {}
        return say(f"handin.{self.memory or self.state}", exercise=title, **values)

    @property
    def memory(self) -> str:
        """What is known where nothing could be checked: `still_right`, `changed_since`, `not_here`."""
        if self.state in ("passed", "failed") or not self.before.right:
            return ""
        if self.source is None:
            return "not_here"
        return "still_right" if digest(self.source) == self.before.right else "changed_since"


@dataclass(frozen=True)
class ResultFile:
    """A file in a folder of results: the experiment it belongs to, or why it is refused."""

    path: Path
    workload: str = ""
    refused: str = ""
    finished: bool = True


@dataclass(frozen=True)
class Pack:
    """What was packed where, and what a student must know about it."""

    path: Path | None
    lines: tuple[str, ...]
    answers: tuple[PackedAnswer, ...] = ()
    complete: bool = False

    def __str__(self) -> str:
        return "\n".join(self.lines)


@dataclass
class _Files:
    """The files of a pack, by their name in it."""

    contents: dict[str, bytes] = field(default_factory=dict)

    def add(self, name: str, content: str | bytes) -> None:
        self.contents[name] = content if isinstance(content, bytes) else content.encode("utf-8")

    def zipped(self) -> bytes:
        """The files as a zip that depends on nothing but them."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(self.contents):
                archive.writestr(zipfile.ZipInfo(name, EPOCH), self.contents[name], zipfile.ZIP_DEFLATED)
        return buffer.getvalue()


def pack(namespace: Mapping[str, Any], student: str = "", folder: str | os.PathLike[str] = ".") -> Pack:
    """Pack what lies in this session and beside the notebook; `namespace` is the notebook's `globals()`."""
    here = platforms.detect()
    session = [str(source) for source in namespace.get("In", ())]
    running = lessons.defined_in(namespace)
    notebook = notebooks.find(namespace, Path(folder), running) if here.facts.notebook_on_disk else None
    lesson = (notebook and notebook.lesson) or running
    if lesson is None:
        return Pack(None, (say("handin.no_lesson"),))
    known = progress.read()
    answers = tuple(
        replace(_answer(one, namespace, session, notebook), before=known.of(lesson.name, one.cell))
        for one in lesson.exercises
    )
    _remember(lesson, answers)
    found = list(find_results([here.results_folder, Path(folder) / platforms.RESULTS]))
    stale = notebook is not None and any(_is_newer(answer, session, notebook) for answer in answers)
    lines = [*(answer.line for answer in answers), *_result_lines(lesson, found, here), *_guess_lines(lesson)]
    complete = not any(line.startswith("✗") for line in lines) and not stale
    lines = [say("progress.damaged", name=known.path.name), *lines] if known.is_damaged else lines
    if stale:
        lines.append(say("handin.stale", name=notebook.path.name))
    files = _files(
        lesson,
        answers,
        found,
        notebook,
        namespace,
        student=str(student),
        platform=here.name,
        notebook_is_older=stale,
    )
    path, ending = _write(files, f"handin-{lesson.name}.zip", (Path(folder), here.folder))
    lines += ending if path is None else [*ending, *_next_step(path, notebook, here)]
    finished = _finish(lesson, answers, namespace, Path(folder))
    lines += [say("finish.written", name=finished.name)] if finished else []
    if here.name == "jupyterlite":
        for one in filter(None, (path, finished)):
            _offer(one)
    return Pack(path, tuple(lines), answers, complete and path is not None)


# --- what the student wrote --------------------------------------------------------------------------


def _answer(
    exercise: Exercise, namespace: Mapping[str, Any], session: list[str], notebook: Notebook | None
) -> PackedAnswer:
    source = definition(exercise, session)
    if source is None and notebook is not None:
        source = notebook.source_of(exercise)
    if source is None:
        return PackedAnswer(exercise, None, "todo")
    check = _visible_check(exercise, [*(notebook.sources if notebook else []), *session])
    if check is not None and all(name in namespace for name in exercise.names):
        return PackedAnswer(exercise, source, *_run(check, namespace))
    return PackedAnswer(exercise, source, "todo" if STUB in source else "unchecked")


def _remember(lesson: Lesson, answers: Iterable[PackedAnswer]) -> None:
    """What was checked just now is what is known from now on."""
    for answer in answers:
        if answer.state in ("passed", "failed"):
            right = digest(answer.source or "") if answer.state == "passed" else ""
            progress.keep(lesson.name, answer.exercise.cell, right=right)


def _visible_check(exercise: Exercise, sources: Iterable[str]) -> str | None:
    found = [source for source in sources if checked_by(source) == exercise.cell]
    return found[-1] if found else None


def _run(check: str, namespace: Mapping[str, Any]) -> tuple[State, str]:
    """Run a visible check again, on a copy of the names, and say how it went."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(check, "<check>", "exec"), dict(namespace))
    except NotImplementedError:
        return "todo", ""
    except CheckFailed as problem:
        return "failed", str(problem)
    except Exception as problem:
        return "failed", f"{type(problem).__name__}: {str(problem)[:200]}"
    return "passed", ""


def _is_newer(answer: PackedAnswer, session: list[str], notebook: Notebook) -> bool:
    """Whether the session ran an answer that the notebook's file does not hold."""
    there = {source.strip() for source in notebook.sources}
    return any(ran.strip() not in there for ran in defining(session, answer.exercise.names))


# --- results -----------------------------------------------------------------------------------------


def find_results(folders: Iterable[Path]) -> Iterator[ResultFile]:
    """Every result in these folders, each file once; a journal is an experiment that is not done yet."""
    seen: set[Path] = set()
    for path in (path for folder in folders for path in sorted(folder.glob("*.json*"))):
        found = None if path.resolve() in seen else _recognised(path)
        seen.add(path.resolve())
        if found is not None:
            yield found


def _recognised(path: Path) -> ResultFile | None:
    """What a file in a results folder is; None if it has nothing to do with an experiment."""
    workload = platforms.workload_of(path)
    if workload is None:
        return None
    finished = path.suffix == ".json"
    return ResultFile(path, workload, _refusal(path) if finished else "", finished)


def _refusal(path: Path) -> str:
    """Why the file is no sound result; empty where it is one, or where nothing here can tell."""
    try:
        from helpers import results
    except ImportError:
        return ""
    try:
        results.load(path)
    except results.ResultError as problem:
        return str(problem)
    return ""


def _result_lines(lesson: Lesson, found: list[ResultFile], here: platforms.Platform) -> Iterator[str]:
    for file in found:
        if file.refused:
            yield say("handin.bad_result", reason=file.refused)
        elif file.finished:
            yield say("handin.result", name=file.path.name)
        else:
            yield say("handin.unfinished", workload=file.workload)
    if lesson.results and not {file.workload for file in found} & set(lesson.results):
        yield say("handin.no_result", workload=" / ".join(lesson.results), folder=here.results_folder)


# --- the pack ----------------------------------------------------------------------------------------


def _files(
    lesson: Lesson,
    answers: tuple[PackedAnswer, ...],
    found: list[ResultFile],
    notebook: Notebook | None,
    namespace: Mapping[str, Any],
    **facts: object,
) -> _Files:
    files = _Files()
    for answer in answers:
        if answer.source is not None:
            files.add(f"answers/{answer.exercise.cell}.py", answer.source.rstrip("\n") + "\n")
    for file in found:
        files.add(f"results/{file.path.name}", file.path.read_bytes())
    if notebook is not None:
        files.add("notebook.ipynb", _dumped(notebook.content))
    names = [name for exercise in lesson.exercises for name in exercise.names]
    data = {name: value for name in names if (value := _plain(namespace.get(name))) is not None}
    if data:
        files.add("decision.json", _dumped(data))
    if guesses := _guesses(lesson):
        files.add(guessing.FILE, guessing.dumped(guesses))
    manifest = {
        "format": FORMAT,
        "lesson": lesson.name,
        "language": spoken(),
        "helpers": helpers.__version__,
        **facts,
        "exercises": {answer.exercise.cell: answer.state for answer in answers},
        "files": {name: hashlib.sha256(files.contents[name]).hexdigest() for name in sorted(files.contents)},
    }
    files.add("manifest.json", _dumped(manifest))
    return files


def _guesses(lesson: Lesson) -> dict[str, Guess]:
    """What was guessed in this lesson."""
    asked = lesson.words.get("guess", {})
    return {key: one for key, one in guessing.read().items() if key in asked and one.guessed is not None}


def _guess_lines(lesson: Lesson) -> list[str]:
    count = len(_guesses(lesson))
    return [say("handin.guesses", count=count)] if count else []


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _plain(value: object) -> object:
    """The value if JSON can hold it; None otherwise."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return None


def _write(files: _Files, name: str, folders: Iterable[Path]) -> tuple[Path | None, list[str]]:
    """Write the pack, whole or not at all, into the first folder that takes it."""
    content, lines = files.zipped(), []
    for folder in folders:
        path = folder / name
        try:
            writing.replace(path, content)
        except OSError as error:
            lines = [say("handin.no_room", name=path, reason=error.strerror or type(error).__name__)]
            continue
        kilobytes = max(1, round(len(content) / 1000))
        return path, [say("handin.packed", path=path, kilobytes=kilobytes)]
    return None, lines


def _finish(
    lesson: Lesson, answers: Sequence[PackedAnswer], namespace: Mapping[str, Any], folder: Path
) -> Path | None:
    """The student's own page, once every exercise is right."""
    if any(answer.state != "passed" and answer.memory != "still_right" for answer in answers):
        return None
    return finish.write(lesson, [answer.exercise.cell for answer in answers], namespace, folder)


def _offer(path: Path) -> None:
    """A link to a file in the cell's output: a page has no other way to one that lies inside it."""
    from IPython.display import HTML, display

    kind = "text/html" if path.suffix == ".html" else "application/zip"
    content = base64.b64encode(path.read_bytes()).decode()
    display(HTML(f'<a download="{path.name}" href="data:{kind};base64,{content}">⬇ {path.name}</a>'))


def _next_step(path: Path, notebook: Notebook | None, here: platforms.Platform) -> list[str]:
    """What to hand in: the one file, or the notebook too, and where to click for both."""
    menu = say(f"handin.menu.{here.name}", name=path.name) if f"handin.menu.{here.name}" in CATALOG else ""
    if notebook is not None:
        return [say("handin.one_file"), *([menu] if menu else [])]
    return [say("handin.two_files", menu=menu or say("handin.menu.other"))]
