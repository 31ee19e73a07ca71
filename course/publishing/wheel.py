"""The wheel that students get: `helpers` alone, pure Python, with its data, the same bytes each time."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import helpers
from course.lesson.toml import load_toml
from course.text import Problem

DISTRIBUTION = "iteration_budget_helpers"
EPOCH = (1980, 1, 1, 0, 0, 0)
SKIPPED = ("__pycache__", ".ipynb_checkpoints")


@dataclass(frozen=True)
class Wheel:
    """A built wheel: its file name and its bytes."""

    name: str
    content: bytes


def build(root: Path) -> Wheel:
    """The wheel of `helpers` as it stands in the project's folder."""
    if not (root / "pyproject.toml").is_file():
        raise Problem("wheel.no_project", path=root / "pyproject.toml")
    version = helpers.__version__
    info = f"{DISTRIBUTION}-{version}.dist-info"
    files = dict(_package(root))
    files |= {f"{info}/licenses/{path}": content for path, content in _licences(root)}
    files[f"{info}/METADATA"] = _metadata(load_toml(root / "pyproject.toml")["project"], version).encode()
    files[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: course publish\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    files[f"{info}/RECORD"] = _record(files, f"{info}/RECORD").encode()
    return Wheel(f"{DISTRIBUTION}-{version}-py3-none-any.whl", zipped(files))


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip of these files that depends on nothing but their names and contents."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            archive.writestr(entry, files[name], zipfile.ZIP_DEFLATED, 9)
    return buffer.getvalue()


def _package(root: Path) -> list[tuple[str, bytes]]:
    paths = sorted(path for path in (root / "helpers").rglob("*") if path.is_file())
    return [
        (path.relative_to(root).as_posix(), path.read_bytes())
        for path in paths
        if not any(part in SKIPPED for part in path.parts) and path.suffix != ".pyc"
    ]


def _licences(root: Path) -> list[tuple[str, bytes]]:
    paths = [root / "LICENSE", *sorted((root / "LICENSES").glob("*"))]
    return [(path.relative_to(root).as_posix(), path.read_bytes()) for path in paths if path.is_file()]


def _metadata(project: Mapping[str, Any], version: str) -> str:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {DISTRIBUTION.replace('_', '-')}",
        f"Version: {version}",
        f"Summary: helpers of the course {project['description']}",
        f"License: {project['license']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {requirement}" for requirement in project["dependencies"]),
    ]
    return "\n".join(lines) + "\n"


def _record(files: Mapping[str, bytes], own_name: str) -> str:
    rows = [f"{name},sha256={_digest(files[name])},{len(files[name])}" for name in sorted(files)]
    return "\n".join([*rows, f"{own_name},,"]) + "\n"


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
