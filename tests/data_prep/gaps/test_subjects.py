"""Subjects: by the label of a parse, and by rules over tags."""

from __future__ import annotations

import pytest

from crosspro.data_prep.annotate.corpus import make_annotator
from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import AnnotatedSentence, Token
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.conllu import read_conllu
from crosspro.data_prep.gaps.subjects.filter import (
    ambiguous_pronouns,
    judge_by_rules,
    judge_subjects,
)
from crosspro.data_prep.gaps.subjects.words import WordClass, word_classes
from tests.conftest import GOLDEN, SHARED_DATA


def parsed(*pairs):
    return AnnotatedSentence(tuple(Token(w, w, "X", head=0, deprel=label) for w, label in pairs))


def golden_cases():
    for language, scheme in (("en", "c5"), ("de", "stts")):
        path = GOLDEN / "annotate" / f"subjects.{language}.tsv"
        for line in path.read_text(encoding="utf-8").splitlines()[1:]:
            verdict, rule, index, text = line.split("\t")
            items = [item.rsplit("|", 2) for item in text.split(" ")]
            tokens = tuple(Token(form, lemma, "X", xpos=tag) for form, lemma, tag in items)
            name = " ".join(token.form for token in tokens)
            sentence = AnnotatedSentence(tokens, scheme)
            yield pytest.param(language, sentence, int(index), verdict, rule, id=f"{index} {name}")


@pytest.mark.parametrize(("language", "sentence", "index", "expected", "rule"), [*golden_cases()])
def test_rules_on_one_construction_each(language, sentence, index, expected, rule):
    verdict = judge_by_rules(sentence, [index], language)[index]
    found = "expletive" if verdict.expletive else "subject" if verdict.subject else "other"
    assert (found, verdict.rule) == (expected, rule)


@pytest.mark.parametrize(
    ("label", "subject"),
    [("SBJ", True), ("nsubj", True), ("nsubj:outer", True), ("expl", True), ("OBJ", False),
     ("", False)],
)  # fmt: skip
def test_labels_of_english_parses(label, subject):
    sentence = parsed(("it", label), ("rains", "root"))
    verdict = judge_subjects(sentence, load_task("en-fr"))[0]
    assert verdict.subject is subject
    assert verdict.rule == f"label {label}"


@pytest.mark.parametrize(
    ("label", "default", "kept"),
    [("sb", True, True), ("EP", False, True), ("OA", False, False)],
)
def test_german_expletives_are_lost_as_in_the_papers_unless_kept(label, default, kept):
    task, sentence = load_task("de-en"), parsed(("Es", label), ("gibt", "root"))
    assert judge_subjects(sentence, task)[0].subject is default
    assert judge_subjects(sentence, task, keep_expletives=True)[0].subject is kept
    assert judge_subjects(sentence, task, keep_expletives=False)[0].subject is default


def tagged(text, scheme):
    words = [item.split("/") for item in text.split(" ")]
    return AnnotatedSentence(tuple(Token(w, m, "X", xpos=t) for w, m, t in words), scheme)


def test_expletives_of_the_rules():
    gives = tagged("Es/es/PPER gibt/geben/VVFIN sie/sie/PPER ./././".removesuffix("/"), "stts")
    task = load_task("de-en")
    assert [v.subject for v in judge_subjects(gives, task).values()] == [False, False]
    kept = judge_subjects(gives, task, keep_expletives=True)
    assert [v.subject for v in kept.values()] == [True, False]
    assert judge_subjects(gives, task)[0].rule == "pair, expletive"
    seems = tagged("It/it/PNP seems/seem/VVZ that/that/CJT", "c5")
    assert judge_subjects(seems, load_task("en-fr"))[0].subject
    assert not judge_subjects(seems, load_task("en-fr"), keep_expletives=False)[0].subject


def test_only_the_pronouns_of_the_filter_are_judged():
    sentence = parsed(("They", "nsubj"), ("like", "root"), ("IT", "obj"))
    assert ambiguous_pronouns(sentence, load_task("en-fr")) == [2]
    assert [*judge_subjects(sentence, load_task("en-fr"))] == [2]
    assert judge_subjects(sentence, load_task("fr-en")) == {}


def test_a_language_without_rules_needs_a_parse():
    sentence = AnnotatedSentence((Token("lo", "lo", "PRON"),))
    with pytest.raises(CrossproError):
        judge_by_rules(sentence, [0], "es")


def test_classes_come_from_the_best_tag_there_is():
    def kind(scheme="", **fields):
        token = Token("x", "x", fields.pop("tag", "X"), **fields)
        return word_classes(AnnotatedSentence((token,), scheme))[0]

    assert kind("c5", xpos="PRP") is WordClass.PREP
    assert kind("ptb", xpos="PRP") is WordClass.PRON
    assert kind(upos="VERB", features="VerbForm=Inf") is WordClass.BASE
    assert kind(upos="VERB") is WordClass.FINITE
    assert kind(tag="ADP") is WordClass.PREP
    assert kind(tag="?") is WordClass.OTHER


@pytest.mark.parametrize(
    ("language", "pronouns", "least"),
    [("en_ewt", ("it",), 0.97), ("de_gsd", ("es",), 0.85), ("de_gsd", ("sie",), 0.85)],
)
@pytest.mark.parametrize("part", ["dev", "test"])
def test_rules_reach_what_is_asked_on_treebanks(language, pronouns, least, part):
    path = SHARED_DATA / "ud" / f"{language}-ud-{part}.conllu.xz"
    if not path.is_file():
        pytest.skip("the treebanks are not here")
    pytest.importorskip("HanTa")
    annotator = make_annotator("hanta", language[:2], "universal")
    right = spurious = missed = 0
    for sentence in read_conllu(path):
        forms = [word.form for word in sentence.words]
        places = [i for i, form in enumerate(forms) if form.lower() in pronouns]
        if not places:
            continue
        (annotated,) = annotator.annotate([forms])
        for place, verdict in judge_by_rules(annotated, places, language[:2]).items():
            gold = sentence.words[place].deprel in ("nsubj", "nsubj:pass", "expl")
            right += gold and verdict.subject
            spurious += verdict.subject and not gold
            missed += gold and not verdict.subject
    assert right / (right + spurious) >= least
    assert right / (right + missed) >= least
