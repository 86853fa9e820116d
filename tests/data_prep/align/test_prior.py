"""Priors: what was learnt helps with new text, and files survive saving or are refused."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from crosspro.data_prep.align.backends import AlignerSettings, align_both_directions, align_corpus
from crosspro.data_prep.align.prior import load_prior, packed_prior, save_prior
from crosspro.data_prep.align.symmetrise import score_links
from crosspro.data_prep.core.errors import InputError
from tests.data_prep.align.corpora import SOURCE, TARGET, made_up_text

WORD = AlignerSettings(form="word", variational=0.0)
ONLY_LINK = replace(WORD, iterations=0)


def learnt(settings=WORD, source=SOURCE, target=TARGET, prior=None):
    return align_both_directions(source, target, settings, prior, keep=True).prior


@pytest.mark.parametrize("settings", [WORD, ONLY_LINK])
def test_a_prior_helps_new_text_and_survives_saving(tmp_path, settings):
    prior = learnt()
    save_prior(tmp_path / "prior.npz", prior)
    loaded = load_prior(tmp_path / "prior.npz")
    crossed = [["red", "car"]], [["voiture", "rouge"]]
    assert align_corpus(*crossed, settings, loaded)[0] == ((0, 1), (1, 0))
    assert align_corpus(*crossed, settings, loaded) == align_corpus(*crossed, settings, prior)


def test_linking_with_a_prior_is_what_training_would_have_found():
    source, target = made_up_text(300)
    settings = AlignerSettings(form="word")
    prior = learnt(settings, source, target)
    again = align_corpus(source, target, replace(settings, iterations=0), prior)
    assert score_links(again, align_corpus(source, target, settings)).f1 > 0.99


@pytest.mark.parametrize("settings", [WORD, ONLY_LINK])
def test_words_that_were_never_seen_are_linked_to_each_other(settings):
    text = [["the", "zebra", "is", "red"]], [["la", "girafe", "est", "rouge"]]
    links = align_corpus(*text, settings, learnt())[0]
    assert set(links) == {(0, 0), (1, 1), (2, 2), (3, 3)}


def test_a_name_that_was_never_seen_is_linked_to_itself():
    text = [["Kerviel", "is", "red"]], [["la", "voiture", "est", "Kerviel"]]
    assert (0, 3) in align_corpus(*text, ONLY_LINK, learnt())[0]


def test_counts_add_up_over_texts():
    first = learnt()
    second = learnt(WORD, [["a", "bird"]], [["un", "oiseau"]], first)
    assert set(second.source_words) == {*first.source_words, "bird"}
    kept = set(zip(second.pair_source.tolist(), second.pair_target.tolist(), strict=True))
    assert kept > set(zip(first.pair_source.tolist(), first.pair_target.tolist(), strict=True))
    assert second.forward.pairs.sum() > first.forward.pairs.sum()
    assert align_corpus(SOURCE, TARGET, ONLY_LINK, second) == align_corpus(
        SOURCE, TARGET, ONLY_LINK, first
    )


VARIATIONAL = AlignerSettings(form="word", iterations=0)


def words_of(sentences):
    return {word for sentence in sentences for word in sentence}


def test_the_part_for_some_words_links_them_as_the_whole_does():
    prior = learnt(AlignerSettings(form="word"), *made_up_text(300))
    source, target = made_up_text(320)
    for number in range(300, 320):
        text = [source[number]], [target[number]]
        part = prior.of_words(*map(words_of, text))
        assert len(part.pair_source) < len(prior.pair_source)
        assert align_corpus(*text, VARIATIONAL, part) == align_corpus(*text, VARIATIONAL, prior)


def test_a_part_of_a_part_knows_all_counts():
    prior = learnt(AlignerSettings(form="word"), *made_up_text(100))
    part = prior.largest(60).largest(30)
    for whole, tally in ((prior.forward, part.forward), (prior.backward, part.backward)):
        assert tally.unlinked.sum() == pytest.approx(whole.unlinked.sum())
    shares = [one.forward.pairs[one.pair_source > 0].max() for one in (prior, part)]
    assert shares[0] == pytest.approx(shares[1])
    assert len(part.source_words) - 1 + part.others[0] == len(prior.source_words)


def test_a_prior_can_be_turned():
    prior = learnt()
    assert align_corpus(TARGET, SOURCE, ONLY_LINK, prior.turned()) == align_corpus(
        TARGET, SOURCE, ONLY_LINK, learnt(WORD, TARGET, SOURCE)
    )
    twice = prior.turned().turned()
    assert (twice.pair_source == prior.pair_source).all()
    assert (twice.backward.pairs == prior.backward.pairs).all()


def test_a_packed_prior_is_as_large_as_allowed_and_links_nearly_the_same(tmp_path):
    text = made_up_text(300)
    prior = learnt(AlignerSettings(form="word"), *text)
    save_prior(tmp_path / "whole.npz", prior)
    whole = align_corpus(*text, VARIATIONAL, prior)
    sizes = []
    for most in (10**6, 2900, 2750):
        content = packed_prior(prior, most)
        assert len(content) <= most
        assert packed_prior(prior, most) == content
        (tmp_path / "packed.npz").write_bytes(content)
        found = align_corpus(*text, VARIATIONAL, load_prior(tmp_path / "packed.npz"))
        sizes.append((len(content), score_links(found, whole).f1))
    assert sizes[0][0] < (tmp_path / "whole.npz").stat().st_size
    assert sizes[0][1] > 0.99
    assert sizes[0] > sizes[1] > sizes[2]


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda a: a.update(pairs=a["pairs"][:-1]), "different lengths"),
        (lambda a: a.update(pair_target=a["pair_target"] | 128), "outside the vocabularies"),
        (lambda a: a.update(backward_pairs=a["backward_pairs"][1:]), "shape"),
        (lambda a: a.pop("forward_unlinked"), "forward_unlinked"),
    ],
)
def test_damaged_packed_priors_are_refused(tmp_path, change, found):
    path = tmp_path / "prior.npz"
    path.write_bytes(packed_prior(learnt(), 10**6))
    with np.load(path) as file:
        arrays = dict(file)
    change(arrays)
    np.savez(path, **arrays)
    with pytest.raises(InputError, match=found):
        load_prior(path)


def test_another_length_limit_is_fine():
    prior = learnt()
    for limit in (7, 250):
        found = align_corpus(SOURCE, TARGET, replace(ONLY_LINK, max_length=limit), prior)
        assert found[0] == ((0, 0), (1, 1), (2, 2), (3, 3))


def test_a_prior_of_another_form_is_refused():
    with pytest.raises(InputError):
        align_corpus(SOURCE, TARGET, AlignerSettings(), learnt())


def test_files_that_are_no_priors_are_refused(tmp_path):
    path = tmp_path / "prior.npz"
    path.write_bytes(b"garbage")
    with pytest.raises(InputError):
        load_prior(path)
    np.savez(path, other=np.zeros(3))
    with pytest.raises(InputError, match="about"):
        load_prior(path)
    with pytest.raises(InputError):
        load_prior(tmp_path / "absent.npz")


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda a: a.update(pair_source=a["pair_source"] + 1000), "outside the vocabularies"),
        (lambda a: a.update(forward_pairs=-a["forward_pairs"]), "negative"),
        (lambda a: a.update(forward_pairs=a["forward_pairs"] * np.nan), "not finite"),
        (lambda a: a.update(backward_pairs=a["backward_pairs"][1:]), "different lengths"),
        (lambda a: a.update(forward_unlinked=a["forward_unlinked"][1:]), "different lengths"),
        (lambda a: a.update(forward_jump=a["forward_jump"][1:]), "different lengths"),
        (lambda a: a.pop("forward_first"), "forward_first"),
        (lambda a: a.update(about=np.frombuffer(b"[]", np.uint8)), "list"),
        (lambda a: a.update(about=_about(version=9)), "version 9"),
    ],
)
def test_damaged_priors_are_refused(tmp_path, change, found):
    path = tmp_path / "prior.npz"
    save_prior(path, learnt())
    with np.load(path) as file:
        arrays = dict(file)
    change(arrays)
    np.savez(path, **arrays)
    with pytest.raises(InputError, match=found):
        load_prior(path)


def _about(**changes):
    return np.frombuffer(json.dumps(changes).encode(), np.uint8)


def test_a_small_file_with_huge_arrays_is_refused(tmp_path):
    path = tmp_path / "p.npz"
    np.savez_compressed(path, about=np.zeros(300_000_000, np.uint8))
    assert path.stat().st_size < 1_000_000
    with pytest.raises(InputError):
        load_prior(path)


def test_an_array_that_asks_for_more_than_follows_is_refused(tmp_path):
    path = tmp_path / "p.npz"
    raw = io.BytesIO()
    head = {"descr": "<f4", "fortran_order": False, "shape": (1 << 40,)}
    np.lib.format.write_array_header_1_0(raw, head)
    with zipfile.ZipFile(path, "w") as members:
        members.writestr("about.npy", raw.getvalue())
    with pytest.raises(InputError, match="a damaged array"):
        load_prior(path)
