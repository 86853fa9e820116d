"""The measurement of typed pairs: what is found again is counted."""

from __future__ import annotations

from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.pipeline.pairs.pipeline import PairPipeline
from crosspro.scripts.reproduce.quality import typed_again

TASK = load_task("en-fr-2015")


def test_gaps_are_counted_and_lines_with_gaps_between_words_left_out():
    pipeline = PairPipeline(TASK)
    good = Example.of_tokens(("It", "is", "old", "."), ("REPLACE_0", "est", "vieux", "."),
                   ((0, 0),), (Gap(0, 0, "il", "Il"),), None, False)  # fmt: skip
    wrong = Example.of_tokens(good.source, ("Il", "REPLACE_0", "vieux", "."),
                    ((0, 1),), (Gap(1, 0, "OTHER", "est"),), None, False)  # fmt: skip
    inserted = Example.of_tokens(good.source, ("REPLACE_0", "vieux", "."),
                       (), (Gap(0, 0, "OTHER", "NONE"),), None, False)  # fmt: skip
    found = typed_again(pipeline, [good, wrong, inserted])
    assert (found.gaps, found.again, found.written, found.right) == (2, 1, 2, 2)
    assert found.rows()[0] == ("gaps of whole text", "2", "50.0%")
