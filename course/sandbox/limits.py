"""What one student's process may use; known on both sides of the border."""

from __future__ import annotations

from dataclasses import dataclass

CELLS_IN_A_RUN = 3
ONE_MORE, ONE_THAT_DRAWS = b"one more", b"one that draws"  # all that a fork server is ever told


@dataclass(frozen=True)
class ResourceLimits:
    """What one student's process may use."""

    cell_seconds: float = 20.0
    call_seconds: float = 5.0
    total_seconds: float = 120.0
    memory_bytes: int = 2_000_000_000
    disk_bytes: int = 64_000_000
    file_bytes: int = 64_000_000
    processes: int = 32
    open_files: int = 48  # each process may hold a full socket behind each: the product counts

    @classmethod
    def allowing(cls, cell_seconds: float, call_seconds: float) -> ResourceLimits:
        """Limits under which a cell and a call may really take this long: a run has room for some."""
        longest = CELLS_IN_A_RUN * max(cell_seconds, call_seconds)
        return cls(cell_seconds, call_seconds, max(cls.total_seconds, longest))
