"""One notebook as different editors save it: the same answers, each with its peculiarities."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

Content = dict[str, Any]

LANGUAGE_INFO = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
    "version": "3.12.12",
}


def jupyterlab(content: Content) -> bytes:
    """JupyterLab: language_info in full, empty tags and slideshow in touched cells, indent 1."""
    content = copy.deepcopy(content)
    content["metadata"]["language_info"] = LANGUAGE_INFO
    for number, cell in enumerate(_code(content)):
        cell["execution_count"] = number + 1
        cell["metadata"] = {"editable": True, "slideshow": {"slide_type": ""}, "tags": []} | cell["metadata"]
        cell["outputs"] = [_printed("done\n")]
    return json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n"


def vscode(content: Content) -> bytes:
    """VS Code: no kernelspec, vscode.interpreter and vscode.languageId, indent 4, no newline at the end."""
    content = copy.deepcopy(content)
    content["metadata"].pop("kernelspec", None)
    content["metadata"]["vscode"] = {"interpreter": {"hash": "31f2aee4e71d21fbe5cf8b01ff0e069b"}}
    for cell in content["cells"]:
        cell["metadata"]["vscode"] = {"languageId": "python"}
    return json.dumps(content, indent=4, ensure_ascii=False).encode()


def colab(content: Content) -> bytes:
    """Colab: nbformat 4.0, random ids in the metadata, who ran what when, a button on top."""
    content = copy.deepcopy(content)
    content["nbformat_minor"] = 0
    content["metadata"] |= {
        "colab": {"provenance": [], "toc_visible": True, "gpuType": "T4"},
        "accelerator": "GPU",
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
    }
    for number, cell in enumerate(content["cells"]):
        cell.pop("id", None)
        cell["metadata"]["id"] = f"x{number:011d}"
    for number, cell in enumerate(_code(content)):
        user = {"displayName": "Ada Lovelace", "userId": "01234567890123456789"}
        ran = {
            "status": "ok",
            "timestamp": 1795000000000 + number,
            "user_tz": -480,
            "elapsed": 7,
            "user": user,
        }
        cell["metadata"] |= {"executionInfo": ran, "colab": {"base_uri": "https://localhost:8080/"}}
        cell["metadata"] |= {"outputId": f"aee402f2-7489-4bef-eae1-{number:012d}"}
        cell["execution_count"] = number + 1
    button = {"colab_type": "text", "id": "view-in-github"}
    top = {
        "cell_type": "markdown",
        "metadata": button,
        "source": ['<a href="https://colab…">Open In Colab</a>'],
    }
    content["cells"].insert(0, top)
    return json.dumps(content, ensure_ascii=True).encode()


def colab_keeping_ids(content: Content) -> bytes:
    """Colab, for a notebook of format 4.5: the ids come back, the rest as before."""
    saved = json.loads(colab(content))
    saved["nbformat_minor"] = 5
    ids = ["view-in-github", *(cell["id"] for cell in content["cells"])]
    for cell, name in zip(saved["cells"], ids, strict=True):
        cell["id"] = cell["metadata"]["id"] = name
    return json.dumps(saved, indent=2).encode()


def kaggle(content: Content) -> bytes:
    """Kaggle, saved while editing: format 4.4 without ids, guids and times in code cells."""
    content = copy.deepcopy(content)
    content["nbformat_minor"] = 4
    content["metadata"]["kaggle"] = {
        "accelerator": "nvidiaTeslaT4",
        "isGpuEnabled": True,
        "sourceType": "notebook",
    }
    for number, cell in enumerate(content["cells"]):
        cell.pop("id", None)
        cell["metadata"] |= {
            "_uuid": f"{number:040x}",
            "_cell_guid": f"b1076dfc-b9ad-4769-8c92-{number:012x}",
        }
    for cell in _code(content):
        times = {
            "iopub.execute_input": "2026-11-29T17:54:40.889713Z",
            "shell.execute_reply": "2026-11-29T17:54:41Z",
        }
        cell["metadata"] |= {"trusted": True, "execution": times}
    return json.dumps(content).encode()


def kaggle_committed(content: Content) -> bytes:
    """Kaggle, “Save & Run All”: papermill ran it, gave every cell a new id and wrote times everywhere."""
    content = copy.deepcopy(content)
    run = {"duration": 0.5, "end_time": "2026-11-29T18:00:00", "exception": None, "status": "completed"}
    content["metadata"]["papermill"] = {**run, "default_parameters": {}, "version": "2.6.0"}
    for number, cell in enumerate(content["cells"]):
        cell["id"] = f"{number * 2654435761 % 2**32:08x}"
        cell["metadata"] = {"tags": []} | cell["metadata"] | {"papermill": {**run, "exception": False}}
    anchor = (
        '<span id="papermill-error-cell" style="color:red;">Execution using papermill encountered…</span>'
    )
    content["cells"].insert(3, {"cell_type": "markdown", "id": "f00dfeed", "metadata": {}, "source": anchor})
    return json.dumps(content, indent=1).encode()


def jupyterlite(content: Content) -> bytes:
    """JupyterLite: its own kernelspec, `trusted` in code cells; ids and nbgrader's metadata stay."""
    content = copy.deepcopy(content)
    content["metadata"]["kernelspec"] = {
        "name": "python",
        "display_name": "Python (Pyodide)",
        "language": "python",
    }
    content["metadata"]["language_info"] = {**LANGUAGE_INFO, "version": "3.8"}
    for cell in _code(content):
        cell["metadata"]["trusted"] = True
    return json.dumps(content, indent=2, ensure_ascii=False).encode()


def windows(content: Content) -> bytes:
    """An editor on Windows: UTF-16 with its mark, CRLF between lines."""
    text = json.dumps(content, indent=1, ensure_ascii=False).replace("\n", "\r\n")
    return text.encode("utf-16")


def older_release(content: Content) -> bytes:
    """Begun from an older release: graded cells right behind the check before them, and nothing folded."""
    content = copy.deepcopy(content)
    graded: dict[str, list[Content]] = {}
    exercise = ""
    for cell in content["cells"]:
        grader = cell["metadata"].get("nbgrader", {})
        if grader.get("grade"):
            graded[exercise].append(cell)
        elif grader:
            exercise = cell["id"]  # the solution, then its visible check
            graded[exercise] = []
    tests = [cell["id"] for cells in graded.values() for cell in cells]
    others = [cell for cell in content["cells"] if cell["id"] not in tests]
    content["cells"] = [one for cell in others for one in (cell, *graded.get(cell["id"], []))]
    for cell in content["cells"]:
        cell["metadata"] = {k: v for k, v in cell["metadata"].items() if k not in ("jupyter", "cellView")}
        lines = "".join(cell["source"]).split("\n")
        if cell["id"] == "setup":
            lines = lines[1:]  # it had no title
        cell["source"] = "\n".join(lines).replace("# @title ", "# ")
    return json.dumps(content, ensure_ascii=False).encode()


EDITORS: dict[str, Callable[[Content], bytes]] = {
    editor.__name__: editor
    for editor in (
        jupyterlab,
        vscode,
        colab,
        colab_keeping_ids,
        kaggle,
        kaggle_committed,
        jupyterlite,
        windows,
        older_release,
    )
}


def _code(content: Content) -> Iterator[dict[str, Any]]:
    return (cell for cell in content["cells"] if cell["cell_type"] == "code")


def _printed(text: str) -> dict[str, Any]:
    return {"name": "stdout", "output_type": "stream", "text": [text]}
