"""Types of pronouns in annotated text (002 Table 1)."""

from __future__ import annotations

import csv

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.formats.mmax import Markable, MmaxDocument, read_mmax
from crosspro.evaluation.protest.antecedents import (
    TYPES,
    count_types,
    type_text,
)
from tests.conftest import GOLDEN


def document(*mentions):
    """Two sentences of five words; markables (words, attributes) are in one chain."""
    marked = [
        Markable(f"m{n}", words, {"coref_class": "set_1"} | attributes, n)
        for n, (words, attributes) in enumerate(mentions)
    ]
    sentences = (tuple(range(5)), tuple(range(5, 10)))
    names = tuple(f"word_{n}" for n in range(1, 11))
    return MmaxDocument("x", "x", tuple("abcdefghij"), names, sentences, tuple(marked))


NOUN = ((0, 1), {"mention": "np"})


def pronoun(at, **attributes):
    return (at,), {"mention": "pronoun"} | attributes


@pytest.mark.parametrize(
    ("mentions", "kind"),
    [
        ([NOUN, pronoun(3, type="anaphoric")], ("anaphoric", "intra-sentential")),
        ([NOUN, pronoun(6, type="anaphoric")], ("anaphoric", "inter-sentential")),
        ([pronoun(6, type="anaphoric")], ("anaphoric", "no antecedent in its chain")),
        (
            [pronoun(6, type="anaphoric", split="no explicit antecedent")],
            ("anaphoric", "no specific antecedent"),
        ),
        ([NOUN, pronoun(6, type="anaphoric", antetype="event")], ("event", "")),
        ([pronoun(6, type="event")], ("event", "")),
        ([pronoun(6, type="speaker_reference")], ("speaker reference", "")),
        ([pronoun(6, type="something")], ("something", "")),
        ([pronoun(6)], ("type not annotated", "")),
    ],
)
def test_the_type_of_a_pronoun(mentions, kind, english):
    types = count_types([document(*mentions)], english)
    assert {one for one, count in types.counts.items() if count} == {kind}
    assert [one for one in types.counts if one in TYPES] == list(TYPES)
    assert types.total == 1


def test_a_pronoun_linked_to_a_pronoun(english):
    two = document(pronoun(2, type="pleonastic"), pronoun(6, type="anaphoric"))
    counts = count_types([two], english).counts
    assert counts["anaphoric", "linked to another pronoun"] == 1
    assert counts["pleonastic", ""] == 1


def test_nothing_annotated(english):
    with pytest.raises(InputError, match="pronouns"):
        count_types([document(NOUN)], english)


def test_reports(documents, english):
    types = count_types(documents, english)
    text = type_text(types)
    rows = {line.rsplit(maxsplit=2)[0].strip(): line.split()[-2] for line in text.splitlines()[4:]}
    assert rows["anaphoric"] == "11"
    assert int(rows["– inter-sentential"]) + int(rows["– intra-sentential"]) == 10
    assert rows["addressee reference"] == "3"
    assert rows["all"] == str(types.total)


def test_the_rows_are_those_of_the_paper():
    with (GOLDEN / "protest" / "pronoun_types_discomt2015.csv").open(encoding="utf-8") as handle:
        printed = [(row["type"], row["subtype"]) for row in csv.DictReader(handle)]
    ours = [(name.replace("extratextual", "extra-textual"), sub) for name, sub in TYPES]
    assert ours == printed[:-1]


def test_types_of_the_ten_talks_of_parcorfull(english, parcorfull):
    """002 has two talks more; of these here 199 are relative pronouns, nearly all of them intra."""
    types = count_types(read_mmax(parcorfull / "DiscoMT" / "EN"), english)
    assert types.documents == 10
    assert types.counts["pleonastic", ""] == 126  # 123 in twelve talks
    assert types.counts["event", ""] == 275  # 360
    inside, outside = (
        types.counts["anaphoric", kind + "-sentential"] for kind in ("intra", "inter")
    )
    assert inside + outside == 1433  # 1,405
