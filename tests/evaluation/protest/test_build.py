"""From annotation to tokens: categories, positions, translations, reasons, decisions, selection."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.output.tables import Style
from crosspro.evaluation.protest.build import (
    build_report,
    select,
    shares,
    top_up,
    translation_of,
)
from crosspro.evaluation.protest.candidates import find_candidates, match_documents, read_decisions
from crosspro.evaluation.protest.categories import BY_NAME, CATEGORIES
from crosspro.evaluation.protest.suite import Place, ReferenceWords, SuiteToken


def test_every_category_is_found(candidates):
    counts = Counter(token.category for token in candidates.tokens)
    assert set(counts) == set(BY_NAME)
    assert sum(counts.values()) == 15
    assert candidates.uncategorised == {
        ("it", "type extratextual reference"): 1,
        ("they", "no specific antecedent"): 1,
    }


def test_every_pronoun_is_accounted_for(candidates):
    found = sum(candidates.forms.values())
    without = sum(candidates.uncategorised.values())
    assert found == without + sum(candidates.categories.values()) == 17
    assert sum(candidates.categories.values()) == len(candidates.tokens) + sum(
        candidates.unusable.values()
    )


def test_a_token_knows_its_places_and_translations(candidates):
    tokens = {token.name: token for token in candidates.tokens}
    house = tokens["talk2:word_7"]
    assert house.place == Place(16, (0,))
    assert house.antecedent == Place(15, (4,))
    assert house.mention == (2, 3, 4)
    assert house.references == (ReferenceWords(("elle",), (0,), ("maison",), (5,)),)
    event = tokens["talk1:word_37"]
    assert (event.antecedent, event.references) == (None, (ReferenceWords(("c'",), (0,)),))


def test_a_clitic_without_a_link_is_found_by_repair(documents, text, english, french, candidates):
    name = "talk1:word_13"  # "I love it", "je l' aime"
    (token,) = [token for token in candidates.tokens if token.name == name]
    assert token.references[0].pronoun == ("l'",)
    plain = find_candidates(documents, text, english, french, repair=False)
    assert name not in {token.name for token in plain.tokens}
    assert plain.unusable == {("anaphoric_inter_nonsubject_it", "pronoun has no link"): 1}


def test_the_text_may_be_tokenised_otherwise(documents, text, english, french, candidates):
    """Points stuck to the words: places move, tokens stay."""
    glued = [(*line[:-2], line[-2] + line[-1]) if line[-1] == "." else line for line in text.source]
    links = [
        tuple((min(s, len(words) - 1), t) for s, t in own)
        for own, words in zip(text.links[0], glued, strict=True)
    ]
    other = replace(text, source=glued, links=[links])
    found = find_candidates(documents, other, english, french, repair=True)
    assert {t.name for t in found.tokens} >= {
        t.name for t in candidates.tokens if t.place.at[-1] < len(glued[t.place.line]) - 1
    }


def test_several_references(documents, text, english, french):
    other = [list(line) for line in text.references[0]]
    other[0][3], other[1][0] = "bicyclette", "Elle"
    other[4] = ["La", "pluie"]  # no pronoun: this reference can never be matched
    second = [tuple(line) for line in other]
    links = [own if n != 4 else ((0, 0), (1, 1)) for n, own in enumerate(text.links[0])]
    both = replace(text, references=[text.references[0], second], links=[text.links[0], links])
    tokens = {
        t.name: t for t in find_candidates(documents, both, english, french, repair=True).tokens
    }
    bicycle = tokens["talk1:word_6"].references
    assert [(one.pronoun, one.head) for one in bicycle] == [
        (("il",), ("vélo",)),
        (("elle",), ("bicyclette",)),
    ]
    assert tokens["talk1:word_29"].references[1] == ReferenceWords()


def test_reasons_for_leaving_out(documents, text, english, french):
    links = [list(own) for own in text.links[0]]
    links[4] = []  # It rains
    links[6] = [(0, 1)]  # It was: linked to a verb, and nothing to repair it with
    links[15] = [(4, 3)]  # house: linked to an article
    found = find_candidates(documents, replace(text, links=[links]), english, french, repair=False)
    reasons = {(group, reason) for group, reason in found.unusable}
    assert ("pleonastic_it", "pronoun has no link") in reasons
    assert ("event_it", "linked to no such pronoun") in reasons
    assert ("anaphoric_inter_subject_it", "head linked to no content word") in reasons


def test_documents_that_the_text_does_not_have(documents, text):
    with pytest.raises(InputError, match="other"):
        names = [name.replace("talk2", "other") for name in text.documents]
        match_documents(documents, replace(text, documents=names))
    with pytest.raises(InputError, match="talk1"):
        names = [*text.documents[:-1], "talk1"]
        match_documents(documents, replace(text, documents=names))


def test_another_text_under_the_same_name(documents, text, english, french):
    noise = [tuple("xyz" for _ in line) for line in text.source]
    with pytest.raises(InputError):
        find_candidates(documents, replace(text, source=noise), english, french, repair=True)


def test_decisions_give_reject_and_correct(documents, text, english, french, tmp_path):
    path = tmp_path / "d.tsv"
    path.write_text(
        "document\tword\tcategory\thead\n# a comment\n"
        "001_talk2\tword_13\tevent_it\n"
        "000_talk1\tword_29\treject\t\n"
        "001_talk2\tword_7\t\tword_4\n",
        "utf-8",
    )
    decisions = read_decisions(path, documents)
    found = find_candidates(documents, text, english, french, decisions, repair=True)
    tokens = {token.name: token for token in found.tokens}
    assert tokens["talk2:word_13"].category == "event_it"
    assert "talk1:word_29" not in tokens
    assert found.uncategorised["it", "rejected by hand"] == 1
    assert tokens["talk2:word_7"].references[0].head == ("vieille",)


def test_bad_decisions_are_named(documents, tmp_path):
    path = tmp_path / "d.tsv"
    path.write_text("document\tword\tcategory\thead\na\tb\nx\ty\tnone\nx\ty\treject\n", "utf-8")
    with pytest.raises(InputError) as caught:
        read_decisions(path)
    assert [(p.line, p.field) for p in caught.value.problems] == [
        (2, "columns"),
        (3, "category"),
        (4, "word"),
    ]
    path.write_text("document\tword\n", "utf-8")
    with pytest.raises(InputError, match=r"d\.tsv:1: columns"):
        read_decisions(path)
    rows = ("document\tword\tcategory\thead", "x\tword_1\t\t", "000_talk1\tword_1\t\tw")
    path.write_text("\n".join(rows) + "\n", "utf-8")
    with pytest.raises(InputError) as caught:
        read_decisions(path, documents)
    assert [(p.line, p.field) for p in caught.value.problems] == [(2, "document"), (3, "word")]


def test_the_builders_report_says_what_is_missing(candidates, suite):
    report = build_report(candidates, suite)
    assert "published" in report
    assert "too few: inter subject it, 2 of 25 wanted" in report
    assert "type extratextual reference" in report
    assert "| category |" in build_report(candidates, suite, Style(markdown=True))


@given(st.lists(st.integers(0, 9), max_size=6), st.integers(0, 60))
def test_shares_are_even_and_complete(sizes, amount):
    given_out = shares(sizes, amount)
    assert sum(given_out) == min(amount, sum(sizes))
    assert all(0 <= one <= size for one, size in zip(given_out, sizes, strict=True))
    unfilled = [one for one, size in zip(given_out, sizes, strict=True) if one < size]
    assert not unfilled or max(given_out) <= min(unfilled) + 1


def test_top_up_shares_out_what_is_missing():
    wanted = {"a": 5, "b": 5, "c": 5}
    assert top_up(wanted, {"a": 2, "b": 20, "c": 6}, 15) == {"a": 2, "b": 7, "c": 6}
    assert top_up(wanted, {"a": 2}, 15) == {"a": 2, "b": 0, "c": 0}


def many(pronouns):
    """Tokens of one category with these translations, over two documents."""
    return [
        SuiteToken(
            f"d{number % 2}:word_{number}",
            "anaphoric_inter_they",
            f"d{number % 2}",
            Place(number, (0,)),
            "subject",
            Place(0, (0,)),
            (0,),
            (ReferenceWords((pronoun,), (0,), ("x",), (0,)),),
        )
        for number, pronoun in enumerate(pronouns)
    ]


def test_selection_balances_genders(french):
    tokens = many(["ils"] * 40 + ["elles"] * 6 + ["ce"] * 5)
    chosen = select(tokens, {"anaphoric_inter_they": 15}, french, seed=3)
    counts = Counter(translation_of(token, french).pronoun for token in chosen)
    assert counts == {"ils": 5, "elles": 5, "ce": 5}
    chosen = select(tokens, {"anaphoric_inter_they": 30}, french, seed=3)
    counts = Counter(translation_of(token, french).pronoun for token in chosen)
    assert counts == {"ils": 19, "elles": 6, "ce": 5}


def test_selection_balances_number_shifts_and_documents(french):
    tokens = many(["ils"] * 30 + ["il"] * 4)
    chosen = select(tokens, {"anaphoric_inter_they": 8}, french, seed=1)
    assert Counter(translation_of(token, french).shift for token in chosen) == {True: 4, False: 4}
    assert Counter(token.document for token in chosen) == {"d0": 4, "d1": 4}


def test_selection_is_reproducible_and_a_category_does_not_depend_on_others(french):
    tokens = many(["ils", "elles"] * 30)
    first = select(tokens, {"anaphoric_inter_they": 10}, french, seed=7)
    assert first == select(
        list(reversed(tokens)), {"anaphoric_inter_they": 10, "event_it": 3}, french, seed=7
    )
    assert first != select(tokens, {"anaphoric_inter_they": 10}, french, seed=8)


def test_wanted_numbers_are_never_exceeded(candidates, french):
    wanted = {category.name: 1 for category in CATEGORIES}
    chosen = select(candidates.tokens, wanted, french, seed=1)
    assert Counter(token.category for token in chosen) == wanted
