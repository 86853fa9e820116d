"""Small sets of review items, made by hand."""

from __future__ import annotations

from dataclasses import replace

from crosspro.evaluation.human.items import (
    MarkedWords,
    ReviewCandidate,
    ReviewItem,
    ReviewLine,
    ReviewSet,
    SuggestedAnswer,
    item_digest,
    set_digest,
)
from crosspro.evaluation.human.verdicts import Item

PRONOUNS = {"good": "Il", "bad": "Elle", "copy": "Il", "clone": "Il"}
"""What each system says for It: several of them the same."""


def make_set(tokens: int = 6, systems=("good", "bad", "copy"), anaphoric=True) -> ReviewSet:
    """Documents of two lines: an antecedent in the first, a pronoun in the second."""
    lines, items = [], []
    for number in range(tokens):
        document = f"d{number // 2}"
        first, second = 2 * number, 2 * number + 1
        house = ReviewCandidate(("J'", "ai", "un", f"vélo{number}", "."), ((3, 3),))
        lines.append(
            ReviewLine(
                document,
                ("I", "have", "a", f"bicycle{number}", "."),
                (("J'", "ai", "un", f"vélo{number}", "."),),
                dict.fromkeys(systems, house),
            )
        )
        candidates = {
            name: ReviewCandidate((PRONOUNS[name], "est", "rouge", "."), ((0, 0), (1, 1)))
            for name in systems
        }
        reference = ("Il", "est", "rouge", ".")
        lines.append(ReviewLine(document, ("It", "is", "red", "."), (reference,), candidates))
        for name in systems:
            pronoun = MarkedWords(second, (0,), ((0,),), (0,))
            head = MarkedWords(first, (3,), ((3,),), (3,)) if anaphoric else None
            words = [candidates[name].words, *([house.words] if anaphoric else ())]
            digest = item_digest(f"t{number}", (pronoun, head), words)
            item = Item(
                *(f"t{number}", name, digest, PRONOUNS[name].lower()),
                *(f"vélo{number}" if anaphoric else "", anaphoric),
            )
            matches = name != "bad"
            group = "inter subject it" if number % 2 else "intra subject it"
            why = "match" if matches else "pronoun differs"
            items.append(ReviewItem(item, group, pronoun, head, matches, why))
    digest = set_digest(lines, (one.item.token for one in items))
    return ReviewSet("test", digest, tuple(lines), tuple(items), ("en", "fr"))


def doubted_set(chances) -> ReviewSet:
    """A pronoun of one system for each chance of being wrong; those of 0.5 and more filled in."""
    made = make_set(len(chances), ("bad",), anaphoric=False)
    items = (
        replace(
            one,
            matches=False,
            why="“Elle” for “It”: “vélo” is masculine",
            suggested=SuggestedAnswer(chance, "Il", "wrong" if chance >= 0.5 else None),
        )
        for one, chance in zip(made.items, chances, strict=True)
    )
    return replace(made, items=tuple(items))
