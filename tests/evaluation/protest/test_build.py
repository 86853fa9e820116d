"""From annotation to tokens: categories, places, translations, reasons, decisions, selection."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.formats.mmax import Markable, MmaxDocument, read_mmax
from crosspro.evaluation.protest.build import (
    TYPES,
    count_types,
    select,
    shares,
    translation_form,
)
from crosspro.evaluation.protest.candidates import find_candidates, match_documents, read_decisions
from crosspro.evaluation.protest.categories import BY_NAME, CATEGORIES
from crosspro.evaluation.protest.suite import Place, Token, Translation
from tests.evaluation.protest.tokens import CLITIC, FOLDER, HOUSE, RAIN


def test_every_pronoun_is_accounted_for(candidates):
    counts = Counter(token.category for token in candidates.tokens)
    assert set(counts) == set(BY_NAME)
    assert counts.total() == 15
    assert {form: count for (form, _), count in candidates.uncategorised.items()} == {
        "it": 1,
        "they": 1,
    }
    assert candidates.forms.total() == candidates.categories.total() + 2 == 17
    assert candidates.categories.total() == 15 + candidates.unusable.total()


def test_a_token_knows_its_places_and_translations(candidates):
    tokens = {token.name: token for token in candidates.tokens}
    house, event = tokens[HOUSE], tokens["talk1:word_37"]
    assert (house.place, house.antecedent, house.mention) == (
        Place(16, (0,)),
        Place(15, (4,)),
        (2, 3, 4),
    )
    assert house.references == (Translation(("elle",), (0,), ("maison",), (5,)),)
    assert (event.antecedent, event.references) == (None, (Translation(("c'",), (0,)),))


def test_a_clitic_without_a_link_is_found_by_repair(documents, text, english, french, candidates):
    (token,) = [token for token in candidates.tokens if token.name == CLITIC]  # I love it
    assert token.references[0].pronoun == ("l'",)
    plain = find_candidates(documents, text, english, french, repair=False)
    assert CLITIC not in {token.name for token in plain.tokens}
    assert [name for name, _ in plain.unusable] == ["anaphoric_inter_nonsubject_it"]


def test_the_text_may_be_tokenised_otherwise(documents, text, english, french, candidates):
    """Points stuck to the words: places move, tokens stay."""
    glued = [(*line[:-2], line[-2] + line[-1]) if line[-1] == "." else line for line in text.source]
    links = [
        tuple((min(s, len(words) - 1), t) for s, t in of_line)
        for of_line, words in zip(text.links[0], glued, strict=True)
    ]
    other = replace(text, source=glued, links=[links])
    found = find_candidates(documents, other, english, french, repair=True)
    assert {token.name for token in found.tokens} >= {
        token.name
        for token in candidates.tokens
        if token.place.at[-1] < len(glued[token.place.line]) - 1
    }


def test_several_references(documents, text, english, french):
    other = [list(line) for line in text.references[0]]
    other[0][3], other[1][0] = "bicyclette", "Elle"
    other[4] = ["La", "pluie"]  # no pronoun: this reference can never be matched
    links = [of_line if n != 4 else ((0, 0), (1, 1)) for n, of_line in enumerate(text.links[0])]
    both = replace(
        text,
        references=[text.references[0], [tuple(line) for line in other]],
        links=[text.links[0], links],
    )
    found = find_candidates(documents, both, english, french, repair=True)
    tokens = {token.name: token for token in found.tokens}
    bicycle = tokens["talk1:word_6"].references
    assert [(one.pronoun, one.head) for one in bicycle] == [
        (("il",), ("vélo",)),
        (("elle",), ("bicyclette",)),
    ]
    assert tokens[RAIN].references[1] == Translation()


def test_tokens_without_a_known_translation_are_left_out(documents, text, english, french):
    links = [list(of_line) for of_line in text.links[0]]
    links[4] = []  # It rains
    links[6] = [(0, 1)]  # It was: linked to a verb
    links[15] = [(4, 3)]  # house: linked to an article
    found = find_candidates(documents, replace(text, links=[links]), english, french)
    left_out = Counter(name for name, _ in found.unusable.elements())
    assert left_out["pleonastic_it"] == left_out["event_it"] == 1
    assert left_out["anaphoric_inter_subject_it"] == 1


def test_documents_and_text_must_belong_together(documents, text, english, french):
    names = [name.replace("talk2", "other") for name in text.documents]
    with pytest.raises(InputError):
        match_documents(documents, replace(text, documents=names))
    noise = [tuple("xyz" for _ in line) for line in text.source]
    with pytest.raises(InputError):
        find_candidates(documents, replace(text, source=noise), english, french)


HEADING = "document\tword\tcategory\thead\n"


def test_decisions_give_reject_and_correct(documents, text, english, french, tmp_path):
    path = tmp_path / "d.tsv"
    path.write_text(
        f"{HEADING}# a comment\n\n001_talk2\tword_13\tevent_it\n000_talk1\tword_29\treject\t\n"
        "001_talk2\tword_7\t\tword_4\n",
        "utf-8",
    )
    decisions = read_decisions(path, documents)
    found = find_candidates(documents, text, english, french, decisions, repair=True)
    tokens = {token.name: token for token in found.tokens}
    assert tokens["talk2:word_13"].category == "event_it"
    assert RAIN not in tokens
    place = tokens[HOUSE].antecedent
    assert place is not None
    assert [text.source[place.line][at] for at in place.at] == ["old"]


@pytest.mark.parametrize(
    ("row", "line"),
    [
        ("no\tword_1\t\t", 2),
        ("000_talk1\tword_1\tbad\t", 2),
        ("000_talk1\tx\t\t", 2),
        ("000_talk1\tword_1\t\tx", 2),
        ("000_talk1\tword_1", 2),
        ("000_talk1\tword_1\t\t\n000_talk1\tword_1\t\t", 3),
    ],
)
def test_the_first_fault_of_decisions_is_named(documents, tmp_path, row, line):
    path = tmp_path / "d.tsv"
    path.write_text(f"{HEADING}{row}\n", "utf-8")
    with pytest.raises(InputError) as caught:
        read_decisions(path, documents)
    assert [(p.path, p.line) for p in caught.value.problems] == [(str(path), line)]


# Selection ----------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 9), max_size=6), st.integers(0, 60))
def test_shares_are_even_and_complete(sizes, amount):
    parts = shares(sizes, amount)
    assert sum(parts) == min(amount, sum(sizes))
    assert all(0 <= part <= size for part, size in zip(parts, sizes, strict=True))
    unfilled = [part for part, size in zip(parts, sizes, strict=True) if part < size]
    assert not unfilled or max(parts) <= min(unfilled) + 1


def many(pronouns):
    """Tokens of one category with these translations, over two documents."""
    return [
        Token(
            f"d{number % 2}:word_{number}",
            "anaphoric_inter_they",
            f"d{number % 2}",
            Place(number, (0,)),
            "subject",
            Place(0, (0,)),
            (0,),
            (Translation((pronoun,), (0,), ("x",), (0,)),),
        )
        for number, pronoun in enumerate(pronouns)
    ]


@pytest.mark.parametrize(
    ("pronouns", "wanted", "feature", "counts"),
    [
        (["ils"] * 40 + ["elles"] * 6 + ["ce"] * 5, 15, "pronoun", {"ils": 5, "elles": 5, "ce": 5}),
        (
            ["ils"] * 40 + ["elles"] * 6 + ["ce"] * 5,
            30,
            "pronoun",
            {"ils": 19, "elles": 6, "ce": 5},
        ),
        (["ils"] * 30 + ["il"] * 4, 8, "shift", {True: 4, False: 4}),
    ],
)
def test_selection_is_balanced(french, pronouns, wanted, feature, counts):
    chosen = select(many(pronouns), {"anaphoric_inter_they": wanted}, french, seed=3)
    assert Counter(getattr(translation_form(token, french), feature) for token in chosen) == counts
    documents = Counter(token.document for token in chosen)
    assert abs(documents["d0"] - documents["d1"]) <= 3


def test_selection_is_reproducible_and_a_category_does_not_depend_on_others(candidates, french):
    tokens, wanted = many(["ils", "elles"] * 30), {"anaphoric_inter_they": 10}
    first = select(tokens, wanted, french, seed=7)
    assert first == select(list(reversed(tokens)), wanted | {"event_it": 3}, french, seed=7)
    assert first != select(tokens, wanted, french, seed=8)
    one_each = {category.name: 1 for category in CATEGORIES}
    chosen = select(candidates.tokens, one_each, french, seed=1)
    assert Counter(token.category for token in chosen) == one_each


# Types of pronouns (002 Table 1) ------------------------------------------------------------------

NOUN = ((0, 1), {"mention": "np"})


def pronoun(at, **attributes):
    return (at,), {"mention": "pronoun"} | attributes


def talk(*mentions):
    """Two sentences of five words; markables (words, attributes) are in one chain."""
    marked = [
        Markable(f"m{n}", words, {"coref_class": "set_1"} | attributes, n)
        for n, (words, attributes) in enumerate(mentions)
    ]
    sentences = (tuple(range(5)), tuple(range(5, 10)))
    names = tuple(f"word_{n}" for n in range(1, 11))
    return MmaxDocument("x", "x", tuple("abcdefghij"), names, sentences, tuple(marked))


@pytest.mark.parametrize(
    ("mentions", "kind"),
    [
        ([NOUN, pronoun(3, type="anaphoric")], TYPES[1]),
        ([NOUN, pronoun(6, type="anaphoric")], TYPES[0]),
        ([pronoun(6, type="anaphoric")], ("anaphoric", "no antecedent in its chain")),
        ([pronoun(6, type="anaphoric", split="no explicit antecedent")], TYPES[3]),
        ([NOUN, pronoun(6, type="anaphoric", antetype="event")], ("event", "")),
        ([pronoun(6, type="event")], ("event", "")),
        ([pronoun(6, type="speaker_reference")], ("speaker reference", "")),
        ([pronoun(6, type="something")], ("something", "")),
        ([pronoun(6)], ("type not annotated", "")),
    ],
)
def test_the_type_of_a_pronoun(mentions, kind, english):
    counts = count_types([talk(*mentions)], english)
    assert {one for one, count in counts.items() if count} == {kind}
    assert [one for one in counts if one in TYPES] == list(TYPES)


def test_pronouns_linked_to_pronouns_and_texts_without_any(english):
    two = talk(pronoun(2, type="pleonastic"), pronoun(6, type="anaphoric"))
    counts = count_types([two], english)
    assert counts["anaphoric", "linked to another pronoun"] == counts["pleonastic", ""] == 1
    with pytest.raises(InputError):
        count_types([talk(NOUN)], english)


def test_the_rows_are_those_of_the_paper():
    with (FOLDER / "pronoun_types_discomt2015.csv").open(encoding="utf-8") as handle:
        printed = [(row["type"], row["subtype"]) for row in csv.DictReader(handle)]
    ours = [(name.replace("extratextual", "extra-textual"), sub) for name, sub in TYPES]
    assert ours == printed[:-1]


def test_types_of_the_ten_talks_of_parcorfull(english, parcorfull):
    """002 has two talks more; of these here 199 are relative pronouns, nearly all of them intra."""
    counts = count_types(read_mmax(parcorfull / "DiscoMT" / "EN"), english)
    assert counts["pleonastic", ""] == 126  # 123 in twelve talks
    assert counts["event", ""] == 275  # 360
    inter, intra = (counts[kind] for kind in TYPES[:2])
    assert inter + intra == 1433  # 1,405
