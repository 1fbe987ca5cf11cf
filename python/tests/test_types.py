"""The package's type hints hold."""

import os
import subprocess
import sys
from pathlib import Path

import carom
import pytest


def test_mypy_finds_nothing_wrong(tmp_path):
    pytest.importorskip("mypy")
    package = Path(carom.__file__).parent
    done = subprocess.run([sys.executable, "-m", "mypy", "--no-site-packages", "--ignore-missing-imports",
                           "--disallow-untyped-defs",
                           "--cache-dir", os.fspath(tmp_path), os.fspath(package)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_everything_public_is_described():
    for name in carom.__all__:
        thing = getattr(carom, name)
        assert thing.__doc__, name
        for part, value in vars(thing).items() if isinstance(thing, type) else ():
            if not part.startswith("_") and (callable(value) or isinstance(value, property)):
                assert value.__doc__, f"{name}.{part}"
