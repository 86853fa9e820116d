"""Scores of contrastive translations from the probabilities of a trained system.

The word that differs between a reference and its errors becomes the gap of an example of the
system's task, as `crosspro prepare` would make it. A candidate's score is -log p of the class of
its word. Instances in which no gap is found, or whose words are of one class, are undecidable and
count as wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crosspro.data_prep.align.align import align
from crosspro.data_prep.annotate.corpus import annotate_text, default_annotator
from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.annotate.tokenise import tokenise
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example, Link, TargetColumns
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.gaps.extract import Placement, make_example
from crosspro.evaluation.metrics.contrastive import SystemScores
from crosspro.evaluation.metrics.contrastive_sets import ContrastiveSet, Instance
from crosspro.prediction.models import summary
from crosspro.prediction.output import predict_stream
from crosspro.prediction.system import System, load_system

_NOT_FOUND, _ONE_CLASS = "the gap was not found", "reference and error fall into one class"
Tell = Callable[[str], None]


class TokenPair(NamedTuple):
    """The tokens of a sentence and its translation."""

    source: list[str]
    target: list[str]


@dataclass(frozen=True)
class CandidateGap:
    """The gap of an instance, and the words that compete for it: the reference's first."""

    position: int
    source_index: int
    words: tuple[str, ...]


@dataclass(frozen=True)
class PreparedInstance:
    """An instance as an example, with a gap if one was found, and the examples before it."""

    instance: Instance
    context: tuple[Example, ...]
    example: Example
    gap: CandidateGap | None


@dataclass(frozen=True)
class PreparedSet:
    """A set as examples of a task; `origin` says how they were made, for signatures."""

    test_set: ContrastiveSet
    task: Task
    instances: tuple[PreparedInstance, ...]
    origin: tuple[str, ...]

    @property
    def examples(self) -> list[Example]:
        return [
            line for instance in self.instances for line in (*instance.context, instance.example)
        ]


# Gaps ---------------------------------------------------------------------------------------------


def find_gap(
    instance: Instance, pair: TokenPair, links: Sequence[Link], task: Task
) -> CandidateGap | None:
    """The word of the reference that all errors replace, and its source word."""
    replaced = [_replaced_words(pair.target, error.text, task) for error in instance.errors]
    positions = sorted(set.intersection(*map(set, replaced))) if replaced else []
    pronoun = (instance.reference_pronoun or "").lower()
    if pronoun:
        of_pronoun = [place for place, word in enumerate(pair.target) if word.lower() == pronoun]
        positions = [place for place in positions if place in of_pronoun]
        if not positions and len(of_pronoun) == 1:  # errors without a text
            positions = of_pronoun
    else:  # words that agree may differ, too: those of some class come first
        changed = [dict(enumerate(pair.target)), *replaced]
        positions.sort(
            key=lambda place: all(task.class_of(at[place].lower()) == OTHER for at in changed)
        )
    for position in positions:
        words = [instance.reference_pronoun or pair.target[position]]
        for error, words_at in zip(instance.errors, replaced, strict=True):
            words.append(words_at.get(position) or error.word or "")
        source = _source_index(instance, pair, position, links, task)
        if source is not None and "" not in words:
            return CandidateGap(position, source, tuple(word.lower() for word in words))
    return None


def _replaced_words(reference: Sequence[str], text: str | None, task: Task) -> dict[int, str]:
    """The words that an error has instead of words of the reference, by position."""
    error = tokenise(text or "", task.target_language)
    replaced: dict[int, str] = {}
    for kind, a, b, c, d in SequenceMatcher(None, reference, error, False).get_opcodes():
        if kind == "replace":
            replaced.update(zip(range(a, b), error[c:d], strict=False))
    return replaced


def _source_index(
    instance: Instance, pair: TokenPair, position: int, links: Sequence[Link], task: Task
) -> int | None:
    """The source pronoun: linked to the gap if possible, else the nearest, else any linked word."""
    pronouns = task.source_pronouns
    if instance.source_pronoun:
        pronouns = (instance.source_pronoun.lower(),)
    places = [place for place, word in enumerate(pair.source) if word.lower() in pronouns]
    linked = sorted(source for source, target in links if target == position)
    if not places:
        return linked[0] if linked else None
    share = position / len(pair.target)
    nearest = min(places, key=lambda place: abs(place / len(pair.source) - share))
    return next((place for place in places if place in linked), nearest)


# Examples -----------------------------------------------------------------------------------------


def prepare_set(
    test_set: ContrastiveSet,
    task: Task,
    annotator: str = "auto",
    tell: Tell = lambda text: None,
) -> PreparedSet:
    """Tokenise, align and annotate a set for a task."""
    pairs = [
        list(_sentence_pairs(test_set.name, instance, task)) for instance in test_set.instances
    ]
    flat = [pair for document in pairs for pair in document]
    tell(f"aligning {len(flat):,} segments")
    links = iter(list(align(flat, task.symmetrisation, jobs=1)))
    columns: Iterator[TargetColumns] = ((tuple(pair.target), None) for pair in flat)
    if task.tagged:
        tell(f"annotating {len(flat):,} {task.target_language} sentences")
        target = [pair.target for pair in flat]
        lines = annotate_text(target, annotator, task.target_language, task.tagset, parse=False)
        columns = iter([line.columns for line in lines])
    instances = []
    for number, (instance, document) in enumerate(zip(test_set.instances, pairs, strict=True)):
        examples, gap = [], None
        for place, pair in enumerate(document, start=1):
            linked = next(links)
            gap = find_gap(instance, pair, linked, task) if place == len(document) else None
            placed = [] if gap is None else [Placement(gap.source_index, "one_word", gap.position)]
            shown, name = next(columns), f"instance{number}"
            examples.append(make_example(*pair, shown, linked, placed, task, name))
        *context, example = examples
        instances.append(PreparedInstance(instance, tuple(context), example, gap))
    annotated = "none"
    if task.tagged:
        annotated = default_annotator(task.target_language) if annotator == "auto" else annotator
    origin = (f"task:{task.name}", f"annotator:{annotated}")
    return PreparedSet(test_set, task, tuple(instances), origin)


def _sentence_pairs(set_name: str, instance: Instance, task: Task) -> Iterator[TokenPair]:
    for field, text in (("src", instance.source), ("ref", instance.reference)):
        if text is None:
            raise input_error(set_name, f"{instance.name}, {field} segment", "text", "nothing")
    sides = zip(instance.source_context, instance.reference_context, strict=False)
    for source, target in (*sides, (instance.source or "", instance.reference or "")):
        source_tokens = tokenise(source, task.source_language)
        yield TokenPair(source_tokens, tokenise(target, task.target_language))


# Scores -------------------------------------------------------------------------------------------


def scores_of_runs(
    runs: Sequence[Path],
    names: Sequence[str],
    test_set: ContrastiveSet,
    tell: Tell = lambda text: None,
) -> list[SystemScores]:
    """The scores of the systems of runs and archives; systems of one task share its examples."""
    prepared: dict[str, PreparedSet] = {}
    scores = []
    systems = [load_system(run) for run in runs]
    for run, name, system in zip(runs, names, systems, strict=True):
        task = system.task
        if task.name not in prepared or prepared[task.name].task != task:
            prepared[task.name] = prepare_set(test_set, task, tell=tell)
        examples = prepared[task.name]
        tell(f"scoring with {name}")
        for note in system.layer_warnings(test_set.name, layers_in(examples.examples)):
            tell(note)
        scores.append(system_scores(name, system, examples, summary(run).digest[:8]))
    return scores


def system_scores(
    name: str, system: System, prepared: PreparedSet, digest: str = "unnamed"
) -> SystemScores:
    """The scores that a system gives to every candidate of a set; `digest` identifies it.

    A system that can decide no instance at all belongs to another language or task: an error.
    """
    task = system.task
    predicted = predict_stream(system, prepared.examples)
    rows = iter(np.concatenate([batch.probabilities for batch in predicted]))
    values: list[float] = []
    undecidable = []
    reasons: Counter[str] = Counter()
    for line in prepared.instances:
        if line.gap is None:
            values += [0.0] * (1 + len(line.instance.errors))
            reason = _NOT_FOUND
        else:
            classes = [task.class_index[task.class_of(word)] for word in line.gap.words]
            with np.errstate(divide="ignore"):
                values += (-np.log(next(rows)[classes])).tolist()
            reason = _ONE_CLASS if classes[0] in classes[1:] else ""
        undecidable.append(bool(reason))
        reasons[reason] += 1
    detail = ", ".join(f"{reason}: {count:,}" for reason, count in reasons.items() if reason)
    if all(undecidable):
        expected = f"an instance that {name} ({task.name}) can decide"
        raise input_error(prepared.test_set.name, "instances", expected, f"none ({detail})")
    count = sum(undecidable)
    note = f"{count:,} instances are undecidable and count as wrong ({detail})"
    notes = (note,) if count else ()
    origin = (f"run:{digest}", *prepared.origin)
    return SystemScores(name, np.array(values), False, np.array(undecidable), notes, origin)
