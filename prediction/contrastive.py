"""Scores of contrastive translations from the probabilities of a trained system.

The word that differs between a reference and its errors becomes the gap of an example of the
system's task, as `crosspro prepare` would make it: tokenised, aligned, and lemmatised if the task
is. A candidate's score is -log p of the class that its word belongs to. Two words of one class
cannot be told apart, and neither can anything where the gap is not found; such instances are
undecidable and count as wrong.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np

from crosspro.data_prep.align.align import align, default_settings
from crosspro.data_prep.annotate.corpus import default_annotator, make_annotator
from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.annotate.tokenise import tokenise
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example, Link, TargetColumns
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.gaps.extract import Placement, make_example
from crosspro.evaluation.metrics.contrastive import SystemScores
from crosspro.evaluation.metrics.contrastive_sets import ContrastiveSet, Instance
from crosspro.prediction.model_archive import opened_run
from crosspro.prediction.output import layer_notes, predict_stream
from crosspro.prediction.system import System, load_systems, model_folder

NOT_FOUND = "the gap was not found"
SAME_CLASS = "reference and error fall into one class"
Tell = Callable[[str], None]


@dataclass(frozen=True)
class InstancePair:
    """The tokens of an instance, or of a sentence of its context (then `instance` is None)."""

    source: list[str]
    target: list[str]
    document: str
    instance: int | None


@dataclass(frozen=True)
class CandidateGap:
    """The gap of an instance, and the words that compete for it: the reference's first."""

    position: int
    source_index: int
    words: tuple[str, ...]


@dataclass(frozen=True)
class PreparedLine:
    """A sentence pair as an example, with the gap if it is an instance in which one was found."""

    instance: int | None
    gap: CandidateGap | None
    example: Example


@dataclass(frozen=True)
class PreparedSet:
    """A set as examples of a task; `origin` says how they were made, for signatures."""

    test_set: ContrastiveSet
    task: Task
    lines: list[PreparedLine]
    origin: tuple[str, ...]


FindGap = Callable[[Instance, InstancePair, Sequence[Link], Task], CandidateGap | None]


def find_gap(
    instance: Instance, pair: InstancePair, links: Sequence[Link], task: Task
) -> CandidateGap | None:
    """The word of the reference that all errors replace, and its source word."""
    replaced = [_replaced_words(pair.target, error.text, task) for error in instance.errors]
    positions = _common_positions(instance, pair.target, replaced, task)
    if not positions and instance.reference_pronoun:  # errors without a text
        wanted = instance.reference_pronoun.lower()
        positions = [n for n, word in enumerate(pair.target) if word.lower() == wanted]
        positions = positions if len(positions) == 1 else []
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
    if text is None:
        return {}
    wrong = tokenise(text, task.target_language)
    replaced: dict[int, str] = {}
    for kind, a, b, c, d in SequenceMatcher(None, reference, wrong, False).get_opcodes():
        if kind == "replace":
            replaced.update(zip(range(a, b), wrong[c:d], strict=False))
    return replaced


def _common_positions(
    instance: Instance, reference: Sequence[str], replaced: Sequence[dict[int, str]], task: Task
) -> list[int]:
    """Positions that every error changes.

    Errors may change agreeing words as well; without a named pronoun those that belong to a class
    of the task come first.
    """
    common = sorted(set.intersection(*map(set, replaced))) if replaced else []
    if instance.reference_pronoun:
        wanted = instance.reference_pronoun.lower()
        return [position for position in common if reference[position].lower() == wanted]

    def without_class(position: int) -> bool:
        words = [reference[position], *(words_at[position] for words_at in replaced)]
        return all(task.class_of(word.lower()) == OTHER for word in words)

    return sorted(common, key=without_class)


def _source_index(
    instance: Instance, pair: InstancePair, position: int, links: Sequence[Link], task: Task
) -> int | None:
    """The source pronoun: linked to the gap if possible, else the nearest, else what is linked."""
    named = instance.source_pronoun
    wanted = (named.lower(),) if named else task.source_pronouns
    places = [place for place, word in enumerate(pair.source) if word.lower() in wanted]
    linked = sorted(source for source, target in links if target == position)
    if not places:
        return linked[0] if linked else None
    share = position / len(pair.target)
    nearest = min(places, key=lambda place: abs(place / len(pair.source) - share))
    return next((place for place in places if place in linked), nearest)


def prepare_set(
    test_set: ContrastiveSet,
    task: Task,
    annotator: str = "auto",
    tell: Tell = lambda text: None,
    find: FindGap = find_gap,
) -> PreparedSet:
    """Tokenise, align and annotate a set for a task; `find` says where the gaps are."""
    pairs = list(_sentence_pairs(test_set, task))
    tell(f"aligning {len(pairs):,} segments")
    source, target = [pair.source for pair in pairs], [pair.target for pair in pairs]
    links = align(zip(source, target, strict=True), settings=default_settings(task), jobs=1)
    columns: list[TargetColumns] = [(tuple(pair.target), None) for pair in pairs]
    if task.tagged:
        tell(f"annotating {len(pairs):,} {task.target_language} sentences")
        backend = make_annotator(annotator, task.target_language, task.tagset, parse=False)
        columns = [sentence.columns for sentence in backend.annotate(target)]
        backend.finish()
    lines = []
    for pair, linked, shown in zip(pairs, links, columns, strict=True):
        gap = None
        if pair.instance is not None:
            gap = find(test_set.instances[pair.instance], pair, linked, task)
        placed = [] if gap is None else [Placement(gap.source_index, "one_word", gap.position)]
        example = make_example(pair.source, pair.target, shown, linked, placed, task, pair.document)
        lines.append(PreparedLine(pair.instance, gap, example))
    used = "none"
    if task.tagged:
        used = default_annotator(task.target_language) if annotator == "auto" else annotator
    return PreparedSet(test_set, task, lines, (f"task:{task.name}", f"annotator:{used}"))


def _sentence_pairs(test_set: ContrastiveSet, task: Task) -> Iterator[InstancePair]:
    """Each instance as a document: the sentences before it, and its own."""

    def tokens(source: str, target: str) -> tuple[list[str], list[str]]:
        return tokenise(source, task.source_language), tokenise(target, task.target_language)

    for number, instance in enumerate(test_set.instances):
        document = f"instance{number}"
        before = zip(instance.source_context, instance.reference_context, strict=False)
        for source, target in before:
            yield InstancePair(*tokens(source, target), document, None)
        if instance.source is None or instance.reference is None:
            field = "src segment" if instance.source is None else "ref segment"
            raise input_error(test_set.name, f"{instance.name}, {field}", "text", "nothing")
        yield InstancePair(*tokens(instance.source, instance.reference), document, number)


def scores_of_runs(
    runs: Sequence[Path],
    names: Sequence[str],
    test_set: ContrastiveSet,
    tell: Tell = lambda text: None,
) -> list[SystemScores]:
    """The scores of the systems of runs and archives."""
    prepared: list[PreparedSet] = []  # systems of one task share its examples
    scores = []
    for run, name, system in zip(runs, names, load_systems(runs), strict=True):
        examples = next((one for one in prepared if one.task == system.task), None)
        if examples is None:
            examples = prepare_set(test_set, system.task, tell=tell)
            prepared.append(examples)
        tell(f"scoring with {name}")
        layers = layers_in([line.example for line in examples.lines])
        for note in layer_notes(system, test_set.name, layers):
            tell(note)
        scores.append(system_scores(name, system, examples, run_digest(run)))
    return scores


def run_digest(run: Path) -> str:
    """What identifies the trained system of a run or an archive, in eight digits."""
    content = hashlib.sha256()
    with opened_run(run) as opened:
        folder = model_folder(opened)
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            content.update(str(path.relative_to(folder)).encode("utf-8", "surrogateescape") + b"\0")
            with path.open("rb") as handle:
                content.update(hashlib.file_digest(handle, "sha256").digest())
    return content.hexdigest()[:8]


def system_scores(
    name: str, system: System, prepared: PreparedSet, digest: str = "unnamed"
) -> SystemScores:
    """The scores that a system gives to every candidate of a set; `digest` identifies it.

    A system that can decide no instance at all belongs to another language or task: an error.
    """
    task, instances = system.task, prepared.test_set.instances
    examples = [line.example for line in prepared.lines]
    rows = iter(np.concatenate([one.probabilities for one in predict_stream(system, examples)]))
    values: list[float] = []
    undecidable = []
    reasons: Counter[str] = Counter()
    for line in prepared.lines:
        if line.instance is None:
            continue
        if line.gap is None:
            values += [0.0] * (1 + len(instances[line.instance].errors))
            reasons[NOT_FOUND] += 1
            undecidable.append(True)
            continue
        classes = [task.class_index[task.class_of(word)] for word in line.gap.words]
        with np.errstate(divide="ignore"):
            values += (-np.log(next(rows)[classes])).tolist()
        same = classes[0] in classes[1:]
        reasons[SAME_CLASS] += same
        undecidable.append(same)
    notes: tuple[str, ...] = ()
    detail = ", ".join(f"{reason}: {count:,}" for reason, count in reasons.items() if count)
    if all(undecidable):
        expected = f"an instance that {name} ({task.name}) can decide"
        raise input_error(prepared.test_set.name, "instances", expected, f"none ({detail})")
    if any(undecidable):
        total = f"{sum(undecidable):,}"
        notes = (f"{total} instances are undecidable and count as wrong ({detail})",)
    origin = (f"run:{digest}", *prepared.origin)
    return SystemScores(name, np.array(values), False, np.array(undecidable), notes, origin)
