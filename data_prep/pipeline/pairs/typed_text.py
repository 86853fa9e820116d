"""A sentence pair as it is typed: its tokens, and the gaps that are written into the target.

`REPLACE` stands where a pronoun is missing, `REPLACE_6` also says that it translates source token
6. Taggers and aligners have never seen such a word, so they are shown a pronoun of the task in its
place; no system gets to see that one.

Gaps where somebody wants them: the source word of a marked place, the place of a source word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from unicodedata import category

from crosspro.data_prep.annotate.tokenise import tokenise
from crosspro.data_prep.core.errors import InputError, Problem, input_error, quoted
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.core.words import looks_otherwise
from crosspro.data_prep.formats.links import parse_link
from crosspro.data_prep.formats.shared_task import PLACEHOLDER
from crosspro.data_prep.gaps.extract import (
    GapRules,
    Placement,
    insert_unaligned,
    linked_targets,
    place_gaps,
)

WRITTEN_GAP = PLACEHOLDER.removesuffix("_")
"""What is typed for a gap whose source word is to be found."""

GAP = re.compile(rf"{WRITTEN_GAP}(?:_(\d{{1,9}}))?")


@dataclass(frozen=True, slots=True)
class GapMark:
    """A gap that somebody asks for: by its target token, by the source token, or by both."""

    target: int | None = None
    source: int | None = None


@dataclass(frozen=True, slots=True)
class SentencePair:
    """A sentence and its translation as they are typed; links count tokens, `0-0 1-2`."""

    source: str
    target: str
    links: str | None = None


@dataclass(frozen=True, slots=True)
class TypedPair:
    """The tokens of both sides, with a stand-in for each gap that was written into the target.

    `where` is what the pair is called in messages.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[Link, ...] | None = None
    written: tuple[GapMark, ...] = ()
    where: str = "text"

    @property
    def stand_ins(self) -> frozenset[int]:
        """The places of the target whose word is not the user's."""
        return frozenset(mark.target for mark in self.written if mark.target is not None)

    def with_words(self, word: str) -> TypedPair:
        """The pair with another word in its gaps."""
        places = self.stand_ins
        words = (word if place in places else one for place, one in enumerate(self.target))
        return replace(self, target=tuple(words))


def given_context(context: Any) -> list[SentencePair]:
    """The sentences before, which must be pairs of texts."""
    listed = isinstance(context, Iterable) and not isinstance(context, str | bytes)
    given = [*context] if listed else [context]
    for one in given:
        pair = isinstance(one, list | tuple) and len(one) == 2
        if not pair or not all(isinstance(text, str) for text in one):
            raise input_error("text", "context", "pairs (source, target)", quoted(repr(one))[1:-1])
    return [SentencePair(*one) for one in given]


def typed_pairs(pairs: Sequence[SentencePair], task: Task) -> list[TypedPair]:
    """The tokens of a pair, the last one, and of those before it; all faults are raised."""
    typed: list[TypedPair] = []
    problems: list[Problem] = []
    for number, pair in enumerate(pairs, start=1):
        try:
            where = "text" if number == len(pairs) else f"context {number}"
            typed.append(_typed(pair, task, where))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return typed


def _typed(pair: SentencePair, task: Task, where: str) -> TypedPair:
    sides = {"source": pair.source, "target": pair.target}
    languages = {"source": task.source_language, "target": task.target_language}
    problems = [
        Problem(where, None, side, "characters of Unicode", "half of a character")
        for side, text in sides.items()
        if any("\ud800" <= character <= "\udfff" for character in text)
    ]
    tokens = {side: tokenise(text, languages[side]) for side, text in sides.items()}
    problems += [
        Problem(where, None, side, "at least one word", "none")
        for side, found in tokens.items()
        if not found
    ]
    words: list[str] = []
    written: list[GapMark] = []
    for token in tokens["target"]:
        mark = GAP.fullmatch(token)
        if mark:
            written.append(GapMark(len(words), int(mark[1]) if mark[1] else None))
            words.append(stand_in(task))
            continue
        if WRITTEN_GAP in token:
            expected = f"{WRITTEN_GAP} or {PLACEHOLDER}3 as a word by itself, not joined to another"
            problems.append(Problem(where, None, "target", expected, quoted(token)))
        words.append(token)
    links = None
    if pair.links is not None:
        links = _links(pair.links, len(tokens["source"]), len(words), where, problems)
    if problems:
        raise InputError(problems)
    return TypedPair(tuple(tokens["source"]), tuple(words), links, tuple(written), where)


def _links(
    text: str, source: int, target: int, where: str, problems: list[Problem]
) -> tuple[Link, ...]:
    links = []
    for written in text.split():
        link = parse_link(written)
        if link is None or link[0] >= source or link[1] >= target:
            expected = f"links s-t inside {source} source and {target} target tokens"
            problems.append(Problem(where, None, "links", expected, quoted(written)))
        else:
            links.append(link)
    return tuple(sorted(set(links)))


MOST_WORDS = 1000
MOST_CHARACTERS = 10 * MOST_WORDS
"""Of a side of a typed sentence; what is longer is no sentence."""
_FEW = 3
"""So many frequent words of another language tell that a sentence is in it."""


def check_typed(pairs: Sequence[SentencePair], task: Task) -> None:
    """Refuse what is no text, no sentence, or clearly of another language; all faults are raised.

    Which language it is the frequent words tell: those of another are many, and hardly any are of
    the one that it should be.
    """
    problems: list[Problem] = []
    languages = {"source": task.source_language, "target": task.target_language}
    for number, pair in enumerate(pairs, start=1):
        where = "text" if number == len(pairs) else f"context {number}"
        for side, language in languages.items():
            text: str = getattr(pair, side)
            fault = _no_text(text)
            other = None if fault else looks_otherwise([text], language, _FEW)
            if other:
                fault = f"text in {language}", f"{other}: {quoted(text.strip(), 30)}"
            if fault:
                problems.append(Problem(where, None, side, *fault))
    if problems:
        raise InputError(problems)


def _no_text(text: str) -> tuple[str, str] | None:
    """What was expected instead of a text that is none, and what was found."""
    control = next((one for one in text if not one.isspace() and category(one) == "Cc"), None)
    if control is not None:
        return "text without control characters", quoted(control)
    words = len(text.split())
    if not words:
        return "a sentence", "no word"
    if words > MOST_WORDS:
        return f"a sentence of at most {MOST_WORDS:,} words", f"{words:,}"
    if len(text) > MOST_CHARACTERS:
        return f"a sentence of at most {MOST_CHARACTERS:,} characters", f"{len(text):,}"
    return None


def stand_in(task: Task) -> str:
    """The pronoun that taggers and aligners see in a gap: that of the first class with one word.

    Classes of several words have some that are no pronouns elsewhere (ce), or only half a word.
    """
    forms = [words for name, words in task.forms.items() if name != OTHER]
    return min(forms, key=len)[0] if forms else OTHER


def all_marks(pair: TypedPair, asked: Sequence[GapMark]) -> tuple[GapMark, ...]:
    """The gaps that were asked for, and those written into the text that are not among them."""
    named = {mark.target for mark in asked}
    return (*asked, *(mark for mark in pair.written if mark.target not in named))


MARKED = "marked"
"""The decision of a gap that the user placed."""


def place_marked(
    pair: TypedPair,
    links: Sequence[Link],
    marks: Sequence[GapMark],
    pronouns: Sequence[int],
    task: Task,
    rules: GapRules,
    votes: Mapping[Link, float] | None = None,
) -> list[Placement]:
    """A placement for each mark, in order of the source; all faults are raised together.

    `pronouns` are the source tokens that a marked place may translate: it is the translation of the
    source word for which most speaks (`votes`), of the pronoun that is linked to it, or of the
    nearest. A marked source token becomes a gap where the rules of the task would put it, between
    words if nothing translates it.
    """
    rules = replace(rules, insert_unaligned=True, insert_shared=True, skip_inversions=False)
    problems = _outside(pair, marks)
    if problems:
        raise InputError(problems)
    placed = {
        mark.source: Placement(mark.source, MARKED, mark.target)
        for mark in marks
        if mark.source is not None and mark.target is not None
    }
    named = {mark.source for mark in marks if mark.source is not None}
    places = [mark.target or 0 for mark in marks if mark.source is None]
    free = [pronoun for pronoun in pronouns if pronoun not in named]
    costs = _costs(pair, links, places, free, task, rules)
    costs += [
        (-vote, 0.0, place, source)
        for (source, place), vote in (votes or {}).items()
        if place in places and source not in named
    ]
    found: dict[int, int] = {}
    for _, _, place, source in sorted(costs):
        if place not in found and source not in found.values():
            found[place] = source
            placed[source] = Placement(source, MARKED, place)
    left = [place for place in places if place not in found]
    if left:
        raise InputError([_no_pronoun(left, pronouns, task, pair)])
    used = {placement.position for placement in placed.values()}
    rest = [link for link in links if link[1] not in used]
    asked = sorted(mark.source for mark in marks if mark.source is not None and mark.target is None)
    for placement in place_gaps(len(pair.source), pair.target, rest, asked, task, rules):
        placed[placement.source_index] = placement
    return [placed[source] for source in sorted(placed)]


_UNLINKED, _ARTICLE = 0.25, 1000.0
"""What it costs to take a source word for that of a gap, beside its distance: a pronoun without a
link, and an article or the like that translates something else."""


def _costs(
    pair: TypedPair,
    links: Sequence[Link],
    places: Sequence[int],
    pronouns: Sequence[int],
    task: Task,
    rules: GapRules,
) -> list[tuple[float, float, int, int]]:
    """What it costs to take each pronoun for that of each place: less is better.

    The distance from where it is linked to, or would be inserted; then that from the diagonal.
    """
    linked = linked_targets(links)
    sizes = len(pair.source), len(pair.target)
    costs = []
    for pronoun in pronouns:
        expected = linked.get(pronoun)
        extra = 0.0
        if expected is None:
            inserted = insert_unaligned(pronoun, *sizes, linked, rules).position
            expected, extra = [inserted or 0], _UNLINKED
        for place in places:
            far = min(abs(place - one) for one in expected)
            article = far and not extra and pair.source[pronoun].lower() in task.linked
            aside = abs(pronoun / sizes[0] - place / sizes[1])
            costs.append((far + extra + (_ARTICLE if article else 0), aside, place, pronoun))
    return costs


def with_marked_links(links: Sequence[Link], placements: Sequence[Placement]) -> tuple[Link, ...]:
    """The links, with one from the source word of each marked gap to its place."""
    wanted = {
        (placement.source_index, placement.position)
        for placement in placements
        if placement.decision == MARKED and placement.position is not None
    }
    return tuple(sorted({*links, *wanted})) if wanted - set(links) else tuple(links)


def _outside(pair: TypedPair, marks: Sequence[GapMark]) -> list[Problem]:
    problems, where = [], pair.where
    for side, size in (("source", len(pair.source)), ("target", len(pair.target))):
        places = [place for mark in marks if (place := getattr(mark, side)) is not None]
        problems += [
            Problem(where, None, "gaps", f"a {side} token from 0 to {size - 1}", str(place))
            for place in places
            if not 0 <= place < size
        ]
        problems += [
            Problem(where, None, "gaps", f"each {side} token in one gap", f"{place} in several")
            for place in sorted({place for place in places if places.count(place) > 1})
        ]
    if any(mark.source is None and mark.target is None for mark in marks):
        problems.append(Problem(where, None, "gaps", "a source or a target token", "neither"))
    return problems


def _no_pronoun(
    places: Sequence[int], pronouns: Sequence[int], task: Task, pair: TypedPair
) -> Problem:
    """The problem of places that no source word is left for."""
    known = ", ".join(task.source_pronouns) or "verbs without a subject"
    found = f"{len(pronouns)}, which other gaps translate" if pronouns else "none"
    what = "gap" if len(places) == 1 else "gaps"
    field = f"{what} at target token {', '.join(map(str, places))}"
    expected = f"a source word that it translates ({known}), or one that is named"
    return Problem(pair.where, None, field, expected, found)
