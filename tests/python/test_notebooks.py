"""Every notebook of examples/ runs from its first cell to its last. Skipped without nbclient and a kernel."""

import pathlib

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "notebooks"


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.ipynb")))
def test_notebook(name, tmp_path):
    notebook = nbformat.read(FOLDER / name, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "kept without outputs"
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    assert any(cell.get("outputs") for cell in notebook.cells)
