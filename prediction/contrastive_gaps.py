"""The gap of a contrastive instance: the word in which a reference and its errors differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from crosspro.data_prep.annotate.tokenise import tokenise
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.evaluation.metrics.contrastive.formats import Instance

Words = Sequence[str]


@dataclass(frozen=True)
class Located:
    """The gap of an instance, and the words that compete for it: the reference's first."""

    position: int
    source_index: int
    words: tuple[str, ...]


@dataclass(frozen=True)
class ContrastiveSegment:
    """A sentence pair: an instance, or a sentence of its context (then `instance` is None)."""

    source: list[str]
    target: list[str]
    document: str
    instance: int | None


def locate(
    instance: Instance, segment: ContrastiveSegment, links: Sequence[Link], task: Task
) -> Located | None:
    """The position of the contrastive pronoun in the reference, and of its source word."""
    reference = tokenise(instance.reference or "", task.target_language)
    changes = [_changes(reference, error.text, task) for error in instance.errors]
    positions = _positions(instance, reference, changes, task)
    if not positions and instance.reference_pronoun:  # no text of the errors: by the word alone
        wanted = instance.reference_pronoun.lower()
        words = reference or segment.target
        positions = [p for p, word in enumerate(words) if word.lower() == wanted]
        positions = positions if len(positions) == 1 else []
    for position in positions:
        words = [instance.reference_pronoun or reference[position]]
        for error, changed in zip(instance.errors, changes, strict=True):
            words.append(changed.get(position) or error.word or "")
        place = _in_segment(position, words[0], reference, segment.target)
        if place is None or "" in words:
            continue
        source = _source_index(instance, segment, place, links, task)
        if source is not None:
            return Located(place, source, tuple(word.lower() for word in words))
    return None


def _changes(reference: Words, text: str | None, task: Task) -> dict[int, str]:
    """The words of the reference that an error replaces, by position."""
    if text is None:
        return {}
    wrong = tokenise(text, task.target_language)
    changed: dict[int, str] = {}
    for kind, a, b, c, d in SequenceMatcher(None, reference, wrong, False).get_opcodes():
        if kind == "replace":
            changed.update(zip(range(a, b), wrong[c:d], strict=False))
    return changed


def _positions(
    instance: Instance, reference: Words, changes: Sequence[dict[int, str]], task: Task
) -> list[int]:
    """Positions that every error changes, the most likely first.

    Errors may change agreeing words as well; without a named pronoun those that belong to a class
    of the task come first.
    """
    shared = sorted(set.intersection(*(set(one) for one in changes))) if changes else []
    if instance.reference_pronoun:
        wanted = instance.reference_pronoun.lower()
        return [position for position in shared if reference[position].lower() == wanted]

    def outside(position: int) -> bool:
        words = [reference[position], *(one[position] for one in changes)]
        return all(task.class_of(word.lower()) == OTHER for word in words)

    return sorted(shared, key=outside)


def _in_segment(position: int, word: str, reference: Words, target: Words) -> int | None:
    """The same occurrence of a word in the user's tokenisation of the sentence."""
    if list(reference) == list(target):
        return position
    lowered = word.lower()
    before = sum(one.lower() == lowered for one in reference[:position])
    places = [place for place, one in enumerate(target) if one.lower() == lowered]
    return places[before] if before < len(places) else None


def _source_index(
    instance: Instance,
    segment: ContrastiveSegment,
    position: int,
    links: Sequence[Link],
    task: Task,
) -> int | None:
    """The source pronoun: linked to the gap if possible, else the nearest, else what is linked."""
    named = instance.source_pronoun
    wanted = (named.lower(),) if named else task.source_pronouns
    places = [place for place, word in enumerate(segment.source) if word.lower() in wanted]
    if places:
        return nearest_source(places, position, segment, links)
    linked = sorted(source for source, target in links if target == position)
    return linked[0] if linked else None


def nearest_source(
    places: Sequence[int], position: int, segment: ContrastiveSegment, links: Sequence[Link]
) -> int:
    """Of some places in the source the first that is linked to a gap, else the nearest by share."""
    linked = {source for source, target in links if target == position}
    both = [place for place in places if place in linked]
    if both:
        return both[0]
    share = position / len(segment.target)
    return min(places, key=lambda place: abs(place / len(segment.source) - share))
