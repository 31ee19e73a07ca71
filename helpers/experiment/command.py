"""The command `python -m helpers.experiment`: list, plan, run, show, judge, audit."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

from helpers import results, text, workload
from helpers.experiment import page
from helpers.experiment.planning import gb, lines
from helpers.experiment.running import run
from helpers.experiment.settings import Settings, settings
from helpers.text import both, say
from helpers.writing import nobody_reads

EXAMPLES = """
examples · 例子
  python -m helpers.experiment list
  python -m helpers.experiment plan {default}
  python -m helpers.experiment run {default} --device gpu --label t4-monday
  python -m helpers.experiment run {cpu} --device cpu
  python -m helpers.experiment run {default} --device cpu --weights random --time-budget 3600
  python -m helpers.experiment run {random} --device cpu
  python -m helpers.experiment judge {result}

A run that was cut off goes on with the same command. · 中断后用同一条命令继续。
"""


def _examples() -> str:
    cpu = workload.without_gpu()
    return EXAMPLES.format(
        default=workload.default(),
        cpu=cpu,
        random=workload.with_random_weights(),
        result=results.path_for("results", "default", cpu).as_posix(),
    )


def parser() -> argparse.ArgumentParser:
    """The command line, explained in both languages."""
    top = argparse.ArgumentParser(
        prog="python -m helpers.experiment",
        description=both("command.about"),
        epilog=_examples(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--language", choices=text.LANGUAGES, default=None, help=both("command.language"))
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("list", help=both("command.list"))
    commands.add_parser("page", help=both("command.page"))
    for name in ("plan", "run"):
        _add_protocol(commands.add_parser(name, help=both(f"command.{name}")))
    for name in ("show", "judge", "audit"):
        reader = commands.add_parser(name, help=both(f"command.{name}"))
        reader.add_argument("file", help=both("command.file"))
    return top


def _add_protocol(command: argparse.ArgumentParser) -> None:
    """The arguments that choose and, where the registry allows it, change a protocol."""
    command.add_argument("experiment", choices=sorted(workload.EXPERIMENTS), help=both("command.experiment"))
    command.add_argument("--device", choices=("gpu", "cpu"), default=None, help=both("command.device"))
    command.add_argument("--label", default="default", help=both("command.label"))
    command.add_argument("--weights", choices=("published", "random"), help=both("command.weights"))
    command.add_argument("--source", metavar="FOLDER", help=both("command.source"))
    command.add_argument("--folder", metavar="FOLDER", help=both("command.folder"))
    command.add_argument("--dtype", choices=workload.DTYPES, help=both("command.dtype"))
    command.add_argument("--time-budget", type=float, metavar="SECONDS", help=both("command.budget"))
    command.add_argument("--revision", help=both("command.revision"))
    command.add_argument("--batch-sizes", type=_numbers, metavar="1,2,4", help=both("command.matrix"))
    command.add_argument("--context-lengths", type=_numbers, metavar="128,512", help=both("command.matrix"))
    command.add_argument("--series", type=_words, metavar="dynamic,static", help=both("command.series"))
    command.add_argument("--repeats", type=int, help=both("command.repeats"))
    command.add_argument("--warmup", type=int, help=both("command.repeats"))
    command.add_argument("--version", help=both("command.version"))


def _numbers(value: str) -> tuple[int, ...]:
    return tuple(int(part) for part in value.split(","))


def _words(value: str) -> tuple[str, ...]:
    return tuple(value.split(","))


def chosen(arguments: argparse.Namespace) -> Settings:
    """The settings that a command line asks for."""
    given: dict[str, Any] = {
        "WORKLOAD_VERSION": arguments.version,
        "GPU_DTYPE": arguments.dtype,
        "GPU_MODEL_REVISION": arguments.revision,
        "GPU_BATCH_SIZES": arguments.batch_sizes,
        "GPU_CONTEXT_LENGTHS": arguments.context_lengths,
        "GPU_REPEATS": arguments.repeats,
        "GPU_WARMUP": arguments.warmup,
        "SERIES": arguments.series,
        "TIME_BUDGET_S": arguments.time_budget,
        "WEIGHTS": arguments.weights,
        "SOURCE": arguments.source,
        "GPU_RESULT_DIR": arguments.folder,
    }
    profile = workload.EXPERIMENTS[arguments.experiment].profile_id
    device = arguments.device or ("cpu" if profile == "INF-CPU-MECHANISM" else "gpu")
    mode = "dry_run" if arguments.command == "plan" else f"real_{device}"
    known = {name: value for name, value in given.items() if value is not None}
    return settings(arguments.experiment, RUN_MODE=mode, RUN_LABEL=arguments.label, **known)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 when it did what was asked, 1 when not."""
    asked = parser().parse_args(arguments)
    environment = os.environ.get("LANG", "")
    text.speak(asked.language or ("zh" if environment.startswith("zh") else "en"))
    try:
        code = _COMMANDS[asked.command](asked)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        nobody_reads()
        return 1
    except (results.ResultError, ValueError) as error:
        print(error)
        return 1


def _list(_: argparse.Namespace) -> int:
    for experiment in workload.EXPERIMENTS.values():
        title = experiment.title.in_language(text.spoken())
        print(f"{experiment.id} {experiment.workload.version}  {experiment.profile_id}  {title}")
    return 0


def _page(_: argparse.Namespace) -> int:
    print(page.page(), end="")
    return 0


def _run(asked: argparse.Namespace) -> int:
    outcome = run(chosen(asked), progress=lambda line: print(line, flush=True))
    print(outcome)
    return 0 if outcome.status in ("skipped", "completed") else 1


def _show(asked: argparse.Namespace) -> int:
    print("\n".join(overview(results.load(asked.file))))
    return 0


def overview(report: results.Report) -> list[str]:
    """The matrix of a report as lines of text, and the remarks."""
    names = ("shape", "status", "prefill_median", "prefill_p95", "decode_median", "decode_p95", "kv", "peak")
    headings, rows = [say(f"command.column_{name}") for name in names], []
    for record in report.records:
        times = (
            record.prefill_median_ms,
            record.prefill_p95_ms,
            record.decode_median_ms,
            record.decode_p95_ms,
        )
        shown = ["–" if ms is None else f"{ms:.2f}" for ms in times]
        sizes = [gb(record.kv_cache_bytes), gb(record.peak_memory_bytes)]
        rows.append([str(record.shape), record.failure_kind or record.status, *shown, *sizes])
    head = f"{report.model.id} {report.model.dtype} · {report.hardware.label} · {report.provenance.kind}"
    return [head, *lines(headings, rows), *results.remarks(report)]


def _judge(asked: argparse.Namespace) -> int:
    for row in results.judge(results.load(asked.file)):
        print(row)
    return 0


def _audit(asked: argparse.Namespace) -> int:
    findings = results.audit(asked.file)
    for finding in findings:
        print(f"[{finding.level}] {finding.text}")
    if not findings:
        print(say("command.clean"))
    return 1 if any(finding.level == "error" for finding in findings) else 0


_COMMANDS = {
    "list": _list,
    "page": _page,
    "plan": _run,
    "run": _run,
    "show": _show,
    "judge": _judge,
    "audit": _audit,
}
