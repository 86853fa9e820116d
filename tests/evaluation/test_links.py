"""Word links: read and checked, or made with a prior, each text alone."""

from __future__ import annotations

from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.links import link_texts, parse_links, read_links
from crosspro.evaluation.texts import make_texts
from tests.conftest import ROOT

SOURCE = ["It rains, he says.", "", "They don't sing!"]
REFERENCE = ["«Il pleut», dit-il.", "", "Ils ne chantent pas!"]
CANDIDATE = ["Il pleut.", "", "Elles ne chantent pas."]


def texts(languages=("en", "fr"), **candidates):
    return make_texts(SOURCE, REFERENCE, candidates or {"A": CANDIDATE}, languages=languages)


def fault(error):
    (problem,) = error.value.problems
    return problem.path, problem.line, problem.field


def test_links_are_sorted_and_each_once():
    lines = ["2-2 0-0 1-1 0-0", [(1, 0), (0, 1)]]
    expected = [[(0, 0), (1, 1), (2, 2)], [(0, 1), (1, 0)]]
    assert parse_links(lines, ["a b c", "a b"], ["x y z", "x y"], "links") == expected


@pytest.mark.parametrize(
    ("lines", "line"),
    [(["0-0", "x"], 2), (["0-0", "1-0"], 2), (["0-0"], 2), (["0-0", "", ""], 3), (["1-", ""], 1)],
)
def test_wrong_links_are_named(tmp_path, lines, line):
    path = tmp_path / "links"
    path.write_text("".join(f"{line_text}\n" for line_text in lines))
    with pytest.raises(InputError) as caught:
        read_links(path, ["a", "b"], ["x", "y"])
    assert fault(caught)[:2] == (str(path), line)


@given(st.text(alphabet="aé \t\x0b\u00a0", max_size=20))
def test_words_stand_between_ascii_spaces(line):
    linked = link_texts(make_texts([line], [line], {"A": [line]}), [[]], {"A": [[]]}).linked
    assert linked.source == [[word.decode() for word in line.encode().split()]]


def test_the_bundled_prior_of_the_languages_is_used():
    linked = link_texts(texts()).linked
    assert linked.source[0] == ["It", "rains", ",", "he", "says", "."]
    assert linked.reference.words[0][1:3] == ["Il", "pleut"]
    assert (0, 1) in linked.reference.links[0]
    assert (0, 0) in linked.candidates["A"].links[2]
    assert linked.signature.startswith("prior-en-fr-")
    assert linked.signature.endswith("tokenised")
    assert not link_texts(texts()).warnings


def test_given_links_count_words_between_spaces():
    own_links = [[(0, 0)], [], []]
    texts_with_links = link_texts(texts(), own_links, {"A": own_links})
    assert texts_with_links.linked.source[0] == ["It", "rains,", "he", "says."]
    assert texts_with_links.linked.signature == "given"
    half = link_texts(texts(), own_links).linked
    assert half.reference.links == own_links
    assert half.signature.startswith("given+prior-en-fr-")


def test_a_prior_of_other_languages_is_refused():
    for prior in ("en-de", "fr-en"):
        with pytest.raises(InputError) as caught:
            link_texts(texts(), prior=prior)
        assert fault(caught)[0] == "prior"
    assert link_texts(texts(), prior="en-fr").linked == link_texts(texts()).linked


def test_without_a_prior_few_lines_give_a_warning():
    linked = link_texts(texts(("en", "it")), tokenised=True)
    assert len(linked.warnings) == 1
    assert "--" not in linked.warnings[0]
    assert "en-fr" not in linked.warnings[0]
    assert linked.linked.signature.startswith("learnt(")
    assert link_texts(texts(), prior="none").linked.signature.startswith("learnt(")


def test_a_prior_from_a_file(tmp_path):
    path = tmp_path / "prior.npz"
    path.write_bytes(ZipFile(ROOT / "models" / "en-fr.zip").read("prior.npz"))
    linked = link_texts(texts(), prior=path).linked
    assert linked.reference == link_texts(texts()).linked.reference
    for wrong in (tmp_path / "none", tmp_path / "text"):
        (tmp_path / "text").write_text("no prior")
        with pytest.raises(InputError) as caught:
            link_texts(texts(), prior=wrong)
        assert fault(caught)[0] == str(wrong)
