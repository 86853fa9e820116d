"""Priors: what was learnt helps with new text, and files survive saving or are refused."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from crosspro.data_prep.align.align import AlignerSettings, align, learn, link_by_prior
from crosspro.data_prep.align.prior import load_prior, packed_prior, save_prior
from crosspro.data_prep.align.symmetrise import score_links
from crosspro.data_prep.core.errors import InputError
from tests.data_prep.align.corpora import PAIRS, made_up_pairs

WORD = AlignerSettings(form="word", variational=0.0)
ONLY_LINK = replace(WORD, iterations=0)
VARIATIONAL = AlignerSettings(form="word", iterations=0)


def learnt(pairs=PAIRS, settings=WORD, prior=None):
    return learn(pairs, prior, settings).prior()


@pytest.mark.parametrize("settings", [WORD, ONLY_LINK])
def test_a_prior_helps_new_text_and_survives_saving(tmp_path, settings):
    prior = learnt()
    save_prior(tmp_path / "prior.npz", prior)
    loaded = load_prior(tmp_path / "prior.npz")
    crossed = [(["red", "car"], ["voiture", "rouge"])]
    assert align(crossed, loaded, settings) == align(crossed, prior, settings)
    assert align(crossed, loaded, settings) == [((0, 1), (1, 0))]


def test_linking_with_a_prior_is_what_training_would_have_found():
    pairs = made_up_pairs(300)
    settings = AlignerSettings(form="word")
    again = link_by_prior(pairs, learnt(pairs, settings), settings)
    assert score_links(again, align(pairs, settings=settings)).f1 > 0.99


def test_words_are_compared_as_in_the_prior():
    crossed = [(["red", "car"], ["voiture", "rouge"])]
    assert link_by_prior(crossed, learnt()) == [((0, 1), (1, 0))]


@pytest.mark.parametrize("settings", [WORD, ONLY_LINK])
def test_words_that_were_never_seen_are_linked_to_each_other(settings):
    text = [(["the", "zebra", "is", "red"], ["la", "girafe", "est", "rouge"])]
    assert set(align(text, learnt(), settings)[0]) == {(0, 0), (1, 1), (2, 2), (3, 3)}


def test_a_name_that_was_never_seen_is_linked_to_itself():
    text = [(["Kerviel", "is", "red"], ["la", "voiture", "est", "Kerviel"])]
    assert (0, 3) in align(text, learnt(), ONLY_LINK)[0]


def test_counts_add_up_over_texts():
    first = learnt()
    second = learnt([(["a", "bird"], ["un", "oiseau"])], prior=first)
    assert set(second.source_words) == {*first.source_words, "bird"}
    kept = set(zip(second.pair_source.tolist(), second.pair_target.tolist(), strict=True))
    assert kept > set(zip(first.pair_source.tolist(), first.pair_target.tolist(), strict=True))
    assert second.forward.pairs.sum() > first.forward.pairs.sum()
    assert align(PAIRS, second, ONLY_LINK) == align(PAIRS, first, ONLY_LINK)


def test_the_part_for_some_words_links_them_as_the_whole_does():
    prior = learnt(made_up_pairs(300), AlignerSettings(form="word"))
    for pair in made_up_pairs(320)[300:]:
        part = prior.of_words(*pair)
        assert len(part.pair_source) < len(prior.pair_source)
        assert align([pair], part, VARIATIONAL) == align([pair], prior, VARIATIONAL)


def test_a_part_of_a_part_knows_all_counts():
    prior = learnt(made_up_pairs(100), AlignerSettings(form="word"))
    part = prior.largest(60).largest(30)
    for whole, tally in ((prior.forward, part.forward), (prior.backward, part.backward)):
        assert tally.unlinked.sum() == pytest.approx(whole.unlinked.sum())
    shares = [some.forward.pairs[some.pair_source > 0].max() for some in (prior, part)]
    assert shares[0] == pytest.approx(shares[1])
    assert len(part.source_words) - 1 + part.left_out[0] == len(prior.source_words)


def test_a_prior_can_be_turned():
    prior = learnt()
    back = [(target, source) for source, target in PAIRS]
    assert align(back, prior.turned(), ONLY_LINK) == align(back, learnt(back), ONLY_LINK)
    twice = prior.turned().turned()
    assert (twice.pair_source == prior.pair_source).all()
    assert (twice.backward.pairs == prior.backward.pairs).all()


def test_a_packed_prior_is_as_large_as_allowed_and_links_nearly_the_same(tmp_path):
    pairs = made_up_pairs(300)
    prior = learnt(pairs, AlignerSettings(form="word"))
    whole = align(pairs, prior, VARIATIONAL)
    sizes = []
    for most in (10**6, 2900, 2750):
        content = packed_prior(prior, most)
        assert len(content) <= most
        assert packed_prior(prior, most) == content
        (tmp_path / "packed.npz").write_bytes(content)
        packed = align(pairs, load_prior(tmp_path / "packed.npz"), VARIATIONAL)
        sizes.append((len(content), score_links(packed, whole).f1))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0][1] > 0.99


def test_another_length_limit_is_fine():
    prior = learnt()
    for limit in (7, 250):
        links = align(PAIRS, prior, replace(ONLY_LINK, max_length=limit))
        assert links[0] == ((0, 0), (1, 1), (2, 2), (3, 3))


def test_files_that_are_no_priors_are_refused(tmp_path):
    path = tmp_path / "prior.npz"
    path.write_bytes(b"garbage")
    with pytest.raises(InputError):
        load_prior(path)
    np.savez(path, other=np.zeros(3))
    with pytest.raises(InputError):
        load_prior(path)
    with pytest.raises(InputError):
        load_prior(tmp_path / "absent.npz")


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
        lambda a: a.update(about=np.frombuffer(b"[]", np.uint8)),
        lambda a: a.update(about=_about(version=9)),
    ],
)
def test_damaged_priors_are_refused(tmp_path, change):
    path = tmp_path / "prior.npz"
    save_prior(path, learnt())
    with np.load(path) as file:
        arrays = dict(file)
    change(arrays)
    np.savez(path, **arrays)
    with pytest.raises(InputError):
        load_prior(path)
