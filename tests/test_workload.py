"""The protocol as data, and the registry of experiments."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from helpers import text, workload
from helpers.experiment import page
from helpers.workload import EXPERIMENTS, Shape, Workload

DOCS = Path(__file__).parents[1] / "docs" / "experiments.md"


@pytest.fixture(autouse=True)
def english():
    before = text.spoken()
    text.speak("en")
    yield
    text.speak(before)


def small(**fields) -> Workload:
    given = {"id": "t", "version": "v1", "model_id": "m", "batch_sizes": (1, 2), "context_lengths": (8, 16)}
    return Workload(**{**given, **fields})


def test_a_changed_matrix_needs_another_version():
    with pytest.raises(ValueError, match="batch_sizes changed from"):
        workload.registered(workload.default(), batch_sizes=(1, 2))
    changed = workload.registered(workload.default(), batch_sizes=(1, 2), version="v3-short")
    assert changed.batch_sizes == (1, 2)


@pytest.mark.parametrize(
    ("name", "value"),
    [("repeats", 3), ("warmup", 0), ("seed", 1), ("model_id", "x"), ("series", ("static",))],
)
def test_every_fixed_field_needs_another_version(name, value):
    with pytest.raises(ValueError, match=f"With {name} changed"):
        workload.registered(workload.default(), **{name: value})


def test_a_free_field_changes_without_another_version():
    protocol = workload.registered(workload.default(), dtype="float16", model_revision="abc")
    assert (protocol.dtype, protocol.version) == ("float16", "v3")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"batch_sizes": ()}, "batch_sizes must hold at least one value and none twice"),
        ({"batch_sizes": (1, 1)}, "batch_sizes must hold at least one value and none twice"),
        ({"batch_sizes": (0,)}, "batch_sizes must be positive, got 0"),
        ({"context_lengths": (1.5,)}, "context_lengths must be positive, got 1.5"),
        ({"context_lengths": (True,)}, "context_lengths must be positive, got True"),
        ({"repeats": 0}, "repeats must be an integer >= 1, got 0"),
        ({"warmup": -1}, "warmup must be an integer >= 0, got -1"),
        ({"dtype": "int8"}, "dtype must be one of auto, bfloat16, float16, float32, got 'int8'"),
        ({"series": ("quick",)}, "series must be one of dynamic, static, cuda_graph, got 'quick'"),
        ({"time_budget_s": 0.0}, "time_budget_s must be a positive, finite number of seconds, got 0.0"),
    ],
)
def test_a_bad_protocol_is_refused_with_argument_rule_and_value(fields, said):
    with pytest.raises(ValueError) as error:
        small(**fields)
    assert said in str(error.value)


def test_an_unknown_experiment_names_the_known_ones():
    with pytest.raises(ValueError, match=workload.without_gpu()):
        workload.registered("inf-typo")


def test_a_protocol_cannot_be_altered_in_place():
    with pytest.raises(dataclasses.FrozenInstanceError):
        small().repeats = 5


def test_shapes_go_series_by_series_and_small_before_large():
    protocol = small(series=("dynamic", "static"))
    assert protocol.shapes[:4] == (Shape(8, 1), Shape(8, 2), Shape(16, 1), Shape(16, 2))
    assert all(shape.series == "static" for shape in protocol.shapes[4:])


def test_a_shape_reads_as_batch_times_context():
    assert str(Shape(512, 4)) == "4 × 512"
    assert str(Shape(512, 4, "static")) == "4 × 512 static"
    assert Shape(512, 4).tokens == 2048


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_every_registered_experiment_is_titled_in_both_languages(experiment):
    assert experiment.title.zh != experiment.title.en
    assert experiment.question.zh != experiment.question.en
    assert experiment.id == experiment.workload.id
    assert experiment.free <= set(Workload.__dataclass_fields__)


def test_the_page_in_docs_is_made_from_the_registry():
    assert DOCS.read_text(encoding="utf-8") == page.page()
