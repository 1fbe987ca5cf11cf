"""Moving pictures by the program: pages of its viewer, and its drawings of the bodies one by one."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, List, Union

import numpy as np

from ._program import call
from .errors import DataError, Error
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


def film(result: Result, path: Any, frames: int, rate: int, view: str) -> List[str]:
    target = Path(os.fspath(path))
    if target.suffix not in ("", ".mp4"):
        raise DataError("a film is a folder, or a file that ends in .mp4", file=str(target))
    if target.suffix and not shutil.which("ffmpeg"):
        raise Error("ffmpeg is not installed; without it a film is a folder of pictures")
    with tempfile.TemporaryDirectory() as folder:
        file, pictures = _written(result, Path(folder)), Path(folder) if target.suffix else target
        pictures.mkdir(exist_ok=True)
        names = []
        for i, t in enumerate(np.linspace(result["t"][0], result["t"][-1], frames)):
            names.append(str(pictures / f"frame{i:05d}.png"))
            call("plot", file, "--scene", "--at", repr(float(t)), "--out", names[-1], *(["--view", view] if view else []))
        if not target.suffix:
            return names
        subprocess.run(["ffmpeg", "-y", "-loglevel", "error", "-framerate", str(rate), "-i",
                        str(pictures / "frame%05d.png"), "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white",
                        "-pix_fmt", "yuv420p", str(target)], check=True)
        return [str(target)]
