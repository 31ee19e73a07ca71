"""The place for the result, tried out before the expensive part."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from helpers.text import say

ROOM_BYTES = 16_000_000


def trouble(folder: Path) -> str | None:
    """Why nothing can be written there, or None: a file in the way, no permission, a full disk."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.write_bytes(b"0" * 4096)
        probe.unlink()
    except (FileExistsError, NotADirectoryError):
        return say("experiment.place_is_file", folder=folder)
    except OSError as error:
        return say("experiment.place", folder=folder, reason=error.strerror or str(error))
    free = shutil.disk_usage(folder).free
    if free < ROOM_BYTES:
        return say("experiment.place_full", folder=folder, free=f"{free / 1e6:.1f}", need=ROOM_BYTES // 10**6)
    return None
