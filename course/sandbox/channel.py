"""Messages between the trusted process and a student's: JSON over a socket, bounded in size and in time.

This file also runs inside the sandbox.
"""

from __future__ import annotations

import json
import socket
import struct
import time
from dataclasses import dataclass
from typing import Any

from course.sandbox.wire import BadData

MESSAGE_BYTES = 4_000_000


class Closed(ConnectionError):
    """The other side is gone."""


class Late(TimeoutError):
    """The other side did not answer in time."""


@dataclass
class Channel:
    """Messages over a socket: four bytes of length, then JSON; bounded in size and in time."""

    socket: socket.socket
    limit_bytes: int = MESSAGE_BYTES

    def send(self, message: Any, deadline: float | None = None) -> None:
        """Hand over one message; raises BadData when it is too large, Closed or Late when nobody takes it."""
        data = json.dumps(message).encode()
        if len(data) > self.limit_bytes:
            raise BadData(f"more than {self.limit_bytes} bytes")
        self._until(deadline)
        try:
            self.socket.sendall(struct.pack(">I", len(data)) + data)
        except TimeoutError:
            raise Late from None
        except OSError:
            raise Closed from None

    def receive(self, deadline: float | None = None) -> Any:
        """The next message; raises BadData, Closed or Late (`deadline` on the monotonic clock)."""
        (size,) = struct.unpack(">I", self._exactly(4, deadline))
        if size > self.limit_bytes:
            raise BadData(f"more than {self.limit_bytes} bytes")
        return parse(self._exactly(size, deadline))

    def close(self) -> None:
        self.socket.close()

    def _exactly(self, size: int, deadline: float | None) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            self._until(deadline)
            try:
                part = self.socket.recv(min(size - len(parts), 1 << 16))
            except TimeoutError:
                raise Late from None
            except OSError:
                raise Closed from None
            if not part:
                raise Closed
            parts += part
        return bytes(parts)

    def _until(self, deadline: float | None) -> None:
        left = None if deadline is None else deadline - time.monotonic()
        if left is not None and left <= 0:
            raise Late
        self.socket.settimeout(left)


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
