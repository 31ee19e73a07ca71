"""The `course` command: reads what is wanted, calls the module that does it, says what happened."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from course.doctor import GRADING, install
from course.lesson.folder import CourseFolder
from course.refusals import refusal
from course.text import Problem, both, chosen_language, say
from helpers.text import LANGUAGES, read_lessons, speak
from helpers.writing import nobody_reads

try:
    import typer

    from course import honours, term
    from course.arguments import Folder, Lesson
    from course.arguments import option as _option
    from course.arguments import print_lines as _print
except ModuleNotFoundError:
    sys.exit(both("cli.no_package", name="typer", command=install(GRADING)))

FORMER_NAME_OF_TRANSLATE = "twins"
GLOBAL_OPTIONS = ("--language", "--course")


def main(arguments: list[str] | None = None) -> None:
    """Run the command; a user's mistake ends in one sentence and exit code 2, a failed check in 1."""
    words, options = _global_options(sys.argv[1:] if arguments is None else arguments)
    try:
        speak(chosen_language(options.get("--language")))
        code = _app(options.get("--course"))(words, standalone_mode=False) or 0
        sys.stdout.flush()
        sys.exit(code)
    except BrokenPipeError:
        nobody_reads()
        sys.exit(1)
    except Problem as problem:
        _fail(str(problem))
    except ModuleNotFoundError as problem:
        _fail(say("cli.no_package", name=problem.name, command=install(GRADING)))
    except KeyboardInterrupt:
        _fail(say("cli.interrupted"), code=130)
    except Exception as problem:
        said = _usage(problem) if hasattr(problem, "format_message") else refusal(problem)
        if said is None:
            raise
        _fail(said)


def _app(where: str | None) -> typer.Typer:
    """The command in the language spoken; `where` is the course folder, if one was named."""
    app = typer.Typer(
        help=say("cli.help"),
        add_completion=False,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback(invoke_without_command=True)
    def course(
        context: typer.Context,
        language: Annotated[str | None, _option("cli.language", metavar="|".join(LANGUAGES))] = None,
        course: Annotated[str | None, _option("cli.course", metavar="FOLDER")] = None,
    ) -> None:
        if context.invoked_subcommand is None:
            print(context.get_help())

    def command(function: Callable[..., int | None], name: str = "", hidden: bool = False) -> None:
        key = function.__name__.strip("_")
        texts = {"help": say(f"cli.{key}.help"), "short_help": say(f"cli.{key}.short")}
        app.command(name or key.replace("_", "-"), hidden=hidden, **texts)(function)

    def folder() -> CourseFolder:
        here = CourseFolder.find(Path(where) if where else None)
        read_lessons(here.public_halves)
        return here

    whole_way = (_new_lesson, _translate, _release, _collect, _grade, _feedback, _report, _publish)
    for define in (*whole_way, *term.COMMANDS, *honours.COMMANDS, _demo, _doctor):
        command(define(folder))
    command(_translate(folder), name=FORMER_NAME_OF_TRANSLATE, hidden=True)
    return app


def _new_lesson(folder: Folder) -> Callable[..., int]:
    def new_lesson(lesson: Annotated[str, typer.Argument(metavar="NAME")]) -> int:
        from course.authoring import new_lesson

        here = folder()
        written = new_lesson.write(here, lesson)
        _print(say("new_lesson.written", path=here.relative(path)) for path in written)
        _print(say("new_lesson.untranslated", language=other) for other in new_lesson.untranslated(here))
        _print([say("new_lesson.next", name=lesson)])
        return 0

    return new_lesson


def _translate(folder: Folder) -> Callable[..., int]:
    def translate(
        check: Annotated[bool, _option("cli.translate.check", "--check")] = False,
        translated: Annotated[list[str] | None, _option("cli.translate.translated", metavar="CELL")] = None,
    ) -> int:
        from course.authoring import translations

        here = folder()
        if not check:
            _print(
                say("translations.updated", path=path) for path in translations.update(here, translated or [])
            )
        found = translations.check(here)
        _print(found)
        if found:
            return _failed(say("translations.differ", count=len(found)))
        _print(
            say("translations.clean", lesson=lesson, cells=translations.size(here, lesson))
            for lesson in here.lessons()
        )
        return 0

    return translate


def _release(folder: Folder) -> Callable[..., int]:
    def release(
        lessons: Annotated[list[str] | None, typer.Argument(metavar="[LESSON]...")] = None,
        check: Annotated[bool, _option("cli.release.check", "--check")] = False,
        solutions: Annotated[bool, _option("cli.release.solutions", "--solutions")] = False,
        to: Annotated[str | None, _option("cli.release.to", metavar="FOLDER")] = None,
    ) -> int:
        from course.authoring import release

        here = folder()
        wanted = [here.lesson(lesson) for lesson in lessons or []] or here.lessons()
        if solutions:
            destination = Path(to) if to else here.root / "solutions"
            release.solutions(here, wanted, destination)
            _print([say("release.solutions", path=destination)])
            return 0
        found = release.check(here, wanted) if check else []
        if found:
            _print(found)
            return _failed(say("release.not_clean", count=len(found)))
        written = [] if check else release.release(here, wanted)
        for path in release.destinations(here, wanted):
            key = "written" if path in written else "fresh"
            _print([say(f"release.{key}", path=here.relative(path))])
        return 0

    return release


def _collect(folder: Folder) -> Callable[..., int]:
    def collect(
        lesson: Lesson,
        source: Annotated[str, typer.Argument(metavar="FOLDER|ZIP|FILE")],
        student: Annotated[str | None, _option("cli.collect.student", metavar="ID")] = None,
        received: Annotated[str | None, _option("cli.collect.received", metavar="DATE")] = None,
    ) -> int:
        from course.collecting import account, moments
        from course.collecting.collect import collect_into

        here = folder()
        here.lesson(lesson)
        done = collect_into(here, lesson, Path(source), student, moments.told(received))
        account.show(done)
        return 0 if done.is_clean else 1

    return collect


def _grade(folder: Folder) -> Callable[..., int]:
    def grade(
        lesson: Lesson,
        only: Annotated[list[str] | None, _option("cli.student", "--only", "--student", metavar="ID")] = None,
        regrade: Annotated[bool, _option("cli.grade.regrade", "--regrade")] = False,
        since: Annotated[str | None, _option("cli.grade.since", metavar="DATE")] = None,
        workers: Annotated[int | None, _option("cli.grade.workers", metavar="N", min=1)] = None,
        cluster: Annotated[str | None, _option("cli.grade.cluster", metavar="tcp://...")] = None,
        gradebook: Annotated[str | None, _option("cli.gradebook", metavar="URL")] = None,
        every_cell: Annotated[bool, _option("cli.grade.every_cell", "--every-cell")] = False,
        cell_seconds: Annotated[float, _option("cli.grade.cell_seconds", min=0.1)] = 20.0,
        call_seconds: Annotated[float, _option("cli.grade.call_seconds", min=0.1)] = 5.0,
        trust: Annotated[bool, _option("cli.grade.trust", "--trust-submissions")] = False,
    ) -> int:
        from course.grading import grade, grading_run
        from course.sandbox.limits import ResourceLimits

        here = folder()
        here.lesson(lesson)
        options = grading_run.GradingOptions(
            only=tuple(only or ()),
            regrade=regrade,
            since=grading_run.moment(since) if since else None,
            trusted=trust,
            every_cell=every_cell,
            workers=workers,
            cluster=cluster,
            gradebook=gradebook,
            limits=ResourceLimits.allowing(cell_seconds, call_seconds),
        )
        run = grade.grade(here, lesson, options=options)
        grading_run.show(run)
        term.say_who_is_outside("grade.outside", here, lesson, gradebook)
        return 130 if run.interrupted else 0

    return grade


def _feedback(folder: Folder) -> Callable[..., int]:
    def feedback(
        lesson: Lesson,
        student: Annotated[list[str] | None, _option("cli.student", metavar="ID")] = None,
        platform: Annotated[str | None, _option("cli.feedback.for", "--for", metavar="moodle|canvas")] = None,
        like: Annotated[str | None, _option("cli.feedback.like", metavar="ZIP|FOLDER|SHEET")] = None,
        gradebook: Annotated[str | None, _option("cli.gradebook", metavar="URL")] = None,
    ) -> int:
        from course.grading import lateness
        from course.reporting import feedback

        here = folder()
        here.lesson(lesson)
        lateness.refresh(here, lesson, gradebook)
        pages = feedback.write(here, lesson, student or [], gradebook)
        _print([say("feedback.written", count=len(pages), path=here.root / "feedback")])
        term.say_who_is_outside("feedback.outside", here, lesson, gradebook)
        return term.feedback_for(folder, lesson, platform, like, gradebook) if platform else 0

    return feedback


def _report(folder: Folder) -> Callable[..., int]:
    def report(
        lesson: Lesson,
        html: Annotated[str | None, _option("cli.report.html", metavar="FILE")] = None,
        csv: Annotated[str | None, _option("cli.report.csv", metavar="FILE")] = None,
        history: Annotated[str | None, _option("cli.report.history", metavar="ID")] = None,
        gradebook: Annotated[str | None, _option("cli.gradebook", metavar="URL")] = None,
    ) -> int:
        from course.grading import lateness
        from course.reporting import report

        here = folder()
        here.lesson(lesson)
        lateness.refresh(here, lesson, gradebook)
        if history:
            return term.history_of(here, lesson, history, gradebook)
        result = report.of(here, lesson, gradebook)
        report.show(result)
        page = Path(html) if html else report.place(here, lesson)
        report.write_html(result, page)
        _print([say("report.written", path=page)])
        if csv:
            report.write_csv(result, Path(csv))
            _print([say("report.written", path=csv)])
        return 0

    return report


def _demo(folder: Folder) -> Callable[..., int]:
    def demo(
        lessons: Annotated[list[str] | None, typer.Argument(metavar="[LESSON]...")] = None,
        to: Annotated[str | None, _option("cli.demo.to", metavar="FOLDER")] = None,
    ) -> int:
        from course import demo

        here = folder()
        wanted = [here.lesson(lesson) for lesson in lessons or []]
        lines = demo.run(here, Path(to) if to else here.root / "demo", wanted)
        return 0 if all(line.agrees for line in lines) else 1

    return demo


def _doctor(folder: Folder) -> Callable[..., int]:
    def doctor() -> int:
        from course import doctor

        here = None
        with contextlib.suppress(Problem):  # it is of use outside a course too
            here = folder()
        return doctor.show(doctor.examine(here))

    return doctor


def _publish(folder: Folder) -> Callable[..., int]:
    def publish(
        check: Annotated[bool, _option("cli.publish.check", "--check")] = False,
        to: Annotated[str | None, _option("cli.publish.to", metavar="FOLDER")] = None,
        self_study: Annotated[bool, _option("cli.publish.self_study", "--self-study")] = False,
    ) -> int:
        from course.publishing import bundle

        here = folder()
        usual = bundle.SELF_STUDY if self_study else bundle.BUNDLE
        return bundle.run(here, Path(to) if to else here.root / usual, check, self_study)

    return publish


def _global_options(arguments: list[str]) -> tuple[list[str], dict[str, str]]:
    """Take --language and --course out of the arguments, wherever they stand."""
    words, options, rest = [], {}, iter(arguments)
    for word in rest:
        option, equals, value = word.partition("=")
        if option in GLOBAL_OPTIONS:
            options[option] = value if equals else next(rest, "")
        else:
            words.append(word)
    return words, options


def _usage(problem: Exception) -> str:
    kind = type(problem).__name__
    if kind == "NoSuchOption":
        return say("cli.no_such_option", option=problem.option_name)
    if kind == "MissingParameter":
        return say("cli.missing", name=getattr(problem.param, "metavar", None) or problem.param.name)
    return say("cli.usage", message=problem.format_message().rstrip("."))


def _failed(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 1


def _fail(sentence: str, code: int = 2) -> None:
    print(f"✗ {sentence}", file=sys.stderr)
    sys.exit(code)
