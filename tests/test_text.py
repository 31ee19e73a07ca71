"""Messages are one file a language: the shipped ones say everything, and a new one is a new file."""

import json
import shutil
import string
import subprocess
import sys
from pathlib import Path

import pytest

import course.text
from helpers import text

ROOT = Path(__file__).parents[1]
HAN = range(0x4E00, 0x9FFF)
KEYS = sorted(course.text.CATALOG)


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_nothing_is_missing_in_a_shipped_language(language):
    assert text.LANGUAGES[:2] == ("zh", "en")
    assert len(KEYS) > 800
    assert course.text.missing(language) == ()
    assert text.missing(language) == ()


@pytest.mark.parametrize("key", KEYS)
def test_all_languages_fill_in_the_same_values(key):
    said = [course.text.CATALOG.messages(language)[key] for language in text.LANGUAGES]
    assert all(message.strip() for message in said)
    assert len({frozenset(fields(message)) for message in said}) == 1


@pytest.mark.parametrize("key", sorted(text.CATALOG))
def test_english_holds_no_han_character(key):
    assert not any(ord(char) in HAN for char in text.CATALOG.messages("en")[key])


def test_an_unknown_language_is_refused_by_name():
    with pytest.raises(ValueError, match="language must be one of zh, en, got 'fr'"):
        text.speak("fr")


def test_speaking_changes_what_is_said(copying_words):
    text.speak("en")
    assert text.say("concept.walls-together") == "several at once"
    text.speak("zh")
    assert text.say("concept.walls-together") == "几个并列"


def test_both_languages_in_one_line(copying_words):
    assert text.both("concept.walls-together") == "几个并列 · several at once"


def test_a_word_without_an_entry_is_said_by_its_key_and_a_message_is_not():
    assert [text.say(f"{kind}.no-such") for kind in ("concept", "idea", "column")] == ["no-such"] * 3
    with pytest.raises(KeyError, match=r"check\.no-such"):
        text.say("check.no-such")


def write_lesson(folder: Path, name: str, **concepts: str) -> None:
    words = {"concept": {key: {"zh": word, "en": word} for key, word in concepts.items()}}
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps({"number": 9, "exercises": {}, "words": words}))


def test_two_lessons_that_mean_different_things_by_one_key_are_found(copying_words, tmp_path, monkeypatch):
    monkeypatch.setattr(text._Voice, "lessons", text._Voice.lessons)
    assert text.clashes() == ()
    write_lesson(tmp_path / "lessons", "one", shared="same", apart="this")
    write_lesson(tmp_path / "lessons", "two", shared="same", apart="that")
    text.read_lessons(tmp_path / "lessons")
    assert text.clashes() == ("concept.apart",)
    assert text.say("concept.shared") == "same"
    assert text.say_in("zh", "concept.walls-together") == "几个并列"


CONCEPT = next(key for key in KEYS if key.startswith("concept."))
THIRD = {"check.passed": "✓ {concept} bestanden", CONCEPT: "ein Gleichstand", "grade.trusted": "!"}
PROGRAM = f"""
import course.text
from helpers import checks, text
text.speak("xx")
checks.passed("{CONCEPT.removeprefix("concept.")}")
print(text.say("check.todo"))
print(text.LANGUAGES, course.text.missing("zh"), course.text.say("grade.trusted"))
print(*course.text.missing("xx"), sep="\\n")
"""


CHECKS = ("helpers/checks.py", "helpers/drawing.py", "helpers/facts.py")


def test_a_third_language_is_one_new_file(tmp_path):
    """Not even the folder of the instructor's messages needs another file."""
    for package in ("helpers/text", "helpers/lessons", "course/text"):
        shutil.copytree(ROOT / package, tmp_path / package)
    for module in ("helpers/__init__.py", *CHECKS, "course/__init__.py"):
        shutil.copy(ROOT / module, tmp_path / module)
    (tmp_path / "helpers/text/xx.json").write_text(json.dumps(THIRD, ensure_ascii=False), encoding="utf-8")
    environment = {"PYTHONPATH": str(tmp_path), "PYTHONUTF8": "1"}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, cwd=tmp_path, env=environment, text=True, capture_output=True, check=False)
    assert done.stderr == ""
    passed, todo, facts, *missing = done.stdout.splitlines()
    assert passed == "✓ ein Gleichstand bestanden"
    assert todo == "The TODO is still empty."
    assert facts == "('zh', 'en', 'xx') () !"
    assert missing == sorted(set(KEYS) - set(THIRD))
    assert {"check.todo", "cli.help", "column.batch"} < set(missing)
    assert {key for key in KEYS if key.startswith("idea.")} < set(missing)
