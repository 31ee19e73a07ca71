"""A measurement of another machine, as far as anyone can tell."""

from __future__ import annotations

import copy

from helpers import recorded, results


def slower(factor: float) -> dict:
    """The course's own CPU result, every time multiplied: another machine's, as far as anyone can tell."""
    data = copy.deepcopy(results.to_dict(results.load(recorded.own("smollm2-135m-cpu"))))
    data["run_label"] = "mine"
    data |= {name: factor * data[name] for name in ("timed_s", "wall_s")}
    for part in (*data["records"], *data["sentinels"]):
        for name in [name for name in part if name.endswith(("_median_ms", "_p95_ms", "_iqr_ms", "_per_s"))]:
            value = part.pop(name)
            if part in data["sentinels"] and value is not None:
                part[name] = factor * value
        for name in [name for name in part if name.endswith(("_samples_ms", "_cold_ms"))]:
            value = part[name]
            part[name] = [factor * ms for ms in value] if isinstance(value, (list, tuple)) else factor * value
    data.pop("digest", None)
    return results.to_dict(results.from_dict(data, check_digest=False))
