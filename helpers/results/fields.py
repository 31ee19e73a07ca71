"""What the parts of a result file are made of: versions of the schema, kinds of fields, the refusal."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from helpers.text import say

SCHEMA_VERSION = "inference-mechanism-gpu/v3"
SCHEMA_VERSION_2 = "inference-mechanism-gpu/v2"

MOST = 2**63 - 1  # what every reader of JSON holds
MOST_RECORDS = 4096
MOST_SAMPLES = 10_000  # in one list of one record; a run takes tens
MOST_VALUES = 1_000_000  # in one file
MOST_KEYS = 100  # of one object
MOST_DEPTH = 8
Count = Annotated[int, Field(strict=True, ge=1, le=MOST)]
Bytes = Annotated[int, Field(strict=True, ge=0, le=MOST)]
Whole = Annotated[int, Field(strict=True, ge=0, le=MOST)]
Ms = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
Rate = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
Seconds = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Text = Annotated[str, Field(strict=True, min_length=1, max_length=2000)]
Flag = Annotated[bool, Field(strict=True)]


class ResultError(ValueError):
    """A result that is refused; `key` says why, `field` where."""

    def __init__(self, key: str, *, field: str | None = None, **values: object) -> None:
        self.key = key
        self.field = field
        super().__init__(say(key, **({"field": field} if field else {}), **values))


class ReportPart(BaseModel):
    """A part of a result file: nothing in it changes, and nothing unknown is let in."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())
