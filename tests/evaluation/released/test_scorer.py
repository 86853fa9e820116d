"""The released scorers: identical printouts, identical refusals."""

from __future__ import annotations

import lzma

import pytest

from crosspro.evaluation.metrics.submissions.scores import confusion_counts
from crosspro.evaluation.metrics.submissions.submission import read_gold, read_submissions
from crosspro.evaluation.released.submissions import released_encoding, released_layout
from tests.conftest import GOLDEN
from tests.scripts.run import crosspro

CASES = sorted(path.name for path in (GOLDEN / "scorer").iterdir())


@pytest.mark.parametrize("case", CASES)
def test_scorer_case(case):
    folder = GOLDEN / "scorer" / case
    pair = (folder / "pair").read_text().strip()
    result = crosspro("evaluate", folder / "gold.tsv", folder / "pred.tsv",
                      "--task", pair, "--layout", "official")  # fmt: skip
    assert result.stdout == (folder / "expected.txt").read_bytes()
    refused = (folder / "exit").read_text().strip() != "0"
    assert (result.code != 0) == refused
    assert (b": expected " in result.stderr) == refused


@pytest.mark.parametrize("name", ["baseline", "submission.whatelles"])
def test_printout_of_the_2015_scorer(discomt2015, en_fr_2015, name):
    gold = read_gold(discomt2015 / "TEDdev.en-fr.data.xz", en_fr_2015)
    (submission,) = read_submissions([discomt2015 / f"{name}.TEDdev.data.xz"], en_fr_2015, gold)
    counts = confusion_counts(gold.classes, submission.classes, len(en_fr_2015.classes))
    printed = released_layout(en_fr_2015, counts).encode(released_encoding(en_fr_2015))
    expected = lzma.decompress((discomt2015 / f"{name}.TEDdev.scores.txt.xz").read_bytes())
    assert expected.startswith(printed)
    assert expected[len(printed) :].count(b"\n") == 1  # the user's own summary line


def test_one_submission_at_a_time(tmp_path):
    gold = GOLDEN / "scorer" / "en-fr_basic" / "gold.tsv"
    result = crosspro("evaluate", gold, gold, gold, "--task", "en-fr", "--layout", "official")
    assert result.code == 2
    assert "one submission at a time" in result.stderr.decode()
