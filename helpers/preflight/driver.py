"""What nvidia-smi says of the device that torch uses: the machine may have others, hidden from torch."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from typing import Any

WAIT_S = 10


def gpu_of(torch: Any, environ: Mapping[str, str] = os.environ) -> str:
    """How to name torch's first device to nvidia-smi: its uuid, else what the environment makes visible.

    Of a slice (MIG) the driver tells neither clock nor load, and of the whole GPU they would be others' too:
    the slice's name is given, and the answer stays empty.
    """
    visible = environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0].strip()
    if visible.startswith("MIG-"):
        return visible
    uuid = str(getattr(torch.cuda.get_device_properties(0), "uuid", "") or "")
    if uuid:
        return uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}"
    return visible or "0"


def _command(kind: str, fields: str, gpu: str) -> list[str]:
    chosen = ["-i", gpu] if gpu else []
    return ["nvidia-smi", *chosen, f"--query-{kind}={fields}", "--format=csv,noheader"]


def nvidia_smi(kind: str, fields: str, gpu: str = "") -> str:
    """One query of nvidia-smi, about one device or all; an empty string where it is absent or refuses."""
    try:
        done = subprocess.run(
            _command(kind, fields, gpu), capture_output=True, text=True, timeout=WAIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = done.stdout.strip() if done.returncode == 0 else ""
    return lines.splitlines()[0] if lines and kind == "gpu" else lines


def number(value: str) -> float | None:
    """The number in the driver's "1590 MHz"; None where it tells none ("[N/A]", "[Not Supported]")."""
    digits = value.strip().split(" ")[0]
    return float(digits) if digits.replace(".", "", 1).isdigit() and float(digits) > 0 else None


class Asked:
    """A query of nvidia-smi under way, so that the device can work meanwhile."""

    def __init__(self, fields: str, gpu: str) -> None:
        self.process: subprocess.Popen[str] | None = None
        try:
            self.process = subprocess.Popen(
                _command("gpu", fields, gpu), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
        except OSError:
            return

    @property
    def has_answered(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def numbers(self, count: int) -> tuple[float | None, ...]:
        """The numbers asked for, None for each that the driver does not tell; one that hangs is ended."""
        if self.process is None:
            return (None,) * count
        if self.process.poll() is None:
            self.process.kill()
        answer, _ = self.process.communicate()
        values = [number(value) for value in answer.split(",")] if self.process.returncode == 0 else []
        return tuple((values + [None] * count)[:count])
