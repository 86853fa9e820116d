"""Features of a gap's own line: the source pronoun, the words and tags around it, links, places."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from crosspro.baselines.features.view import (
    GAP,
    WIDEST,
    Bins,
    Feature,
    GapView,
    StringFeature,
)
from crosspro.data_prep.words.lists import names_of, word_lists

_NUMBERS = {
    word: number
    for number in ("Plur", "Sing")
    for language in names_of("number")
    for word in word_lists("number", language).get(number, ())
}


def source_pronoun(view: GapView, _: int) -> Iterator[str]:
    """The word in lower case and, as German Sie and sie are two words, as it is written."""
    yield f"source pronoun={view.pronoun}"
    yield f"source pronoun as written={view.example.source[view.gap.source_index]}"


def number_of_pronoun(view: GapView) -> str | None:
    """The number that the source word says by itself: none for German sie and Spanish verbs."""
    return _NUMBERS.get(view.pronoun)


def pronoun_number(view: GapView, _: int) -> Iterator[str]:
    number = number_of_pronoun(view)
    if number is not None:
        yield f"number={number}"


def source_head(view: GapView, _: int) -> Iterator[str]:
    """Lemma, tag and label of the head in a parse, and whether it is before the pronoun."""
    parse, place = view.example.source_parse, view.gap.source_index
    if parse is None:
        return
    token = parse.tokens[place]
    if token.head < 0:
        if token.deprel:
            yield f"source label={token.deprel}"
        yield "source head side=root"
        return
    head = parse.tokens[token.head]
    yield f"source label={token.deprel}"
    yield f"source head lemma={head.lemma}"
    yield f"source head tag={head.upos or head.tag}"
    yield f"source head side={'before' if token.head < place else 'after'}"
    yield f"source label and head lemma={token.deprel} {head.lemma}"
    yield f"source head's label={head.deprel}"


@lru_cache(maxsize=1024)
def _slots(kind: str, first: int, last: int, size: int) -> tuple[str, ...]:
    """The beginnings of the strings of a window: `kind -1=`, or `kind -1..+1=` of n-grams."""
    if size == 1:
        return tuple(f"{kind} {offset:+d}=" for offset in range(first, last + 1))
    return tuple(
        f"{kind} {offset:+d}..{offset + size - 1:+d}=" for offset in range(first, last + 2 - size)
    )


def _window(kind: str) -> StringFeature:
    def strings(view: GapView, width: int) -> list[str]:
        tokens = view.near(kind, width)
        window = [a + b for a, b in zip(_slots(kind, -width, width, 1), tokens, strict=True)]
        del window[width]  # the middle is another feature, or not known
        return window

    return strings


def _ngrams(kind: str) -> StringFeature:
    def strings(view: GapView, width: int) -> Iterator[str]:
        tokens = view.near(kind, width)
        for slot, a, b in zip(_slots(kind, -width, width, 2), tokens, tokens[1:], strict=False):
            yield f"{slot}{a} {b}"
        trigrams = zip(tokens, tokens[1:], tokens[2:], strict=False)
        for slot, words in zip(_slots(kind, -width, width, 3), trigrams, strict=True):
            yield slot + " ".join(words)

    return strings


_WINDOWS = (
    ("source_words", "source word", ()),
    ("source_lemmas", "source lemma", ("source_parse",)),
    ("source_tags", "source tag", ("source_parse",)),
    ("source_fine_tags", "source fine tag", ("source_parse",)),
    ("target_lemmas", "target lemma", ()),
    ("target_tags", "target tag", ("target_tags",)),
    ("target_universal_tags", "target universal tag", ("tags_to_convert",)),
    ("target_fine_tags", "target fine tag", ("finer_tags",)),
    ("target_parse_tags", "target parse tag", ("target_parse",)),
)
_WINDOW_SIZE = 3
"""The tokens on each side where the settings give no number."""


_LINKS = Bins((0, 1, 2, 3))
_MOST_LINKED = 3


def alignment(view: GapView, _: int) -> Iterator[str]:
    """The words linked to the gap, and how the pronoun and its neighbours are linked."""
    pronoun, position = view.gap.source_index, view.gap.position
    links = view.example.links
    words = view.line("source word")
    to_gap = sorted(source for source, target in links if target == position)
    yield f"links of the gap={_LINKS.name(len(to_gap))}"
    if to_gap:
        yield f"words linked to the gap={' '.join([words[place] for place in to_gap])}"
    linked = [target for source, target in links if source == pronoun]
    yield f"links of the pronoun={_LINKS.name(len(linked))}"
    for side, neighbour in (("before", pronoun - 1), ("after", pronoun + 1)):
        targets = [target for source, target in links if source == neighbour]
        inside = 0 <= neighbour < len(words)
        where = _where(targets, position) if inside else "no word"
        yield f"word {side} the pronoun is linked={where}"
        lemma = view.line("target lemma")[min(targets)] if targets else GAP
        if targets and not (where == "to the gap" or (where == "around" and lemma == GAP)):
            yield f"lemma linked to the word {side} the pronoun={lemma}"


def _where(targets: list[int], gap: int) -> str:
    """Where the links of a word lead, seen from the gap."""
    if not targets:
        return "nowhere"
    first, last = min(targets) - gap, max(targets) - gap
    if first == last == 0:
        return "to the gap"
    if last < 0:
        return "just before" if last == -1 else "before"
    if first > 0:
        return "just after" if first == 1 else "after"
    return "around"


def linked_lemmas(view: GapView, _: int) -> Iterator[str]:
    """The lemmas of the source words that the gap is linked to, as a set of at most three."""
    lemmas = view.line("source lemma")
    linked = [source for source, target in view.example.links if target == view.gap.position]
    return (f"linked lemma={lemmas[source]}" for source in linked[:_MOST_LINKED])


_PLACES = Bins((0, 1, 2, 3, 5, 8, 13, 21))
_GAPS = Bins((0, 1, 2))


def position(view: GapView, _: int) -> Iterator[str]:
    """Places of the pronoun and of the gap from either end, and which gap of its line it is."""
    example = view.example
    for side, place, size in (
        ("source", view.gap.source_index, len(example.source)),
        ("target", view.gap.position, len(example.lemmas)),
    ):
        yield f"{side} place={_PLACES.name(place)}"
        yield f"{side} place from the end={_PLACES.name(size - 1 - place)}"
    yield f"gap of its line={_GAPS.name(example.gaps.index(view.gap))}"


_TENTHS = Bins([round(0.1 * step, 1) for step in range(1, 11)])


def pleonastic(view: GapView, _: int) -> Iterator[str]:
    """Whether *it* refers to nothing: the more probable answer, and its probability in tenths."""
    chance = view.text.pleonastic.get(view.row)
    if chance is not None:
        yield f"pleonastic={'yes' if chance > 0.5 else 'no'}"
        yield f"pleonastic probability={_TENTHS.name(chance)}"


FEATURES = (
    Feature("source_pronoun", source_pronoun),
    Feature("pronoun_number", pronoun_number),
    Feature("source_head", source_head, ("source_heads",)),
    Feature("alignment", alignment),
    Feature("linked_lemmas", linked_lemmas, ("source_parse",)),
    Feature("position", position),
    Feature("pleonastic", pleonastic, ("english_source",)),
    *(
        Feature(name + suffix, strings(kind), needs, _WINDOW_SIZE, WIDEST)
        for name, kind, needs in _WINDOWS
        for suffix, strings in (("", _window), ("_ngrams", _ngrams))
    ),
)
