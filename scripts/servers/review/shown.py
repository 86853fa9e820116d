"""A question as it is shown: lines of words with marks and links, ready for a template.

Words and far lines, of which a page has hundreds, become HTML here: a template takes ten times as
long for them, and longer than all else that a page needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from markupsafe import Markup

from crosspro.evaluation.human.items import MarkedWords, Question, ReviewItem, ReviewSet

MOST_CONTEXT = 200
"""Lines before or after that a page holds, unfolded on demand."""


class ShownWord(NamedTuple):
    """A word; `mark` is what it is part of, `links` are positions on the other side."""

    text: str
    at: int
    mark: str = ""
    links: str = ""
    chosen: bool = False


class ShownLine(NamedTuple):
    """A line on all sides; `pronoun` says that it is the one in question."""

    number: int
    source: tuple[ShownWord, ...]
    candidate: tuple[ShownWord, ...]
    references: tuple[tuple[ShownWord, ...], ...]
    pronoun: bool


class FarLine(NamedTuple):
    """A line further away, as text: nothing in it is marked, and there may be hundreds."""

    source: str
    candidate: str


@dataclass(frozen=True)
class ShownQuestion:
    """All lines of a question: earlier ones, those that are shown at once, later ones."""

    question: Question
    earlier: tuple[FarLine, ...]
    lines: tuple[ShownLine, ...]
    later: tuple[FarLine, ...]
    pronoun: str
    antecedent: str
    words: tuple[ShownWord, ...]

    @property
    def anaphoric(self) -> bool:
        """Whether it is asked about an antecedent."""
        return self.question.shown.antecedent is not None


def words_html(words: Iterable[ShownWord]) -> Markup:
    """The words of a line; marked ones can be reached by keyboard, for their links."""
    found = []
    for text, at, mark, links, _ in words:
        shown = escape(text)
        if mark:
            reached = ' tabindex="0"' if links else ""
            found.append(
                f'<mark class="w {mark}" data-at="{at}" data-links="{links}"{reached}>{shown}'
                f'<span class="hidden"> ({mark})</span></mark> '
            )
        else:
            found.append(f'<span class="w" data-at="{at}" data-links="{links}">{shown}</span> ')
    return Markup("".join(found))  # noqa: S704 - what is from outside is escaped


def far_html(lines: Iterable[FarLine], languages: Sequence[str]) -> Markup:
    """Lines far from the pronoun, on both sides."""
    opened = [
        f'<p class="side" data-side="{side}"{_language(code)}><span class="hidden">{name}: </span>'
        for side, name, code in zip(
            ("source", "candidate"), ("Source", "Translation"), languages, strict=True
        )
    ]
    return Markup(  # noqa: S704 - what is from outside is escaped
        "".join(
            f'<div class="line" role="listitem">{opened[0]}{escape(source)}</p>'
            f"{opened[1]}{escape(candidate)}</p></div>"
            for source, candidate in lines
        )
    )


def choices_html(words: Iterable[ShownWord]) -> Markup:
    """The words of the translation as boxes to tick; the first is where the key w leads."""
    found: list[str] = []
    for text, at, _, _, chosen in words:
        ticked = " checked" if chosen else ""
        first = "" if found else ' data-focus="w"'
        box = f'<input type="checkbox" name="word" value="{at}"{ticked}{first}>'
        found.append(f"<label>{box}<span>{escape(text)}</span></label>\n")
    return Markup("".join(found))  # noqa: S704 - what is from outside is escaped


def _language(code: str) -> str:
    return f' lang="{escape(code)}"' if code else ""


def shown_question(
    items: ReviewSet,
    question: Question,
    context: int,
    words: Sequence[int] | None = None,
    references: bool = True,
) -> ShownQuestion:
    """A question with some lines of context; `words` are those that an annotator has chosen."""
    item = question.shown
    near = items.context(item, context)
    far = items.context(item, MOST_CONTEXT, MOST_CONTEXT)
    chosen = item.pronoun.candidate if words is None else words
    candidate = items.lines[item.pronoun.line].candidates[item.item.system].words
    marked = set(item.pronoun.candidate)
    return ShownQuestion(
        question,
        tuple(_far_line(items, item, number) for number in far if number < near[0]),
        tuple(_line(items, item, number, references) for number in near),
        tuple(_far_line(items, item, number) for number in far if number > near[-1]),
        _source_words(items, item, item.pronoun),
        _source_words(items, item, item.antecedent),
        tuple(
            ShownWord(word, at, "pronoun" if at in marked else "", "", at in chosen)
            for at, word in enumerate(candidate)
        ),
    )


def _source_words(items: ReviewSet, item: ReviewItem, marks: MarkedWords | None) -> str:
    if marks is None:
        return ""
    words, _ = items.lines[marks.line].version(item.item.system)
    return " ".join(words[at] for at in marks.source)


def _far_line(items: ReviewSet, item: ReviewItem, number: int) -> FarLine:
    line = items.lines[number]
    return FarLine(" ".join(line.source), " ".join(line.version(item.item.system)[1]))


def _line(items: ReviewSet, item: ReviewItem, number: int, references: bool) -> ShownLine:
    line = items.lines[number]
    source, words = line.version(item.item.system)
    links = line.candidates[item.item.system].links if words else ()
    marks = [
        (kind, own)
        for kind, own in (("antecedent", item.antecedent), ("pronoun", item.pronoun))
        if own is not None and own.line == number
    ]
    # Marked words belong together also where no link says so.
    pairs = set(links) | {(s, t) for _, own in marks for s in own.source for t in own.candidate}
    return ShownLine(
        number,
        _words(source, {at: kind for kind, own in marks for at in own.source}, pairs),
        _words(
            words,
            {at: kind for kind, own in marks for at in own.candidate},
            {(t, s) for s, t in pairs},
        ),
        tuple(
            _words(text, {at: kind for kind, own in marks for at in own.references[which]}, ())
            for which, text in enumerate(line.references if references else ())
        ),
        number == item.pronoun.line,
    )


def _words(
    words: Sequence[str], marks: dict[int, str], links: Iterable[tuple[int, int]]
) -> tuple[ShownWord, ...]:
    others: dict[int, list[int]] = {}
    for here, there in sorted(links):
        others.setdefault(here, []).append(there)
    return tuple(
        ShownWord(word, at, marks.get(at, ""), " ".join(map(str, others.get(at, ()))))
        for at, word in enumerate(words)
    )
