"""What an annotator answers to a question (001 §3, 002 §9), checked before it is stored.

Is the pronoun translated correctly, is the antecedent's head; or is the translation too bad to be
judged. Then tags from a fixed set, a comment, which words are the pronoun's translation if not
those that are marked, and a pronoun that would be right.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from crosspro.data_prep.core.errors import CrossproError, choices, quoted
from crosspro.evaluation.human.items import KnownAnswer, Question, ReviewSet
from crosspro.evaluation.protest.verdict_records import VALUES, value_of
from crosspro.evaluation.protest.verdicts import AnnotatorVerdict, CorrectedWords, Value

LONGEST_REMARK = 2000
LONGEST_ALTERNATIVE = 100

Fields = Mapping[str, Sequence[str]]
"""A form as it is sent: the values of each field."""


class ResponseError(CrossproError):
    """An answer that cannot be stored; the message is for the person who gave it."""


@dataclass(frozen=True, slots=True)
class Response:
    """An answer; `words` are positions in the line of the pronoun, None if the marks are right."""

    pronoun: Value
    antecedent: Value | None
    bad: bool = False
    tags: tuple[str, ...] = ()
    remark: str = ""
    words: tuple[int, ...] | None = None
    alternative: str = ""

    def agrees(self, known: KnownAnswer) -> bool:
        """Whether it is what should have been said."""
        return self.pronoun in known.pronoun and (
            self.antecedent is None or not known.antecedent or self.antecedent in known.antecedent
        )

    def content(self) -> dict[str, Any]:
        """As it is kept where it is no verdict."""
        return asdict(self)


def response_of(
    fields: Fields, question: Question, items: ReviewSet, tags: Collection[str]
) -> Response:
    """The answer in a form; everything that is wrong with it is said at once."""
    problems: list[str] = []
    bad = bool(_first(fields, "bad"))
    pronoun = _value(fields, "pronoun", bad, problems)
    anaphoric = question.shown.antecedent is not None
    antecedent = _value(fields, "antecedent", bad, problems) if anaphoric else None
    remark = _text(fields, "remark", LONGEST_REMARK, problems)
    alternative = _text(fields, "alternative", LONGEST_ALTERNATIVE, problems)
    unknown = [tag for tag in fields.get("tag", ()) if tag not in tags]
    if unknown:
        problems.append(f"tags: expected {choices(tags)}, found {quoted(unknown[0])}")
    words = _words(fields, question, items, problems)
    if problems or pronoun is None:
        raise ResponseError("; ".join(problems))
    chosen = tuple(tag for tag in tags if tag in fields.get("tag", ()))
    return Response(pronoun, antecedent, bad, chosen, remark, words, alternative)


def response_from(verdict: AnnotatorVerdict) -> Response:
    """A stored verdict as an answer, to be shown again."""
    words = None if verdict.corrected is None else verdict.corrected.at
    return Response(
        verdict.pronoun,
        verdict.antecedent,
        verdict.bad,
        verdict.tags,
        verdict.remark,
        words,
        verdict.alternative,
    )


def response_from_content(content: Mapping[str, Any]) -> Response:
    """An answer as it was kept by `Response.content`."""
    words = content["words"]
    return replace(
        Response(**content),
        tags=tuple(content["tags"]),
        words=None if words is None else tuple(words),
    )


def verdicts_from(
    response: Response, question: Question, items: ReviewSet, annotator: str
) -> list[AnnotatorVerdict]:
    """The answer as a verdict on the item of every system that translates so."""
    corrected = None
    if response.words is not None:
        line = candidate_words(question, items)
        corrected = CorrectedWords(response.words, tuple(line[at] for at in response.words))
    return [
        AnnotatorVerdict(
            one.item,
            annotator,
            response.pronoun,
            response.antecedent,
            tuple(sorted(response.tags)),
            response.remark,
            response.bad,
            corrected,
            response.alternative,
        )
        for one in question.items
    ]


def candidate_words(question: Question, items: ReviewSet) -> tuple[str, ...]:
    """The words of the translation in the line of the pronoun."""
    shown = question.shown
    return items.lines[shown.pronoun.line].candidates[shown.item.system].words


def _first(fields: Fields, key: str) -> str:
    return next(iter(fields.get(key, ())), "")


def _value(fields: Fields, key: str, bad: bool, problems: list[str]) -> Value | None:
    """One of the three values; what is too bad to be judged is unclear unless said otherwise."""
    written = _first(fields, key)
    if bad and not written:
        return "unclear"
    value = value_of(written)
    if value is None:
        found = quoted(written) if written else "nothing"
        problems.append(f"{key}: expected {choices(VALUES)}, found {found}")
    return value


def _text(fields: Fields, key: str, longest: int, problems: list[str]) -> str:
    text = plain_text(_first(fields, key))
    if len(text) > longest:
        problems.append(f"{key}: expected at most {longest} characters, found {len(text):,}")
    return text


def plain_text(written: str) -> str:
    """A text in one line, without characters that steer terminals and spreadsheets."""
    shown = (" " if unicodedata.category(one) in ("Cc", "Cs") else one for one in written)
    return " ".join("".join(shown).split())


def _words(
    fields: Fields, question: Question, items: ReviewSet, problems: list[str]
) -> tuple[int, ...] | None:
    """Which words are the pronoun's translation, if not those that were marked."""
    if not _first(fields, "words-shown"):
        return None
    size = len(candidate_words(question, items))
    found, all_numbers = positions_of(fields)
    if not all_numbers:
        problems.append(f"word: expected positions below {size}, found something else")
        return None
    if found and found[-1] >= size:
        problems.append(f"word: expected positions below {size}, found {found[-1]}")
        return None
    return None if found == tuple(sorted(question.shown.pronoun.candidate)) else found


def positions_of(fields: Fields) -> tuple[tuple[int, ...], bool]:
    """The positions of words in a form, in order, and whether all that is there is a position."""
    written = fields.get("word", ())
    numbers = [one for one in written if one.isascii() and one.isdigit() and len(one) < 6]
    return tuple(sorted({int(one) for one in numbers})), len(numbers) == len(written)
