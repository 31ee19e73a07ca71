"""Draw the README's pictures again by running the lesson: `python docs/pictures/draw.py`."""

import base64
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
LESSON = "iteration-budget"
PICTURES = {"bounds-plot": "bounds"}


def draw(language: str) -> None:
    """Save the pictures of one language beside this file."""
    notebook = nbformat.read(ROOT / "source" / language / LESSON / f"{LESSON}.ipynb", as_version=4)
    NotebookClient(notebook, resources={"metadata": {"path": str(ROOT)}}).execute()
    for cell in notebook.cells:
        if cell.id in PICTURES:
            image = base64.b64decode(cell.outputs[0].data["image/png"])
            (Path(__file__).parent / f"{PICTURES[cell.id]}-{language}.png").write_bytes(image)


if __name__ == "__main__":
    for language in ("zh", "en"):
        draw(language)
