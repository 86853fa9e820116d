"""The measurement of the nearest agreeing noun, on a text whose chains are known."""

from __future__ import annotations

from crosspro.data_prep.formats.mmax import Markable, MmaxDocument
from crosspro.data_prep.lexicon.lexicon import Entry, Lexicon
from crosspro.scripts.reproduce.antecedent_heuristic import Resolved, resolve, table

NOUNS = Lexicon.of(
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
    assert list(resolve(found, "fr", NOUNS, 5)) == [
        Resolved("talk", "elle", nearest=False, agreeing=True, distance=1)
    ]
    (near,) = resolve(found, "fr", NOUNS, 0)
    assert (near.agreeing, near.distance) == (False, None)


def test_pronouns_without_a_noun_phrase_before_them_do_not_count():
    found = document(
        "il pleut | le jardin",
        ((0,), {**PRONOUN, "coref_class": "a"}),
        ((2, 3), {"coref_class": "a", "mention": "np"}),
    )
    assert list(resolve(found, "fr", NOUNS, 5)) == []


def test_english_nouns_are_told_by_the_light_tagger():
    found = document(
        "the dogs saw the house . they ran",
        ((0, 1), {"coref_class": "a", "mention": "np"}),
        ((6,), {**PRONOUN, "coref_class": "a"}),
    )
    (they,) = resolve(found, "en", None, 5)
    assert (they.nearest, they.agreeing, they.distance) == (False, True, 0)


def test_the_table_has_a_row_for_each_pronoun_and_distance():
    rows = [Resolved(f"d{n}", "il", n % 2 == 0, True, n) for n in range(4)]
    shown = table([*rows, Resolved("d9", "elle", False, False, None)])
    for fragment in ("all", "80.0", "elle", "noun 0 back", "3 or more", "no candidate"):
        assert fragment in shown
