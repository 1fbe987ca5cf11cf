"""The program carom that belongs to this package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from .errors import DataError, Error


def program() -> str:
    """Where it is: in the wheel, in the build folder of a checkout, or installed."""
    folder = Path(__file__).parent
    build = Path(os.environ.get("CAROM_BUILD") or folder.parents[1] / "build")
    for path in (folder / "bin" / "carom", build / "carom"):
        if path.is_file():
            return str(path)
    found = shutil.which("carom")
    if not found:
        raise Error("the program carom is not installed")
    return found


def call(*words: object) -> str:
    """What the program says when it is called with words; what it complains of is raised."""
    done = subprocess.run([program(), *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip().removeprefix("carom: ") or f"carom {words[0]} ended with exit code {done.returncode}"
        place = re.match(r"([^:\n]+):(\d+):(\d+): ", said)
        kind = DataError if done.returncode == 2 else Error
        raise kind(said[place.end():], place[1], int(place[2]), int(place[3])) if place else kind(said)
    return done.stdout
