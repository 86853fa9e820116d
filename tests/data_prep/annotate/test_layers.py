"""The files beside X.data: found for every command, read strictly, all faults at once."""

from __future__ import annotations

import lzma
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crosspro.data_prep.annotate.files import conllu_sentence
from crosspro.data_prep.annotate.layers import Layers, layer_problems, layers_beside, read_layered
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import AnnotatedSentence, Mention, Token
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.chains import HEADER, ChainRow, read_chains, write_chains
from crosspro.data_prep.formats.shared_task import (
    document_columns,
    document_runs,
    read_doc_ids,
    write_doc_ids,
    write_examples,
)
from tests.data_prep.formats.conllu_sample import write_conllu


@pytest.fixture(scope="module")
def examples(en_fr):
    return demo_examples(en_fr, "dev", 3)


@pytest.fixture
def data(tmp_path, examples):
    write_examples(tmp_path / "dev.data", examples)
    return tmp_path / "dev.data"


def parse(words):
    tokens = [Token(word, word, "NOUN", "NOUN", None, -1, "dep", "Gender=Fem") for word in words]
    return AnnotatedSentence(tuple(tokens))


def mentions_of(examples):
    """A mention on each side of each line, of a chain of its document."""
    seen = Counter()
    for example in examples:
        sentence = seen[example.document]
        seen[example.document] += 1
        for side, tokens in (("source", example.source), ("target", example.target)):
            mention = Mention("it", side, 0, len(tokens) - 1)
            yield ChainRow(example.document, sentence, mention)


def test_every_layer_is_found_compressed_or_not(data):
    folder = data.parent
    assert layers_beside(data) == Layers()
    names = ("dev.doc-ids.gz", "dev.source.conllu", "dev.target.conllu.xz", "dev.chains.tsv")
    for name in names:
        (folder / name).write_bytes(b"")
    for ending in ("dev.data", "dev.data.xz", "dev.data.gz"):
        assert layers_beside(folder / ending) == Layers(*(folder / name for name in names))
    assert list(layers_beside(data).files()) == [
        "documents", "source_parse", "target_parse", "chains",
    ]  # fmt: skip
    assert layers_beside(folder / "test.data") == Layers()


@pytest.mark.parametrize("variant", ["gold", "blind"])
def test_gold_and_blind_files_have_the_layers_of_their_text(tmp_path, variant):
    """As the official files lie: X.gold.data.xz, X.blind.data.xz and X.doc-ids.xz."""
    for name in ("x.doc-ids.xz", "x.chains.tsv", f"x.{variant}.chains.tsv"):
        (tmp_path / name).write_bytes(b"")
    found = layers_beside(tmp_path / f"x.{variant}.data.xz")
    assert found == Layers(
        documents=tmp_path / "x.doc-ids.xz", chains=tmp_path / f"x.{variant}.chains.tsv"
    )
    assert layers_beside(tmp_path / "x.other.data").files() == {}
    assert layers_beside(tmp_path / f".{variant}.data").files() == {}


def test_a_file_whose_layers_could_have_no_name_has_none(tmp_path):
    assert layers_beside(tmp_path / f"{'a' * 250}.data") == layers_beside(tmp_path / "b.data")


def test_examples_are_read_with_all_their_layers(data, examples, en_fr):
    folder = data.parent
    write_doc_ids(folder / "dev.doc-ids", examples)
    write_conllu(folder / "dev.source.conllu", (conllu_sentence(parse(e.source)) for e in examples))
    write_conllu(
        folder / "dev.target.conllu.xz", (conllu_sentence(parse(e.lemmas)) for e in examples)
    )
    write_chains(folder / "dev.chains.tsv.gz", mentions_of(examples))
    read = list(read_layered(data, en_fr))
    assert layer_problems(data, en_fr, layers_beside(data)) == []
    for example, original in zip(read, examples, strict=True):
        assert example.source_parse.forms == original.source
        assert example.target_parse.forms == original.lemmas
        assert example.target_parse.tokens[0].feature("Gender") == "Fem"
        assert example.chains == (
            Mention("it", "source", 0, len(original.source) - 1),
            Mention("it", "target", 0, len(original.target) - 1),
        )
        bare = replace(example, source_parse=None, target_parse=None, chains=None)
        assert bare == replace(original, source_parse=None)
    assert next(read_layered(data, en_fr, Layers())).document is None


def test_a_gap_is_a_word_of_the_target_parse(data, examples, en_fr):
    words = [[w for w in e.lemmas if not w.startswith("REPLACE_")] for e in examples]
    path = data.with_name("dev.target.conllu")
    write_conllu(path, (conllu_sentence(parse(one)) for one in words))
    with pytest.raises(InputError, match="REPLACE_"):
        list(read_layered(data, en_fr))


@pytest.mark.parametrize(
    ("document", "sentence", "side", "field"),
    [
        ("nowhere", 0, None, "document"),
        (None, 0, "source", "last"),
        (None, 0, "target", "last"),
        (None, 999, None, "sentence"),
    ],
)
def test_mentions_outside_the_text_are_refused(
    data, examples, en_fr, document, sentence, side, field
):
    write_doc_ids(data.with_name("dev.doc-ids"), examples)
    first = examples[0]
    last = len(getattr(first, side)) if side else 0
    mention = Mention("a", side or "source", 0, last)
    row = ChainRow(document or first.document, sentence, mention)
    write_chains(data.with_name("dev.chains.tsv"), [row])
    with pytest.raises(InputError) as caught:
        list(read_layered(data, en_fr))
    assert [(problem.line, problem.field) for problem in caught.value.problems] == [(2, field)]
    assert layer_problems(data, en_fr, layers_beside(data)) == caught.value.problems


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("d\tc\tsource\t0\t0\t0", "mention"),
        ("d\t\tsource\t0\t0\t1", "chain"),
        ("d\tc\tboth\t0\t0\t1", "side"),
        ("d\tc\tsource\t-1\t0\t1", "sentence"),
        ("d\tc\tsource\t0\t0\tx", "last"),
        ("d\tc\tsource\t0\t2\t1", "last"),
        ("too few", "columns"),
    ],
)
def test_faults_of_a_chain_file_are_named(tmp_path, line, field):
    path = tmp_path / "x.chains.tsv"
    path.write_text(f"{HEADER}\nd\tc\tsource\t0\t0\t0\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_chains(path)
    assert [(problem.line, problem.field) for problem in caught.value.problems] == [(3, field)]


@pytest.mark.parametrize("content", [b"", b"chain\tdocument\n", b"\xff\n"])
def test_a_chain_file_has_a_header(tmp_path, content):
    path = tmp_path / "x.chains.tsv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"header|encoding"):
        read_chains(path)


names = st.text(
    st.characters(blacklist_characters="\t\n\r", blacklist_categories=["Cs"]), max_size=4
)
rows = st.builds(
    lambda document, sentence, chain, side, first, more: ChainRow(
        document, sentence, Mention(chain or "c", side, first, first + more)
    ),
    names, st.integers(0, 99), names, st.sampled_from(["source", "target"]),
    st.integers(0, 99), st.integers(0, 9),
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(rows, unique=True))
def test_chains_survive_writing_and_reading(tmp_path, written):
    path = tmp_path / "x.tsv"
    write_chains(path, written)
    assert [replace(row, line=None) for row in read_chains(path)] == written


fields = st.sampled_from(["", "d", "c", "source", "target", "0", "1", "-1", "x", "²", "9" * 12])
lines = st.lists(fields, max_size=7).map(lambda columns: "\t".join(columns).encode())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(lines | st.binary(max_size=20)))
def test_chain_files_of_any_content_give_rows_or_our_own_error(tmp_path, content):
    path = tmp_path / "x.tsv"
    path.write_bytes(b"\n".join([HEADER.encode(), *content]))
    try:
        for row in read_chains(path):
            assert 0 <= row.mention.first <= row.mention.last
    except InputError as error:
        assert error.problems


def test_doc_ids_have_columns_and_runs(tmp_path):
    (tmp_path / "ids.xz").write_bytes(lzma.compress(b"a\tcur\r\na\r\nb\na\r\r\n"))
    ids = list(read_doc_ids(tmp_path / "ids.xz"))
    assert ids == ["a", "a", "b", "a"]
    assert document_runs(ids) == [("a", 2), ("b", 1), ("a", 1)]
    assert document_columns("a\tcur\r") == ["a", "cur"]
    assert document_columns("a\r\tcur\r\r") == ["a", "cur"]


def test_entities_of_the_parses_are_chains_where_there_is_no_table(data, examples, en_fr):
    folder = data.parent
    write_doc_ids(folder / "dev.doc-ids", examples)
    for name, words in (("source", "source"), ("target", "lemmas")):
        sentences = []
        for example in examples:
            made = conllu_sentence(parse(getattr(example, words)))
            first = replace(made.words[0], misc=f"{made.words[0].misc}|Entity=(e1-x)")
            sentences.append(replace(made, words=(first, *made.words[1:])))
        comment = "# global.Entity = eid-etype"
        sentences[0] = replace(sentences[0], comments=(comment, *sentences[0].comments))
        write_conllu(folder / f"dev.{name}.conllu", sentences)
    for one in read_layered(data, en_fr):
        assert one.chains == (
            Mention("source:e1", "source", 0, 0), Mention("target:e1", "target", 0, 0),
        )  # fmt: skip
    assert layer_problems(data, en_fr, layers_beside(data)) == []
    write_chains(folder / "dev.chains.tsv", mentions_of(examples))
    assert {m.chain for one in read_layered(data, en_fr) for m in one.chains} == {"it"}
