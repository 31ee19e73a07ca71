"""Secrets: what a lesson's secret half holds for diagnosis: wrong ideas, inputs, and probes.

Probes are calls that tell ideas apart which the hidden tests alone cannot. `course.authoring.probes` draws
them from the inputs once, and they are kept in `probes.json`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course.lesson.inputs import FunctionInputs, read_inputs
from course.lesson.wrong_ideas import WrongIdeas

PROBES = "probes.json"


@dataclass(frozen=True)
class LessonSecrets:
    """By exercise wrong ideas and probes (each a function's name and arguments), by function its inputs."""

    ideas: WrongIdeas = field(default_factory=WrongIdeas)
    inputs: Mapping[str, FunctionInputs] = field(default_factory=dict)
    probes: Mapping[str, list[tuple[str, dict[str, Any]]]] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path, lesson: str) -> LessonSecrets:
        """From the folder of the lesson's secret half; what is missing there is empty."""
        path = folder / PROBES
        probes = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        found = {key: [(one["function"], one["arguments"]) for one in each] for key, each in probes.items()}
        return cls(WrongIdeas.read(folder, lesson), read_inputs(folder), found)
