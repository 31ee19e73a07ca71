"""A run as a file of JSON lines: read back with every damage named by its line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from helpers.gemm.report import AllocatorWindow, GemmRecord, GemmReport, Setting
from helpers.gemm.shape import Gemm
from helpers.results import Journal, ResultError
from helpers.results.files import explain

_Model = TypeVar("_Model", bound=BaseModel)


def load(path: str | Path) -> GemmReport:
    """The run in a file of JSON lines; a damaged line is refused by its number."""
    path = Path(path)
    lines = Journal(path).read()
    if not lines:
        raise ResultError("result.not_found", path=path)
    setting = checked_part(Setting, lines[0], f"{path.name}:1")
    records: list[GemmRecord] = []
    memory = None
    for number, line in enumerate(lines[1:], start=2):
        where = f"{path.name}:{number}"
        if "gemm" in line:
            records.append(checked_part(GemmRecord, line["gemm"], where))
        else:
            memory = checked_part(AllocatorWindow, line.get("allocator"), where)
    known = {Gemm(*sides) for sides in setting.shapes}
    for record in records:
        if record.shape not in known:
            raise ResultError("gemm.stray", path=path.name, shape=record.shape)
    return GemmReport(setting, tuple(sorted(records, key=lambda record: record.shape.flops)), memory)


def checked_part(kind: type[_Model], data: object, where: str) -> _Model:
    """The part in a line's data; anything else is refused by field, rule and line."""
    if not isinstance(data, Mapping):
        raise ResultError("result.foreign", path=where, got=type(data).__name__)
    try:
        return kind(**data)
    except (ValidationError, TypeError) as error:
        if not isinstance(error, ValidationError):
            raise ResultError("result.bad_json", path=where, reason=str(error)) from None
        field, rule, got = explain(error)
        key = "result.field" if got else "result.rule"
        raise ResultError(key, path=where, field=field, rule=rule, got=got) from None
