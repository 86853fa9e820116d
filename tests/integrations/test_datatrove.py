"""The blocks of datatrove, in its own executor."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("datatrove")
pytest.importorskip("orjson")

from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter

import crosspro
from crosspro.integrations.datatrove import ExamplesWriter, PronounExamples, PronounFilter
from tests.integrations.pairs import NONE, RIGHT, RUNNING, WRONG


def document(name, *pairs):
    source, target = ("\n".join(pair[side] for pair in pairs) for side in range(2))
    return {"id": name, "text": target, "metadata": {"source": source}}


def test_a_pipeline_filters_documents_and_makes_examples(tmp_path):
    shards = [
        [document("right", RIGHT, *RUNNING), document("wrong", WRONG)],
        [document("none", NONE), {"id": "odd", "text": "Eins.", "metadata": {"source": "A.\nB."}},
         document("more", *RUNNING, NONE)],
    ]  # fmt: skip
    (tmp_path / "in").mkdir()
    for number, documents in enumerate(shards):
        text = "".join(json.dumps(one) + "\n" for one in documents)
        (tmp_path / "in" / f"{number}.jsonl").write_text(text, encoding="utf-8")
    left = JsonlWriter(str(tmp_path / "left"), compression=None)
    run = LocalPipelineExecutor(
        [
            JsonlReader(str(tmp_path / "in")),
            PronounFilter("en-de", exclusion_writer=left),
            PronounExamples("en-de"),
            ExamplesWriter(str(tmp_path / "examples")),
        ],
        tasks=2,
        workers=1,
        logging_dir=str(tmp_path / "log"),
    )
    stats = [step.stats for step in run.run().stats]
    lines = [
        json.loads(line)
        for path in sorted((tmp_path / "left").iterdir())
        for line in path.read_text("utf-8").splitlines()
    ]
    assert [(one["id"], one["metadata"]["filter_reason"]) for one in lines] == [
        ("wrong", "pronouns"), ("odd", "unequal_lines")
    ]  # fmt: skip
    assert lines[0]["metadata"]["doubtful_pronouns"] == 1
    made = []
    for number, documents in enumerate((["right"] * 3, ["more"] * 3)):
        path = tmp_path / "examples" / f"{number:05}.data"
        assert path.with_suffix(".doc-ids").read_text("utf-8").split() == documents
        made += crosspro.read_examples(path, "en-de-text")
    assert [one.document for one in made] == ["right"] * 3 + ["more"] * 3
    gaps = [gap for one in made for gap in one.gaps]
    assert [gap.label for gap in gaps] == ["sie", "sie", "sie"]
    assert stats[2]["gaps"].total == len(gaps)  # the counts of the shards add up


def test_a_scorer_keeps_everything():
    doc = Document(**document("wrong", WRONG))
    assert PronounFilter("en-de", most=1).filter(doc)[0]
    assert doc.metadata["pronouns"] == doc.metadata["doubtful_pronouns"] == 1
    assert doc.metadata["worst_pronoun"] >= 0.4


def test_a_document_becomes_what_it_becomes_alone():
    own, other = (Document(**document(name, *RUNNING)) for name in ("own", "other"))
    first = Document(**document("first", RIGHT, WRONG))
    alone = [one.text for one in PronounExamples("en-de").run(iter([own]))]
    beside = [one.text for one in PronounExamples("en-de").run(iter([first, other]))]
    assert beside[1:] == alone


@pytest.mark.parametrize("settings", [{"most": 1.5}, {"threshold": -1}])
def test_settings_that_cannot_be(settings):
    with pytest.raises(ValueError, match="a number from 0 to 1"):
        PronounFilter("en-de", **settings)
