"""Every message exists in both languages, with the same values to fill in."""

import string

import pytest

from helpers import text

HAN = range(0x4E00, 0x9FFF)


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@pytest.mark.parametrize("key", sorted(text.PHRASES))
def test_both_languages_fill_in_the_same_values(key):
    phrase = text.PHRASES[key]
    assert phrase.zh.strip()
    assert phrase.en.strip()
    assert fields(phrase.zh) == fields(phrase.en)


@pytest.mark.parametrize("key", sorted(text.PHRASES))
def test_english_holds_no_han_character(key):
    assert not any(ord(char) in HAN for char in text.PHRASES[key].en)


def test_an_unknown_language_is_refused_by_name():
    with pytest.raises(ValueError, match="language must be one of zh, en, got 'fr'"):
        text.speak("fr")


def test_speaking_changes_what_is_said():
    text.speak("en")
    assert text.say("concept.cost-tie") == "a tie"
    text.speak("zh")
    assert text.say("concept.cost-tie") == "两边相等"


def test_both_languages_in_one_line():
    assert text.both("concept.cost-tie") == "两边相等 · a tie"
