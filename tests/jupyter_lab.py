"""`jupyter lab` in a course folder, with settings of its own, for tests that open formgrader in a browser."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

TOKEN = "a-token-for-this-test"
PATIENCE_S = 120
SETTINGS = ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR")


@contextmanager
def serving(course: Path, own: Path) -> Iterator[str]:
    """The address of a server that works in `course` and keeps its own things in `own`."""
    commands = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, **{name: str(own / name) for name in SETTINGS}, "PATH": commands}
    environment |= {"IPYTHONDIR": str(own), "COURSE_LANGUAGE": "zh"}
    address = f"http://127.0.0.1:{_free_port()}"
    options = ["--no-browser", "--allow-root", f"--port={address.rpartition(':')[2]}"]
    options += ["--ServerApp.port_retries=0", f"--IdentityProvider.token={TOKEN}"]
    with (own / "log").open("w") as log:
        command = [sys.executable, "-m", "jupyterlab", *options]
        server = subprocess.Popen(command, cwd=course, env=environment, stdout=log, stderr=log)
        try:
            _wait_for(f"{address}/api/status?token={TOKEN}", server)
            yield address
        finally:
            server.terminate()
            server.wait(timeout=30)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def _wait_for(url: str, server: subprocess.Popen) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    raise TimeoutError(f"jupyter lab did not answer at {url}")
