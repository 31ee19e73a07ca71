"""Messages between the trusted process and a student's: JSON over a socket, bounded in size and in time.

This file also runs inside the sandbox.
"""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from course.sandbox.wire import BadData

MESSAGE_BYTES = 4_000_000
SecondsLeft = Callable[[], float]  # to wait before it is asked again; 0 or less when time is up


class Closed(ConnectionError):
    """The other side is gone."""


class Late(TimeoutError):
    """The other side did not answer in time."""


def within(seconds: float) -> SecondsLeft:
    """So many seconds from now on by the clock."""
    end = time.monotonic() + seconds
    return lambda: end - time.monotonic()


@dataclass
class Channel:
    """Messages over a socket: four bytes of length, then JSON; bounded in size and in time."""

    socket: socket.socket
    limit_bytes: int = MESSAGE_BYTES

    def send(self, message: Any, left: SecondsLeft | None = None) -> None:
        """Hand over one message; raises BadData when it is too large, Closed or Late when nobody takes it."""
        data = json.dumps(message).encode()
        if len(data) > self.limit_bytes:
            raise BadData(f"more than {self.limit_bytes} bytes")
        waiting = memoryview(struct.pack(">I", len(data)) + data)
        while waiting:
            waiting = waiting[self._now(self.socket.send, waiting, left) :]

    def receive(self, left: SecondsLeft | None = None) -> Any:
        """The next message; raises BadData, Closed or Late."""
        (size,) = struct.unpack(">I", self._exactly(4, left))
        if size > self.limit_bytes:
            raise BadData(f"more than {self.limit_bytes} bytes")
        return parse(self._exactly(size, left))

    def close(self) -> None:
        self.socket.close()

    def _exactly(self, size: int, left: SecondsLeft | None) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            part = self._now(self.socket.recv, min(size - len(parts), 1 << 16), left)
            if not part:
                raise Closed
            parts += part
        return bytes(parts)

    def _now(self, deed: Callable[[Any], Any], what: Any, left: SecondsLeft | None) -> Any:
        """Do it as soon as the socket can, while there is time left."""
        while True:
            seconds = None if left is None else left()
            if seconds is not None and seconds <= 0:
                raise Late
            try:
                self.socket.settimeout(seconds)
                return deed(what)
            except TimeoutError:
                continue
            except OSError:
                raise Closed from None


def parse(data: bytes) -> Any:
    """The JSON in `data`; whatever is wrong with it, BadData."""
    try:
        return json.loads(data, parse_int=_short_integer)
    except (ValueError, RecursionError, MemoryError):
        raise BadData("not JSON") from None


def _short_integer(digits: str) -> int:
    if len(digits) > 30:
        raise BadData("integer too large")
    return int(digits)
