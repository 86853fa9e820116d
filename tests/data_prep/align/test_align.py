"""Our own aligner: links, symmetrisation, models, priors."""

from __future__ import annotations

import lzma

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_prep.align.backends import AlignerSettings, align_corpus, align_with_prior
from data_prep.align.evaluate import score_links
from data_prep.align.links import format_links, read_links, write_links
from data_prep.align.model import digamma
from data_prep.align.prior import load_prior, save_prior
from data_prep.align.symmetrise import SYMMETRISATIONS, symmetrise
from data_prep.errors import InputError
from tests.conftest import SHARED_DATA
from tests.scripts.run import crosspro

links = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12)

SOURCE = [line.split() for line in (
    "the house is red", "the car is red", "the house is big", "a car", "a house", "the car is big",
)]  # fmt: skip
TARGET = [line.split() for line in (
    "la maison est rouge", "la voiture est rouge", "la maison est grande", "une voiture",
    "une maison", "la voiture est grande",
)]  # fmt: skip


@given(links, links)
def test_symmetrisations_lie_between_intersection_and_union(forward, backward):
    found = {name: set(symmetrise(forward, backward, name)) for name in SYMMETRISATIONS}
    assert found["intersection"] == forward & backward
    assert found["union"] == forward | backward
    for name in ("grow-diag", "grow-diag-final-and", "grow-diag-final"):
        assert found["intersection"] <= found[name] <= found["union"]
    assert found["grow-diag"] <= found["grow-diag-final-and"]
    assert found["grow-diag"] <= found["grow-diag-final"]


@given(links, links)
def test_grow_diag_treats_both_sides_alike(forward, backward):
    def turned(one):
        return {(t, s) for s, t in one}

    for name in ("intersection", "union"):
        ours = set(symmetrise(forward, backward, name))
        assert turned(ours) == set(symmetrise(turned(forward), turned(backward), name))


def test_final_and_adds_only_pairs_of_unlinked_words():
    forward, backward = {(0, 0), (3, 3)}, {(0, 0), (0, 5)}
    assert symmetrise(forward, backward, "grow-diag") == ((0, 0),)
    assert symmetrise(forward, backward, "grow-diag-final-and") == ((0, 0), (3, 3))
    assert symmetrise(forward, backward, "grow-diag-final") == ((0, 0), (0, 5), (3, 3))


@pytest.mark.parametrize("model", ["ibm1", "hmm"])
@pytest.mark.parametrize("variational", [0.0, 0.01])
def test_a_tiny_text_is_aligned(model, variational):
    settings = AlignerSettings(model=model, form="word", variational=variational)
    found = align_corpus(SOURCE, TARGET, settings)
    assert found[0] == ((0, 0), (1, 1), (2, 2), (3, 3))
    assert found == align_corpus(SOURCE, TARGET, settings)


def test_segments_without_words_have_no_links_and_long_ones_do():
    source, target = [*SOURCE, [], ["house"] * 150], [*TARGET, ["x"], ["maison"] * 150]
    found = align_corpus(source, target, AlignerSettings(form="word", max_length=20))
    assert found[len(SOURCE)] == ()
    assert len(found[-1]) >= 150


def test_a_prior_helps_new_text_and_survives_saving(tmp_path):
    settings = AlignerSettings(form="word")
    _, prior = align_with_prior(SOURCE, TARGET, settings)
    save_prior(tmp_path / "prior.npz", prior)
    loaded = load_prior(tmp_path / "prior.npz")
    crossed = [["red", "car"]], [["voiture", "rouge"]]
    assert align_corpus(*crossed, settings, loaded)[0] == ((0, 1), (1, 0))
    assert align_corpus(*crossed, settings, loaded) == align_corpus(*crossed, settings, prior)
    (tmp_path / "prior.npz").write_bytes(b"garbage")
    with pytest.raises(InputError, match="a prior saved by"):
        load_prior(tmp_path / "prior.npz")


def test_unknown_names_list_the_choices():
    with pytest.raises(InputError, match="own, eflomal"):
        align_corpus(SOURCE, TARGET, AlignerSettings(aligner="giza"))
    with pytest.raises(InputError, match="grow-diag-final-and"):
        align_corpus(SOURCE, TARGET, AlignerSettings(symmetrisation="grow"))


def test_digamma():
    assert digamma(np.array([1.0, 0.5, 10.0])) == pytest.approx(
        [-0.5772156649, -1.9635100260, 2.2517525891], abs=1e-8
    )


@given(st.lists(links, max_size=4))
def test_link_files_round_trip(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("links") / "x"
    ordered = [tuple(sorted(one)) for one in lines]
    write_links(path, ordered)
    assert list(read_links(path)) == ordered
    assert all("-" in format_links(one) or not one for one in ordered)


def test_all_faults_of_a_link_file_are_reported(tmp_path):
    path = tmp_path / "x"
    path.write_text("0-0 0:1\n0-9\n1-1\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        list(read_links(path, [["a"], ["b"]], [["c"], ["d"]]))
    assert [problem.line for problem in caught.value.problems] == [1, 2, None]


def test_scores_of_all_links_and_of_pronouns():
    source = [["it", "is"], ["they"]]
    gold = [{(0, 0), (1, 1)}, {(0, 0)}]
    found = [{(0, 0), (0, 1)}, set()]
    everything = score_links(found, gold)
    assert (everything.precision, everything.recall) == (0.5, pytest.approx(1 / 3))
    assert score_links(found, gold, source, ("it",)).recall == 1


def test_the_command_aligns_and_evaluates(tmp_path):
    for name, text in (("s", SOURCE), ("t", TARGET)):
        (tmp_path / name).write_text("".join(" ".join(line) + "\n" for line in text), "utf-8")
    options = ["--source", tmp_path / "s", "--target", tmp_path / "t", "--form", "word"]
    assert crosspro("align", *options, "-o", tmp_path / "links").code == 0
    result = crosspro("align", *options, "--evaluate", tmp_path / "links",
                      "--links", tmp_path / "links", "--task", "en-fr")  # fmt: skip
    assert b"1.000" in result.stdout
    (tmp_path / "t").write_text("x\n", "utf-8")
    unequal = crosspro("align", *options, "-o", tmp_path / "links")
    assert unequal.code == 2
    assert b"expected 6 as in" in unequal.stderr


@pytest.mark.slow
def test_quality_on_news_text():
    """Against the GIZA++ links of 4,954 news sentences, trained on these sentences alone."""
    folder = SHARED_DATA / "news_mt"
    if not folder.is_dir():
        pytest.skip("the news text is not here")

    def read(name):
        text = lzma.decompress((folder / name).read_bytes()).decode("utf-8")
        return [line.split() for line in text.splitlines()]

    source, target = read("pronoun-test.tok.en.xz"), read("pronoun-test.tok.fr.xz")
    gold = []
    for words, others, line in zip(
        source, target, read("pronoun-test.tok.en-fr.alig.xz"), strict=True
    ):
        pairs = {tuple(map(int, link.split("-"))) for link in line}
        gold.append({(s, t) for s, t in pairs if s < len(words) and t < len(others)})
    found = align_corpus(source, target, AlignerSettings())
    assert score_links(found, gold).f1 >= 0.74
    assert score_links(found, gold, source, ("it", "they")).f1 >= 0.70
