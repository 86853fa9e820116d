"""Accuracy on a contrastive set: systems that score the reference and its errors.

An instance is right only if its reference is strictly better than every error: a system that
cannot tell them apart gets nothing for it. Sets have no word links and say a pronoun's word but not
its place; on a page the words in which reference and errors differ are marked, and the source words
that are equal to the pronoun.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import InputError, Problem, quoted
from crosspro.evaluation.core.evaluation import Evaluation
from crosspro.evaluation.core.metric import Part, Scored
from crosspro.evaluation.core.statistics import percentage
from crosspro.evaluation.core.tables import Table
from crosspro.evaluation.inputs.plain_text import lines_of
from crosspro.evaluation.metrics.contrastive.formats import (
    ContrastiveSet,
    Instance,
    names_of_files,
)
from crosspro.evaluation.metrics.contrastive.set_metric import SetMetric, places_of, scored_set
from crosspro.evaluation.output.examples import Mark, Rendering

DECIDABLE = "accuracy of decidable instances"
_RIGHT, _TIED, _WRONG, _UNDECIDABLE = range(4)


@dataclass(frozen=True)
class SystemScores:
    """The score of every translation: of the reference, then of each error, instance by instance.

    `notes` says what a reader must know to judge the accuracy; `undecidable[i]` that the system can
    give no different scores to instance i whatever it learns. `origin` is how the scores were made,
    for the signature.
    """

    name: str
    values: NDArray[np.float64]
    maximise: bool = False
    undecidable: NDArray[np.bool_] | None = None
    notes: tuple[str, ...] = ()
    origin: tuple[str, ...] = ("scores:file",)


@dataclass(frozen=True)
class ScoredSet:
    """A set whose translations systems have scored."""

    test_set: ContrastiveSet
    systems: tuple[SystemScores, ...]


@dataclass(frozen=True)
class DecidedInstance:
    """What a system makes of an instance.

    `tied`: no error is better but one is as good; `preferred` is the translation that it scores
    best (0 the reference, n an error), `values` are the scores of all.
    """

    right: bool
    tied: bool
    preferred: int
    values: tuple[float, ...]
    undecidable: bool = False

    @property
    def verdict(self) -> int:
        """Its number among the verdicts of the metric."""
        if self.undecidable:
            return _UNDECIDABLE
        return _RIGHT if self.right else _TIED if self.tied else _WRONG


@dataclass(frozen=True)
class ContrastiveSettings:
    """There is nothing to choose: which scores are better is said with them."""


DecidedSet = Scored[ScoredSet, DecidedInstance]
"""The instances of a set, decided."""


class Contrastive(SetMetric[ContrastiveSettings, ScoredSet, DecidedInstance]):
    """Is the reference strictly better than every error?"""

    name = "contrastive"
    settings_class = ContrastiveSettings
    title = "Contrastive accuracy"
    needs = "scored"
    called = "{} (scores)"
    examples_note = "Shown is what each system scores best: the reference if it is right."
    verdict_kinds = (
        ("right", "right"),
        ("tied", "wrong"),
        ("wrong", "wrong"),
        ("undecidable", "open"),
    )

    def items(self, data: ScoredSet) -> DecidedSet:
        """The instances of the set, decided by each system."""
        decided = [decide(data.test_set, system) for system in data.systems]
        warnings = []
        for system, own in zip(data.systems, decided, strict=True):
            ties = sum(one.tied and not one.undecidable for one in own)
            if ties:
                warnings.append(
                    f"{system.name}: {ties:,} instances where an error scores as well as the "
                    "reference; they count as wrong"
                )
        return scored_set(data, (system.name for system in data.systems), decided, warnings)

    def how(self, scored: DecidedSet, system: int) -> tuple[str, ...]:
        """Which scores are better, and where they come from."""
        own = scored.data.systems[system]
        better = f"better:{'higher' if own.maximise else 'lower'}"
        return ("rule:strictly-better", better, *own.origin)

    def more_of_total(self, scored: DecidedSet, system: int) -> Iterable[Part]:
        """The accuracy over the instances that a system can decide, where these are not all."""
        hopeless = np.array([item.undecidable for item in scored.items[system]], dtype=np.bool_)
        if hopeless.any() and not hopeless.all():
            yield Part(
                chosen=~hopeless,
                columns=(0, 1),
                score=lambda sums: {DECIDABLE: percentage(sums)},
            )

    def notes(self, scored: DecidedSet) -> tuple[str, ...]:
        """When an instance is right."""
        return ("right only if the reference is strictly better than every error.",)

    def tables(self, evaluation: Evaluation) -> Sequence[Table]:
        """What a reader must know of the systems."""
        said = []
        for own, result in zip(evaluation.scored.data.systems, evaluation.systems, strict=True):
            said += [f"{own.name}: {note}" for note in own.notes]
            if DECIDABLE in result.scores:
                score = result.scores[DECIDABLE]
                said.append(f"{own.name}: accuracy over the instances it can decide: {score}")
        return [Table((), (), "", notes=tuple(said))] if said else []

    def of_system(self, scored: DecidedSet, system: int) -> Mapping[str, Any]:
        """Which scores are better, and how many instances have which verdict."""
        own, decided = scored.data.systems[system], scored.items[system]
        return {
            "better": "higher" if own.maximise else "lower",
            "right": sum(one.right for one in decided),
            "tied": sum(one.tied for one in decided),
            "undecidable": sum(one.undecidable for one in decided),
            "notes": list(own.notes),
        }

    def details(self, scored: DecidedSet, system: int) -> Iterator[Mapping[str, Any]]:
        """The decision on each instance, with the scores that it is based on."""
        instances = scored.data.test_set.instances
        for number, (one, instance) in enumerate(zip(scored.items[system], instances, strict=True)):
            yield {
                **self.placed(scored, number),
                "verdict": self.verdict_kinds[one.verdict][0],
                "scores": [f"{value:.6g}" for value in one.values],
                "reference": instance.reference or "",
            }

    def cells(self, scored: DecidedSet) -> list[list[tuple[str, str]]]:
        """The word of the reference, and that of the translation that is preferred."""
        words = [_words(instance) for instance in scored.data.test_set.instances]
        return [
            [(own[0], own[one.preferred]) for own, one in zip(words, decided, strict=True)]
            for decided in scored.items
        ]

    def reference(self, instance: Instance, line: int) -> tuple[str, list[Any]]:
        """Its text, and where it differs from the first error."""
        marks = _marks(line, places_of(instance), differing_words(instance, 0))
        return " ".join(translation_texts(instance)[0]), marks

    def rendering(
        self,
        scored: DecidedSet,
        number: int,
        system: int,
        line: int,
        cell: tuple[str, str],
    ) -> tuple[str, Rendering]:
        """The translation that a system prefers, and the scores of all."""
        instance, one = scored.data.test_set.instances[number], scored.items[system][number]
        pairs = zip(_words(instance), one.values, strict=True)
        said = ", ".join(f"{word} {value:.4g}" for word, value in pairs)
        marks = _marks(line, places_of(instance), differing_words(instance, one.preferred))
        text = " ".join(translation_texts(instance)[one.preferred])
        return text, Rendering(one.verdict, *cell, marks, said)


def decide(test_set: ContrastiveSet, system: SystemScores) -> list[DecidedInstance]:
    """Compare the score of each reference with the best of its errors."""
    values = (system.values if system.maximise else -system.values).tolist()
    found = []
    start = 0
    for number, instance in enumerate(test_set.instances):
        end = start + 1 + len(instance.errors)
        reference, *errors = values[start:end]
        best = max(errors, default=-math.inf)
        # The first of equals would be the reference, which does not count as preferred then.
        preferred = 0 if reference > best else len(errors) - errors[::-1].index(best)
        hopeless = system.undecidable is not None and bool(system.undecidable[number])
        own = tuple(system.values[start:end].tolist())
        found.append(DecidedInstance(reference > best, reference == best, preferred, own, hopeless))
        start = end
    return found


def _words(instance: Instance) -> list[str]:
    """The word of the reference and of each error, or what stands in its place."""
    found = [instance.reference_pronoun or _different(instance, 0)]
    for number, error in enumerate(instance.errors, start=1):
        found.append(error.word or _different(instance, number) or f"error {number}")
    return [word.lower() or "reference" for word in found]


def translation_texts(instance: Instance) -> list[list[str]]:
    """The words of the reference and of each error."""
    texts = (instance.reference, *(error.text for error in instance.errors))
    return [(text or "").split() for text in texts]


def _different(instance: Instance, translation: int) -> str:
    words = translation_texts(instance)[translation]
    return " ".join(words[place] for place in differing_words(instance, translation))


def differing_words(instance: Instance, translation: int) -> range:
    """The positions at which a translation differs from the reference (it from the first error)."""
    texts = translation_texts(instance)
    one, other = texts[translation], texts[0 if translation else 1]
    shorter = min(len(one), len(other))
    start = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    end = next(
        (at for at in range(shorter - start) if one[-1 - at] != other[-1 - at]), shorter - start
    )
    return range(start, len(one) - end)


def _marks(line: int, source: Sequence[int], target: Sequence[int]) -> list[Mark]:
    """One mark, or two that are not joined where it is not known which source word it is."""
    if len(source) == 1:
        return [Mark(line, source, target)]
    return [Mark(line, source, ()), Mark(line, (), target)]


def read_scores(
    paths: Sequence[Path], test_set: ContrastiveSet, maximise: bool = False
) -> list[SystemScores]:
    """The systems of score files; raises `InputError` with the faults of all of them."""
    problems: list[Problem] = []
    read = [_read_values(path, test_set, problems) for path in paths]
    if problems:
        raise InputError(problems)
    return [
        SystemScores(name, np.array(values), maximise)
        for name, values in zip(names_of_files(paths), read, strict=True)
    ]


def _read_values(path: Path, test_set: ContrastiveSet, problems: list[Problem]) -> list[float]:
    """The scores of a file, one a line; blank lines at the end do not count."""
    lines = lines_of(path, problems)
    if lines is None:
        return []
    while lines and not lines[-1].strip():
        lines.pop()
    values = []
    for number, line in enumerate(lines, start=1):
        try:
            value = float(line)
        except ValueError:
            value = math.nan
        if math.isnan(value):
            problems.append(Problem(str(path), number, "score", "a number", quoted(line)))
        values.append(value)
    if len(lines) != test_set.candidates:
        size = len(test_set.instances)
        expected = f"{test_set.candidates}, a reference and its errors for each of {size} instances"
        first = min(len(lines), test_set.candidates) + 1
        problems.append(Problem(str(path), first, "scores", expected, str(len(lines))))
    return values


METRIC = Contrastive
