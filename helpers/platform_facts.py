"""The one table of what is known about notebook platforms, each row with its source and the date it was read.

`platforms` imports it and docs/platforms.md quotes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

PlatformName = Literal[
    "colab", "kaggle", "modelscope", "aistudio", "studiolab", "jupyterhub", "vscode", "jupyterlite", "local"
]
Stays = Literal["always", "when_saved", "browser", "never"]
Hub = Literal["huggingface", "modelscope"]

PLATFORMS: tuple[PlatformName, ...] = get_args(PlatformName)


@dataclass(frozen=True)
class PlatformFacts:
    """What is known about a platform; `source` and `checked` say from where and since when.

    `gpu` is the kind met free of charge, promised or not; `gpu_hours` are those given per `gpu_hours_per`;
    `account` is whose account a student must have, `phone` whether internet there wants a verified one.
    `notebook_on_disk` is False where a kernel cannot read the notebook's own file.
    """

    title: str
    folder: str
    stays: Stays
    source: str
    checked: str
    session_hours: float | None = None
    gpu: str = ""
    gpu_hours: float | None = None
    gpu_hours_per: Literal["day", "week", "once"] | None = None
    hub: Hub = "huggingface"
    notebook_on_disk: bool = True
    account: str = ""
    phone: bool = False


FACTS: Mapping[PlatformName, PlatformFacts] = {
    "colab": PlatformFacts(
        title="Google Colab",
        folder="/content",
        stays="never",
        session_hours=12,
        gpu="T4",
        notebook_on_disk=False,
        account="Google",
        source="https://research.google.com/colaboratory/faq.html",
        checked="2026-09-18",
    ),
    "kaggle": PlatformFacts(
        title="Kaggle",
        folder="/kaggle/working",
        stays="when_saved",
        session_hours=12,
        gpu="T4 × 2, P100",
        gpu_hours=30,
        gpu_hours_per="week",
        notebook_on_disk=False,
        account="Kaggle",
        phone=True,
        source="https://www.kaggle.com/docs/notebooks",
        checked="2026-09-14",
    ),
    "modelscope": PlatformFacts(
        title="ModelScope 魔搭",
        folder="/mnt/workspace",
        stays="always",
        gpu="A10, 24 GB",
        gpu_hours=36,
        gpu_hours_per="once",
        hub="modelscope",
        account="ModelScope",
        source="https://modelscope.cn/my/mynotebook",
        checked="2026-09-14",
    ),
    "aistudio": PlatformFacts(
        title="AI Studio 飞桨",
        folder="/home/aistudio/work",
        stays="always",
        hub="modelscope",
        account="AI Studio",
        source="https://aistudio.baidu.com (first cell of a new project)",
        checked="2026-11-29",
    ),
    "studiolab": PlatformFacts(
        title="SageMaker Studio Lab",
        folder=".",
        stays="always",
        session_hours=4,
        gpu="T4",
        gpu_hours=4,
        gpu_hours_per="day",
        account="Studio Lab",
        source="https://github.com/aws/studio-lab-examples/issues/221",
        checked="2023-07-06",
    ),
    "jupyterhub": PlatformFacts(
        title="JupyterHub",
        folder=".",
        stays="always",
        source="https://jupyterhub.readthedocs.io/en/stable/reference/spawners.html",
        checked="2026-11-29",
    ),
    "vscode": PlatformFacts(
        title="VS Code",
        folder=".",
        stays="always",
        source="https://code.visualstudio.com/docs/datascience/jupyter-notebooks",
        checked="2026-11-29",
    ),
    "jupyterlite": PlatformFacts(
        title="JupyterLite",
        folder=".",
        stays="browser",
        source="https://jupyterlite.readthedocs.io/en/stable/howto/configure/storage.html",
        checked="2026-11-29",
    ),
    "local": PlatformFacts(
        title="Jupyter",
        folder=".",
        stays="always",
        source="https://docs.jupyter.org",
        checked="2026-11-29",
    ),
}
