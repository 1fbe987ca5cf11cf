"""Every line of Python in docs/guide/python.md runs, from top to bottom; the reference has what the docstrings say."""

import inspect
import re
from pathlib import Path

import carom

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


def test_the_reference_is_that_of_the_docstrings():
    page = GUIDE.with_name("python_api.md").read_text()
    for name in carom.__all__:
        thing = getattr(carom, name)
        assert f"## {name}\n" in page and inspect.getdoc(thing) in page, f"{name}: run scripts/python_api"
        for part, value in vars(thing).items() if isinstance(thing, type) else ():
            if not part.startswith("_") and inspect.isfunction(value):
                assert inspect.getdoc(value) in page, f"{name}.{part}: run scripts/python_api"
