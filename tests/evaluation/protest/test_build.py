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
from crosspro.evaluation.protest.candidates import find_candidates, read_decisions
from crosspro.evaluation.protest.categories import BY_NAME
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


def test_a_pronoun_without_a_link_is_left_out(documents, text, english, french, candidates):
    (token,) = [token for token in candidates.tokens if token.name == CLITIC]  # I love it
    assert token.references[0].pronoun == ("l'",)
    links = [line[:-1] if number == 1 else line for number, line in enumerate(text.links[0])]
    unlinked = find_candidates(documents, replace(text, links=[links]), english, french)
    assert CLITIC not in {token.name for token in unlinked.tokens}
    assert list(unlinked.unusable) == [("anaphoric_inter_nonsubject_it", "pronoun has no link")]


def test_several_references(documents, text, english, french):
    other = [list(line) for line in text.references[0]]
    other[0][3], other[1][0] = "bicyclette", "Elle"
    other[4] = ["La", "pluie"]  # no pronoun: this reference can never be matched
    links = [
        line_links if n != 4 else ((0, 0), (1, 1)) for n, line_links in enumerate(text.links[0])
    ]
    both = replace(
        text,
        references=[text.references[0], [tuple(line) for line in other]],
        links=[text.links[0], links],
    )
    result = find_candidates(documents, both, english, french)
    tokens = {token.name: token for token in result.tokens}
    bicycle = tokens["talk1:word_6"].references
    assert [(kind_of_pronoun.pronoun, kind_of_pronoun.head) for kind_of_pronoun in bicycle] == [
        (("il",), ("vélo",)),
        (("elle",), ("bicyclette",)),
    ]
    assert tokens[RAIN].references[1] == Translation()


HEADING = "document\tword\tcategory\thead\n"


def test_decisions_give_reject_and_correct(documents, text, english, french, tmp_path):
    path = tmp_path / "d.tsv"
    path.write_text(
        f"{HEADING}# a comment\n\n001_talk2\tword_13\tevent_it\n000_talk1\tword_29\treject\t\n"
        "001_talk2\tword_7\t\tword_4\n",
        "utf-8",
    )
    decisions = read_decisions(path, documents)
    result = find_candidates(documents, text, english, french, decisions)
    tokens = {token.name: token for token in result.tokens}
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


def many(pronouns, category):
    """Tokens of one category with these translations, over two documents."""
    return [
        Token(
            f"d{number % 2}:word_{number}",
            category,
            f"d{number % 2}",
            Place(number, (0,)),
            "subject",
            Place(0, (0,)),
            (0,),
            (Translation((pronoun,), (0,), ("x",), (0,)),),
        )
        for number, pronoun in enumerate(pronouns)
    ]


MIXED = ["ils"] * 40 + ["elles"] * 6 + ["ce"] * 5


@pytest.mark.parametrize(
    ("pronouns", "category", "feature", "counts"),
    [
        (MIXED, "anaphoric_singular_they", "pronoun", {"ils": 5, "elles": 5, "ce": 5}),
        (MIXED, "anaphoric_inter_they", "pronoun", {"ils": 14, "elles": 6, "ce": 5}),
        (
            ["ils"] * 30 + ["il"] * 7,
            "anaphoric_intra_nonsubject_it",
            "shift",
            {True: 8, False: 7},
        ),
    ],
)
def test_selection_is_balanced(french, pronouns, category, feature, counts):
    chosen = select(many(pronouns, category), french, seed=3)
    assert Counter(getattr(translation_form(token, french), feature) for token in chosen) == counts
    documents = Counter(token.document for token in chosen)
    assert abs(documents["d0"] - documents["d1"]) <= 3


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
    assert {kind_of_pronoun for kind_of_pronoun, count in counts.items() if count} == {kind}
    assert [kind_of_pronoun for kind_of_pronoun in counts if kind_of_pronoun in TYPES] == list(
        TYPES
    )


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
