"""Moving pictures by the program: pages of its viewer, and movies of them."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any, Mapping, Union

from ._program import call
from .result import Animation, Result


def _written(result: Result, folder: Path) -> Path:
    """The file of the result, or one made of its rows."""
    if result.path and os.path.exists(result.path):
        return Path(result.path)
    result.save(folder / "result.h5")
    return folder / "result.h5"


def animate(result: Result, width: Union[int, str], height: int) -> Animation:
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        call("view", _written(result, Path(folder)), "--out", page, "--no-open")
        return Animation(page.read_text(encoding="utf-8"), width, height)


def movie(result: Result, path: Any, options: Mapping[str, Any]) -> None:
    words = [word for name, value in options.items() if value is not False
             for word in ([f"--{name}"] if value is True else [f"--{name}", value])]
    with tempfile.TemporaryDirectory() as folder:
        call("movie", _written(result, Path(folder)), "--out", os.fspath(path), *words)
