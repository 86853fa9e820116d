"""The recipes of docs/integrations.md, each run by its tool where that is installed."""

from __future__ import annotations

import importlib
import json
import re

import pytest

from tests.conftest import ROOT

SOURCE = "I bought a lamp because it was cheap."
WRONG, RIGHT = (f"Ich habe eine Lampe gekauft, weil {word} billig war." for word in ("er", "sie"))


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    """Imports the module whose name is in the first line of a code block of the page."""
    page = (ROOT / "docs" / "integrations.md").read_text("utf-8")
    for name, code in re.findall(r"```python\n# (\w+)\.py\n(.*?)```", page, re.DOTALL):
        (tmp_path / f"{name}.py").write_text(code, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    return importlib.import_module


def test_opusfilter_keeps_pairs_without_a_doubtful_pronoun(recipe, tmp_path):
    pytest.importorskip("opusfilter")
    from opusfilter.opusfilter import OpusFilter

    assert recipe("pronoun_filter")
    (tmp_path / "all.en").write_text(f"{SOURCE}\n{SOURCE}\nGood morning.\n", "utf-8")
    (tmp_path / "all.de").write_text(f"{RIGHT}\n{WRONG}\nGuten Morgen.\n", "utf-8")
    filters = [{"PronounFilter": {}, "module": "pronoun_filter"}]
    files = {"inputs": ["all.en", "all.de"], "outputs": ["kept.en", "kept.de"]}
    step = {"type": "filter", "parameters": {**files, "filters": filters}}
    OpusFilter({"common": {"output_directory": str(tmp_path)}, "steps": [step]}).execute_steps()
    assert (tmp_path / "kept.de").read_text("utf-8").splitlines() == [RIGHT, "Guten Morgen."]


def test_datatrove_keeps_documents_with_few_doubts(recipe, tmp_path):
    pytest.importorskip("datatrove")
    pytest.importorskip("orjson")
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.filters import LambdaFilter
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter

    few_doubts = recipe("pronoun_pipeline").few_doubts
    (tmp_path / "bitext").mkdir()
    texts = {"right": RIGHT, "wrong": WRONG}
    documents = (
        {"id": name, "text": text, "metadata": {"source": SOURCE}} for name, text in texts.items()
    )
    lines = "".join(f"{json.dumps(document)}\n" for document in documents)
    (tmp_path / "bitext" / "0.jsonl").write_text(lines, "utf-8")
    kept = JsonlWriter("kept", compression=None)
    LocalPipelineExecutor([JsonlReader("bitext"), LambdaFilter(few_doubts), kept]).run()
    (path,) = (tmp_path / "kept").iterdir()
    assert [json.loads(line)["id"] for line in path.read_text("utf-8").splitlines()] == ["right"]
