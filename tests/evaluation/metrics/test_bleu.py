"""BLEU and chrF: the numbers are sacrebleu's, intervals and tests ours."""

from __future__ import annotations

import pytest

from crosspro.evaluation.evaluation import evaluate
from crosspro.evaluation.metrics import make_metric
from crosspro.evaluation.texts import TextFiles, load_texts, make_texts
from tests.conftest import SHARED_DATA

sacrebleu = pytest.importorskip("sacrebleu")

REFERENCE = ["the cat sat on the mat .", "dogs bark at night .", "it is raining again today ."] * 4
GOOD = ["the cat sat on a mat .", "dogs bark at night .", "it is raining today ."] * 4
BAD = ["cats sit on mats .", "at night dogs do bark .", "today again rain ."] * 4
TEXTS = make_texts([], REFERENCE, {"good": GOOD, "bad": BAD})


def scores(name, texts=TEXTS, **settings):
    evaluation = evaluate(make_metric(name, **settings), texts, None)
    return [candidate.scores[name].value for candidate in evaluation.candidates]


@pytest.mark.parametrize("tokenise", ["13a", "none"])
def test_bleu_is_that_of_sacrebleu(tokenise):
    metric = sacrebleu.BLEU(tokenize=tokenise)
    expected = [metric.corpus_score(lines, [REFERENCE]).score for lines in (GOOD, BAD)]
    assert scores("bleu", tokenise=tokenise) == pytest.approx(expected, abs=1e-9)


def test_chrf_is_that_of_sacrebleu():
    expected = [sacrebleu.corpus_chrf(lines, [REFERENCE]).score for lines in (GOOD, BAD)]
    assert scores("chrf") == pytest.approx(expected, abs=1e-9)


def test_the_published_bleu_of_two_systems():
    """The files of the APT authors beside their outputs: 35.44 and 36.91."""
    folder = SHARED_DATA / "apt_es-en"
    if not folder.is_dir():
        pytest.skip("the es-en outputs of the APT authors are not here")
    outputs = {name: folder / f"TED_es-en_{name}.en.xz" for name in ("baseline", "HA-enc")}
    texts = load_texts(TextFiles(None, folder / "IWSLT14.TED.tst.tc.en.xz", outputs))
    assert [round(score, 2) for score in scores("bleu", texts, tokenise="none")] == [35.44, 36.91]
