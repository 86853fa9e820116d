"""Counts of a data set."""

from __future__ import annotations

from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.pipeline.sets.statistics import DataStatistics, total_size


def test_statistics_count_everything_once(examples, en_fr):
    counts = DataStatistics(en_fr)
    for example in examples:
        counts.add(example)
    assert len(counts.documents) == 30
    assert counts.total == total_size(examples)
    assert counts.total.segments == len(examples)
    assert counts.total.gaps == counts.classes.total()
    assert counts.total.source_tokens == sum(len(example.source) for example in examples)


def test_inserted_placeholders_are_no_target_tokens(en_fr):
    examples = demo_examples(en_fr, "dev", 5)
    inserted = sum(gap.word == "NONE" for example in examples for gap in example.gaps)
    tokens = sum(len(example.target) for example in examples)
    assert total_size(examples).target_tokens == tokens - inserted
