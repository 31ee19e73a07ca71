"""Reference solutions of lesson 2 against numpy, the standard library, and cases worked out by hand."""

from __future__ import annotations

import math
import statistics
from types import SimpleNamespace

import numpy
import pytest
import small
from hypothesis import given, settings
from hypothesis import strategies as st

from course.authoring import mutants
from course.lesson import notebooks
from course.lesson.folder import CourseFolder

TIMES_MS = st.lists(st.floats(1e-3, 1e6, allow_nan=False), min_size=1, max_size=700)
INFINITY = math.inf


@pytest.fixture(scope="module")
def lesson() -> SimpleNamespace:
    """The functions of the reference solutions, as the master defines them."""
    course = CourseFolder(small.ROOT)
    names: dict[str, object] = {}
    exec("from collections.abc import Sequence", names)
    for exercise, source in mutants.references(
        notebooks.load(course.master("benchmark-capacity", "zh"))
    ).items():
        if exercise != "verdicts":
            exec(compile(source, exercise, "exec"), names)
    return SimpleNamespace(**{name: value for name, value in names.items() if callable(value)})


@settings(max_examples=1000, deadline=None)
@given(samples=TIMES_MS)
def test_statistics_are_those_of_numpy_and_the_standard_library(lesson, samples):
    found = lesson.summarize_samples(samples, 0)
    assert found["median_ms"] == pytest.approx(statistics.median(samples))
    for name, q, minimum in (("p95", 95, 60), ("p99", 99, 300)):
        if len(samples) >= minimum:
            assert found[f"{name}_ms"] == numpy.percentile(samples, q, method="inverted_cdf")
        else:
            assert found[f"{name}_ms"] is None
    assert found["too_few"] == [name for name, n in (("p95", 60), ("p99", 300)) if len(samples) < n]


@pytest.mark.parametrize(
    ("q", "buckets", "expected"),
    [
        (0.6, [(1, 4), (2, 8), (INFINITY, 10)], 1 + (6 - 4) / 4),
        (0.5, [(0.1, 0), (0.5, 10), (INFINITY, 10)], 0.3),
        (0.25, [(4, 8), (INFINITY, 8)], 1.0),
        (0.99, [(1, 5), (2, 9), (INFINITY, 10)], 2.0),
        (0.0, [(1, 0), (2, 4), (INFINITY, 4)], 1.0),
        (1.0, [(1, 5), (2, 10), (INFINITY, 10)], 2.0),
    ],
)
def test_a_histogram_quantile_follows_prometheus(lesson, q, buckets, expected):
    assert lesson.histogram_quantile(q, buckets) == pytest.approx(expected)


def test_the_seed_example_of_capacity(lesson):
    found = lesson.token_capacity(20, 14, 1.5, lesson.kv_bytes_per_token(32, 8, 128, 2), 0.90)
    assert (found["usable_bytes"] / 2**30, found["fixed_bytes"] / 2**30) == (18.0, 15.5)
    assert found["tokens"] == 20_480


@settings(max_examples=300, deadline=None)
@given(
    tokens=st.integers(0, 10**6),
    context=st.integers(1, 10**4),
    output=st.integers(0, 10**4),
    block=st.integers(1, 256),
)
def test_requests_fit_and_one_more_does_not(lesson, tokens, context, output, block):
    found = lesson.request_capacity(tokens, context, output, block)
    held = found["blocks_per_request"] * block
    assert held - block < context + output <= held
    assert found["requests"] * found["blocks_per_request"] <= tokens // block
    assert (found["requests"] + 1) * found["blocks_per_request"] > tokens // block
    assert found["wasted_tokens_per_request"] == held - context - output
