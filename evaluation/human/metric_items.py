"""Review items from metrics: what APT and AutoPRF score, what contrastive systems prefer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crosspro.data_prep.core.errors import CrossproError
from crosspro.evaluation.core.evaluation import Evaluation
from crosspro.evaluation.human.items import (
    MarkedWords,
    Positions,
    ReviewCandidate,
    ReviewItem,
    ReviewLine,
    ReviewSet,
    item_digest,
    set_digest,
)
from crosspro.evaluation.human.verdicts import Item
from crosspro.evaluation.inputs.anchors import Anchor
from crosspro.evaluation.inputs.case_records import CASE_NAMES
from crosspro.evaluation.inputs.linked_text import Text, Translation
from crosspro.evaluation.inputs.plain_text import Documents
from crosspro.evaluation.metrics.contrastive.formats import Instance
from crosspro.evaluation.metrics.contrastive.metric import differing_words, translation_texts
from crosspro.evaluation.metrics.contrastive.set_metric import context_lines, places_of

KEPT_CONTEXT = 10
"""Lines before and after a pronoun that are kept: a corpus is too large to be kept whole."""


@dataclass(frozen=True, slots=True)
class _Scored:
    """A pronoun in a candidate, as a metric sees it."""

    system: str
    anchor: Anchor
    source: Positions
    reference: Positions
    candidate: Positions
    matches: bool
    why: str


def apt_items(evaluation: Evaluation) -> ReviewSet:
    """The pronouns of an APT evaluation."""
    data = evaluation.scored.data
    scored = [
        _Scored(
            name,
            occurrence.anchor,
            occurrence.anchor.linked,
            occurrence.reference.positions,
            occurrence.candidate.positions,
            occurrence.case == 1,
            CASE_NAMES[occurrence.case - 1],
        )
        for name, occurrences in zip(evaluation.names, evaluation.scored.items, strict=True)
        for occurrence in occurrences
    ]
    texts = _Texts(data.source, data.reference, data.candidates, data.documents)
    return _items("APT", texts, scored)


def autoprf_items(evaluation: Evaluation) -> ReviewSet:
    """The pronouns of an AutoPRF evaluation."""
    metric, items = evaluation.metric, evaluation.scored
    data = items.data

    def targets(translation: Translation, anchor: Anchor) -> Positions:
        return translation.links.sentence(anchor.sentence).targets(anchor.position)

    scored = [
        _Scored(
            candidate.name,
            one.anchor,
            (one.anchor.position,),
            targets(data.reference, one.anchor),
            targets(candidate, one.anchor),
            verdict == 0,
            metric.verdict_kinds[verdict][0],
        )
        for place, candidate in enumerate(data.candidates)
        for one, verdict in zip(items.items[place], metric.verdicts(items, place), strict=True)
    ]
    texts = _Texts(data.source, data.reference, data.candidates, data.documents)
    return _items("AutoPRF", texts, scored)


@dataclass(frozen=True)
class _Texts:
    """Source, reference and candidates with their links, and documents if they are known."""

    source: Text
    reference: Translation
    candidates: Sequence[Translation]
    documents: Documents | None

    def document(self, line: int) -> str:
        if self.documents is None:
            return ""
        return self.documents.names[int(self.documents.of_line[line])]

    def around(self, line: int) -> Iterator[int]:
        """A line and those around it in its document."""
        first, last = max(0, line - KEPT_CONTEXT), line + KEPT_CONTEXT
        for other in range(first, min(last, len(self.source.lines) - 1) + 1):
            if self.document(other) == self.document(line):
                yield other

    def line(self, number: int, part: int) -> ReviewLine:
        """A line; parts of a text between which lines are missing are documents of their own."""
        document = self.document(number) or (f"part {part}" if part else "")
        return ReviewLine(
            document,
            tuple(self.source.words(number)),
            (tuple(self.reference.text.words(number)),),
            {
                candidate.name: ReviewCandidate(
                    tuple(candidate.text.words(number)), tuple(candidate.links.of_line(number))
                )
                for candidate in self.candidates
            },
        )


def _items(title: str, texts: _Texts, scored: Sequence[_Scored]) -> ReviewSet:
    kept = sorted({at for one in scored for at in texts.around(one.anchor.sentence)})
    numbers = {line: number for number, line in enumerate(kept)}
    lines = []
    part = 0
    for number, line in enumerate(kept):
        part += number > 0 and kept[number - 1] != line - 1
        lines.append(texts.line(line, part))
    items = []
    for one in scored:
        number = numbers[one.anchor.sentence]
        marks = MarkedWords(number, one.source, (one.reference,), one.candidate)
        words = lines[number].candidates[one.system].words
        name = f"{one.anchor.sentence + 1}:{one.anchor.position + 1}"
        digest = item_digest(name, (marks,), (words,))
        translated = " ".join(words[at] for at in one.candidate)
        item = Item(name, one.system, digest, translated, "", False)
        items.append(ReviewItem(item, one.anchor.pronoun, marks, None, one.matches, one.why))
    digest = set_digest(lines, (one.item.token for one in items))
    return ReviewSet(title, digest, tuple(lines), tuple(items))


def contrastive_items(evaluation: Evaluation) -> ReviewSet:
    """The instances of a set, once for each system: the translation that it prefers.

    Sets say a pronoun's word but not its place: the words in which the translations differ are
    marked. Context is that of the reference.
    """
    decided, test_set = evaluation.scored.items, evaluation.scored.data.test_set
    lines: list[ReviewLine] = []
    items: list[ReviewItem] = []
    for number, instance in enumerate(test_set.instances):
        texts = [tuple(words) for words in translation_texts(instance)]
        if not texts[0] or not instance.source:
            raise CrossproError(f"{instance.name}: this set has no texts that people could judge")
        own = (one[number].preferred for one in decided)
        chosen = dict(zip(evaluation.names, own, strict=True))
        lines += _context(instance, tuple(chosen))
        source = tuple(instance.source.split())
        candidates = {name: ReviewCandidate(texts[at]) for name, at in chosen.items()}
        lines.append(ReviewLine(instance.name, source, (texts[0],), candidates))
        for name, at in chosen.items():
            marks = MarkedWords(
                len(lines) - 1,
                tuple(places_of(instance)),
                (tuple(differing_words(instance, 0)),),
                tuple(differing_words(instance, at)),
            )
            digest = item_digest(instance.name, (marks,), (texts[at],))
            words = " ".join(texts[at][place] for place in marks.candidate)
            item = Item(instance.name, name, digest, words, "", False)
            group = (instance.source_pronoun or "").lower()
            why = "the reference is preferred" if not at else "an error is preferred"
            items.append(ReviewItem(item, group, marks, None, not at, why))
    digest = set_digest(lines, (one.item.token for one in items))
    return ReviewSet(test_set.name, digest, tuple(lines), tuple(items))


def _context(instance: Instance, systems: tuple[str, ...]) -> list[ReviewLine]:
    found = []
    for source, target in context_lines(instance):
        words = tuple(target.split())
        candidates = {name: ReviewCandidate(words) for name in systems}
        found.append(ReviewLine(instance.name, tuple(source.split()), (words,), candidates))
    return found
