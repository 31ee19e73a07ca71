"""Every command that a message advises is one that can be typed: it is there, with these options."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from course import cli, doctor
from course.doctor import Requirement
from course.lesson.toml import load_toml
from helpers import text

ROOT = Path(__file__).parents[1]
QUOTED = re.compile(r"`course\s([^`]*)`")
UNQUOTED = re.compile(r"(?:\brun |运行 ?)course ([a-z-]+(?: (?:\{\w+\}|--?[\w-]+|[\w.-]+))*)")
HELP = {"--help", "-h"}
PLACEHOLDERS = {"COMMAND", "命令", ""}


def advice(language):
    """Each piece of advice with the key of the message that gives it."""
    for folder in ("course", "helpers"):
        messages = json.loads((ROOT / folder / "text" / f"{language}.json").read_text(encoding="utf-8"))
        for key, message in messages.items():
            for found in (*QUOTED.findall(message), *UNQUOTED.findall(message)):
                yield key, " ".join(found.split())


ADVICE = [(language, key, said) for language in text.LANGUAGES for key, said in advice(language)]


@pytest.fixture(scope="module")
def commands():
    return typer.main.get_command(cli._app(None)).commands


@pytest.mark.parametrize(("language", "key", "said"), ADVICE)
def test_the_command_and_its_options_are_there(commands, language, key, said):
    words = said.split()
    name = words[0] if words and not words[0].startswith("-") else ""
    assert name in commands.keys() | PLACEHOLDERS
    options = {word.partition("=")[0] for word in words if word.startswith("-")}
    known = {option for found in getattr(commands.get(name), "params", ()) for option in found.opts}
    assert options <= known | HELP | set(cli.GLOBAL_OPTIONS)


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_there_is_advice_in_each_language(language):
    """The patterns find what they are for: a language whose messages advise nothing is one they miss."""
    found = {said.split()[0] for spoken, _, said in ADVICE if spoken == language and said}
    assert {"doctor", "grade", "release", "translate", "publish", "roster"} <= found


def test_both_languages_advise_the_same():
    words = ((language, key, said.split()[0]) for language, key, said in ADVICE)
    named = [(language, key, word) for language, key, word in words if word not in PLACEHOLDERS]
    zh, en = (
        sorted((key, name) for spoken, key, name in named if spoken == language) for language in ("zh", "en")
    )
    assert zh == en


@pytest.mark.parametrize("extra", ["", "grading", "browser", "gpu"])
def test_a_shell_hands_the_advised_install_on_whole(tmp_path, monkeypatch, extra):
    """Run by a shell, brackets, a space and all, in a folder where `[…]` could match a file."""
    project = tmp_path / "a course"
    project.mkdir()
    (project / "pyproject.toml").touch()
    (tmp_path / "a courseg").touch()
    python = tmp_path / "python"
    python.write_text(f"#!{sys.executable}\nimport json, sys\nprint(json.dumps(sys.argv[1:]))\n")
    python.chmod(0o755)
    monkeypatch.setattr(doctor, "PROJECT", project)
    done = subprocess.run(
        ["/bin/sh", "-c", doctor.install(extra)], env={"PATH": str(tmp_path)}, capture_output=True, check=True
    )
    wanted = f"{project}[{extra}]" if extra else str(project)
    assert json.loads(done.stdout) == ["-m", "pip", "install", "-e", wanted]


def test_every_group_that_is_advised_is_one_that_can_be_installed():
    extras = load_toml(ROOT / "pyproject.toml")["project"]
    groups = {found.group for found in doctor.examine() if "pip install" in found.way_out} - {doctor.LESSONS}
    assert groups | {doctor.GRADING, doctor.BROWSER, doctor.TEST} <= set(extras["optional-dependencies"])


def test_the_advice_survives_the_screen_whole_however_narrow(capsys, monkeypatch):
    """Brackets look like rich's markup, and a narrow column would cut the line."""
    text.speak("en")
    monkeypatch.setenv("COLUMNS", "30")
    way_out = doctor.install("grading")
    assert doctor.show([Requirement("a[b]c", doctor.GRADING, "", way_out, needed=True)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert f"  {way_out}" in lines
    assert "To get a[b]c:" in lines
    assert shlex.split(way_out)[-1].endswith("[grading]")


def test_one_piece_of_advice_is_given_once():
    findings = [Requirement(name, doctor.GRADING, "", "do this") for name in "ab"]
    assert doctor.ways_out([*findings, Requirement("c", doctor.GRADING, "1")]) == {"do this": ["a", "b"]}


@pytest.mark.parametrize(
    ("name", "group", "way_out"),
    [("npm", doctor.BROWSER, "apt install npm"), ("bwrap", doctor.GRADING, "apt install bubblewrap")],
)
def test_a_program_that_is_missing_is_said_with_its_package(monkeypatch, name, group, way_out):
    monkeypatch.setattr(doctor.shutil, "which", lambda program: None)
    found = next(found for found in doctor.examine() if found.name == name)
    assert (found.group, found.found, found.way_out) == (group, "", way_out)


def test_a_font_with_chinese_characters_is_looked_for(monkeypatch):
    monkeypatch.setattr(doctor.shutil, "which", lambda program: None)
    assert doctor._chinese_font().way_out == "apt install fonts-noto-cjk"
    monkeypatch.setattr(doctor.shutil, "which", lambda program: f"/usr/bin/{program}")
    monkeypatch.setattr(doctor, "CHINESE_FONTS", (sys.executable, "-c", "print('Noto Sans CJK SC')"))
    assert doctor._chinese_font().found == "Noto Sans CJK SC"
