"""Runs inside the sandbox, before the fork: the shell of a notebook, with everything imported."""

from __future__ import annotations

import contextlib
import importlib
import re
import subprocess
import sys

import IPython
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Instance
from traitlets.config import Config

from course.sandbox import pictures
from course.sandbox.outputs import MIME_TYPES, Outputs

INSTALLERS = ("pip", "pip3", "conda", "mamba", "apt", "apt-get", "uv")


class Results(DisplayHook):
    """The value of a cell's last line becomes an output."""

    def __call__(self, result: object = None) -> None:
        if not self.shell.outputs.muted:
            super().__call__(result)
        elif result is not None:
            self.update_user_ns(result)

    def quiet(self) -> bool:
        return ";" in self.shell.history_manager.input_hist_parsed[-1] and super().quiet()

    def write_output_prompt(self) -> None:
        pass

    def write_format_data(self, format_dict: dict, md_dict: dict | None = None) -> None:
        self.shell.outputs.rich("execute_result", format_dict)

    def finish_displayhook(self) -> None:
        pass


class Displays(DisplayPublisher):
    """What `display` shows becomes an output."""

    def publish(self, data: dict, *_: object, **__: object) -> None:
        self.shell.outputs.rich("display_data", data)

    def clear_output(self, wait: bool = False) -> None:
        self.shell.outputs.taken()


class NotebookShell(InteractiveShell):
    """IPython's shell without a terminal and without a kernel: all that it shows goes to `outputs`."""

    displayhook_class = Results
    display_pub_class = Displays
    outputs = Instance(Outputs, ())

    def _showtraceback(self, etype: type, evalue: object, stb: list[str]) -> None:
        self.outputs.error(etype, evalue, stb)

    def transform_cell(self, raw_cell: str) -> str:
        return f"{raw_cell}\n" if _is_plain(raw_cell) else super().transform_cell(raw_cell)

    def should_run_async(self, raw_cell: str, **given: object) -> bool:
        return bool(re.search("async|await", raw_cell)) and super().should_run_async(raw_cell, **given)

    def enable_gui(self, gui: str | None = None) -> None:
        pass

    def enable_matplotlib(self, gui: str | None = None) -> tuple[str, str]:
        return "inline", "agg"

    def system(self, command: str) -> None:
        _system(self, command)


def prepare(modules: list[str]) -> NotebookShell:
    """Import what every notebook needs and make the shell that all students' processes inherit."""
    shell = NotebookShell.instance(config=_config())
    shell.display_formatter.active_types = [mime for mime in MIME_TYPES if mime.startswith("text/")]
    for name in ("pip", "conda", "mamba", "uv"):
        shell.register_magic_function(lambda line: None, "line", name)
    for module in modules:
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    pictures.show_nothing()
    pictures.draw_lazily()
    _warm(shell)
    return shell


def _config() -> Config:
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.xmode = "Context"
    config.InteractiveShell.colors = "NoColor" if IPython.version_info[0] < 9 else "nocolor"
    return config


def _is_plain(source: str) -> bool:
    """True when nothing in the cell could be IPython's own: it is spared a slow second tokenizer."""
    return not re.search(r"[%!?]|^\s*(?:[,;/>]|In \[)|\A\s", source, re.MULTILINE)


def _warm(shell: NotebookShell) -> None:
    """Take the first, slow way through the shell before the fork."""
    for source in ("_warm = [1]\n_warm", "'a';", "%pip list", "1 / 0"):
        shell.run_cell(source, store_history=True)
    shell.reset(new_session=True)
    shell.outputs.taken()


def _system(shell: InteractiveShell, command: str) -> None:
    """`!command`: output captured, bounded in time, and nothing to install while grading."""
    command = shell.var_expand(command, depth=2)
    if (command.split() or [""])[0] in INSTALLERS:
        return
    done = subprocess.run(command, shell=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=10)
    sys.stdout.write(done.stdout.decode("utf-8", "replace"))
    sys.stderr.write(done.stderr.decode("utf-8", "replace"))
    shell.user_ns["_exit_code"] = done.returncode
