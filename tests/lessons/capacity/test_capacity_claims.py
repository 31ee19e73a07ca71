"""What the lesson says of the recorded server and of blocks, against counts made in another way."""

from __future__ import annotations

import json

import pytest
import small
from hypothesis import given, settings
from hypothesis import strategies as st

MASTER = small.ROOT / "source" / "zh" / "capacity" / "capacity.ipynb"
CELLS = ("imports", "kinds", "oom", "cap-bytes", "lines", "cap-narrow", "cap-room", "real", "cap-share")
CELLS += ("cap-admit", "served")


@pytest.fixture(scope="module")
def lesson():
    """The names that the master's cells define, and the figures that its tables hold."""
    cells = json.loads(MASTER.read_text("utf-8"))["cells"]
    sources = {cell["id"]: "".join(cell["source"]) for cell in cells}
    names = {}
    for cell in CELLS:
        exec(compile(sources[cell], cell, "exec"), names)
    return names


def test_the_toy_allocator_replays_the_measurement_of_the_rtx_3080(lesson):
    moments = [(row["allocated_mib"], row["reserved_mib"]) for row in lesson["moments"]]
    assert moments == [(12.125, 28), (28.625, 44), (12.125, 44)]


def test_running_out_of_memory_leaves_the_pool_as_it_was(lesson):
    assert lesson["pool"].allocated_mib == 12.125
    assert lesson["low"] == (10_240 - 20 - 2) // 64


def test_from_the_nominal_tokens_to_the_reported_ones(lesson):
    assert [tokens for _, tokens in lesson["STEPS"]] == [54_415, 50_850, 50_848, 41_408]
    assert 2_588 * 16 == 41_408


def test_half_of_the_output_agrees_with_the_recorded_server_and_the_others_do_not(lesson):
    at_once = {row["cap_output_share"]: row["cap_at_once"] for row in lesson["rows"]}
    running = lesson["SERVER"].mean_running_while_queued
    assert running == pytest.approx(34.19, abs=0.01)
    assert abs(at_once[0.5] / running - 1) < 0.03
    assert at_once[1.0] < 0.8 * running < 1.3 * running < at_once[0.0]


@settings(max_examples=200, deadline=None)
@given(
    prompts=st.lists(st.lists(st.integers(0, 1), max_size=12), max_size=6),
    output=st.integers(0, 9),
    size=st.integers(1, 5),
)
def test_shared_blocks_are_those_of_a_tree_of_prefixes(lesson, prompts, output, size):
    tree, own, unshared, most = {}, 0, 0, 0
    for prompt in prompts:
        node, place = tree, 0
        while place + size <= len(prompt):
            node = node.setdefault(str(prompt[place : place + size]), {"count": 0})
            node["count"] += 1
            most, place, unshared = max(most, node["count"]), place + size, unshared + 1
        left = len(prompt) - place + output
        while left > 0:
            own, left = own + 1, left - size

    def nodes(one):
        return sum(1 + nodes(child) for child in one.values() if isinstance(child, dict))

    assert lesson["blocks_held"](prompts, output, size) == {
        "blocks": nodes(tree) + own,
        "unshared_blocks": unshared + own,
        "most_references": most,
    }


@settings(max_examples=200, deadline=None)
@given(
    blocks=st.integers(0, 60),
    size=st.integers(1, 9),
    first=st.integers(1, 60),
    second=st.integers(1, 60),
)
def test_a_mixture_fits_and_one_more_does_not(lesson, blocks, size, first, second):
    limits = lesson["mixture_limits"](blocks, size, first, second)
    needs = [len(range(0, tokens, size)) for tokens in (first, second)]
    for count, most in enumerate(limits):
        used = count * needs[0] + most * needs[1]
        assert used <= blocks < used + needs[1]
    assert len(limits) * needs[0] > blocks


@pytest.mark.parametrize("name", ["cache_sizes", "memory_parts", "mixtures"])
@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_picture_shows_what_it_was_given(lesson, name, language):
    from helpers import plots, text

    given = {
        "cache_sizes": ({"one": {1: 5, 10: 50}, "two": {1: 7, 10: 70}},),
        "memory_parts": ({"weights": 3e9, "kv": 2e9},),
        "mixtures": ({0.5: [4, 2, 0]}, 3.0),
    }[name]
    before = text.spoken()
    text.speak(language)
    try:
        figure = getattr(plots, name)(*given)
        assert figure._repr_png_()[0].startswith(b"\x89PNG")
        with pytest.raises(ValueError):
            getattr(plots, name)({}, *given[1:])
    finally:
        text.speak(before)
