"""Moving pictures by the program: pages of its viewer, and movies of them."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Mapping, Union

from ._program import call
from .result import Animation, Result


def animate(result: Result, width: Union[int, str], height: int) -> Animation:
    with result.stored() as path, tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        call("view", path, "--out", page, "--no-open")
        return Animation(page.read_text(encoding="utf-8"), width, height)


def movie(result: Result, path: Any, options: Mapping[str, Any]) -> None:
    words = [word for name, value in options.items() if value is not False
             for word in ([f"--{name}"] if value is True else [f"--{name}", value])]
    with result.stored() as file:
        call("movie", file, "--out", os.fspath(path), *words)
