"""The browser site: JupyterLite with both languages' notebooks, `helpers`, and a Python that runs in it.

Built from PyPI and npm packages alone and served as plain files. What a kernel needs to start, `helpers` and
pydantic lie in the site; every other package (matplotlib, numpy) is named by the address where Pyodide
publishes it, so pictures need a network and nothing else does.

    python -m course.publishing.browser bundle/lite
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from course.lesson import notebooks
from course.lesson.folder import CourseFolder
from course.publishing import bundle, links, wheel
from course.text import Problem, say

PYODIDE = "314.0.6"
TAGS = ("--platform", "pyemscripten_2026_0_wasm32", "--python-version", "3.14", "--implementation", "cp")
KERNEL = ("micropip", "ipython", "jedi", "packaging", "typing-extensions", "sqlite3", "tzdata")
# not in Pyodide's list, or there in a version that PyPI's wheels do not go with
FROM_PYPI: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "ipython": (">=9.13,<10", ("ipython-pygments-lexers",)),
    "ipython-pygments-lexers": (">=1.1", ("pygments",)),
    "comm": (">=0.2", ()),
    "pydantic": ("==2.14.4", ("annotated-types", "pydantic-core", "typing-extensions", "typing-inspection")),
    "pydantic-core": ("==2.50.5", ("typing-extensions",)),
    "annotated-types": (">=0.7", ()),
    "typing-inspection": (">=0.4.4", ("typing-extensions",)),
    "typing-extensions": (">=4.16", ()),
}
HELPERS = "iteration-budget-helpers"
KERNELSPEC = {"name": "python", "display_name": "Python (Pyodide)", "language": "python"}
EXTENSION = Path(sys.prefix, "share", "jupyter", "labextensions", "@jupyterlite", "pyodide-kernel-extension")
APPS = ("notebooks", "lab", "tree", "edit")

Lock = dict[str, Any]


def build(folder: CourseFolder, to: Path, cache: Path) -> Path:
    """Build the site into a folder that is replaced by it."""
    _need("jupyter-lite")
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as space:
        lite = Path(space)
        pyodide = lite / "static" / "pyodide"
        unpack(pyodide_package(cache), pyodide)
        place = links.place(folder.root)
        lock = json.loads((pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))
        lock["packages"] = packages(lock["packages"], folder, cache, pyodide, place.packages)
        (pyodide / "pyodide-lock.json").write_text(json.dumps(lock, sort_keys=True), encoding="utf-8")
        contents(folder, lite / "contents")
        (lite / "jupyter-lite.json").write_text(json.dumps(settings(), indent=1), encoding="utf-8")
        _run_lite(lite, to)
    return to


def settings() -> dict[str, Any]:
    """What the site tells JupyterLite: its name, and that the kernel asks no other server for packages."""
    kernel = {"disablePyPIFallback": True}
    return {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "appName": "Iteration Budget 迭代预算",
            "exposeAppInBrowser": True,
            "litePluginSettings": {"@jupyterlite/pyodide-kernel-extension:kernel": kernel},
        },
    }


def contents(folder: CourseFolder, to: Path) -> None:
    """Both languages' released notebooks, for the kernel of the browser."""
    for language in folder.languages:
        for lesson in folder.lessons():
            path = folder.released(lesson, language)
            if not path.is_file():
                raise Problem("release.absent", path=folder.relative(path))
            notebook = notebooks.load(path)
            notebook.metadata["kernelspec"] = dict(KERNELSPEC)
            notebooks.save(notebook, to / bundle.path_of(language, lesson))


def pyodide_package(cache: Path) -> Path:
    """Pyodide's npm package, fetched once."""
    path = cache / f"pyodide-{PYODIDE}.tgz"
    if not path.is_file():
        _need("npm")
        _run(["npm", "pack", "--silent", f"pyodide@{PYODIDE}"], cwd=cache)
    return path


def unpack(package: Path, to: Path) -> None:
    """The files of an npm package that a page loads."""
    to.mkdir(parents=True)
    with tarfile.open(package) as archive:
        for member in archive.getmembers():
            name = Path(member.name).name
            if member.isfile() and not name.endswith((".map", ".d.ts", ".html", ".md")):
                (to / name).write_bytes(archive.extractfile(member).read())


def packages(lock: Lock, folder: CourseFolder, cache: Path, to: Path, address: str) -> Lock:
    """Pyodide's list of packages: those that the site holds, and the addresses of all others."""
    here = closure(lock, KERNEL) - set(FROM_PYPI)
    result = {}
    for name, entry in lock.items():
        if name in here:
            _, content = _wheel(f"{entry['name']}=={entry['version']}", cache)
            result[name] = held(entry, entry["file_name"], content, to)
        elif not name.endswith("-tests"):
            result[name] = {**entry, "file_name": address + entry["file_name"]}
    for name, (versions, depends) in FROM_PYPI.items():
        file_name, content = _wheel(f"{name}{versions}", cache)
        known = {_key(other) for other in lock.get(name, {}).get("depends", [])}
        result[name] = held(_entry(name, file_name, known | set(depends)), file_name, content, to)
    built = wheel.build(folder.root)
    entry = {**_entry(HELPERS, built.name, {"pydantic"}), "imports": ["helpers"]}
    result[HELPERS] = held(entry, built.name, built.content, to)
    return result


def closure(lock: Mapping[str, Any], names: Iterable[str]) -> set[str]:
    """These packages and all that they depend on."""
    found: set[str] = set()
    queue = [name for name in names if name in lock]
    while queue:
        name = queue.pop()
        if name not in found:
            found.add(name)
            queue += [key for key in map(_key, lock[name]["depends"]) if key in lock]
    return found


def held(entry: Mapping[str, Any], file_name: str, content: bytes, to: Path) -> dict[str, Any]:
    """The entry of a package that lies beside the list, with the digest of what lies there."""
    (to / file_name).write_bytes(content)
    return {**entry, "file_name": file_name, "sha256": hashlib.sha256(content).hexdigest()}


def _entry(name: str, file_name: str, depends: Iterable[str]) -> dict[str, Any]:
    return {
        "depends": sorted(depends),
        "imports": [{"ipython": "IPython"}.get(name, name.replace("-", "_"))],
        "install_dir": "site",
        "name": name,
        "package_type": "package",
        "unvendored_tests": False,
        "version": file_name.split("-")[1],
    }


def _key(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _wheel(requirement: str, cache: Path) -> tuple[str, bytes]:
    """A wheel from PyPI, pure or for the browser's Python, fetched once: its name and its bytes."""
    folder = cache / re.sub(r"[^\w.-]+", "_", requirement)
    if not any(folder.glob("*.whl")):
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", *TAGS]
        _run([*command, "-d", str(folder), requirement])
    path = next(folder.glob("*.whl"))
    return path.name, path.read_bytes()


def _run_lite(lite: Path, to: Path) -> None:
    """`jupyter lite build`, then put the new site in the place of the old one."""
    out = lite / "_out"
    config = {
        "apps": list(APPS),
        "contents": [str(lite / "contents")],
        # only the kernel: what else is installed here (nbgrader's buttons, say) is no part of the site
        "federated_extensions": [str(EXTENSION)],
        "ignore_sys_prefix": ["federated_extensions"],
        "no_sourcemaps": True,
        "output_dir": str(out),
    }
    (lite / "jupyter_lite_config.json").write_text(json.dumps({"LiteBuildConfig": config}), encoding="utf-8")
    _run([str(Path(sys.executable).parent / "jupyter-lite"), "build"], cwd=lite)
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(out, to)


def _need(command: str) -> None:
    if not (shutil.which(command) or (Path(sys.executable).parent / command).is_file()):
        raise Problem("browser.missing", command=command)


def _run(command: list[str], cwd: Path | None = None) -> None:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise Problem("browser.failed", command=" ".join(command[:4]), reason=said[-1] if said else "?")


def main(arguments: list[str]) -> int:
    """Build the site for the course that this folder belongs to."""
    folder = CourseFolder.find()
    to = Path(arguments[0]) if arguments else folder.root / bundle.BUNDLE / "lite"
    try:
        build(folder, to, folder.root / "build" / "browser")
    except Problem as problem:
        print(f"✗ {problem}", file=sys.stderr)
        return 2
    size = sum(path.stat().st_size for path in to.rglob("*") if path.is_file())
    print(say("browser.built", path=to, megabytes=round(size / 1e6)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
