"""The files beside X.data: found for every command, and read strictly."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from crosspro.data_prep.annotate.layers import Layers, layers_beside, layers_in, read_layered
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import AnnotatedSentence, Mention, Token
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.chains import HEADER, ChainRow, read_chains
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from tests.data_prep.formats.conllu_sample import write_chains, write_conllu


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
    assert layers_beside(folder / f"{'a' * 250}.data") == Layers()


@pytest.mark.parametrize("variant", ["gold", "blind"])
def test_gold_and_blind_files_have_the_layers_of_their_text(tmp_path, variant):
    """As the official files lie: X.gold.data.xz, X.blind.data.xz and X.doc-ids.xz."""
    for name in ("x.doc-ids.xz", "x.chains.tsv", f"x.{variant}.chains.tsv"):
        (tmp_path / name).write_bytes(b"")
    assert layers_beside(tmp_path / f"x.{variant}.data.xz") == Layers(
        documents=tmp_path / "x.doc-ids.xz", chains=tmp_path / f"x.{variant}.chains.tsv"
    )
    assert layers_beside(tmp_path / "x.other.data").files() == {}
    assert layers_beside(tmp_path / f".{variant}.data").files() == {}


def test_examples_are_read_with_all_their_layers(data, examples, en_fr):
    folder = data.parent
    write_doc_ids(folder / "dev.doc-ids", examples)
    write_conllu(folder / "dev.source.conllu", (parse(e.source) for e in examples))
    write_conllu(folder / "dev.target.conllu.xz", (parse(e.lemmas) for e in examples))
    write_chains(folder / "dev.chains.tsv.gz", mentions_of(examples))
    read = list(read_layered(data, en_fr))
    assert layers_in(read) == {"documents", "source_parse", "target_parse", "chains"}
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
    assert layers_in(list(read_layered(data, en_fr, Layers()))) == frozenset()


def test_a_gap_is_a_word_of_the_target_parse(data, examples, en_fr):
    words = [[w for w in e.lemmas if not w.startswith("REPLACE_")] for e in examples]
    write_conllu(data.with_name("dev.target.conllu"), map(parse, words))
    with pytest.raises(InputError, match="REPLACE_"):
        list(read_layered(data, en_fr))


@pytest.mark.parametrize(
    ("document", "sentence", "side", "field"),
    [("nowhere", 0, None, "document"), (None, 0, "source", "last"), (None, 0, "target", "last"),
     (None, 999, None, "sentence")],
)  # fmt: skip
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


@pytest.mark.parametrize(
    ("line", "field"),
    [("d\tc\tsource\t0\t0\t0", "mention"), ("d\t\tsource\t0\t0\t1", "chain"),
     ("d\tc\tboth\t0\t0\t1", "side"), ("d\tc\tsource\t-1\t0\t1", "sentence"),
     ("d\tc\tsource\t0\t0\tx", "last"), ("d\tc\tsource\t0\t2\t1", "last"),
     ("too few", "columns"), ("\udcff", "encoding")],
)  # fmt: skip
def test_faults_of_a_chain_file_are_named(tmp_path, line, field):
    path = tmp_path / "x.chains.tsv"
    text = f"{HEADER}\nd\tc\tsource\t0\t0\t0\n{line}\n"
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(InputError) as caught:
        read_chains(path)
    assert [(problem.line, problem.field) for problem in caught.value.problems] == [(3, field)]
    path.write_text("chain\tdocument\n", encoding="utf-8")
    with pytest.raises(InputError, match="header"):
        read_chains(path)
