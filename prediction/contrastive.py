"""Scores of contrastive translations from the probabilities of a trained system.

The word that differs between a reference and its errors becomes the gap of an example of the
system's task, as `crosspro prepare` would make it. A candidate's score is -log p of the class of
its word. Instances in which no gap is found, or whose words are of one class, are undecidable and
count as wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

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

Tell = Callable[[str], None]


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


TokenPair = tuple[list[str], list[str]]
"""The tokens of a sentence and of its translation."""


# Gaps ---------------------------------------------------------------------------------------------


def find_gap(
    instance: Instance, pair: TokenPair, links: Sequence[Link], task: Task
) -> CandidateGap | None:
    """The word of the reference that all errors replace, and its source word."""
    _, target = pair
    replaced = [_replaced_words(target, error.text, task) for error in instance.errors]
    positions = sorted(set.intersection(*map(set, replaced))) if replaced else []
    pronoun = (instance.reference_pronoun or "").lower()
    if pronoun:
        of_pronoun = [place for place, word in enumerate(target) if word.lower() == pronoun]
        positions = [place for place in positions if place in of_pronoun]
        if not positions and len(of_pronoun) == 1:  # errors without a text
            positions = of_pronoun
    else:  # words that agree may differ, too: those of some class come first
        changed = [dict(enumerate(target)), *replaced]
        positions.sort(
            key=lambda place: all(task.class_of(at[place].lower()) == OTHER for at in changed)
        )
    for position in positions:
        words = [instance.reference_pronoun or target[position]]
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
    source_words, target_words = pair
    places = [place for place, word in enumerate(source_words) if word.lower() in pronouns]
    linked = sorted(source for source, target in links if target == position)
    if not places:
        return linked[0] if linked else None
    share = position / len(target_words)
    nearest = min(places, key=lambda place: abs(place / len(source_words) - share))
    return next((place for place in places if place in linked), nearest)


# Examples -----------------------------------------------------------------------------------------


def prepare_set(
    test_set: ContrastiveSet, task: Task, tell: Tell = lambda text: None
) -> PreparedSet:
    """Tokenise, align and annotate a set for a task."""
    documents = [_token_pairs(test_set.name, instance, task) for instance in test_set.instances]
    pairs = [pair for document in documents for pair in document]
    tell(f"aligning {len(pairs):,} segments")
    links = iter(list(align(pairs, task.symmetrisation, jobs=1)))
    columns: Iterator[TargetColumns] = ((tuple(target), None) for _, target in pairs)
    annotator = "none"
    if task.tagged:
        annotator = default_annotator(task.target_language)
        tell(f"annotating {len(pairs):,} {task.target_language} sentences")
        text = [target for _, target in pairs]
        lines = annotate_text(text, annotator, task.target_language, task.tagset, parse=False)
        columns = (line.columns for line in lines)
    instances = []
    for number, (instance, document) in enumerate(zip(test_set.instances, documents, strict=True)):
        examples, gap = [], None
        for place, pair in enumerate(document, start=1):
            linked = next(links)
            gap = find_gap(instance, pair, linked, task) if place == len(document) else None
            placed = [] if gap is None else [Placement(gap.source_index, "one_word", gap.position)]
            name = f"instance{number}"
            examples.append(make_example(*pair, next(columns), linked, placed, task, name))
        *context, example = examples
        instances.append(PreparedInstance(instance, tuple(context), example, gap))
    origin = (f"task:{task.name}", f"annotator:{annotator}")
    return PreparedSet(test_set, task, tuple(instances), origin)


def _token_pairs(set_name: str, instance: Instance, task: Task) -> list[TokenPair]:
    for field, text in (("src", instance.source), ("ref", instance.reference)):
        if text is None:
            raise input_error(set_name, f"{instance.name}, {field} segment", "text", "nothing")
    context = zip(instance.source_context, instance.reference_context, strict=False)
    sides = (*context, (instance.source or "", instance.reference or ""))
    languages = task.source_language, task.target_language
    return [(tokenise(s, languages[0]), tokenise(t, languages[1])) for s, t in sides]


# Scores -------------------------------------------------------------------------------------------


def scores_of_runs(
    runs: Sequence[Path],
    names: Sequence[str],
    test_set: ContrastiveSet,
    tell: Tell = lambda text: None,
) -> list[SystemScores]:
    """The scores of the systems of runs and archives; systems of one task share its examples."""
    prepared: list[PreparedSet] = []
    scores = []
    systems = [load_system(run) for run in runs]
    for run, name, system in zip(runs, names, systems, strict=True):
        examples = next((made for made in prepared if made.task == system.task), None)
        if examples is None:
            examples = prepare_set(test_set, system.task, tell)
            prepared.append(examples)
        tell(f"scoring with {name}")
        for note in system.layer_warnings(test_set.name, layers_in(examples.examples)):
            tell(note)
        scores.append(_system_scores(name, system, examples, summary(run).digest[:8]))
    return scores


def _system_scores(name: str, system: System, prepared: PreparedSet, digest: str) -> SystemScores:
    """The scores that a system gives to every candidate of a set; `digest` identifies it.

    A system that can decide no instance at all belongs to another language or task: an error.
    """
    task = system.task
    predicted = predict_stream(system, prepared.examples)
    rows = iter(np.concatenate([batch.probabilities for batch in predicted]))
    values: list[float] = []
    undecidable = []
    for line in prepared.instances:
        if line.gap is None:
            values += [0.0] * (1 + len(line.instance.errors))
            undecidable.append(True)
            continue
        classes = [task.class_index[task.class_of(word)] for word in line.gap.words]
        with np.errstate(divide="ignore"):
            values += (-np.log(next(rows)[classes])).tolist()
        undecidable.append(classes[0] in classes[1:])
    if all(undecidable):
        expected = f"an instance that {name} ({task.name}) can decide"
        raise input_error(prepared.test_set.name, "instances", expected, "none")
    count = sum(undecidable)
    note = (
        f"{count:,} instances count as wrong: no gap was found, or reference and error fall into "
        "one class"
    )
    notes = (note,) if count else ()
    origin = (f"run:{digest}", *prepared.origin)
    return SystemScores(name, np.array(values), False, np.array(undecidable), notes, origin)
