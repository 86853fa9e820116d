"""Counts of a data set."""

from __future__ import annotations

from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.pipeline.sets.statistics import data_statistics


def test_statistics_count_everything_once(examples, en_fr):
    found = data_statistics(examples, en_fr)
    assert len(found.documents) == 30
    assert found.total.segments == len(examples)
    assert found.total.gaps == sum(found.classes.values())
    assert found.total.source_tokens == sum(len(example.source) for example in examples)
    assert set(found.pronouns) == {"it", "they"}


def test_inserted_placeholders_are_no_target_tokens(en_fr):
    inserted = sum(gap.word == "NONE" for e in demo_examples(en_fr, "dev", 5) for gap in e.gaps)
    tokens = sum(len(e.target) for e in demo_examples(en_fr, "dev", 5))
    found = data_statistics(demo_examples(en_fr, "dev", 5), en_fr)
    assert found.total.target_tokens == tokens - inserted
