"""Reading and writing: damaged, truncated, foreign and hand-edited files are refused with the reason."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from helpers import workload, writing
from helpers.results import bounds
from helpers.results.fields import SCHEMA_VERSION, SCHEMA_VERSION_2, ResultError
from helpers.results.record import RATES, STATED, ShapeRecord
from helpers.results.report import Report
from helpers.text import CATALOG, say

MAX_FILE_BYTES = 64_000_000


def _refuse_constant(name: str) -> Any:
    raise ValueError(say("result.not_json_constant", got=name))


def _no_double_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(say("result.double_key"))
    return dict(pairs)


def parse(text: str, where: str) -> dict[str, Any]:
    """The JSON object in `text`; a damaged or truncated one is refused with line and column."""
    try:
        data = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_no_double_keys)
    except json.JSONDecodeError as error:
        cut = not text.rstrip().endswith("}")
        key = "result.truncated" if cut else "result.damaged"
        raise ResultError(key, path=where, line=error.lineno, column=error.colno) from None
    except (ValueError, RecursionError) as error:
        raise ResultError("result.bad_json", path=where, reason=str(error)) from None
    if not isinstance(data, dict):
        raise ResultError("result.foreign", path=where, got=type(data).__name__)
    return data


def _canonical(value: Any) -> Any:
    """The value with whole floats as integers, so that another program's rewriting changes nothing."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, dict):
        return {key: _canonical(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_canonical(item) for item in value]
    return value


def digest(data: Mapping[str, Any]) -> str:
    """SHA-256 of a report's content, independent of layout and of the order of keys."""
    content = {key: _canonical(value) for key, value in data.items() if key != "content_sha256"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def explain(error: ValidationError) -> tuple[str, str, str]:
    """Field, rule and value of the first thing that pydantic found."""
    first = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"]) or "records"
    got = first.get("input")
    shown = "" if isinstance(got, (dict, list, tuple, BaseModel)) else repr(got)[:80]
    key = f"result.rule.{first['type']}"
    if key in CATALOG:
        return field, say(key, **first.get("ctx", {})), shown
    return field, first["msg"].removeprefix("Value error, "), shown


def from_dict(data: Mapping[str, Any], where: str = "data", *, check_digest: bool = True) -> Report:
    """The report in a dictionary of schema v3 or v2; anything else is refused with the reason."""
    version = data.get("schema_version")
    if version not in (SCHEMA_VERSION, SCHEMA_VERSION_2):
        raise ResultError("result.schema", path=where, got=repr(version)[:80], want=SCHEMA_VERSION)
    bounds.check(data, where)
    content = _upgraded(data) if version == SCHEMA_VERSION_2 else dict(data)
    stamp = content.pop("content_sha256", None)
    try:
        report = Report(**{**content, "read_from": version})
    except (ValidationError, TypeError, ArithmeticError) as error:
        if not isinstance(error, ValidationError):
            raise ResultError("result.bad_json", path=where, reason=str(error)) from None
        field, rule, got = explain(error)
        key = "result.field" if got else "result.rule"
        raise ResultError(key, path=where, field=field, rule=rule, got=got) from None
    if version == SCHEMA_VERSION and check_digest and stamp != digest(data):
        raise ResultError("result.edited", path=where)
    return report


def _upgraded(data: Mapping[str, Any]) -> dict[str, Any]:
    """A v2 dictionary in v3's terms; nothing is invented, what v2 lacks stays empty."""
    known = {name: data[name] for name in Report.model_fields if name in data}
    known["schema_version"] = SCHEMA_VERSION
    if not isinstance(data.get("records"), (list, tuple)):
        return known
    names = {*ShapeRecord.model_fields, *STATED, *RATES}
    known["records"] = [
        {k: v for k, v in item.items() if k in names} if isinstance(item, Mapping) else item
        for item in data["records"]
    ]
    return known


def _read(path: Path) -> bytes:
    """The bytes of a regular file of bounded size; a pipe or a device is none, whatever its size says."""
    with open(path, "rb", opener=_without_waiting) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise ResultError("result.unreadable", path=path, reason="not a file")
        if status.st_size > MAX_FILE_BYTES:
            raise ResultError("result.too_large", path=path.name, megabytes=MAX_FILE_BYTES // 10**6)
        return file.read(status.st_size)


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def load(path: str | os.PathLike[str]) -> Report:
    """The report in a file; damaged, truncated, foreign and hand-edited files are refused with the reason."""
    path = Path(path)
    try:
        text = _read(path).decode("utf-8-sig")
    except FileNotFoundError:
        raise ResultError("result.not_found", path=path) from None
    except UnicodeDecodeError:
        raise ResultError("result.not_utf8", path=path.name) from None
    except OSError as error:
        raise ResultError("result.unreadable", path=path, reason=error.strerror or str(error)) from None
    if not text.strip():
        raise ResultError("result.empty", path=path.name)
    return from_dict(parse(text, path.name), path.name)


_LABEL = re.compile(r"[^\W_][\w.-]{0,63}")


def run_label(label: str) -> str:
    """The label if it can be part of a file name on every platform; refused otherwise."""
    if not isinstance(label, str) or not _LABEL.fullmatch(label) or label.endswith("."):
        raise ResultError("result.label", got=repr(label)[:80])
    return label


def path_for(folder: str | os.PathLike[str], label: str, workload_id: str | None = None) -> Path:
    """Where the result of a run label lies, for example results/iteration_budget_default.json."""
    return Path(folder) / f"{_stem(workload_id or workload.default())}_{run_label(label)}.json"


def journal_for(folder: str | os.PathLike[str], label: str, workload_id: str | None = None) -> Path:
    """Where the finished shapes of a run label lie while it is under way, one line each."""
    return path_for(folder, label, workload_id).with_suffix(".jsonl")


def _stem(workload_id: str) -> str:
    return workload_id.removeprefix("inf-").replace("-", "_")


def to_dict(report: Report) -> dict[str, Any]:
    """The report as plain JSON data, statistics included, stamped with its digest."""
    data = report.model_dump(mode="json", exclude_none=False)
    return {**data, "content_sha256": digest(data)}


def save(report: Report, path: str | os.PathLike[str]) -> Path:
    """Write a report, whole or not at all; an earlier result of the same name is never overwritten."""
    path = Path(path)
    content = (json.dumps(to_dict(report), ensure_ascii=False, indent=1) + "\n").encode()
    if path.exists() and path.read_bytes() == content:
        return path
    with writing.part(path, content) as part:
        _put(part, path)
    return path


def _put(part: Path, path: Path) -> None:
    """Give the finished file its name; where the name is taken, refuse."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise ResultError("result.exists", path=path) from None
    except (OSError, AttributeError):
        if path.exists():
            raise ResultError("result.exists", path=path) from None
        os.replace(part, path)
