"""What the source says of a pronoun: the word, its links, its place, its head, its use."""

from __future__ import annotations

from collections.abc import Iterator

from crosspro.baselines.features.feature import Column, CountBins, Feature, bins
from crosspro.baselines.features.gaps import GAP, PAD, Batch, GapLine
from crosspro.baselines.it_classifier.context import LABELS, PLEONASTIC, PRONOUN, ItContext
from crosspro.baselines.it_classifier.labelling import annotate_contexts
from crosspro.data_prep.example import Gap

_PLACES = CountBins((0, 1, 2, 3, 5, 8, 13, 21))
_LINKS = CountBins((0, 1, 2, 3))
_MOST_LINKED = 3
_GAPS = CountBins((0, 1, 2))
_TENTHS = tuple(round(0.1 * step, 1) for step in range(1, 11))
_NUMBERS = {
    **dict.fromkeys(("they", "them", "ils", "elles", "ellos", "ellas"), "Plur"),
    **dict.fromkeys(("it", "he", "she", "il", "elle", "er", "es", "él", "ella"), "Sing"),
}


def source_pronoun(batch: Batch, _: int) -> Iterator[Column]:
    """The word in lower case and, as German Sie and sie are two words, as it is written."""
    pairs = zip(batch.lines, batch.gaps, strict=True)
    yield "source pronoun", batch.column("source word", 0)
    yield (
        "source pronoun as written",
        [line.example.source[gap.source_index] for line, gap in pairs],
    )


def number_of_pronoun(line: GapLine, gap: Gap) -> str | None:
    """The number that the source word says by itself: none for German sie and Spanish verbs."""
    return _NUMBERS.get(line.example.source[gap.source_index].lower())


def pronoun_number(batch: Batch, _: int) -> Iterator[Column]:
    """The number of the source pronoun."""
    pairs = zip(batch.lines, batch.gaps, strict=True)
    yield "number", [number_of_pronoun(line, gap) for line, gap in pairs]


def source_head(batch: Batch, _: int) -> Iterator[Column]:
    """Lemma, tag and label of the head in a parse, and whether it is before the pronoun."""
    rows = [
        _head(line, gap.source_index) for line, gap in zip(batch.lines, batch.gaps, strict=True)
    ]
    slots = ("label", "head lemma", "head tag", "head side", "label and head lemma", "head's label")
    for number, slot in enumerate(slots):
        yield f"source {slot}", [row[number] for row in rows]


def _head(line: GapLine, index: int) -> tuple[str | None, ...]:
    parse = line.example.source_parse
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


def alignment(batch: Batch, _: int) -> Iterator[Column]:
    """The words linked to the gap, and how the pronoun and its neighbours are linked."""
    rows = [_alignment(line, gap) for line, gap in zip(batch.lines, batch.gaps, strict=True)]
    slots = (
        "links of the gap",
        "words linked to the gap",
        "links of the pronoun",
        "word before the pronoun is linked",
        "lemma linked to the word before the pronoun",
        "word after the pronoun is linked",
        "lemma linked to the word after the pronoun",
    )
    yield from zip(slots, zip(*rows, strict=True), strict=True)


def _alignment(line: GapLine, gap: Gap) -> tuple[str | None, ...]:
    source, own = line.example.source, gap.source_index
    linked = line.sources_of.get(gap.position, ())
    words = source[linked[0]] if len(linked) == 1 else " ".join(source[n] for n in sorted(linked))
    targets = line.targets_of.get(own, ())
    return (
        _LINKS(len(linked)),
        words.lower() or None,
        _LINKS(len(targets)),
        *_neighbour(line, own - 1, gap.position),
        *_neighbour(line, own + 1, gap.position),
    )


def _neighbour(line: GapLine, source: int, position: int) -> tuple[str, str | None]:
    """Where the links of a source word lead, seen from a gap, and the first lemma there."""
    places = line.targets_of.get(source)
    if not places:
        return "nowhere" if 0 <= source < len(line.example.source) else "no word", None
    first, last = min(places) - position, max(places) - position
    if first == last == 0:
        return "to the gap", None
    lemma = line.lemma(min(places))
    if last < 0:
        return "just before" if last == -1 else "before", lemma
    if first > 0:
        return "just after" if first == 1 else "after", lemma
    return "around", None if lemma == GAP else lemma


def linked_lemmas(batch: Batch, _: int) -> Iterator[Column]:
    """The lemmas of the source words that the gap is linked to, as a set of at most three."""
    rows = [
        [line.source_tokens[PAD + place].lemma for place in line.sources_of.get(gap.position, ())]
        for line, gap in zip(batch.lines, batch.gaps, strict=True)
    ]
    for rank in range(_MOST_LINKED):
        yield "linked lemma", [row[rank] if rank < len(row) else None for row in rows]


def position(batch: Batch, _: int) -> Iterator[Column]:
    """Places of the pronoun and of the gap from either end, and which gap of its line it is."""
    pairs = list(zip(batch.lines, batch.gaps, strict=True))
    sources = [len(line.example.source) for line, _ in pairs]
    targets = [len(line.example.target) for line, _ in pairs]
    gaps = batch.gaps
    yield "source place", [_PLACES(gap.source_index) for gap in gaps]
    from_end = zip(sources, gaps, strict=True)
    yield "source place from the end", [_PLACES(n - 1 - gap.source_index) for n, gap in from_end]
    yield "target place", [_PLACES(gap.position) for gap in gaps]
    from_end = zip(targets, gaps, strict=True)
    yield "target place from the end", [_PLACES(n - 1 - gap.position) for n, gap in from_end]
    yield "gap of its line", [_GAPS(line.example.gaps.index(gap)) for line, gap in pairs]


def pleonastic(batch: Batch, _: int) -> Iterator[Column]:
    """Whether *it* refers to nothing: the more probable answer, and its probability in tenths."""
    scorer = batch.resources.pleonastic
    chances: list[float | None] = [None] * len(batch)
    places = [
        number
        for number, (line, gap) in enumerate(zip(batch.lines, batch.gaps, strict=True))
        if scorer and line.example.source[gap.source_index].lower() == PRONOUN
    ]
    if scorer:
        contexts = annotate_contexts([_it(batch, n) for n in places], scorer.annotator)
        column = scorer.probabilities(contexts)[:, LABELS.index(PLEONASTIC)]
        for number, chance in zip(places, column.tolist(), strict=True):
            chances[number] = chance
    yield (
        "pleonastic",
        [None if chance is None else "yes" if chance > 0.5 else "no" for chance in chances],
    )
    yield (
        "pleonastic probability",
        [None if chance is None else bins(chance, _TENTHS) for chance in chances],
    )


def _it(batch: Batch, number: int) -> ItContext:
    """An *it* with the sentence before, where sentences before count."""
    before = next((line.example.source for line in batch.earlier(batch.indices[number])), ())
    return ItContext(batch.lines[number].example.source, batch.gaps[number].source_index, before)


FEATURES = (
    Feature("source_pronoun", "the source pronoun (or verb, where subjects are null)",
            source_pronoun),
    Feature("pronoun_number", "plural for they, singular for it", pronoun_number),
    Feature("source_head", "head and label of the source pronoun in a parse", source_head,
            ("source_heads",)),
    Feature("alignment", "the links of the gap, of the pronoun and of its neighbours", alignment),
    Feature("linked_lemmas", "lemmas of the source words that the gap is linked to", linked_lemmas,
            ("source_parse",)),
    Feature("position", "where in the line the pronoun and the gap stand", position),
    Feature("pleonastic", "whether it refers to nothing", pleonastic, ("english_source",)),
)  # fmt: skip
