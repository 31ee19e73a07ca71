"""Plain data between the trusted process and a student's: exact builtins, bounded, and never pickled.

The trusted side believes nothing that comes in: `unpack` makes exact builtins, plain arrays and `Foreign`
markers out of JSON, or raises BadData. This file also runs inside the sandbox, so it imports the standard
library only.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

DEPTH = 40
NODES = 200_000
COLLISIONS = 1_000_000
INTEGER_DIGITS = 1_100
ARRAY_TYPES = frozenset([
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "float16", "float32", "float64", "complex64", "complex128",
])  # fmt: skip


class BadData(ValueError):
    """A message that is no data: damaged, too large, too deep, or of a kind that nobody sends honestly."""


@dataclass(frozen=True)
class Foreign:
    """What stands in a message for an object that is not data."""

    key: int
    kind: str
    callable: bool


def pack(value: Any, keep: Callable[[Any], int] | None = None) -> Any:
    """`value` as JSON nodes; `keep` gives a key to each object that is not data, and without it they are
    refused."""
    return _Packer(keep).node(value, 0)


def unpack(node: Any, foreign: Callable[[int, str, bool], Any] = Foreign) -> Any:
    """The data that these JSON nodes describe, with `foreign` for what is not data; raises BadData."""
    try:
        return _Unpacker(foreign).value(node, 0)
    except BadData:
        raise
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError, MemoryError) as problem:
        raise BadData(type(problem).__name__) from None


@dataclass
class _Packer:
    keep: Callable[[Any], int] | None
    nodes: int = 0

    def node(self, value: Any, depth: int) -> Any:
        self.nodes += 1
        if depth > DEPTH or self.nodes > NODES:
            raise BadData(f"data nested deeper than {DEPTH} or of more than {NODES} values")
        if value is None or isinstance(value, bool):
            return value
        if type(value).__module__ == "numpy":
            return self._numpy(value, depth)
        if isinstance(value, int):
            return _whole(int(value))
        if isinstance(value, float):
            return float(value)
        if isinstance(value, str):
            return str.__str__(value)
        return self._compound(value, depth)

    def _compound(self, value: Any, depth: int) -> Any:
        if isinstance(value, list):
            return self._items(value, depth)
        if isinstance(value, complex):
            return {"t": "complex", "v": [value.real, value.imag]}
        if isinstance(value, (bytes, bytearray)):
            return {"t": "bytes", "v": base64.b64encode(bytes(value)).decode()}
        for name, kind in (("tuple", tuple), ("frozenset", frozenset), ("set", set)):
            if isinstance(value, kind):
                return {"t": name, "v": self._items(value, depth)}
        if isinstance(value, Mapping):
            return {"t": "dict", "v": [self._items(pair, depth) for pair in value.items()]}
        return self._foreign(value)

    def _items(self, values: Any, depth: int) -> list:
        return [self.node(value, depth + 1) for value in values]

    def _numpy(self, value: Any, depth: int) -> Any:
        if getattr(value, "ndim", 1) == 0 and type(value).__name__ == "longdouble":
            return float(value)  # its item() is itself
        if getattr(value, "dtype", None) is None or str(value.dtype) not in ARRAY_TYPES:
            return (
                self.node(value.item(), depth + 1) if getattr(value, "ndim", 1) == 0 else self._foreign(value)
            )
        if value.ndim == 0:
            return self.node(value.item(), depth + 1)
        data = base64.b64encode(value.tobytes()).decode()
        return {"t": "array", "v": data, "dtype": str(value.dtype), "shape": list(value.shape)}

    def _foreign(self, value: Any) -> Any:
        kind = type(value).__name__
        if self.keep is None:
            raise TypeError(f"not plain data: {kind}")
        return {"t": "foreign", "v": self.keep(value), "kind": str(kind)[:60], "callable": callable(value)}


@dataclass
class _Unpacker:
    foreign: Callable[[int, str, bool], Any]
    nodes: int = 0
    collisions: int = 0

    def value(self, node: Any, depth: int) -> Any:
        self.nodes += 1
        if depth > DEPTH or self.nodes > NODES:
            raise BadData("too deep or too many")
        if node is None or type(node) in (bool, int, float, str):
            return node
        if type(node) is list:
            return [self.value(item, depth + 1) for item in node]
        if type(node) is not dict or type(node.get("t")) is not str:
            raise BadData("no node")
        reader = getattr(self, f"_{node['t']}", None) if node["t"] in KINDS else None
        if reader is None:
            raise BadData("unknown kind")
        return reader(node, depth + 1)

    def _int(self, node: dict, depth: int) -> int:
        if type(node["v"]) is not str or len(node["v"]) > INTEGER_DIGITS:
            raise BadData("integer too large")
        return int(node["v"], 16)

    def _complex(self, node: dict, depth: int) -> complex:
        real, imaginary = node["v"]
        return complex(float(real), float(imaginary))

    def _bytes(self, node: dict, depth: int) -> bytes:
        return base64.b64decode(_text(node["v"]), validate=True)

    def _tuple(self, node: dict, depth: int) -> tuple:
        return tuple(self._list(node["v"], depth))

    def _set(self, node: dict, depth: int) -> set:
        return set(self._hashed(self._list(node["v"], depth)))

    def _frozenset(self, node: dict, depth: int) -> frozenset:
        return frozenset(self._hashed(self._list(node["v"], depth)))

    def _dict(self, node: dict, depth: int) -> dict:
        pairs = [self._list(pair, depth) for pair in _listed(node["v"])]
        self._hashed([key for key, _ in pairs])
        return dict(pairs)

    def _array(self, node: dict, depth: int) -> Any:
        import numpy

        if node["dtype"] not in ARRAY_TYPES:
            raise BadData("array type")
        shape = [size for size in _listed(node["shape"]) if type(size) is int and size >= 0]
        flat = numpy.frombuffer(base64.b64decode(_text(node["v"]), validate=True), dtype=node["dtype"]).copy()
        if len(shape) != len(node["shape"]) or len(shape) > 32 or math.prod(shape) != flat.size:
            raise BadData("array shape")
        return flat.reshape(shape)

    def _foreign(self, node: dict, depth: int) -> Any:
        if type(node["v"]) is not int or type(node["callable"]) is not bool:
            raise BadData("foreign")
        return self.foreign(
            node["v"], re.sub(r"\W", "", _text(node["kind"]))[:60] or "object", node["callable"]
        )

    def _list(self, node: Any, depth: int) -> list:
        return [self.value(item, depth + 1) for item in _listed(node)]

    def _hashed(self, values: list) -> list:
        """Crafted keys that share one hash make a table quadratic: the sum of squares is bounded."""
        self.collisions += len(values) ** 2
        if self.collisions > COLLISIONS:
            raise BadData("too many keys")
        return values


KINDS = frozenset(["int", "complex", "bytes", "tuple", "set", "frozenset", "dict", "array", "foreign"])


def _whole(value: int) -> Any:
    if -(2**63) <= value < 2**63:
        return value
    if value.bit_length() > 4 * (INTEGER_DIGITS - 4):
        raise BadData("integer too large")
    return {"t": "int", "v": hex(value)}


def _text(node: Any) -> str:
    if type(node) is not str:
        raise BadData("no text")
    return node


def _listed(node: Any) -> list:
    if type(node) is not list:
        raise BadData("no list")
    return node
