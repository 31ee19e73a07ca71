"""The border between the two processes: data passes unchanged, and whatever else comes over it is BadData."""

from __future__ import annotations

import contextlib
import json
import math
import socket
import struct
import threading
import time
from collections import OrderedDict, namedtuple
from enum import IntEnum

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course.sandbox import wire
from course.sandbox.channel import Channel, Closed, Late, parse, within
from course.sandbox.wire import BadData, Foreign, pack, unpack

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.binary(max_size=20)
    | st.complex_numbers(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=4)
        | st.frozensets(st.integers() | st.text(max_size=5), max_size=4)
    ),
    max_leaves=12,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["t", "v", "kind", "callable", "dtype", "shape", "x"]), inner, max_size=5
        )
        | st.builds(
            lambda kind, value: {"t": kind, "v": value, "dtype": "float64", "shape": [2], "kind": "k"},
            st.sampled_from([*sorted(wire.KINDS), "value", "hashed", "__class__"]),
            inner,
        )
    ),
    max_leaves=20,
)


def over(value: object) -> object:
    """The value as it arrives, by way of real bytes."""
    return unpack(parse(json.dumps(pack(value)).encode()))


def same(a: object, b: object) -> bool:
    """Equal in value and in every type, however deep; 1 is not True, and -0.0 is not 0.0."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return a == b and math.copysign(1, a) == math.copysign(1, b)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(map(same, a.values(), b.values()))
    return a == b


@given(PLAIN)
def test_plain_data_arrives_as_it_was(value):
    assert same(over(value), value)


@given(JSON)
@settings(max_examples=500)
def test_anything_else_is_bad_data_and_no_other_error(node):
    with contextlib.suppress(BadData):
        unpack(node)


def test_figures_that_are_no_numbers_arrive():
    assert math.isnan(over(math.nan))
    assert over(-math.inf) == -math.inf
    assert math.copysign(1, over(-0.0)) == -1


class Mine(int):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__

    def __repr__(self) -> str:
        raise RuntimeError


class Colour(IntEnum):
    RED = 3


Pair = namedtuple("Pair", "a b")


@pytest.mark.parametrize(
    ("value", "arrives"),
    [
        (Mine(5), 5),
        (Colour.RED, 3),
        (Pair(1, 2), (1, 2)),
        (OrderedDict(a=1), {"a": 1}),
        (numpy.float32(0.5), 0.5),
        (numpy.int64(7), 7),
        (numpy.bool_(True), True),
        (bytearray(b"ab"), b"ab"),
    ],
    ids=["int subclass", "enum", "named tuple", "ordered", "float32", "int64", "bool_", "bytearray"],
)
def test_a_subclass_arrives_as_the_plain_thing_it_stands_for(value, arrives):
    assert same(over(value), arrives)


def test_an_array_keeps_type_and_shape():
    array = numpy.arange(6, dtype="float32").reshape(2, 3)
    found = over(array)
    assert (found.dtype, found.shape) == (array.dtype, (2, 3))
    assert (found == array).all()
    assert found.flags.writeable


def test_what_is_no_data_is_kept_there_and_named_here():
    kept = []
    node = pack({"f": len, "o": object()}, lambda value: kept.append(value) or len(kept) - 1)
    assert unpack(json.loads(json.dumps(node))) == {
        "f": Foreign(0, "builtin_function_or_method", True),
        "o": Foreign(1, "object", False),
    }
    assert kept[0] is len
    with pytest.raises(TypeError):
        pack(len)


@pytest.mark.parametrize(
    "value",
    [[[]] * 300_000, 10**5_000, "x" * 5_000_000],
    ids=["many", "long integer", "long text"],
)
def test_what_is_too_much_is_refused_where_it_is_sent(value):
    here, there = socket.socketpair()
    with here, there, pytest.raises(BadData):
        Channel(here).send(pack(value))


def test_what_is_too_deep_is_refused_on_both_sides():
    deep: list = []
    for _ in range(100):
        deep = [deep]
    for way in (pack, unpack):
        with pytest.raises(BadData):
            way(deep)
    with pytest.raises(BadData):
        parse(b"[" * 100_000)


def test_keys_that_share_one_hash_cost_no_time():
    """Multiples of the hash's modulus all have hash 0: a table of them is quadratic."""
    modulus = 2**61 - 1
    crafted = [{"t": "int", "v": hex(modulus * number)} for number in range(1, 20_001)]
    started = time.process_time()
    for node in ({"t": "set", "v": crafted}, {"t": "dict", "v": [[key, 0] for key in crafted]}):
        with pytest.raises(BadData):
            unpack(node)
    unpack({"t": "set", "v": crafted[:1_000]})
    assert time.process_time() - started < 10


def test_a_list_of_many_small_records_is_no_attack():
    records = [{"arrival_ms": n, "prompt": 1, "output": 2, "ttft_ms": 3.0} for n in range(9_000)]
    assert over(records) == records


@pytest.mark.parametrize(
    "node",
    [
        {"t": "array", "v": "AAAA", "dtype": "object", "shape": [1]},
        {"t": "array", "v": "AAAAAAAAAAA=", "dtype": "float64", "shape": [-1]},
        {"t": "array", "v": "AAAAAAAAAAA=", "dtype": "float64", "shape": [2**62, 4]},
        {"t": "array", "v": "AAAAAAAAAAA=", "dtype": "float64", "shape": [True]},
        {"t": "int", "v": "0x" + "f" * 2_000},
        {"t": "set", "v": [[1]]},
        {"t": "dict", "v": [[1, 2, 3]]},
        {"t": "foreign", "v": True, "kind": "x", "callable": True},
        {"t": "foreign", "v": 1, "kind": "x", "callable": 1},
        {"t": "bytes", "v": "%%%"},
        {"t": "complex", "v": [1]},
        {"t": "_list", "v": []},
        {"t": ["int"], "v": "1"},
    ],
)
def test_a_node_that_nobody_sends_honestly_is_refused(node):
    with pytest.raises(BadData):
        unpack(node)


def test_a_channel_is_bounded_in_size_and_time():
    here, there = socket.socketpair()
    with here, there:
        channel = Channel(here, limit_bytes=100)
        there.sendall(struct.pack(">I", 101))
        with pytest.raises(BadData):
            channel.receive()
    here, there = socket.socketpair()
    with here, there:
        there.sendall(struct.pack(">I", 50) + b"[1")
        with pytest.raises(Late):
            Channel(here).receive(within(0.1))
    here, there = socket.socketpair()
    with here:
        there.sendall(struct.pack(">I", 50) + b"[1")
        there.close()
        with pytest.raises(Closed):
            Channel(here).receive()


def test_dripping_bytes_do_not_prolong_the_deadline():
    here, there = socket.socketpair()
    there.sendall(struct.pack(">I", 1_000))
    stop = threading.Event()

    def drip() -> None:
        while not stop.wait(0.02):
            there.sendall(b"1")

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        with pytest.raises(Late):
            Channel(here).receive(within(0.3))
    finally:
        stop.set()
        thread.join()
        here.close()
        there.close()
