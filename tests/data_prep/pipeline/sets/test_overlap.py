"""Text that two data sets share."""

from __future__ import annotations

from crosspro.data_prep.pipeline.sets.overlap import TextIndex, overlap
from tests.examples import example_of


def test_shared_documents_are_found_by_id_and_by_text(examples):
    index = TextIndex()
    index.add(e for e in examples if e.document in ("train-00001", "train-00002"))
    renamed = [example_of(e.source, e.target, e.links, e.gaps, f"x{e.document}") for e in examples]
    assert overlap(examples, index).same_id == ("train-00001", "train-00002")
    rich = overlap(renamed, index, longer_than=0)
    assert rich.same_id == ()
    assert set(rich.same_text) >= {"xtrain-00001", "xtrain-00002"}
