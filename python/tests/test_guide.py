"""Every line of Python in docs/guide/python.md runs, from top to bottom."""

import os
import re
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "python.md"


def test_the_guide_keeps_its_word(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = GUIDE.read_text()
    names = {"__name__": "guide"}
    blocks = list(re.finditer(r"^```python\n(.*?)^```", text, flags=re.M | re.S))
    assert len(blocks) > 5
    for block in blocks:
        lines = text.count("\n", 0, block.start(1))
        exec(compile("\n" * lines + block.group(1), str(GUIDE), "exec"), names)
