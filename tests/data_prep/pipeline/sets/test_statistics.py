"""Counts of a data set."""

from __future__ import annotations

from crosspro.data_prep.pipeline.sets.statistics import DataSize


def test_statistics_count_everything_once(examples, en_fr):
    size = DataSize()
    for example in examples:
        size.add(example, en_fr)
    assert size.documents == 30
    assert size.segments == len(examples)
    assert size.gaps == size.classes.total() == sum(len(example.gaps) for example in examples)
    assert size.source_tokens == sum(len(example.source) for example in examples)
    inserted = sum(gap.word == "NONE" for example in examples for gap in example.gaps)
    assert inserted
    tokens = sum(len(example.target) for example in examples)
    assert size.target_tokens == tokens - inserted
