"""The notebooks of examples/python run from top to bottom, in a kernel without a screen; they assert what they say."""

import os
from pathlib import Path

import carom
import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

FOLDER = Path(__file__).parents[2] / "examples" / "python"


def outputs(notebook, kind):
    return [output["data"][kind] for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs
            if kind in output.get("data", {})]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs(path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.fspath(Path(carom.__file__).parents[1]))
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "notebooks are kept without their outputs"
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3",
                            resources={"metadata": {"path": os.fspath(FOLDER)}}).execute()
    if "pyplot" in str(notebook.cells) or ".plot(" in str(notebook.cells):
        pictures = outputs(notebook, "image/png")
        assert pictures and all(len(picture) > 5000 for picture in pictures)
    if "animate()" in str(notebook.cells):
        assert outputs(notebook, "text/html")[-1].startswith("<iframe srcdoc=")
