"""The gender of a pronoun whose number is known: what is asked, what is left out, who is right."""

from __future__ import annotations

import lzma
from collections import Counter

import numpy as np
import pytest
import typer

from crosspro.baselines.majority import Majority
from crosspro.data_prep.annotate.tokenise import tokenise
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_examples
from crosspro.data_prep.pipeline.sets.splits import file_splits
from crosspro.evaluation.leaderboard.evidence import read_gold_labels, read_labels
from crosspro.evaluation.leaderboard.record import read_record
from crosspro.evaluation.leaderboard.verify import verify_record
from crosspro.prediction.contrastive import ContrastiveSegment, ContrastiveTexts, prepare_set
from crosspro.prediction.fit_and_score import fit_and_score
from crosspro.prediction.models import export_run
from crosspro.prediction.system import System
from crosspro.scripts.reproduce.gender import (
    find_linked,
    gender,
    gender_questions,
    judged,
    read_marked_bitext,
    read_table,
    scored_set,
    within_context,
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


def french(prefix, left_out):
    read = read_marked_bitext(prefix, FRENCH)
    return gender_questions(
        prepare_set(read, FRENCH, ContrastiveTexts(), find=find_linked), left_out
    )


def test_documents_of_bitext_are_instances(bitext):
    found = read_marked_bitext(bitext, FRENCH).instances
    assert [one.name for one in found] == [f"doc{n}" for n in range(len(DOCUMENTS))]
    assert found[0].reference == "elle est là ."
    assert found[0].source_context == ("the dress .", "yes .")
    assert found[2].reference_context == ()
    assert len(read_marked_bitext(bitext, FRENCH, 2).instances) == 2


def test_every_wrong_mark_is_named(bitext):
    ids = bitext.with_name("set.doc-ids")
    lines = ids.read_text("utf-8").splitlines()
    lines[1], lines[5], lines[6] = "doc0\tlater", "doc1\tctx", "doc2"
    ids.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    with pytest.raises(InputError) as caught:
        read_marked_bitext(bitext, FRENCH)
    assert [str(one).removeprefix(f"{ids}:") for one in caught.value.problems] == [
        "2: column 2: expected ctx or cur, found 'later'",
        "4: document doc1: expected one line marked cur, found 0 of them",
        "7: column 2: expected ctx or cur, found nothing",
        "7: document doc2: expected one line marked cur, found 0 of them",
    ]
    bitext.with_name("set.fr.xz").unlink()
    with pytest.raises(InputError, match=r"set\.fr: file: expected a file"):
        read_marked_bitext(bitext, FRENCH)


def test_the_first_linked_pronoun_is_the_gap():
    segment = ContrastiveSegment(
        ["he", "says", "they", "see", "it"], ["il", "dit", "qu'", "Elles", "la", "ils"], "d", 0
    )
    links = ((0, 0), (1, 1), (2, 3), (2, 5), (4, 4))
    found = find_linked(None, segment, links, FRENCH)
    assert (found.position, found.source_index, found.words) == (3, 2, ("elles", "ils"))
    assert find_linked(None, segment, ((0, 0), (4, 4)), FRENCH) is None


def test_what_asks_for_no_gender_is_left_out(bitext):
    left_out = Counter()
    found = french(bitext, left_out)
    assert left_out == {
        "without il, elle, ils, elles as a word of its own": 1,
        "whose il, elle, ils, elles is not linked to it, they": 1,
    }
    instances = found.test_set.instances
    assert [one.groups for one in instances] == [
        {"pronoun": word} for word in ("elle", "il", "ils", "elles")
    ]
    assert [one.errors[0].word for one in instances] == ["il", "elle", "elles", "ils"]
    assert [len(one.gaps) for one in found.examples] == [0, 0, 1, 0, 0, 1, 1, 0, 1]


def test_context_is_cut(bitext):
    prepared = french(bitext, Counter())
    assert within_context(prepared, None) == prepared
    assert len(within_context(prepared, 1).examples) == 2 + 2 + 1 + 2
    alone = within_context(prepared, 0)
    assert [one.instance for one in alone.segments] == [0, 1, 2, 3]
    assert all(alone.gaps)


@pytest.mark.parametrize(
    ("context", "shares"),
    [(None, (75.0, 50.0)), (2, (75.0, 50.0)), (1, (50.0, 50.0)), (0, (50.0,))],
)
def test_context_decides_where_it_is_given(bitext, context, shares):
    """Only the number's own classes count: OTHER and those of the other number are as likely."""
    system = TwoBack()
    system.fit(FRENCH, [], [])
    found = judged(scored_set(system, french(bitext, Counter()), context, "x"))
    assert tuple(one.scores["accuracy"].value for one in found.systems) == shares
    rows = {one.group: one.scores["accuracy"].value for one in found.systems[0].groups}
    assert rows["elle"] == (100.0 if shares[0] == 75.0 else 0.0)
    assert (rows["elles"], rows["il"], rows["ils"]) == (0.0, 100.0, 100.0)
    expected = "all" if context is None else context
    assert f"|choice:gender|context:{expected}|" in found.signatures[0]
    assert found.scored.units.name == "instance"


def test_rows_with_other_fields_are_named(table):
    assert [len(one.source_context) for one in read_table(table).instances] == [1, 1, 0, 1, 1]
    table.write_text(table.read_text("utf-8") + "f\tno .\n", "utf-8")
    with pytest.raises(InputError, match=r"set\.tsv:6: fields: expected id, source.*, found 2"):
        read_table(table)
    table.write_text("", "utf-8")
    with pytest.raises(InputError, match="instances: expected at least one, found none"):
        read_table(table)


def test_words_without_a_class_do_not_compete(table, tokens):
    left_out = Counter()
    read = prepare_set(read_table(table), GERMAN, ContrastiveTexts(), tokens)
    found = gender_questions(read, left_out)
    assert left_out == {
        "whose words are of no two classes of en-de": 1,
        "in which no word was found that all versions change": 1,
    }
    words = [gap.words for gap in found.gaps if gap]
    assert words == [("er", "sie", "es"), ("sie", "es"), ("es", "sie", "er")]
    assert [one.groups["choices"] for one in found.test_set.instances] == ["3", "2", "3"]
    assert found.examples[1].target[0] == "REPLACE_0"


def test_an_archive_chooses_among_versions(tmp_path, table, tokens, capsys):
    system = small_system("document_encoder", epochs=1, context=2)
    lines = demo_examples(GERMAN, "train", 4)
    system.fit(GERMAN, lines, lines)
    system.save(tmp_path / "run/model")
    export_run(tmp_path / "run", tmp_path / "run.zip")
    gender(tmp_path / "run.zip", versions=table, annotator=tokens)
    text = capsys.readouterr().out
    assert "left out: 1 whose words are of no two classes of en-de" in text
    assert "set.tsv (table): 3 instances" in text
    assert "with context - without context" in text
    assert "|task:en-de|annotator:tokens:" in text


def test_choices_are_recorded_as_labels(tmp_path, bitext, capsys):
    lines = demo_examples(FRENCH, "train", 3)
    write_examples(tmp_path / "train.a.data", lines)
    splits = file_splits(task=FRENCH, dir=str(tmp_path), train="train*.data", dev="train*.data",
                         test="train*.data")  # fmt: skip
    fit_and_score(FRENCH, Majority(), splits, tmp_path / "majority", seed=1, name="majority")
    results = tmp_path / "results"
    given = {"commit": "0123abc", "results": results}
    gender(tmp_path / "majority", bitext, record="en-fr-2015/common", **given)
    record = read_record(results / "en-fr-2015/common.json")
    gold = read_gold_labels("en-fr-2015", results)["set"]
    assert gold.apart
    assert gold.labels == ("elle", "il", "ils", "elles")
    chosen = read_labels(record.name, results)["set"]["1"]
    right = sum(map(str.__eq__, gold.labels, chosen))
    found = record.scores["set"]["accuracy"]
    assert found.value == pytest.approx(100 * right / 4)
    told = f"{found.value:.2f} [{found.low:.2f}, {found.high:.2f}]"
    assert told in capsys.readouterr().out
    assert verify_record(record.name, {record.name}, results) == []
    assert record.steps[-1].command[3:6] == (
        "gender",
        "{work}/runs/en-fr-2015/majority",
        "--bitext",
    )
    with pytest.raises(InputError, match="expected a name that is free, or --replace"):
        gender(tmp_path / "majority", bitext, record="en-fr-2015/common", **given)
    gender(tmp_path / "majority", bitext, record="en-fr-2015/common", replaced=True, **given)


@pytest.fixture
def majority(tmp_path):
    system = Majority()
    system.fit(FRENCH, demo_examples(FRENCH, "train", 3), [])
    system.save(tmp_path / "majority/model")
    return tmp_path / "majority"


def test_a_system_of_single_sentences_has_no_context_to_lose(majority, bitext, capsys):
    gender(majority, bitext, most=2)
    text = capsys.readouterr().out
    assert "set (bitext): 2 instances" in text
    assert "with context" not in text.replace("without context", "")
    assert text.count("100.00 [100.00, 100.00]") == 1  # il or elle, whichever is more frequent


def test_what_cannot_be_asked_is_refused(tmp_path, majority, bitext, table):
    with pytest.raises(typer.BadParameter, match="either --bitext or --versions"):
        gender(majority, bitext, table)
    with pytest.raises(typer.BadParameter, match="either --bitext or --versions"):
        gender(majority)
    with pytest.raises(InputError, match="a choice between classes of en-fr-2015"):
        gender(majority, versions=table)
    system = Majority()
    system.fit(GERMAN, demo_examples(GERMAN, "train", 3), [])
    system.save(tmp_path / "german/model")
    with pytest.raises(InputError, match="expected for --bitext one into fr, found en-de"):
        gender(tmp_path / "german", bitext)
