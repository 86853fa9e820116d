"""Aligners by name: eflomal and files give links through the same function."""

from __future__ import annotations

import builtins
from dataclasses import replace

import pytest

from crosspro.data_prep.align.backends import AlignerSettings, align_corpus
from crosspro.data_prep.align.symmetrise import SYMMETRISATIONS, LinkScore, score_links
from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.formats.links import write_links
from tests.data_prep.align.corpora import SOURCE, TARGET, made_up_text


@pytest.mark.parametrize("symmetrisation", SYMMETRISATIONS)
def test_links_from_a_file_stay_as_they_are(tmp_path, symmetrisation):
    links = [((0, 0), (1, 2)), ((3, 3),), (), ((0, 1),), (), ((2, 0),)]
    path = tmp_path / "links.xz"
    write_links(path, links)
    settings = AlignerSettings(aligner="file", links=str(path), symmetrisation=symmetrisation)
    assert align_corpus(SOURCE, TARGET, settings) == links
    with pytest.raises(InputError, match="expected 5 as in the text, found 6"):
        align_corpus(SOURCE[:5], TARGET[:5], settings)
    with pytest.raises(InputError, match="a link file"):
        align_corpus(SOURCE, TARGET, AlignerSettings(aligner="file"))


def test_eflomal_agrees_with_our_own_aligner():
    pytest.importorskip("eflomal")
    source, target = made_up_text(200)
    source, target = [*source, [], ["s1"]], [*target, ["t1"], []]
    settings = AlignerSettings(form="word", aligner="eflomal")
    found = align_corpus(source, target, settings)
    assert len(found) == 202
    assert found[-2:] == [(), ()]
    ours = align_corpus(source, target, replace(settings, aligner="own"))
    assert score_links(found, ours).f1 > 0.9
    assert align_corpus([[]], [[]], settings) == [()]


def test_without_eflomal_the_message_says_how_to_get_it(monkeypatch):
    real = builtins.__import__

    def without(name, *arguments, **options):
        if name == "eflomal":
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(CrossproError, match=r"pip install 'crosspro\[eflomal\]'"):
        align_corpus(SOURCE, TARGET, AlignerSettings(aligner="eflomal"))


def test_scores_of_all_links_and_of_pronouns():
    source = [["It", "is"], ["they"]]
    gold = [{(0, 0), (1, 1)}, {(0, 0)}]
    found = [{(0, 0), (0, 1)}, set()]
    assert score_links(found, gold) == LinkScore(right=1, found=2, gold=3)
    score = score_links(found, gold, source, ("it",))
    assert (score.precision, score.recall, score.f1) == (0.5, 1.0, pytest.approx(2 / 3))
    nothing = score_links([set()], [set()])
    assert (nothing.precision, nothing.recall, nothing.f1) == (0, 0, 0)


@pytest.mark.parametrize("aligner", ["own", "eflomal"])
def test_a_line_that_was_never_cut_is_refused(aligner):
    long = ["x"] * 100_000
    with pytest.raises(InputError) as refused:
        align_corpus([["a"], long], [["a"], long], AlignerSettings(aligner=aligner))
    how = "--max-words or --limit 2 allows more, in Python most_words"
    expected = f"expected at most 2,000 ({how}), found 100,000"
    assert [str(problem) for problem in refused.value.problems] == [
        f"{side}:2: words: {expected}" for side in ("source", "target")
    ]
    allowed = AlignerSettings(most_words=3, max_length=2)
    assert align_corpus([["a", "b", "c"]], [["a", "b", "c"]], allowed)
