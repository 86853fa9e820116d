"""The official scorers: identical printouts, identical refusals."""

from __future__ import annotations

import lzma

import pytest

from crosspro.evaluation.metrics.submissions.official_layout import official_printout
from crosspro.evaluation.metrics.submissions.reading import read_gold, read_submissions
from crosspro.evaluation.metrics.submissions.scores import confusion_counts
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
    assert (result.code != 0) == ((folder / "exit").read_text().strip() != "0")


@pytest.mark.parametrize(
    ("name", "printed_file"),
    [("baseline", "baseline_result.csv"), ("submission.whatelles", "results/final.dev.txt")],
)
def test_printout_of_the_2015_scorer(discomt2015, en_fr_2015, name, printed_file):
    gold = read_gold(discomt2015 / "TEDdev.en-fr.data.xz", en_fr_2015)
    (submission,) = read_submissions([discomt2015 / f"{name}.TEDdev.data.xz"], en_fr_2015, gold)
    counts = confusion_counts(gold.classes, submission.classes, len(en_fr_2015.classes))
    expected = lzma.decompress((discomt2015 / f"{name}.TEDdev.scores.txt.xz").read_bytes())
    assert official_printout(en_fr_2015, counts, printed_file) == expected


def test_the_last_line_of_2015_names_the_file(tmp_path):
    gold, submission = tmp_path / "gold.tsv", tmp_path / "labels"
    gold.write_text("ça\tça\tit rains\tREPLACE_0 pleut\t0-0 1-1\n" * 4, encoding="utf-8")
    submission.write_text("ça\nça\nça\nil\n", encoding="utf-8")
    result = crosspro("evaluate", gold, submission, "--task", "en-fr-2015", "--layout", "official")
    assert result.stdout.splitlines()[-1].decode("latin-1").split("\t")[::2] == [
        str(submission), "75"
    ]  # fmt: skip
