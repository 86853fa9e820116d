"""Texts and links read whole, with every problem."""

from __future__ import annotations

import gzip
import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.align.align import AlignerSettings, align
from crosspro.data_prep.annotate.tokenise import tokenise
from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.inputs.linked_text import (
    links_from_pairs,
    read_links,
    read_text,
    text_digest,
)
from crosspro.evaluation.inputs.mt_input import (
    AlignWith,
    InputPaths,
    candidate_names,
    read_input,
    read_texts,
)
from crosspro.evaluation.inputs.pronoun_lists import load_lists


@pytest.fixture
def files(tmp_path):
    """Three segments, their translation and links."""
    contents = {
        "source": "it rains .\nno\nthey sing\n",
        "reference": "il pleut .\nnon\nils chantent\n",
        "candidate": "elle pleut .\nnon\nchantent ils\n",
        "links-reference": "0-0 1-1 2-2\n0-0\n0-0 1-1\n",
        "links-candidate": "2-2 0-0 1-1\n\n1-0 0-1 \n",
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content, "utf-8")
    return tmp_path


def paths(files, **changes):
    arguments = {
        "source": files / "source",
        "reference": files / "reference",
        "candidates": (files / "candidate",),
        "links_reference": files / "links-reference",
        "links_candidates": (files / "links-candidate",),
    }
    return InputPaths(**(arguments | changes))


def problems(paths, **options):
    with pytest.raises(InputError) as caught:
        read_input(paths, **options)
    folder = f"{paths.reference.parent}/"
    return [
        str(problem).replace(folder, "").partition(": expected")[0]
        for problem in caught.value.problems
    ]


def test_words_and_links(files):
    data = read_input(paths(files))
    assert data.source.words(0) == ["it", "rains", "."]
    assert data.reference.links.of_line(1) == [(0, 0)]
    (candidate,) = data.candidates
    assert candidate.name == "candidate"
    assert candidate.links.of_line(0) == [(0, 0), (1, 1), (2, 2)]
    assert candidate.links.sentence(2).targets(0) == (1,)
    assert candidate.links.sentence(2).sources(1) == (0,)
    assert data.links == "given"


@pytest.mark.parametrize(("suffix", "compress"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_compressed_files(files, suffix, compress):
    for name in ("source", "links-reference"):
        (files / (name + suffix)).write_bytes(compress((files / name).read_bytes()))
    changed = {
        "source": files / f"source{suffix}",
        "links_reference": files / f"links-reference{suffix}",
    }
    assert read_input(paths(files, **changed)).reference.links.of_line(2) == [(0, 0), (1, 1)]


def test_every_problem_of_every_file(files):
    (files / "reference").write_bytes(b"il \xff .\nnon\nils \xfe\nmore\n")
    (files / "candidate").write_text("elle\nnon\n", "utf-8")
    (files / "links-reference").write_text("0-0 x\n1-\n9-9\n", "utf-8")
    (files / "links-candidate").write_text("5-0 0-7\n0-0\n\n\n", "utf-8")
    (files / "ids").write_text("a\n", "utf-8")
    found = problems(paths(files, doc_ids=files / "ids"))
    assert found == [
        "reference:1: encoding",
        "reference:3: encoding",
        "reference:4: lines",
        "candidate:3: lines",
        "links-reference:1: links",
        "links-reference:2: links",
        "links-reference:3: links",
        "links-candidate:1: links",
        "links-candidate:1: links",
        "links-candidate:4: lines",
        "ids:2: doc-ids",
    ]


def test_missing_files_are_listed_together(files):
    names = {"source": files / "a", "reference": files / "b", "links_reference": files / "c"}
    found = problems(paths(files, **names))
    assert [line.split(":")[0] for line in found][:2] == ["a", "b"]
    assert "c: file" in found


def test_tokens_are_checked(files):
    (files / "tokens").write_text("0 0\n0 1\n2 9\n7 0\nx\n", "utf-8")
    found = problems(paths(files, tokens=files / "tokens"), lists=load_lists("en-fr"))
    assert found == [
        "tokens:2: word",
        "tokens:3: token",
        "tokens:4: token",
        "tokens:5: token",
    ]


def test_lenient_reading_drops_what_leads_nowhere(files):
    (files / "links-candidate").write_text("0-0 3-0 0-3 1-1\n\n0-1\n\n", "utf-8")
    assert len(problems(paths(files))) == 3
    data = read_input(paths(files, lenient=True))
    assert data.candidates[0].links.of_line(0) == [(0, 0), (1, 1)]


def test_one_link_file_for_two_candidates(files):
    twice = (files / "candidate", files / "reference")
    assert problems(paths(files, candidates=twice)) == ["links: candidate"]


def test_a_text_given_twice(files):
    same = (files / "candidate", files / "candidate")
    links = (files / "links-candidate",) * 2
    found = problems(paths(files, candidates=same, links_candidates=links))
    assert found == ["candidate: candidate"]


def test_byte_order_mark(files):
    (files / "source").write_bytes(b"\xef\xbb\xbfit rains .\nno\nthey sing\n")
    assert read_input(paths(files)).source.words(0) == ["it", "rains", "."]


def test_links_are_made_where_there_are_none(files):
    """Together with a corpus; given links stay as they are."""
    corpus = (files / "source", files / "reference")
    for links in (None, files / "links-reference"):
        asked = paths(files, links_reference=links, links_candidates=())
        data = read_input(asked, align=AlignWith(corpus))
        assert data.reference.links.of_line(1) == [(0, 0)]
        digest = text_digest(data.source, data.reference.text)
        expected = f"aligned(2-texts,grow-diag-final,corpus-{digest})"
        assert data.links == (expected if links is None else f"given+{expected}")
    alone = read_input(paths(files, links_reference=None, links_candidates=()))
    assert alone.links == "aligned(2-texts,grow-diag-final)"


@pytest.mark.parametrize("name", [None, "grow-diag-final", "intersection", "union"])
def test_both_directions_are_merged_by_grow_diag_final_unless_another_way_is_named(files, name):
    """000 §2.3."""
    (files / "source").write_text("it rains here\na b c d\nthey sing\n", "utf-8")
    (files / "reference").write_text("il pleut\nw x y\nils chantent ici donc\n", "utf-8")
    again = (files / "reference",)
    without = {"links_reference": None, "links_candidates": ()}
    asked = paths(files, candidates=again, **without, tokenised=True)
    data = read_input(asked, align=AlignWith(symmetrisation=name))
    source, target = (text.sentences() for text in (data.source, data.reference.text))
    chosen = AlignerSettings(symmetrisation=name or "grow-diag-final")
    expected = align(zip(source * 2, target * 2, strict=True), settings=chosen)[: len(source)]
    assert [tuple(sorted(data.reference.links.of_line(n))) for n in range(3)] == expected


def test_a_symmetrisation_that_there_is_not_or_that_has_nothing_to_do(files):
    align = AlignWith(symmetrisation="grow")
    (found,) = problems(paths(files, links_candidates=()), align=align)
    assert "symmetrisation" in found
    (found,) = problems(paths(files), align=AlignWith(symmetrisation="union"))
    assert found == "links: aligner"


LINKS = st.lists(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=5), max_size=5
)


@given(LINKS)
def test_links_that_were_made_are_sorted_and_each_once(lines):
    made = links_from_pairs("x", lines)
    assert [made.of_line(number) for number in range(len(lines))] == [
        sorted(set(line)) for line in lines
    ]


def test_empty_files(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    found = []
    text = read_text(tmp_path / "empty", found)
    links = read_links(tmp_path / "empty", text, text, found)
    assert found == []
    assert np.array_equal(links.starts, [0])


@given(st.text(alphabet="aé \t\r\x0b\x0c\n", max_size=30))
def test_words_are_counted_as_they_are_split(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("text") / "x"
    path.write_bytes(content.encode())
    found = []
    text = read_text(path, found)
    assert found == []
    assert len(text.lines) == len(text.lengths)
    assert text.lengths.tolist() == [len(words) for words in text.sentences()]


@pytest.mark.parametrize("content", [None, b""])
def test_a_source_that_cannot_be_read_is_one_problem(files, content):
    """Nothing is said about the lengths of other files, which may be right."""
    (files / "source").unlink()
    if content is not None:
        (files / "source").write_bytes(content)
    (files / "ids").write_text("a\n" * 3, "utf-8")
    (files / "tokens").write_text("0 0\n", "utf-8")
    more = {"doc_ids": files / "ids", "tokens": files / "tokens"}
    (found,) = problems(paths(files, **more), lists=load_lists("en-fr"))
    assert found == "source: file"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("1\n2\n", ["starts:1: start"]),
        ("0\n9\n1\n", ["starts:2: start"]),
        (
            "0\n0\nx\n",
            [
                "starts:2: start",
                "starts:3: start",
            ],
        ),
        ("", ["starts:1: start"]),
    ],
)
def test_starts_of_documents_are_checked(files, content, expected):
    (files / "starts").write_text(content, "utf-8")
    assert problems(paths(files, doc_starts=files / "starts")) == expected


def test_a_prior_of_another_kind(files):
    align = AlignWith(prior=files / "source")
    (found,) = problems(paths(files, links_candidates=()), align=align)
    assert found.startswith("source: ")
    (found,) = problems(paths(files), align=AlignWith(prior=files / "none"))[1:]
    assert found == "none: file"


@pytest.fixture
def raw(files):
    """Files of text that is not tokenised, without links."""
    (files / "source").write_text("It rains, he says.\n\nDon't!\n", "utf-8")
    (files / "reference").write_text("«Il pleut», dit-il.\n\nC'est fini!\n", "utf-8")
    (files / "candidate").write_text("Il pleut.\n\nPas\n", "utf-8")
    return files


def without_links(files, **changes):
    return paths(files, links_reference=None, links_candidates=(), **changes)


def test_text_without_links_is_tokenised_if_it_does_not_look_so(raw):
    asked = without_links(raw, languages=("en", "fr"))
    data = read_input(asked)
    assert data.source.words(0) == ["It", "rains", ",", "he", "says", "."]
    assert data.reference.text.words(2) == ["C'", "est", "fini", "!"]
    assert data.source.lengths.tolist() == [6, 0, 3]
    assert data.links == "aligned(2-texts,grow-diag-final,tokenised)"


def test_what_says_the_languages_of_text_that_is_tokenised(raw):
    """The lists, else the caller, else the names of the files."""
    names = {"source": "s.en", "reference": "r.txt", "candidate": "c.fr.gz"}
    for old, new in names.items():
        content = (raw / old).read_bytes()
        (raw / new).write_bytes(gzip.compress(content) if new.endswith(".gz") else content)
    named = without_links(
        raw, source=raw / "s.en", reference=raw / "r.txt", candidates=(raw / "c.fr.gz",)
    )
    assert read_texts(named).languages == ("en", "fr")
    assert read_texts(without_links(raw), load_lists("en-fr")).languages == ("en", "fr")
    assert read_texts(replace(named, languages=("de", "es"))).languages == ("de", "es")
    assert read_texts(replace(named, tokenised=True)).languages is None


def test_text_is_not_taken_for_tokenised_where_nothing_says_its_languages(raw):
    found = problems(without_links(raw))
    assert found == ["source: language", "reference: language"]


def test_a_corpus_to_align_with_is_tokenised_as_the_text_is(raw):
    corpus = (raw / "source", raw / "reference")
    lists, asked = load_lists("en-fr"), without_links(raw)
    one = read_input(asked, lists, AlignWith(corpus))
    for path, language in zip(corpus, ("en", "fr"), strict=True):
        lines = path.read_text("utf-8").splitlines()
        path.with_suffix(".tok").write_text(
            "".join(f"{' '.join(tokenise(line, language))}\n" for line in lines), "utf-8"
        )
    tokenised = (raw / "source.tok", raw / "reference.tok")
    other = read_input(asked, lists, AlignWith(tokenised))
    for number in range(3):
        assert one.reference.links.of_line(number) == other.reference.links.of_line(number)


@pytest.mark.parametrize("counted", ["links", "tokens"])
def test_given_links_and_tokens_count_the_words_of_tokenised_text(raw, counted):
    (raw / "tokens").write_text("0 0\n", "utf-8")
    (raw / "links").write_text("0-0\n\n\n", "utf-8")
    given = {"links_reference": raw / "links"} if counted == "links" else {"tokens": raw / "tokens"}
    asked = replace(without_links(raw), **given)
    lists = load_lists("en-fr")
    assert read_texts(asked, lists).languages is None
    (found,) = problems(replace(asked, tokenised=False), lists=lists)
    assert found == f"{counted}: text"


def test_a_folder_as_a_candidate_has_a_name():
    """`Path(".")` has no parts."""
    assert candidate_names([Path(), Path("x/mt.fr.xz")], []) == [".", "mt.fr"]
