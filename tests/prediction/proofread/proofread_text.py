"""A text of our own that somebody has proofread, for tests of what is written about it."""

from __future__ import annotations

from dataclasses import replace

from crosspro.data_prep.core.task import load_task
from crosspro.prediction.proofread.output import Proofreader, Proofreading
from crosspro.prediction.proofread.text import (
    DoubtKind,
    Place,
    PronounDoubt,
    StoodFor,
    TranslatedText,
    text_of_lines,
)

SOURCE = [
    "The dog ran into the garden.",
    "It barked loudly at the cat.",
    "The cat saw it and they fought.",
    "Later, everybody was tired 🐕.",
]
TARGET = [
    "Der Hund lief in den Garten.",
    "🐕 Es bellte die Katze laut an.",
    "Die Katze sah ihn und kämpften.",
    "Später waren sie alle müde.",
]


def proofread_text(source="book.en", target="book.de", documents=None) -> TranslatedText:
    text = text_of_lines(SOURCE, TARGET, documents)
    return replace(text, source_name=source, target_name=target)


def _pronoun(line, start, word, source, wrong, suggestion, reason, **changes) -> PronounDoubt:
    source_line, source_start, source_word = source
    place = Place(source_line - 1, source_line, source_start, source_start + len(source_word))
    doubt = PronounDoubt(
        document=None,
        kind=DoubtKind.WORD,
        place=Place(line - 1, line, start, start + len(word)),
        word=word,
        label=word.lower() if word else "OTHER",
        source_word=source_word,
        source_place=place,
        probabilities={"er": 0.7, "sie": 0.2, "es": 0.06, "das": 0.04},
        suggestion=suggestion,
        suggestion_label=suggestion.lower() or "OTHER",
        wrong=wrong,
        reason=reason,
    )
    return replace(doubt, **changes)


def proofread_pronouns() -> tuple[PronounDoubt, ...]:
    hund = StoodFor("Hund", "target", Place(0, 1, 4, 8), 0.9, "Masc", "Sing")
    dog = StoodFor("dog", "source", Place(0, 1, 4, 7), 0.88)
    return (
        _pronoun(
            2, 2, "Es", (2, 0, "It"), 0.93, "Er",
            "“Es” for “It”: “Hund” is masculine, line 1", stands_for=(hund, dog),
        ),
        _pronoun(
            3, 14, "ihn", (3, 12, "it"), 0.04, "es", "the model expects “ihn” for “it” (0.81)",
            stands_for=(hund,), probabilities={"ihn": 0.81, "es": 0.1, "sie": 0.09},
        ),
        _pronoun(
            3, 22, "", (3, 19, "they"), 0.61, "sie", "nothing translates “they” (line 3)",
            kind=DoubtKind.MISSING,
            probabilities={"sie": 0.7, "OTHER": 0.2, "es": 0.1},
        ),
        _pronoun(
            4, 13, "sie", (4, 7, "everybody"), 0.35, "ihnen", "“sie” for “everybody”",
            probabilities={"sie": 0.3, "ihnen": 0.6, "es": 0.1},
        ),
    )  # fmt: skip


def proofread_result(source="book.en", target="book.de", **changes) -> Proofreading:
    model = Proofreader("en-de", "0123456789abcdef" * 4, load_task("en-de-text"))
    made = Proofreading(model, proofread_text(source, target), proofread_pronouns())
    return replace(made, **changes)
