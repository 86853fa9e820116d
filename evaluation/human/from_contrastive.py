"""Review items from contrastive sets: the translation that each system prefers.

Sets say a pronoun's word but not its place: the words in which the translations differ are marked.
"""

from __future__ import annotations

from crosspro.data_prep.core.errors import CrossproError
from crosspro.evaluation.core.evaluation import Evaluation
from crosspro.evaluation.human.items import (
    MarkedWords,
    ReviewCandidate,
    ReviewItem,
    ReviewLine,
    ReviewSet,
    item_digest,
    set_digest,
)
from crosspro.evaluation.metrics.contrastive.formats import Instance
from crosspro.evaluation.metrics.contrastive.metric import differing_words, translation_texts
from crosspro.evaluation.metrics.contrastive.set_metric import context_lines, places_of
from crosspro.evaluation.protest.verdicts import Item


def contrastive_items(evaluation: Evaluation) -> ReviewSet:
    """The instances of a set, once for each system; context is that of the reference."""
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
