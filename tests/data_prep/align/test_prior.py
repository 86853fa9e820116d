"""Priors: what was learnt helps with new text, and files survive saving or are refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from crosspro.data_prep.align.align import align, learn, link_by_prior
from crosspro.data_prep.align.prior import load_prior, save_prior
from crosspro.data_prep.align.symmetrise import score_links
from crosspro.data_prep.core.errors import InputError
from tests.data_prep.align.corpora import PAIRS, made_up_pairs

CROSSED = [(["red", "car"], ["voiture", "rouge"])]


@pytest.fixture(scope="module")
def prior():
    return learn(PAIRS).prior()


@pytest.fixture(scope="module")
def large():
    return learn(made_up_pairs(300)).prior()


def test_a_prior_helps_new_text_and_survives_saving(tmp_path, prior):
    save_prior(tmp_path / "prior.npz", prior)
    loaded = load_prior(tmp_path / "prior.npz")
    for some in (prior, loaded):
        assert align(CROSSED, prior=some) == [((0, 1), (1, 0))]
        assert link_by_prior(CROSSED, some) == [((0, 1), (1, 0))]


def test_linking_with_a_prior_is_what_training_would_have_found(large):
    pairs = made_up_pairs(300)
    assert score_links(link_by_prior(pairs, large), align(pairs)).f1 > 0.99


def test_words_that_were_never_seen_are_linked_to_each_other(prior):
    text = [(["the", "zebra", "is", "red"], ["la", "girafe", "est", "rouge"])]
    for links in (align(text, prior=prior), link_by_prior(text, prior)):
        assert set(links[0]) == {(0, 0), (1, 1), (2, 2), (3, 3)}
    named = [(["Kerviel", "is", "red"], ["la", "voiture", "est", "Kerviel"])]
    assert (0, 3) in link_by_prior(named, prior)[0]


def test_counts_add_up_over_texts(prior):
    second = learn([(["a", "bird"], ["un", "oiseau"])], prior).prior()
    assert set(second.source_words) == {*prior.source_words, "bird"}
    pairs, more = (
        set(zip(some.pair_source.tolist(), some.pair_target.tolist(), strict=True))
        for some in (prior, second)
    )
    assert more > pairs
    assert second.forward.pairs.sum() > prior.forward.pairs.sum()
    assert link_by_prior(PAIRS, second) == link_by_prior(PAIRS, prior)


def test_the_part_for_some_words_links_them_as_the_whole_does(large):
    for pair in made_up_pairs(320)[300:]:
        part = large.of_words(*pair)
        assert len(part.pair_source) < len(large.pair_source)
        assert link_by_prior([pair], part) == link_by_prior([pair], large)


def test_a_part_of_a_part_knows_all_counts(large):
    part = large.largest(60).largest(30)
    for whole, tally in ((large.forward, part.forward), (large.backward, part.backward)):
        assert tally.unlinked.sum() == pytest.approx(whole.unlinked.sum())
    shares = [some.forward.pairs[some.pair_source > 0].max() for some in (large, part)]
    assert shares[0] == pytest.approx(shares[1])
    assert len(part.source_words) - 1 + part.left_out[0] == len(large.source_words)


def test_the_largest_part_links_nearly_the_same(tmp_path, large):
    pairs = made_up_pairs(300)
    whole = link_by_prior(pairs, large)
    assert large.largest(len(large.pair_source)) is large
    part = large.largest(200)
    assert len(part.source_words) <= len(large.source_words)
    save_prior(tmp_path / "part.npz", part)
    assert score_links(link_by_prior(pairs, load_prior(tmp_path / "part.npz")), whole).f1 > 0.97


def _about(**changes):
    return np.frombuffer(json.dumps(changes).encode(), np.uint8)


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a.update(pairs=a["pairs"][:-1]),
        lambda a: a.update(pairs=a["pairs"].astype(float)),
        lambda a: a.update(pair_target=a["pair_target"] | 128),
        lambda a: a.update(backward_pairs=a["backward_pairs"][1:]),
        lambda a: a.update(forward_unlinked=a["forward_unlinked"][1:]),
        lambda a: a.update(forward_jump=a["forward_jump"][1:]),
        lambda a: a.update(forward_jump=-a["forward_jump"]),
        lambda a: a.update(forward_first=a["forward_first"] * np.nan),
        lambda a: a.pop("forward_unlinked"),
        lambda a: a.update(about=_about(version=9)),
        lambda a: a.clear(),
    ],
)
def test_damaged_priors_are_refused(tmp_path, prior, change):
    path = tmp_path / "prior.npz"
    save_prior(path, prior)
    with np.load(path) as file:
        arrays = dict(file)
    change(arrays)
    np.savez(path, **arrays)
    with pytest.raises(InputError, match=r"prior\.npz"):
        load_prior(path)


def test_files_that_are_no_priors_are_refused(tmp_path):
    path = tmp_path / "prior.npz"
    with pytest.raises(InputError):
        load_prior(path)
    path.write_bytes(b"garbage")
    with pytest.raises(InputError):
        load_prior(path)
