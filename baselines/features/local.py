"""Features of a gap's own line: the source pronoun, the words and tags around it, links, places."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crosspro.baselines.features.gaps import WIDEST, Batch, Bins, Column, Extractor, Feature
from crosspro.baselines.features.text import GAP, NOTHING, Codes, Values, linked_places
from crosspro.baselines.it_classifier.context import LABELS, PLEONASTIC, PRONOUN, ItContext
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.words import names_of, word_lists

_NUMBERS = {
    word: number
    for number in ("Plur", "Sing")
    for language in names_of("number")
    for word in word_lists("number", language).get(number, ())
}


def source_pronoun(batch: Batch, _: int) -> Iterator[Column]:
    """The word in lower case and, as German Sie and sie are two words, as it is written."""
    yield "source pronoun", batch.column("source word", 0)
    source = batch.source
    yield "source pronoun as written", Values(source.codes[source.gaps], batch.reader.source.names)


def pronoun_numbers(batch: Batch) -> list[str | None]:
    """The number that each source word says by itself: none for German sie and Spanish verbs."""
    return [_NUMBERS.get(word) for word in batch.words("source word", 0)]


def pronoun_number(batch: Batch, _: int) -> Iterator[Column]:
    """The number of the source pronoun."""
    yield "number", pronoun_numbers(batch)


def source_head(batch: Batch, _: int) -> Iterator[Column]:
    """Lemma, tag and label of the head in a parse, and whether it is before the pronoun."""
    rows = [
        _head(line, gap.source_index) for line, gap in zip(batch.lines, batch.gaps, strict=True)
    ]
    slots = ("label", "head lemma", "head tag", "head side", "label and head lemma", "head's label")
    for number, slot in enumerate(slots):
        yield f"source {slot}", [row[number] for row in rows]


def _head(line: Example, index: int) -> tuple[str | None, ...]:
    parse = line.source_parse
    if parse is None:
        return (None,) * 6
    token = parse.tokens[index]
    if token.head < 0:
        return (token.deprel or None, None, None, "root", None, None)
    head = parse.tokens[token.head]
    return (
        token.deprel,
        head.lemma,
        head.upos or head.tag,
        "before" if token.head < index else "after",
        f"{token.deprel} {head.lemma}",
        head.deprel,
    )


_SIZES = (2, 3)
"""The n of the n-grams."""

_FEATURES = (
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


def _window(kind: str) -> Extractor:
    def columns(batch: Batch, width: int) -> Iterator[Column]:
        for offset in range(-width, width + 1):
            if offset:  # what stands in the middle is another feature, or not known
                yield f"{kind} {offset:+d}", batch.column(kind, offset)

    return columns


def _ngrams(kind: str) -> Extractor:
    def columns(batch: Batch, width: int) -> Iterator[Column]:
        for size in _SIZES:
            for first in range(-width, width + 2 - size):
                last = first + size - 1
                words = (batch.words(kind, place) for place in range(first, last + 1))
                yield f"{kind} {first:+d}..{last:+d}", list(map(" ".join, zip(*words, strict=True)))

    return columns


def _features() -> Iterator[Feature]:
    for name, kind, needs in _FEATURES:
        middle = "source pronoun" if kind.startswith("source") else "gap"
        says = f"each {kind} of so many on either side of the {middle}"
        yield Feature(name, says, _window(kind), needs, 3, WIDEST)
        says = f"bigrams and trigrams of {kind}s in a window around the {middle}"
        yield Feature(f"{name}_ngrams", says, _ngrams(kind), needs, 3, WIDEST)


_PLACES = Bins((0, 1, 2, 3, 5, 8, 13, 21))
_GAPS = Bins((0, 1, 2))
_LINKS = Bins((0, 1, 2, 3))
_MOST_LINKED = 3
_WHERE = ("nowhere", "no word", "to the gap", "just before", "before", "just after", "after",
          "around")  # fmt: skip
"""Where the links of a word may lead, seen from a gap."""
_NO_WORD, _TO_THE_GAP, _AROUND = map(_WHERE.index, ("no word", "to the gap", "around"))


def _links(batch: Batch) -> tuple[Codes, Codes]:
    """The places that are linked in the running text of the gaps' lines: of source and target."""
    source, target = batch.source, batch.target
    lines = [batch.examples[number] for number in source.lines.numbers]
    starts = np.zeros(len(lines), np.int64)
    starts[source.lines.own] = target.starts[target.lines.own]
    return linked_places(lines, source.starts[:-1], starts)


class _Partners:
    """The places that some places are linked to, in order."""

    def __init__(self, asked: Codes, places: Codes, partners: Codes) -> None:
        """Of the places that will be asked about, which are linked to partners."""
        kept = np.isin(places, asked)
        self._size = int(partners.max(initial=0)) + 1
        self._links = np.sort(places[kept] * self._size + partners[kept])
        self.all = self._links % self._size

    def of(self, places: Codes) -> tuple[Codes, Codes]:
        """Where in `all` the partners of each place begin and end."""
        first, after = (np.searchsorted(self._links, (places + n) * self._size) for n in (0, 1))
        return first, after


def alignment(batch: Batch, _: int) -> Iterator[Column]:
    """The words linked to the gap, and how the pronoun and its neighbours are linked."""
    sources, targets = _links(batch)
    own, gaps = batch.source.gaps, batch.target.gaps
    to_gap = _Partners(gaps, targets, sources)
    first, after = to_gap.of(gaps)
    yield "links of the gap", _LINKS.column(after - first)
    reading = batch.reader.readings["source word"]
    codes = reading.of(batch.source.codes[to_gap.all])
    words = [reading.names[code] for code in codes.tolist()]
    spans = zip(first.tolist(), after.tolist(), strict=True)
    yield "words linked to the gap", [" ".join(words[a:b]) or None for a, b in spans]
    near = np.concatenate([own - 1, own, own + 1])
    partners = _Partners(near, sources, targets)
    first, after = partners.of(own)
    yield "links of the pronoun", _LINKS.column(after - first)
    for side, offset in (("before", -1), ("after", 1)):
        where, lemmas = _neighbour(batch, partners, offset)
        yield f"word {side} the pronoun is linked", where
        yield f"lemma linked to the word {side} the pronoun", lemmas


def _neighbour(batch: Batch, partners: _Partners, offset: int) -> tuple[Values, Values]:
    """Where the links of a pronoun's neighbour lead, seen from the gap; the first lemma there."""
    places = batch.source.near(offset)
    where = np.where(places < batch.source.starts[-1], _WHERE.index("nowhere"), _NO_WORD)
    first, after = partners.of(places)
    linked = np.flatnonzero(first < after)
    nearest, farthest = partners.all[first[linked]], partners.all[after[linked] - 1]
    gaps = batch.target.gaps[linked]
    begin, end = nearest - gaps, farthest - gaps
    cases = [(begin == 0) & (end == 0), end == -1, end < 0, begin == 1, begin > 0]
    found = where[linked] = np.select(cases, range(_TO_THE_GAP, _AROUND), _AROUND)
    reading = batch.reader.readings["target lemma"]
    codes = reading.of(batch.target.codes[nearest])
    gap_itself = (found == _AROUND) & (codes == reading.code(GAP))
    lemmas = np.full(len(batch), NOTHING)
    lemmas[linked] = np.where((found == _TO_THE_GAP) | gap_itself, NOTHING, codes)
    return Values(where, _WHERE), Values(lemmas, reading.names)


def linked_lemmas(batch: Batch, _: int) -> Iterator[Column]:
    """The lemmas of the source words that the gap is linked to, as a set of at most three."""
    rows = []
    for line, gap in zip(batch.lines, batch.gaps, strict=True):
        tokens = line.source_parse.tokens if line.source_parse else ()
        rows.append([tokens[place].lemma for place, to in line.links if to == gap.position])
    for rank in range(_MOST_LINKED):
        yield "linked lemma", [row[rank] if rank < len(row) else None for row in rows]


def position(batch: Batch, _: int) -> Iterator[Column]:
    """Places of the pronoun and of the gap from either end, and which gap of its line it is."""
    for side, text in (("source", batch.source), ("target", batch.target)):
        own = text.lines.own
        yield f"{side} place", _PLACES.column(text.gaps - text.starts[own])
        yield f"{side} place from the end", _PLACES.column(text.starts[own + 1] - 1 - text.gaps)
    indices = np.array(batch.indices)
    before = np.arange(len(batch)) - np.searchsorted(indices, indices)
    yield "gap of its line", _GAPS.column(before)


_TENTHS = Bins([round(0.1 * step, 1) for step in range(1, 11)])
_ANSWERS = ("no", "yes")


def pleonastic(batch: Batch, _: int) -> Iterator[Column]:
    """Whether *it* refers to nothing: the more probable answer, and its probability in tenths."""
    scorer = batch.resources.pleonastic
    pronouns = batch.codes("source word", 0)
    is_it = pronouns == batch.reader.readings["source word"].code(PRONOUN)
    places = np.flatnonzero(is_it) if scorer else np.zeros(0, np.int64)
    chances = np.zeros(0)
    if scorer:
        contexts = [_it(batch, number) for number in places.tolist()]
        chances = scorer.probabilities(contexts)[:, LABELS.index(PLEONASTIC)]
    for slot, found in (
        ("pleonastic", Values((chances > 0.5).astype(np.int64), _ANSWERS)),
        ("pleonastic probability", _TENTHS.column(chances)),
    ):
        codes = np.full(len(batch), NOTHING)
        codes[places] = found.codes
        yield slot, Values(codes, found.names)


def _it(batch: Batch, number: int) -> ItContext:
    """An *it* with the sentence before, where sentences before count."""
    line, index = batch.lines[number], batch.indices[number]
    before: tuple[str, ...] = ()
    if batch.resources.context and index and line.document is not None:
        earlier = batch.examples[index - 1]
        before = earlier.source if earlier.document == line.document else ()
    return ItContext(line.source, batch.gaps[number].source_index, before)


FEATURES = (
    Feature(
        "source_pronoun", "the source pronoun (or verb, where subjects are null)", source_pronoun
    ),
    Feature("pronoun_number", "plural for they, singular for it", pronoun_number),
    Feature(
        "source_head",
        "head and label of the source pronoun in a parse",
        source_head,
        ("source_heads",),
    ),
    Feature("alignment", "the links of the gap, of the pronoun and of its neighbours", alignment),
    Feature(
        "linked_lemmas",
        "lemmas of the source words that the gap is linked to",
        linked_lemmas,
        ("source_parse",),
    ),
    Feature("position", "where in the line the pronoun and the gap stand", position),
    Feature("pleonastic", "whether it refers to nothing", pleonastic, ("english_source",)),
    *_features(),
)
