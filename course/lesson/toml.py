"""TOML files, read with whichever library this Python has."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any


def load_toml(path: Path) -> dict[str, Any]:
    """What a TOML file holds."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(path.read_text(encoding="utf-8"))
