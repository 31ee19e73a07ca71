"""Draw the README's pictures again by running the lesson.

python docs/pictures/draw.py
python docs/pictures/draw.py --to /tmp --language zh    # the smallest form: one language, somewhere else
"""

import argparse
import base64
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
LESSON = "iteration-budget"
PICTURES = {"bounds-plot": "bounds"}
LANGUAGES = ("zh", "en")


def draw(language: str, to: Path) -> None:
    """Save the pictures of one language; cells below the last picture do not run."""
    notebook = nbformat.read(ROOT / "source" / language / LESSON / f"{LESSON}.ipynb", as_version=4)
    last = max(number for number, cell in enumerate(notebook.cells) if cell.id in PICTURES)
    del notebook.cells[last + 1 :]
    NotebookClient(notebook, resources={"metadata": {"path": str(ROOT)}}).execute()
    for cell in notebook.cells:
        if cell.id in PICTURES:
            image = base64.b64decode(cell.outputs[0].data["image/png"])
            (to / f"{PICTURES[cell.id]}-{language}.png").write_bytes(image)


def main() -> None:
    """Draw in one language or in all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--to", type=Path, default=Path(__file__).parent, help="else beside this file")
    parser.add_argument("--language", choices=LANGUAGES, help="else all of them")
    asked = parser.parse_args()
    for language in [asked.language] if asked.language else LANGUAGES:
        draw(language, asked.to)


if __name__ == "__main__":
    main()
