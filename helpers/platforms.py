"""Which notebook platform this is, where results survive, and where weights may come from."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from helpers.text import say

PlatformName = Literal[
    "colab", "kaggle", "modelscope", "studiolab", "jupyterhub", "vscode", "jupyterlite", "local"
]
RESULTS = "results"


@dataclass(frozen=True)
class Platform:
    """A notebook platform: the folder for results, and whether it outlives the session."""

    name: PlatformName
    results_folder: Path
    stays: bool

    @property
    def note(self) -> str:
        """What a student must know about results here."""
        return say(f"platform.{self.name}", folder=self.results_folder)


_FOLDERS: dict[PlatformName, tuple[str, bool]] = {
    "colab": ("/content", False),
    "kaggle": ("/kaggle/working", True),
    "modelscope": ("/mnt/workspace", True),
    "studiolab": (".", True),
    "jupyterhub": (".", True),
    "vscode": (".", True),
    "jupyterlite": (".", False),
    "local": (".", True),
}
_DRIVE = "/content/drive/MyDrive"


def detect(
    environ: Mapping[str, str] = os.environ,
    exists: Callable[[str], bool] = os.path.exists,
    system: str = sys.platform,
) -> Platform:
    """The platform that these environment variables and paths belong to."""
    name = _name(environ, exists, system)
    folder, stays = _FOLDERS[name]
    if name == "colab" and exists(_DRIVE):
        folder, stays = _DRIVE, True
    return Platform(name, Path(folder) / RESULTS, stays)


def _name(environ: Mapping[str, str], exists: Callable[[str], bool], system: str) -> PlatformName:
    if system == "emscripten":
        return "jupyterlite"
    if "COLAB_RELEASE_TAG" in environ or "COLAB_GPU" in environ:
        return "colab"
    if "KAGGLE_KERNEL_RUN_TYPE" in environ:
        return "kaggle"
    if any(name.startswith("MODELSCOPE_") for name in environ) and exists("/mnt/workspace"):
        return "modelscope"
    if exists("/home/studio-lab-user"):
        return "studiolab"
    if "JUPYTERHUB_USER" in environ:
        return "jupyterhub"
    return "vscode" if "VSCODE_PID" in environ else "local"


def hub_host(environ: Mapping[str, str] = os.environ) -> str:
    """The host that huggingface_hub asks for weights: `HF_ENDPOINT` where it is set."""
    endpoint = environ.get("HF_ENDPOINT", "https://huggingface.co")
    return endpoint.split("://")[-1].split("/")[0]


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
