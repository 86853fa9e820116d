"""The measurements of antecedents: chains and marks are read, and choices are judged by them."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.mmax import Markable, MmaxDocument
from crosspro.data_prep.lexicon.lexicon import HEADER, Entry, Lexicon, write_lexicon
from crosspro.prediction.models import export_run
from crosspro.prediction.neural.system import NeuralSystem
from crosspro.scripts.reproduce.antecedents import (
    WAYS,
    ChosenNouns,
    judge,
    latent,
    report,
    resolve,
    shares_table,
)
from crosspro.scripts.reproduce.marked_words import (
    cut_sentences,
    read_marked_pairs,
    tokenised,
    unmark,
)
from tests.prediction.neural.small import QUIET, SMALL

TASK = load_task("en-fr")
NOUNS = Lexicon.of(
    [
        Entry("robe", "NOUN", "Fem", "Sing"),
        Entry("lit", "NOUN", "Masc", "Sing"),
    ]
)
RECORD = {
    "id": "scat.1",
    "context_en": "The dress is on the bed. Look.",
    "context_fr": "La <hon>robe<hoff> est sur le lit. Regarde.",
    "en": "<p>it</p> is new, w<p>it</p>h dots",
    "fr": "dis qu'<p>elle</p> est nouvelle, quelle pe<p>elle</p>",
    "opensubs_contrastive": "inst7",
}


def test_marks_are_taken_out_of_a_text():
    found = unmark("J’ai vu <hon>un butin<hoff>  quand <p>il</p> est là<hoff>")
    assert found.text == "J'ai vu un butin  quand il est là"
    assert [found.text[a:b] for a, b in found.pronouns] == ["il"]
    assert [found.text[a:b] for a, b in found.marked] == ["un butin"]


def test_only_whole_words_are_pronouns():
    sentence = tokenised(unmark(RECORD["fr"]), "fr")
    assert [sentence.tokens[place] for place in sentence.pronouns] == ["elle"]
    assert sentence.tokens[:3] == ["dis", "qu'", "elle"]


def test_sentences_keep_their_marks():
    first, second = cut_sentences(unmark(RECORD["context_fr"]), "fr")
    assert first.tokens == ["La", "robe", "est", "sur", "le", "lit", "."]
    assert first.marked == {1}
    assert second.tokens == ["Regarde", "."]
    assert not second.marked
    assert cut_sentences(unmark(""), "fr") == []


def test_contexts_of_unequal_length_stay_whole(tmp_path):
    path = tmp_path / "pairs.jsonl"
    other = {**RECORD, "context_en": "The dress is on the bed, look."}
    lines = [RECORD, other, {**RECORD, "context_en": "", "context_fr": ""}]
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    found = list(read_marked_pairs(path, "en", "fr"))
    assert [len(one.source) for one in found] == [3, 2, 1]
    assert [len(one.target) for one in found] == [3, 2, 1]
    assert {one.unit for one in found} == {"inst7"}
    assert found[1].target[0].marked == {1}
    path.write_text('{"id": 3}\n', "utf-8")
    with pytest.raises(InputError, match=r"pairs.jsonl:1.*expected JSON with id, en, fr"):
        list(read_marked_pairs(path, "en", "fr"))


def puzzle(generator):
    """The pronoun agrees with the first of two nouns."""
    label, noun = generator.choice((("elle", "robe|NOM"), ("il", "lit|NOM")))
    other = generator.choice(("robe|NOM", "lit|NOM", "chat|NOM"))
    target = ("le|DET", noun, "et|KON", "un|DET", other, "REPLACE_5", "être|VER")
    source = ("the", "one", "and", "an", "other", "it", "is")
    links = tuple((place, place) for place in range(7))
    return Example.of_tokens(source, target, links, (Gap(5, 5, label),))


@pytest.fixture(scope="module")
def system():
    generator = random.Random(1)
    train, dev = ([puzzle(generator) for _ in range(size)] for size in (400, 60))
    made = NeuralSystem(
        "hardmeier_anaphora",
        {"words": 8, "tags": 4, "hidden": 16, "anaphora_hidden": 8, "dropout": 0.0},
        {"batch_size": 32, "class_weight_power": 0.0},
        {"learning_rate": 0.01},
        trainer={"progress_bar": False, "accelerator": "cpu", "max_epochs": 10},
    )
    made.fit(TASK, train, dev)
    return made


PAIRS = (
    ("la <hon>robe<hoff> et le lit <p>elle</p> est", "the one and the other <p>it</p> is"),
    ("le <hon>lit<hoff> et la robe <p>il</p> est", "the one and the other <p>it</p> is"),
    ("la <hon>robe<hoff> et la robe <p>elle</p> est", "the one and the other <p>it</p> is"),
    ("le lit et <hon>la robe<hoff> <p>elle</p> est", "the one and the other <p>it</p> is"),
)
"""The network has learnt the first noun; the last pair wants the other one."""
TAGS = {"robe": "robe|NOM", "lit": "lit|NOM", "est": "être|VER", "et": "et|KON"}


@pytest.fixture
def files(tmp_path, system):
    """A run, marked pairs, and what would be made of them: links and tags."""
    system.save(tmp_path / "run/model")
    records = [
        {"id": f"scat.{n}", "fr": fr, "en": en, "context_fr": "", "context_en": ""}
        for n, (fr, en) in enumerate(PAIRS)
    ]
    several = {**records[0], "fr": "<p>il</p> et <p>elle</p>"}
    unmarked = {**records[0], "fr": "la robe, <p>elle</p> <hon>est<hoff>"}
    nothing = {**records[0], "en": "the dress"}
    path = tmp_path / "pairs.jsonl"
    lines = [*records, several, unmarked, nothing]
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    links = " ".join(f"{place}-{place}" for place in range(7))
    (tmp_path / "links").write_text(f"{links}\n" * len(PAIRS), "utf-8")
    words = [pair.target[0].tokens for pair in read_marked_pairs(path, "en", "fr")][: len(PAIRS)]
    tagged = [
        " ".join(f"{word}|{TAGS.get(word, f'{word}|DET')}" for word in line) for line in words
    ]
    (tmp_path / "tokens").write_text("".join(f"{line}\n" for line in tagged), "utf-8")
    return tmp_path


def test_choices_are_judged_by_the_marks(files, system):
    pairs = list(read_marked_pairs(files / "pairs.jsonl", "en", "fr"))[: len(PAIRS)]
    annotator = f"tokens:{files / 'tokens'}"
    found = list(judge(system, pairs, NOUNS, files / "links", annotator))
    assert [one.pronoun for one in found] == ["elle", "il", "elle", "elle"]
    assert [one.right for one in found] == [
        (False, True, True, True),
        (False, True, True, True),
        (False, False, True, True),
        (True, True, False, False),
    ]
    assert all(one.distance == 0 for one in found)
    assert all(0 <= one.nothing <= 1 for one in found)


@pytest.mark.parametrize("name", ["en-fr", "en-fr-2015"])
def test_pointers_are_judged_with_tags_and_without(name, files):
    """Nouns of inflected text are known by the lexicon alone."""
    task = load_task(name)
    write_lexicon(files / "nouns.tsv", NOUNS)
    generator = random.Random(1)
    lines = [puzzle(generator) for _ in range(400)]
    if not task.tagged:
        lines = [replace(line, tags=None) for line in lines]
    pointer = {**SMALL["document_encoder"], "pointer": True, "source_lexicon": "none"}
    made = NeuralSystem(
        "document_encoder", {**pointer, "target_lexicon": str(files / "nouns.tsv")},
        {"batch_size": 32, "class_weight_power": 0.0}, {"learning_rate": 0.003},
        trainer={"progress_bar": False, "accelerator": "cpu", "max_epochs": 8},
    )  # fmt: skip
    made.fit(task, lines, lines[:60])
    pairs = list(read_marked_pairs(files / "pairs.jsonl", "en", "fr"))[: len(PAIRS)]
    annotator = f"tokens:{files / 'tokens'}" if task.tagged else "auto"
    found = list(judge(made, pairs, NOUNS, files / "links", annotator))
    assert [one.right[:2] for one in found] == [
        (False, True), (False, True), (False, False), (True, True),
    ]  # fmt: skip
    assert [one.right[3] for one in found] == [True, True, True, False]
    assert all(0 <= one.nothing <= 1 for one in found)


def test_a_system_that_does_not_point_is_refused(files):
    plain = NeuralSystem("turku_gru", SMALL["turku_gru"], trainer={**QUIET, "max_epochs": 1})
    generator = random.Random(1)
    lines = [puzzle(generator) for _ in range(20)]
    plain.fit(TASK, lines, lines)
    plain.save(files / "plain/model")
    with pytest.raises(InputError, match=r"expected one that points.*hardmeier_anaphora"):
        latent(files / "plain", files / "pairs.jsonl")


def test_the_report_says_what_was_left_out(files, capsys):
    lexicon = files / "nouns.tsv"
    rows = [HEADER, "robe\tNOUN\tFem\tSing\t1", "lit\tNOUN\tMasc\tSing\t1"]
    lexicon.write_text("\n".join(rows) + "\n", "utf-8")
    annotator = f"tokens:{files / 'tokens'}"
    latent(files / "run", files / "pairs.jsonl", str(lexicon), files / "links", annotator)
    text = capsys.readouterr().out
    assert "left out: 1 with no pronoun or several" in text
    assert "left out: 1 whose source has no pronoun" in text
    assert "left out: 1 without a marked word before the pronoun" in text
    assert "latent, pronoun known − nearest agreeing" in text


def test_an_archive_is_measured_as_its_run_is(files, capsys):
    write_lexicon(files / "nouns.tsv", NOUNS)
    export_run(files / "run", files / "run.zip")
    texts = []
    for run in (files / "run", files / "run.zip"):
        annotator = f"tokens:{files / 'tokens'}"
        latent(run, files / "pairs.jsonl", str(files / "nouns.tsv"), files / "links", annotator)
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]


def test_a_report_groups_by_pronoun_and_distance():
    found = [
        ChosenNouns("a", "il", (True, False, True, True), 0, 0.5),
        ChosenNouns("b", "ils", (False, False, False, False), None, 0.1),
        ChosenNouns("b", "ils", (False, True, True, False), 4, 0.3),
    ]
    lines = [line.split() for line in report(found).splitlines()]
    assert any(line[:2] == ["all", "3"] for line in lines)
    assert any(line[:2] == ["ils", "2"] for line in lines)
    assert ["no", "candidate", "marked", "1", "0", "0", "0", "0"] in lines
    assert "mean probability of no antecedent: 0.300" in report(found)


LISTED = Lexicon.of(
    [
        Entry("maison", "NOUN", "Fem", "Sing"),
        Entry("jardin", "NOUN", "Masc", "Sing"),
        Entry("arbres", "NOUN", "Masc", "Plur"),
    ]
)
PRONOUN = {"type": "anaphoric", "mention": "pronoun"}


def document(text, *markables):
    sentences = [sentence.split() for sentence in text.split("|")]
    words = [word for sentence in sentences for word in sentence]
    ends = [sum(map(len, sentences[: number + 1])) for number in range(len(sentences))]
    spans = [tuple(range(end - len(part), end)) for end, part in zip(ends, sentences, strict=True)]
    made = [
        Markable(f"m{number}", tuple(places), attributes, number)
        for number, (places, attributes) in enumerate(markables)
    ]
    names = tuple(f"word_{number}" for number in range(len(words)))
    return MmaxDocument("talk", "talk.xml", tuple(words), names, tuple(spans), tuple(made))


def test_agreement_finds_what_distance_does_not():
    found = document(
        "la maison et le jardin | elle brûle",
        ((0, 1), {"coref_class": "a", "mention": "np"}),
        ((5,), {**PRONOUN, "coref_class": "a"}),
    )
    assert list(resolve(found, "fr", LISTED, 5)) == [
        ChosenNouns("talk", "elle", (False, True), distance=1)
    ]
    (near,) = resolve(found, "fr", LISTED, 0)
    assert (near.right[1], near.distance) == (False, None)


def test_pronouns_without_a_noun_phrase_before_them_do_not_count():
    found = document(
        "il pleut | le jardin",
        ((0,), {**PRONOUN, "coref_class": "a"}),
        ((2, 3), {"coref_class": "a", "mention": "np"}),
    )
    assert list(resolve(found, "fr", LISTED, 5)) == []


def test_english_nouns_are_told_by_the_light_tagger():
    found = document(
        "the dogs saw the house . they ran",
        ((0, 1), {"coref_class": "a", "mention": "np"}),
        ((6,), {**PRONOUN, "coref_class": "a"}),
    )
    (they,) = resolve(found, "en", None, 5)
    assert (they.right, they.distance) == ((False, True), 0)


def test_the_table_has_a_row_for_each_pronoun_and_distance():
    rows = [ChosenNouns(f"d{n}", "il", (n % 2 == 0, True), n) for n in range(4)]
    rows.append(ChosenNouns("d9", "elle", (False, False), None))
    shown = shares_table(rows, WAYS[:2], "in the chain")
    for fragment in (
        "all",
        "80.0",
        "elle",
        "noun 0 back",
        "3 or more",
        "no candidate in the chain",
    ):
        assert fragment in shown
