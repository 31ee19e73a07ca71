"""Which notebook platform this is, where results survive, and where weights may come from."""

from __future__ import annotations

import json
import os
import platform as machine
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import helpers
from helpers.platform_facts import FACTS, PLATFORMS, PlatformFacts, PlatformName, Stays
from helpers.text import both, is_chosen, say

__all__ = [
    "FACTS",
    "PLATFORMS",
    "RESULTS",
    "Platform",
    "cached_weights",
    "carry",
    "detect",
    "device",
    "hub_endpoint",
    "hub_folder",
    "keep_results",
    "line",
    "workload_of",
]

RESULTS = "results"
MAX_RESULT_BYTES = 64_000_000
SMI = ("nvidia-smi", "--query-gpu=name", "--format=csv,noheader")
_DRIVE_MOUNT = "/content/drive"
_DRIVE = f"{_DRIVE_MOUNT}/MyDrive"
_ENVIRONMENT: tuple[tuple[PlatformName, tuple[str, ...]], ...] = (
    ("colab", ("COLAB_RELEASE_TAG", "COLAB_GPU")),
    ("kaggle", ("KAGGLE_KERNEL_RUN_TYPE", "KAGGLE_URL_BASE")),
)


@dataclass(frozen=True)
class Platform:
    """A notebook platform: the folder for results, and whether it outlives the session."""

    name: PlatformName
    results_folder: Path
    stays: bool
    kept: Stays = "always"

    @property
    def facts(self) -> PlatformFacts:
        """The platform's row of the table."""
        return FACTS[self.name]

    @property
    def folder(self) -> Path:
        """Where what a lesson keeps lies, its results among it: beside the notebook, or where files stay."""
        return self.results_folder.parent

    @property
    def note(self) -> str:
        """What a student must know about results here, in the language spoken."""
        return say(
            "platform.note",
            title=self.facts.title,
            folder=self.results_folder,
            kept=say(f"platform.kept.{self.kept}"),
        )


def detect(
    environ: Mapping[str, str] = os.environ,
    exists: Callable[[str], bool] = os.path.exists,
    system: str = sys.platform,
    writable: Callable[[str], bool] = lambda folder: os.access(folder, os.W_OK),
) -> Platform:
    """The platform that these environment variables and paths belong to."""
    name = _name(environ, exists, system)
    folder, kept = FACTS[name].folder, FACTS[name].stays
    if name == "colab" and exists(_DRIVE):
        folder, kept = _DRIVE, "always"
    if not writable(folder):
        folder, kept = _elsewhere(environ, kept, writable)
    return Platform(name, Path(folder) / RESULTS, kept != "never" and kept != "browser", kept)


def _name(environ: Mapping[str, str], exists: Callable[[str], bool], system: str) -> PlatformName:
    if system == "emscripten":
        return "jupyterlite"
    for name, variables in _ENVIRONMENT:
        if any(variable in environ for variable in variables):
            return name
    if _has(environ, "MODELSCOPE_") and exists("/mnt/workspace"):
        return "modelscope"
    if exists("/home/aistudio/work"):
        return "aistudio"
    if exists("/home/studio-lab-user"):
        return "studiolab"
    if "JUPYTERHUB_USER" in environ:
        return "jupyterhub"
    return "vscode" if _has(environ, "VSCODE_") else "local"


def _has(environ: Mapping[str, str], start: str) -> bool:
    return any(name.startswith(start) for name in environ)


def _elsewhere(environ: Mapping[str, str], kept: Stays, writable: Callable[[str], bool]) -> tuple[str, Stays]:
    """Where results go if the usual folder cannot be written: the home folder, else one that is lost."""
    home = environ.get("HOME") or environ.get("USERPROFILE")
    if home and writable(home):
        return home, kept
    return tempfile.gettempdir(), "never"


def line(wheel: str = "") -> str:
    """Platform, device, version and where results survive, in one line; in both languages if none was chosen.

    `wheel` is the address that the notebook was published with; a newer version named there is said.
    """
    here = detect()
    version = f"helpers {helpers.__version__}"
    told = say if is_chosen() else both
    kept = f"{here.results_folder}: {told(f'platform.kept.{here.kept}')}"
    hint = [told("platform.drive")] if here.name == "colab" and here.kept == "never" else []
    named = re.search(r"-(\d+(?:\.\d+)*)-", wheel.rpartition("/")[2])
    if named and _number(named[1]) > _number(helpers.__version__):
        hint.append(told("platform.older", version=named[1]))
    return " | ".join([here.facts.title, device(), version, kept, *hint])


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def device(system: str = sys.platform, ask: Callable[[], str] | None = None) -> str:
    """The accelerator's name as the driver gives it, without importing torch; CPU where there is none."""
    if system == "emscripten":
        return "WebAssembly"
    names = (ask or _nvidia_smi)().split("\n")
    gpus = [name.strip() for name in names if name.strip()]
    if gpus:
        return gpus[0] if len(gpus) == 1 else f"{len(gpus)} × {gpus[0]}"
    if system == "darwin" and machine.machine() == "arm64":
        return "Apple GPU"
    return f"CPU × {os.cpu_count() or 1}"


def _nvidia_smi() -> str:
    try:
        done = subprocess.run(SMI, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def keep_results(mount: Callable[[str], object] | None = None) -> Platform:
    """Put results where they outlive the session: Colab asks for Google Drive, elsewhere nothing is done.

    Results that lie beside the notebook, uploaded from another platform say, are copied to the others.
    """
    here = before = detect()
    if here.name == "colab" and here.kept == "never":
        try:
            (mount or _mount_drive)(_DRIVE_MOUNT)
        except Exception:  # Colab raises its own errors, all of which mean that there is no Drive
            print(say("platform.no_drive", folder=here.results_folder))
            return here
        here = detect()
    for path in carry([before.results_folder, Path(".")], here.results_folder):
        print(say("platform.carried", name=path.name, folder=path.parent))
    print(here.note)
    return here


def carry(folders: Iterable[Path], to: Path) -> list[Path]:
    """Copy the results in these folders into another one, unless it has them; returns the copies."""
    copies = []
    for path in (path for folder in folders for path in sorted(folder.glob("*.json*"))):
        target = to / path.name
        if workload_of(path) is not None and not target.exists():
            to.mkdir(parents=True, exist_ok=True)
            part = target.with_name(f".{target.name}.part")
            shutil.copyfile(path, part)
            os.replace(part, target)
            copies.append(target)
    return copies


def workload_of(path: Path) -> str | None:
    """The experiment that a result or an unfinished run's journal belongs to; None for any other file."""
    try:
        if path.stat().st_size > MAX_RESULT_BYTES:
            return None
        text = path.read_text(encoding="utf-8-sig")
        head = json.loads(text if path.suffix == ".json" else text.split("\n", 1)[0])
        identity = head.get("report", head)["workload"]["id"]
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return None
    return identity if isinstance(identity, str) else None


def _mount_drive(where: str) -> None:
    from google.colab import drive

    drive.mount(where)


def hub_endpoint(environ: Mapping[str, str] = os.environ) -> str:
    """The address that huggingface_hub asks for weights: `HF_ENDPOINT` as it stands, where it is set."""
    endpoint = environ.get("HF_ENDPOINT", "").strip().rstrip("/") or "https://huggingface.co"
    return endpoint if "://" in endpoint else f"https://{endpoint}"


def hub_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Where the hub's client keeps what it downloads."""
    if "HF_HUB_CACHE" in environ:
        return Path(environ["HF_HUB_CACHE"])
    home = environ.get("HF_HOME") or os.path.join(os.path.expanduser("~"), ".cache", "huggingface")
    return Path(home).absolute() / "hub"


def cached_weights(model_id: str, environ: Mapping[str, str] = os.environ) -> Path | None:
    """The folder where the hub's client keeps this model, if a snapshot of it is there."""
    folder = hub_folder(environ) / f"models--{model_id.replace('/', '--')}" / "snapshots"
    snapshots = sorted(folder.iterdir()) if folder.is_dir() else []
    return next((s for s in snapshots if any(s.glob("*.safetensors")) or any(s.glob("*.bin"))), None)
