"""Features by name: exactly what they say of a hand-written document, and what data they need."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.baselines.features.learnt import (
    LanguageModelSettings,
    learn,
    learn_contexts,
    telling_label,
    training_parts,
)
from crosspro.baselines.features.matrix import strings_of
from crosspro.baselines.features.names import FEATURES, NEEDS, chosen_features, unmet
from crosspro.baselines.features.view import Resources
from crosspro.baselines.it_classifier.context import ItContext
from crosspro.baselines.it_classifier.patterns import short_patterns
from crosspro.data_prep.core.example import Gap
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.lexicon.agreement import english_words
from tests.baselines.features.document import DOCUMENT, LEXICON, SECOND
from tests.conftest import GOLDEN, ROOT
from tests.examples import example_of

TASK = load_task("en-fr")
PLAIN = Resources(TASK, 1, LEXICON, pleonastic=short_patterns)


def told(names, examples=DOCUMENT, resources=PLAIN):
    """All that features say of the gaps of some examples."""
    gaps = strings_of(chosen_features(names), examples, resources)
    return [string for strings in gaps for string in strings]


def test_every_feature_of_a_document_is_what_it_was():
    """Each name with the values that it gives the only gap of the document."""
    chosen = chosen_features(list(FEATURES))
    lm = LanguageModelSettings(order=2)
    resources = learn(chosen, [*DOCUMENT] * 12, PLAIN, lm)
    text = ""
    for one in chosen:
        values = told([one.written], resources=resources)
        text += "".join(f"{line}\n" for line in (f"# {one.written}", *values))
    assert text == (GOLDEN / "features" / "document.txt").read_text("utf-8")


def test_an_antecedent_is_of_the_chain_or_agrees():
    names = ["antecedents"]
    assert told(names)[:4] == [
        "antecedent=voiture",
        "antecedent gender=Fem",
        "antecedent number=Sing",
        "antecedent known by=chain",
    ]
    without = [replace(example, chains=None) for example in DOCUMENT]
    assert told(names, without)[0] == "antecedent=midi"
    alone = [
        replace(SECOND, chains=None, document=None, gaps=(replace(SECOND.gaps[0], position=0),))
    ]
    assert told(names, alone) == []


def test_earlier_sentences_are_those_of_the_document_within_the_context():
    names = ["preceding_nouns:3", "preceding_determiners:1"]
    near = told(names, resources=replace(PLAIN, context=0))
    assert [line for line in near if line.startswith("noun before")] == ["noun before=midi"]
    assert not [line for line in near if line.startswith("determiner")]
    assert "noun before=voiture" in told(names)
    other = [replace(DOCUMENT[0], document="other"), SECOND]
    assert told(names, other) == near


def test_telling_contexts_are_frequent_and_nearly_always_of_one_class():
    context = ("it", ("<s>", "à", "midi", "REPLACE", "être", "à+le", "garage"))
    often = learn_contexts([(context, "elle")] * 9 + [(context, "il")])
    assert set(often.values()) == {"elle"}
    assert telling_label(often, context) == "elle"
    assert learn_contexts([(context, "elle")] * 9) == {}
    assert learn_contexts([(context, "elle")] * 8 + [(context, "il")] * 2) == {}
    resources = replace(PLAIN, telling=often)
    assert told(["telling_contexts"], resources=resources) == ["telling context=elle"]
    nothing = replace(PLAIN, telling={})
    assert told(["telling_contexts"], resources=nothing) == ["telling context=none"]


@pytest.mark.parametrize(
    ("sentence", "pleonastic"),
    [
        ("It is clear that they came", "yes"),
        ("it seems that he left", "yes"),
        ("it is raining", "yes"),
        ("it takes time to learn", "yes"),
        ("it was at the garage", "no"),
        ("it broke", "no"),
    ],
)
def test_patterns_of_pleonastic_it(sentence, pleonastic):
    context = ItContext(tuple(sentence.split()), 0)
    chance = short_patterns([context])[0]
    assert (chance > 0.5) == (pleonastic == "yes")


@pytest.mark.parametrize(
    "written",
    [["source_pronouns"], ["target_lemmas:0"], ["target_lemmas:x"], ["source_pronoun:2"],
     ["position", "position"], []],
)  # fmt: skip
def test_wrong_lists_of_features_are_refused(written):
    with pytest.raises(ValueError, match=written[0].partition(":")[0] if written else "feature"):
        chosen_features(written)


def test_what_features_need_is_told_of_each():
    bare = [replace(example, source_parse=None, target_parse=None) for example in DOCUMENT]
    chosen = chosen_features(list(FEATURES))
    finer = {"target_fine_tags:3", "target_fine_tags_ngrams:3"}
    assert set(unmet(chosen, PLAIN, DOCUMENT)) == finer
    lacking = unmet(chosen, PLAIN, bare)
    assert set(lacking) == {
        *finer,
        *(f"source_{one}:3" for one in ("lemmas", "tags", "fine_tags")),
        *(f"source_{one}_ngrams:3" for one in ("lemmas", "tags", "fine_tags")),
        "target_parse_tags:3",
        "target_parse_tags_ngrams:3",
        "source_head",
        "linked_lemmas",
        "previous_subject",
    }
    assert "X.source.conllu" in lacking["source_head"]
    german = replace(PLAIN, task=load_task("de-en"))
    into_english = set(unmet(chosen, german, DOCUMENT))
    assert {"pleonastic", "target_universal_tags:3"} <= into_english
    assert not finer & into_english
    assert {need for one in FEATURES.values() for need in one.needs} == set(NEEDS)


def test_the_documentation_lists_all_features():
    text = (ROOT / "docs" / "reference" / "features.md").read_text("utf-8")
    for name, feature in FEATURES.items():
        listed = name.removesuffix("_ngrams")  # marked with a star
        shown = f"{listed}:{feature.number}" if feature.most else listed
        assert f"`{shown}`" in text, shown


def test_what_is_learnt_of_one_document_is_learnt_from_its_other_half():
    lines = [replace(SECOND, document="talk") for _ in range(5)]
    chosen = chosen_features(["telling_contexts"])
    parts = training_parts(chosen, lines, LanguageModelSettings())
    assert [tuple(map(len, part)) for part in parts] == [(2, 3), (3, 2)]


@pytest.mark.parametrize(
    ("task", "target", "expected"),
    [
        ("en-de", "weil|CONJ REPLACE_0 können|VERB", "KOUS VM"),
        ("de-en", "because|ADP REPLACE_0 can|VERB", "SUB MD"),
        ("de-en", "dog|NOUN REPLACE_0 bark|VERB", "NOUN VERB"),
    ],
)
def test_targets_with_universal_tags_have_a_second_tagset(task, target, expected):
    """As UU-Stymne had two for all target languages (003 §5.11)."""
    line = example_of(("it",), tuple(target.split()), ((0, 1),), (Gap(1, 0),), None)
    resources = replace(PLAIN, task=load_task(task))
    values = told(["target_fine_tags:1"], [line], resources)
    assert " ".join(value.partition("=")[2] for value in values) == expected


def they_after(source, *, lexicon=None):
    gap = source.split().index("they")
    line = example_of(tuple(source.split()), ("REPLACE_0",), ((gap, 0),), (Gap(0, gap),), None)
    resources = replace(PLAIN, source_lexicon=lexicon)
    return [told([name], [line], resources) for name in ("antecedent_number", "pronoun_number")]


def test_without_chains_the_antecedent_may_have_another_number_than_the_pronoun():
    """The primary and the contrastive run of LIMSI differ in it (003 §5.3)."""
    words = english_words([["the", noun] for noun in ("team", "dogs", "dog")])
    assert they_after("the team said they", lexicon=words) == [["number=Sing"], ["number=Plur"]]
    assert they_after("team dogs they", lexicon=words) == [["number=Plur"], ["number=Plur"]]
    assert they_after("the dog said they", lexicon=words) == [["number=Plur"], ["number=Plur"]]
