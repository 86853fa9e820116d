"""Notebooks are executed, and print what they show."""

from __future__ import annotations

import copy

import pytest

from crosspro.scripts.reproduce.site.notebooks import NOTEBOOKS, notebook_page

NAMES = sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))


def printed(notebook):
    """What each cell of a notebook printed, warnings left out."""
    return [
        ["".join(one.get("text", "")) for one in cell.get("outputs", ()) if one["name"] == "stdout"]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def test_there_are_two():
    assert NAMES == ["predictor.ipynb", "systems.ipynb"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_prints_what_it_shows(name):
    nbformat = pytest.importorskip("nbformat", reason="needs the extra notebooks")
    nbclient = pytest.importorskip("nbclient", reason="needs the extra notebooks")
    pytest.importorskip("ipykernel", reason="needs the extra notebooks")
    pytest.importorskip("sklearn", reason="needs the extra train")
    notebook = nbformat.read(NOTEBOOKS / name, as_version=4)
    executed = copy.deepcopy(notebook)
    place = {"metadata": {"path": str(NOTEBOOKS)}}
    nbclient.NotebookClient(executed, timeout=300, resources=place).execute()
    assert printed(executed) == printed(notebook)


def test_a_notebook_is_a_page():
    output = {"output_type": "stream", "name": "stdout", "text": ["1\n"]}
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "\n", "Text."]},
        {"cell_type": "code", "source": ["print(1)"], "outputs": [output]},
    ]
    page = notebook_page({"cells": cells}, "x.ipynb")
    assert page.startswith("# Title\n\nText.\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n")
    assert "[x.ipynb](x.ipynb)" in page
