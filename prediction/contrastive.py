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

from crosspro.data_prep.align.backends import align_corpus, default_settings
from crosspro.data_prep.annotate.corpus import default_annotator, make_annotator
from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.annotate.tokenise import tokenise
from crosspro.data_prep.core.errors import InputError, Problem, input_error
from crosspro.data_prep.core.example import Example, Link, TargetColumns
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.formats.links import read_links, scan_links
from crosspro.data_prep.gaps.extract import Placement, make_example
from crosspro.evaluation.inputs.plain_text import lines_of, unequal_lines
from crosspro.evaluation.metrics.contrastive.formats import ContrastiveSet, Instance
from crosspro.evaluation.metrics.contrastive.metric import SystemScores
from crosspro.prediction.model_archive import opened_run
from crosspro.prediction.output import layer_notes, predict_stream
from crosspro.prediction.system import System, load_systems, model_folder

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
        words = [reference[position], *(change[position] for change in changes)]
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


Tell = Callable[[str], None]
Finder = Callable[[Instance, ContrastiveSegment, Sequence[Link], Task], Located | None]
"""Finds the gap of an instance in its tokens."""

NOT_FOUND = "the gap was not found"
SAME_CLASS = "reference and error fall into one class"


@dataclass(frozen=True)
class ContrastiveTexts:
    """Files that replace the project's own tokenisation and alignment, a line an instance."""

    source: Path | None = None
    target: Path | None = None
    links: Path | None = None


@dataclass(frozen=True)
class PreparedSet:
    """A set as examples of a task: its segments, the gap of each, and the examples.

    `origin` says how they were made, for signatures.
    """

    test_set: ContrastiveSet
    task: Task
    segments: list[ContrastiveSegment]
    gaps: list[Located | None]
    examples: list[Example]
    origin: tuple[str, ...]


def prepare_set(
    test_set: ContrastiveSet,
    task: Task,
    texts: ContrastiveTexts,
    annotator: str = "auto",
    tell: Tell = lambda text: None,
    find: Finder = locate,
) -> PreparedSet:
    """Tokenise, align and annotate a set for a task; `find` says where the gaps are."""
    segments = _segments(test_set, task, texts)
    links = segment_links(segments, task, texts.links, tell)
    gaps = [
        None if s.instance is None else find(test_set.instances[s.instance], s, pairs, task)
        for s, pairs in zip(segments, links, strict=True)
    ]
    examples = list(segment_examples(segments, links, gaps, task, annotator, tell))
    used = "none"
    if task.tagged:
        used = default_annotator(task.target_language) if annotator == "auto" else annotator
    own = texts.source is None and texts.target is None
    origin = (
        f"task:{task.name}",
        f"annotator:{used}",
        f"text:{'own' if own else 'given'}",
        f"links:{'aligned' if texts.links is None else 'given'}",
    )
    return PreparedSet(test_set, task, segments, gaps, examples, origin)


def scores_of_runs(
    folders: Sequence[Path],
    test_set: ContrastiveSet,
    texts: ContrastiveTexts,
    annotator: str = "auto",
    taken: Sequence[str] = (),
    tell: Tell = lambda text: None,
) -> list[SystemScores]:
    """The scores of the systems of runs, named by their folders; `taken` are names of others."""
    prepared: list[PreparedSet] = []  # systems of one task share its examples
    short = [folder.name or folder.resolve().name for folder in folders]
    names = [*short, *taken]
    found = []
    for folder, name, model in zip(folders, short, load_systems(folders), strict=True):
        known = [one for one in prepared if one.task == model.task]
        if not known:
            known = [prepare_set(test_set, model.task, texts, annotator, tell)]
            prepared += known
        own = name if names.count(name) == 1 else str(folder)
        tell(f"scoring with {own}")
        for note in layer_notes(model, test_set.name, layers_in(known[0].examples)):
            tell(note)
        found.append(system_scores(own, model, known[0], run_digest(folder)))
    return found


def run_digest(run: Path) -> str:
    """A short name for the content of a run's trained system; the run may be an archive."""
    with opened_run(run) as folder:
        return model_digest(model_folder(folder))


def model_digest(folder: Path) -> str:
    """A short name for the content of a trained system's folder."""
    content = hashlib.sha256()
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        content.update(str(path.relative_to(folder)).encode("utf-8", "surrogateescape") + b"\0")
        with path.open("rb") as handle:
            content.update(hashlib.file_digest(handle, "sha256").digest())
    return content.hexdigest()[:8]


def system_scores(
    name: str, system: System, prepared: PreparedSet, model: str = "unnamed"
) -> SystemScores:
    """The scores that a system gives to every candidate of a set; `model` names it in signatures.

    A system that can decide no instance at all belongs to another language or task: an error.
    """
    found = [one.probabilities for one in predict_stream(system, prepared.examples)]
    chances = iter(np.concatenate(found))
    values: list[float] = []
    undecidable = []
    reasons: Counter[str] = Counter()
    for segment, gap in zip(prepared.segments, prepared.gaps, strict=True):
        if segment.instance is None:
            continue
        if gap is None:
            values += [0.0] * (1 + len(prepared.test_set.instances[segment.instance].errors))
            reasons[NOT_FOUND] += 1
            undecidable.append(True)
            continue
        task = system.task
        classes = [task.class_index[task.class_of(word)] for word in gap.words]
        with np.errstate(divide="ignore"):
            values += (-np.log(next(chances)[classes])).tolist()
        same = classes[0] in classes[1:]
        reasons[SAME_CLASS] += same
        undecidable.append(same)
    notes: tuple[str, ...] = ()
    detail = ", ".join(f"{reason}: {count:,}" for reason, count in reasons.items() if count)
    if all(undecidable):
        expected = f"an instance that {name} ({system.task.name}) can decide"
        raise input_error(prepared.test_set.name, "instances", expected, f"none ({detail})")
    if any(undecidable):
        total = f"{sum(undecidable):,}"
        notes = (f"{total} instances are undecidable and count as wrong ({detail})",)
    origin = (f"run:{model}", *prepared.origin)
    return SystemScores(name, np.array(values), False, np.array(undecidable), notes, origin)


def _segments(
    test_set: ContrastiveSet, task: Task, texts: ContrastiveTexts
) -> list[ContrastiveSegment]:
    own = texts.source is None and texts.target is None
    problems: list[Problem] = []
    given = {
        "source": _lines(texts.source, test_set, problems),
        "reference": _lines(texts.target, test_set, problems),
    }
    if problems:
        problems += _link_faults(texts.links)
        raise InputError(problems)
    segments: list[ContrastiveSegment] = []
    for number, instance in enumerate(test_set.instances):
        document = f"instance{number}"
        pairs = zip(instance.source_context, instance.reference_context, strict=False)
        for before, translated in pairs if own and texts.links is None else ():
            segments.append(ContrastiveSegment(*_tokens(before, translated, task), document, None))
        source = given["source"][number] if texts.source else instance.source
        target = given["reference"][number] if texts.target else instance.reference
        for field, option, text in (
            ("src segment", "--source", source),
            ("ref segment", "--target", target),
        ):
            if text is None:
                expected = f"text, or a file given with {option}"
                where = f"{instance.name}, {field}"
                problems.append(Problem(test_set.name, None, where, expected, "nothing"))
        words = _tokens(source or "", target or "", task)
        if texts.source and source is not None:
            words = (source.split(), words[1])
        if texts.target and target is not None:
            words = (words[0], target.split())
        segments.append(ContrastiveSegment(*words, document, number))
    if problems:
        raise InputError(problems)
    return segments


def _lines(path: Path | None, test_set: ContrastiveSet, problems: list[Problem]) -> list[str]:
    lines = None if path is None else lines_of(path, problems)
    if path is None or lines is None:
        return []
    other = f"{test_set.name}, one an instance"
    problems += unequal_lines(path, len(lines), len(test_set.instances), other)
    return lines


def _link_faults(path: Path | None) -> list[Problem]:
    """What is wrong with a file of links whatever the texts are."""
    if path is None:
        return []
    try:
        return [item for item in scan_links(path) if isinstance(item, Problem)]
    except InputError as error:
        return error.problems


def _tokens(source: str, target: str, task: Task) -> tuple[list[str], list[str]]:
    return tokenise(source, task.source_language), tokenise(target, task.target_language)


def segment_links(
    segments: Sequence[ContrastiveSegment], task: Task, path: Path | None, tell: Tell
) -> list[tuple[Link, ...]]:
    """The word links of each segment: those of a file, or made as the task wants them."""
    source, target = [s.source for s in segments], [s.target for s in segments]
    if path is not None:
        return list(read_links(path, source, target))
    tell(f"aligning {len(segments):,} segments")
    return list(align_corpus(source, target, default_settings(task), jobs=1, progress=tell))


def segment_examples(
    segments: Sequence[ContrastiveSegment],
    links: Sequence[tuple[Link, ...]],
    gaps: Sequence[Located | None],
    task: Task,
    annotator: str,
    tell: Tell,
) -> Iterator[Example]:
    """An example for each segment; only those with a gap found have one."""
    shown: list[TargetColumns] = [(tuple(segment.target), None) for segment in segments]
    if task.tagged:
        tell(f"annotating {len(segments):,} {task.target_language} sentences")
        backend = make_annotator(annotator, task.target_language, task.tagset, parse=False)
        annotated = backend.annotate([segment.target for segment in segments])
        backend.finish()
        shown = [sentence.columns for sentence in annotated]
    for segment, pairs, gap, columns in zip(segments, links, gaps, shown, strict=True):
        placed = [] if gap is None else [Placement(gap.source_index, "one_word", gap.position)]
        yield make_example(
            segment.source, segment.target, columns, pairs, placed, task, segment.document
        )
