"""The gender of a pronoun whose number is known: what is asked, what is left out, who is right."""

from __future__ import annotations

import json
import lzma

import numpy as np
import pytest
import typer

from crosspro.baselines.majority import Majority
from crosspro.data_prep.annotate.tokenise import tokenise
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.prediction.contrastive import TokenPair, prepare_set
from crosspro.prediction.models import export_run
from crosspro.prediction.system import System
from crosspro.scripts.reproduce.gender import (
    NO_GAP,
    ONE_CLASS,
    find_linked,
    gender,
    gender_accuracy,
    gender_questions,
    read_marked_bitext,
    read_versions,
)
from tests.prediction.neural.small import system as small_system

FRENCH, GERMAN = load_task("en-fr-2015"), load_task("en-de")
DOCUMENTS = (
    (("the dress .", "la robe ."), ("yes .", "oui ."), ("it is here .", "elle est là .")),
    (("the bed .", "le lit ."), ("yes .", "oui ."), ("it is here .", "il est là .")),
    (("they are here .", "ils sont là ."),),
    (("no .", "non ."), ("they are here .", "elles sont là .")),
    (("no .", "non ."), ("is it here ?", "est-il là ?")),
    (("no .", "non ."), ("she is here .", "elle est là .")),
)
ROWS = (
    ("a", "a dog .", "it sleeps .", "ein Hund .", "er schläft .", "sie schläft .", "es schläft ."),
    ("b", "a cat .", "I see it .", "eine Katze .", "ich sehe sie .", "ich sehe es .",
     "ich sehe ihn ."),
    ("c", "", "it sleeps .", "", "es schläft .", "sie schläft .", "er schläft .", "ihn schläft ."),
    ("d", "no .", "I see it .", "nein .", "ich sehe ihn .", "ich sehe sie .", "ich sehe es ."),
    ("e", "no .", "it sleeps .", "nein .", "er schläft .", "er schläft .", "er schläft ."),
)  # fmt: skip


@pytest.fixture
def bitext(tmp_path):
    """A prefix; one of its files is compressed."""
    lines = [(number, n == len(one) - 1, *pair) for number, one in enumerate(DOCUMENTS)
             for n, pair in enumerate(one)]  # fmt: skip
    english, french, ids = (
        "".join(f"{text}\n" for text in texts)
        for texts in (
            [line[2] for line in lines],
            [line[3] for line in lines],
            [f"doc{line[0]}\t{'cur' if line[1] else 'ctx'}" for line in lines],
        )
    )
    (tmp_path / "set.en").write_text(english, "utf-8")
    (tmp_path / "set.fr.xz").write_bytes(lzma.compress(french.encode()))
    (tmp_path / "set.doc-ids").write_text(ids, "utf-8")
    return tmp_path / "set"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "set.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in ROWS), "utf-8")
    return path


@pytest.fixture
def tokens(tmp_path):
    """Lemmas and tags of the German sentences, in their order."""
    texts = [text for row in ROWS for text in (row[3], row[4]) if text]
    lines = [" ".join(f"{w}|{w.lower()}|X" for w in tokenise(text, "de")) for text in texts]
    (tmp_path / "tokens").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return f"tokens:{tmp_path / 'tokens'}"


class TwoBack(System):
    """Says feminine where a dress was spoken of within two sentences, else masculine."""

    name = "two_back"

    @property
    def context(self):
        return 2

    def fit(self, task, train, dev, folder=None):
        self.task = task

    def predict(self, examples):
        found = []
        for place, example in enumerate(examples):
            known = [one.target for one in examples[max(0, place - 2) : place + 1]
                     if one.document == example.document]  # fmt: skip
            dress = any("robe" in target for target in known)
            likely = ("elle", "elles", "OTHER") if dress else ("il", "ils", "OTHER")
            row = [0.3 if name in likely else 0.01 for name in self.task.classes]
            found += [np.array(row) / sum(row)] * len(example.gaps)
        return np.array(found)

    def save_state(self, folder):
        """It is never saved."""

    def load_state(self, folder):
        """And never loaded."""


def french(prefix):
    read = read_marked_bitext(prefix, FRENCH)
    return gender_questions(prepare_set(read, FRENCH, find=find_linked))


def test_documents_of_bitext_are_instances(bitext):
    found = read_marked_bitext(bitext, FRENCH).instances
    assert [one.name for one in found] == [f"doc{n}" for n in range(len(DOCUMENTS))]
    assert found[0].reference == "elle est là ."
    assert found[0].source_context == ("the dress .", "yes .")
    assert found[2].reference_context == ()


@pytest.mark.parametrize(
    ("number", "line", "place"), [(1, "doc0\tlater", 2), (5, "doc1\tctx", 6), (6, "doc2", 7)]
)
def test_wrong_marks_are_named(bitext, number, line, place):
    ids = bitext.with_name("set.doc-ids")
    lines = ids.read_text("utf-8").splitlines()
    lines[number] = line
    ids.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    with pytest.raises(InputError, match=rf"set\.doc-ids:{place}: "):
        read_marked_bitext(bitext, FRENCH)


def test_a_file_that_is_missing_or_of_another_length_is_named(bitext):
    english = bitext.with_name("set.fr.xz")
    english.write_bytes(lzma.compress(b"oui .\n"))
    with pytest.raises(InputError, match=r"set\.fr\.xz:2: "):
        read_marked_bitext(bitext, FRENCH)
    english.unlink()
    with pytest.raises(InputError, match=r"set\.fr: "):
        read_marked_bitext(bitext, FRENCH)


def test_the_first_linked_pronoun_is_the_gap():
    segment = TokenPair(
        ["he", "says", "they", "see", "it"], ["il", "dit", "qu'", "Elles", "la", "ils"]
    )
    links = ((0, 0), (1, 1), (2, 3), (2, 5), (4, 4))
    found = find_linked(None, segment, links, FRENCH)
    assert (found.position, found.source_index, found.words) == (3, 2, ("elles", "ils"))
    assert find_linked(None, segment, ((0, 0), (4, 4)), FRENCH) is None


def test_what_asks_for_no_gender_is_left_out(bitext):
    found, left_out = french(bitext)
    assert left_out == {NO_GAP: 2}
    instances = found.test_set.instances
    assert [one.groups for one in instances] == [
        {"pronoun": word} for word in ("elle", "il", "ils", "elles")
    ]
    assert [one.errors[0].word for one in instances] == ["il", "elle", "elles", "ils"]
    assert [len(one.example.gaps) for one in found.instances] == [1] * 4
    assert [len(one.context) for one in found.instances] == [2, 2, 0, 1]


def test_context_decides_where_it_is_given(bitext):
    """Only the number's own classes count: OTHER and those of the other number are as likely."""
    system = TwoBack()
    system.fit(FRENCH, [], [])
    evaluation = gender_accuracy(system, french(bitext)[0], "x")
    shares = [one.scores["accuracy"].value for one in evaluation.candidates]
    assert shares == [75.0, 50.0]
    rows = {one.group: one.scores["accuracy"].value for one in evaluation.candidates[0].groups}
    assert rows == {**rows, "elle": 100.0, "elles": 0.0, "il": 100.0, "ils": 100.0}
    assert "choice:gender,context:without" in evaluation.signature
    assert evaluation.items.units.name == "instance"


def test_rows_with_other_fields_are_named(table):
    assert [len(one.source_context) for one in read_versions(table).instances] == [1, 1, 0, 1, 1]
    table.write_text(table.read_text("utf-8") + "f\tno .\n", "utf-8")
    with pytest.raises(InputError, match=r"set\.tsv:6: "):
        read_versions(table)
    table.write_text("", "utf-8")
    with pytest.raises(InputError, match=r"set\.tsv"):
        read_versions(table)


def test_words_without_a_class_do_not_compete(table, tokens):
    found, left_out = gender_questions(prepare_set(read_versions(table), GERMAN, tokens))
    assert left_out == {ONE_CLASS: 1, NO_GAP: 1}
    words = [one.gap.words for one in found.instances]
    assert words == [("er", "sie", "es"), ("sie", "es"), ("es", "sie", "er")]
    assert [one.groups["choices"] for one in found.test_set.instances] == ["3", "2", "3"]
    assert found.instances[0].example.target[0] == "REPLACE_0"


def test_an_archive_chooses_among_versions(tmp_path, table, tokens, capsys):
    system = small_system("document_encoder", epochs=1, context=2)
    lines = demo_examples(GERMAN, "train", 4)
    system.fit(GERMAN, lines, lines)
    system.save(tmp_path / "run/model")
    export_run(tmp_path / "run", tmp_path / "run.zip")
    output = tmp_path / "figures.json"
    gender(tmp_path / "run.zip", versions=table, annotator=tokens, output=output)
    text = capsys.readouterr().out
    assert "set.tsv (table): 3 instances" in text
    assert "with context - without context" in text
    assert "task:en-de,annotator:tokens:" in text
    figures = json.loads(output.read_text("utf-8"))
    assert figures["left_out"] == {ONE_CLASS: 1, NO_GAP: 1}
    assert [one["name"] for one in figures["candidates"]] == ["with context", "without context"]
    assert figures["data"]["items"] == 3


@pytest.fixture
def majority(tmp_path):
    system = Majority()
    system.fit(FRENCH, demo_examples(FRENCH, "train", 3), [])
    system.save(tmp_path / "majority/model")
    return tmp_path / "majority"


def test_a_system_of_single_sentences_has_no_context_to_lose(majority, bitext, capsys):
    gender(majority, bitext)
    text = capsys.readouterr().out
    assert "set (bitext): 4 instances" in text
    assert "with context" not in text.replace("without context", "")


def test_what_cannot_be_asked_is_refused(tmp_path, majority, bitext, table):
    with pytest.raises(typer.BadParameter, match="--versions"):
        gender(majority, bitext, table)
    with pytest.raises(typer.BadParameter, match="--versions"):
        gender(majority)
    with pytest.raises(InputError, match=r"set\.tsv"):
        gender(majority, versions=table)
    system = Majority()
    system.fit(GERMAN, demo_examples(GERMAN, "train", 3), [])
    system.save(tmp_path / "german/model")
    with pytest.raises(InputError, match="en-de"):
        gender(tmp_path / "german", bitext)
