"""BLEU and chrF: the numbers are sacrebleu's, intervals and tests ours."""

from __future__ import annotations

import builtins

import numpy as np
import pytest

from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.evaluation.core.evaluation import evaluate
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.inputs.plain_text import MTText, read_mt_text
from crosspro.evaluation.metrics import make_metric
from tests.conftest import SHARED_DATA

sacrebleu = pytest.importorskip("sacrebleu")

REFERENCE = ["the cat sat on the mat .", "dogs bark at night .", "it is raining again today ."] * 4
GOOD = ["the cat sat on a mat .", "dogs bark at night .", "it is raining today ."] * 4
BAD = ["cats sit on mats .", "at night dogs do bark .", "today again rain ."] * 4
PLAN = Resampling(200, 1)


def evaluated(text, plan=None, **settings):
    return evaluate(make_metric("bleu", **settings), text, plan)


def text(documents=None):
    numbers = None if documents is None else np.array(documents, dtype=float)
    return MTText(("good", "bad"), (GOOD, BAD), (REFERENCE,), numbers)


@pytest.mark.parametrize("tokenise", ["13a", "none"])
@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("word_order", [0, 2])
def test_the_scores_are_those_of_sacrebleu(tokenise, lowercase, word_order):
    own = {"tokenise": tokenise, "ignore_case": lowercase, "word_order": word_order}
    found = evaluated(text(), **own)
    for result, lines in zip(found.systems, (GOOD, BAD), strict=True):
        bleu = sacrebleu.corpus_bleu(lines, [REFERENCE], tokenize=tokenise, lowercase=lowercase)
        metric = sacrebleu.CHRF(word_order=word_order, lowercase=lowercase)
        chrf = metric.corpus_score(lines, [REFERENCE])
        assert result.scores["bleu"].value == pytest.approx(bleu.score, abs=1e-9)
        assert result.scores["chrf"].value == pytest.approx(chrf.score, abs=1e-9)


def test_several_references():
    both = MTText(("x",), (GOOD,), (REFERENCE, GOOD))
    assert evaluated(both).systems[0].scores["bleu"].value == pytest.approx(100)


def test_signatures_have_that_of_sacrebleu():
    score = evaluated(text(), PLAN).systems[0].scores["bleu"]
    assert score.signature.startswith("bleu|lines:12|bootstrap:200|by:line|seed:1|crosspro:")
    assert f"|tok:13a|smooth:exp|version:{sacrebleu.__version__}" in score.signature


@pytest.mark.parametrize(
    ("settings", "told"), [({}, 1), ({"tokenise": "none"}, 0), ({"metrics": ("chrf",)}, 0)]
)
def test_tokenised_text_is_told_in_our_words(settings, told, caplog):
    found = evaluated(MTText(("x",), (GOOD * 20,), (REFERENCE * 20,)), **settings)
    assert len(found.warnings) == told
    assert not caplog.records


def test_files_of_different_length_are_reported_together(tmp_path):
    files = {"r": "a\nb\n", "c": "a\n", "d": "x\ny\nz\n"}
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    with pytest.raises(InputError) as caught:
        read_mt_text([tmp_path / "c"], [tmp_path / "r"], tmp_path / "d")
    assert [(p.line, p.found) for p in caught.value.problems] == [(2, "1"), (3, "3")]
    with pytest.raises(InputError) as caught:
        read_mt_text([tmp_path / "c", tmp_path / "none"], [tmp_path / "r"], tmp_path / "nope")
    named = [problem.path.rpartition("/")[2] for problem in caught.value.problems]
    assert named == ["none", "nope", "c"]
    (tmp_path / "empty").write_text("")
    with pytest.raises(InputError, match="empty"):
        read_mt_text([tmp_path / "empty"], [tmp_path / "empty"])


def test_unknown_tokenisers_are_refused():
    with pytest.raises(InputError, match="tokenise"):
        evaluated(text(), tokenise="moses")


def test_without_sacrebleu_it_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def absent(name, *arguments, **options):
        if name.startswith("sacrebleu"):
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(CrossproError, match="mt"):
        evaluated(text())


def test_the_published_bleu_of_two_systems():
    """The files of the APT authors beside their outputs: 35.44 and 36.91."""
    folder = SHARED_DATA / "apt_es-en"
    if not folder.is_dir():
        pytest.skip("the es-en outputs of the APT authors are not here")
    names = ["TED_es-en_baseline.en.xz", "TED_es-en_HA-enc.en.xz"]
    outputs = [folder / name for name in names]
    read = read_mt_text(outputs, [folder / "IWSLT14.TED.tst.tc.en.xz"])
    found = evaluated(read, metrics=("bleu",), tokenise="none")
    assert [round(one.scores["bleu"].value, 2) for one in found.systems] == [35.44, 36.91]


def test_a_word_order_below_nothing_is_refused():
    with pytest.raises(InputError, match="word_order"):
        make_metric("bleu", word_order=-1)
