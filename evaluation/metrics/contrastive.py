"""Accuracy on contrastive sets: is the reference strictly better than every error?

A system scores the reference first and then each error, in the order of the file. A system that
cannot tell them apart gets nothing for an instance.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import inf, isnan
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import counted, input_error, quoted
from crosspro.data_prep.core.files import read_text_lines
from crosspro.evaluation.metric import Display, Group, Items, Metric
from crosspro.evaluation.metrics.contrastive_sets import FAR, UNKNOWN, ContrastiveSet, Instance
from crosspro.evaluation.report.examples import Examples, Mark, Rendering, Terms
from crosspro.evaluation.resampling import Columns, Scores, Sums, Units, ratio

# A metric by which an instance of a set is right or wrong -----------------------------------------


@dataclass(frozen=True)
class SetData:
    """A set; subclasses have what systems made of it."""

    test_set: ContrastiveSet


Settings = TypeVar("Settings")
Data = TypeVar("Data", bound=SetData)
Item = TypeVar("Item")

_GROUPS_OF_EXAMPLES = ("distance", "antecedent", "rule")
"""The breakdown by which the examples of a page are grouped: the first that a set has."""
_PUNCTUATION = ".,;:!?…\"'’”“«»()[]-"


class SetMetric(Metric[Settings, Data, Item]):
    """What metrics of contrastive sets share: units, groups, and pages."""

    page_note: ClassVar[str]

    def set_items(
        self,
        data: Data,
        values: Mapping[str, Sequence[Item]],
        warnings: Sequence[str],
        **facts: Any,
    ) -> Items[Data, Item]:
        """The instances of a set as each system has them, resampled by document if possible."""
        test_set = data.test_set
        documents = [instance.document for instance in test_set.instances]
        units = Units.choose(
            document=None if None in documents else documents,
            instance=range(len(test_set.instances)),
        )
        size = counted(len(test_set.instances), "instance")
        description = f"{test_set.name} ({test_set.kind}): {size}"
        if units.name == "document":
            description += f" in {counted(units.count, 'document')}"
        facts |= {"set": test_set.name, "kind": test_set.kind, "content": test_set.digest}
        return Items(
            data, tuple(values), tuple(values.values()), units, description, facts, tuple(warnings)
        )

    def counts(self, items: Items[Data, Item], candidate: int) -> Columns:
        return {"instances": np.ones(items.size)}

    def groups(self, items: Items[Data, Item]) -> Iterable[Group]:
        """The groups of each breakdown; unknown ones and large distances last."""
        instances = items.data.test_set.instances
        for breakdown in dict.fromkeys(name for instance in instances for name in instance.groups):
            labels = np.array([instance.groups.get(breakdown, UNKNOWN) for instance in instances])
            order = {UNKNOWN: 2, FAR: 1}
            for group in sorted(set(labels.tolist()), key=lambda name: (order.get(name, 0), name)):
                yield Group(breakdown, group, labels == group)

    def signature(self, items: Items[Data, Item]) -> Sequence[str]:
        test_set = items.data.test_set
        return [
            f"set:{test_set.name}",
            f"content:{test_set.digest}",
            f"instances:{len(test_set.instances)}",
        ]

    def placed(self, items: Items[Data, Item], number: int) -> dict[str, str]:
        instance = items.data.test_set.instances[number]
        return {"instance": instance.name, "document": instance.document or "", **instance.groups}

    @abstractmethod
    def reference_places(self, instance: Instance) -> Sequence[int]:
        """The words of the reference that a page marks."""

    @abstractmethod
    def rendering(self, instance: Instance, item: Item, line: int) -> tuple[str, Rendering]:
        """A system's text, and what became of the instance in it, with marks in that line."""

    def examples(self, items: Items[Data, Item], numbers: Sequence[int]) -> Examples:
        """Instances with their context, and each system's text."""
        instances = items.data.test_set.instances
        grouped = {name for instance in instances for name in instance.groups}
        group = next((name for name in _GROUPS_OF_EXAMPLES if name in grouped), "")
        examples = Examples(
            items.candidates,
            self.display.verdicts,
            items.size,
            group,
            terms=Terms(shown="instances", differ="systems differ"),
            note=self.page_note,
        )
        for number in numbers:
            instance = instances[number]
            document = instance.document or ""
            empty = [""] * len(items.candidates)
            lines = [
                examples.add_line(-1, source, [target], empty, document)
                for source, target in context_lines(instance)
            ]
            line = len(lines)
            shown = [self.rendering(instance, system[number], line) for system in items.values]
            source, reference, *texts = (
                " ".join((text or "").split())
                for text in (instance.source, instance.reference, *(text for text, _ in shown))
            )
            lines.append(examples.add_line(-1, source, [reference], texts, document))
            mark = Mark(line, pronoun_places(instance), self.reference_places(instance))
            examples.add(
                (instance.source_pronoun or instance.reference_pronoun or "").lower(),
                lines,
                [[mark]],
                [rendering for _, rendering in shown],
                instance.name,
                instance.groups.get(group, UNKNOWN) if group else "",
            )
        return examples


def context_lines(instance: Instance) -> list[tuple[str, str]]:
    """Earlier lines, the last ones beside each other where one side has more."""
    sides = [instance.source_context, instance.reference_context]
    size = max(map(len, sides))
    source, target = (
        [""] * (size - len(side)) + [" ".join(s.split()) for s in side] for side in sides
    )
    return list(zip(source, target, strict=True))


def pronoun_places(instance: Instance) -> list[int]:
    """The places of the words of the source that are the pronoun."""
    pronoun = (instance.source_pronoun or "").lower()
    words = (instance.source or "").lower().split()
    return [place for place, word in enumerate(words) if word.strip(_PUNCTUATION) == pronoun]


# Systems that score translations ------------------------------------------------------------------


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
class ScoredSet(SetData):
    """A set whose translations systems have scored."""

    systems: tuple[SystemScores, ...]


RIGHT, TIED, WRONG, UNDECIDABLE = range(4)


@dataclass(frozen=True)
class DecidedInstance:
    """A verdict, the translation that is scored best (0 the reference), and all scores."""

    verdict: int
    preferred: int
    values: tuple[float, ...]


class Contrastive(SetMetric[None, ScoredSet, DecidedInstance]):
    """Is the reference strictly better than every error?"""

    name = "contrastive"
    page_note = "Shown is what each system scores best: the reference if it is right."
    display = Display(
        "Contrastive accuracy",
        headline="accuracy",
        compared=("accuracy",),
        counts=("instances",),
        verdicts=(
            ("right", "right"),
            ("tied", "wrong"),
            ("wrong", "wrong"),
            ("undecidable", "open"),
        ),
        notes=("right only if the reference is strictly better than every error.",),
    )

    def items(self, data: ScoredSet) -> Items[ScoredSet, DecidedInstance]:
        decided = {system.name: decide(data.test_set, system) for system in data.systems}
        warnings = [f"{system.name}: {note}" for system in data.systems for note in system.notes]
        for name, instances in decided.items():
            if ties := sum(instance.verdict == TIED for instance in instances):
                warnings.append(
                    f"{name}: {ties:,} instances where an error scores as well as the reference; "
                    "they count as wrong"
                )
        undecidable = any(
            instance.verdict == UNDECIDABLE
            for instances in decided.values()
            for instance in instances
        )
        return self.set_items(data, decided, warnings, undecidable=undecidable)

    def statistics(self, items: Items[ScoredSet, DecidedInstance], candidate: int) -> Columns:
        """Right instances and all; those that a system can decide, where these are not all."""
        verdicts = np.array(self.verdicts(items, candidate))
        columns = {"right": verdicts == RIGHT, "instances": np.ones(items.size)}
        return columns | (
            {"decidable": verdicts != UNDECIDABLE} if items.facts["undecidable"] else {}
        )

    def score(self, sums: Sums) -> Scores:
        scores = {"accuracy": 100 * ratio(sums["right"], sums["instances"])}
        if "decidable" in sums:
            scores["accuracy_of_decidable"] = 100 * ratio(sums["right"], sums["decidable"])
        return scores

    def signature(self, items: Items[ScoredSet, DecidedInstance]) -> Sequence[str]:
        systems = []
        for system in items.data.systems:
            better = "higher" if system.maximise else "lower"
            systems.append(f"{system.name}={','.join((f'better:{better}', *system.origin))}")
        return [*super().signature(items), "rule:strictly-better", *systems]

    def verdicts(self, items: Items[ScoredSet, DecidedInstance], candidate: int) -> Sequence[int]:
        return [decided.verdict for decided in items.values[candidate]]

    def details(
        self, items: Items[ScoredSet, DecidedInstance], candidate: int
    ) -> Iterable[Mapping[str, Any]]:
        for number, decided in enumerate(items.values[candidate]):
            words = translation_words(items.data.test_set.instances[number])
            yield {
                **self.placed(items, number),
                "verdict": self.display.verdicts[decided.verdict][0],
                "preferred": words[decided.preferred],
                "scores": dict(zip(words, decided.values, strict=True)),
            }

    def reference_places(self, instance: Instance) -> Sequence[int]:
        return differing_places(instance, 0)

    def rendering(
        self, instance: Instance, item: DecidedInstance, line: int
    ) -> tuple[str, Rendering]:
        words, preferred = translation_words(instance), item.preferred
        texts = [instance.reference, *(error.text for error in instance.errors)]
        note = ", ".join(
            f"{word} {value:.4g}" for word, value in zip(words, item.values, strict=True)
        )
        marks = [Mark(line, pronoun_places(instance), differing_places(instance, preferred))]
        rendering = Rendering(item.verdict, words[0], words[preferred], marks, note)
        return texts[preferred] or "", rendering


def decide(test_set: ContrastiveSet, system: SystemScores) -> list[DecidedInstance]:
    decided, start = [], 0
    for number, instance in enumerate(test_set.instances):
        end = start + 1 + len(instance.errors)
        values = tuple(system.values[start:end].tolist())
        reference, *errors = (value if system.maximise else -value for value in values)
        best = max(errors, default=-inf)
        if system.undecidable is not None and system.undecidable[number]:
            verdict = UNDECIDABLE
        else:
            verdict = RIGHT if reference > best else TIED if reference == best else WRONG
        # Of an equal reference and error the error counts as preferred.
        preferred = 0 if reference > best else 1 + errors.index(best)
        decided.append(DecidedInstance(verdict, preferred, values))
        start = end
    return decided


def translation_words(instance: Instance) -> list[str]:
    """The word of the reference and of each error, or what stands in its place."""
    words = [instance.reference_pronoun, *(error.word for error in instance.errors)]
    texts = [instance.reference, *(error.text for error in instance.errors)]
    for number, text in enumerate(texts):
        tokens = (text or "").split()
        different = " ".join(tokens[place] for place in differing_places(instance, number))
        words[number] = words[number] or different or (f"error {number}" if number else "reference")
    return [str(word).lower() for word in words]


def differing_places(instance: Instance, translation: int) -> range:
    """The words by which a translation differs from the reference (it from the first error)."""
    texts = [instance.reference, *(error.text for error in instance.errors)]
    other = texts[0 if translation else 1]
    words, other_words = (texts[translation] or "").split(), (other or "").split()
    start = _common_start(words, other_words)
    end = _common_start(words[start:][::-1], other_words[start:][::-1])
    return range(start, len(words) - end)


def _common_start(words: Sequence[str], other_words: Sequence[str]) -> int:
    pairs = zip(words, other_words, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def read_scores(path: Path, test_set: ContrastiveSet) -> NDArray[np.float64]:
    """The scores of a file, one a line; blank lines at the end do not count."""
    lines = "\n".join(read_text_lines(path)).rstrip().split("\n")
    values = []
    for number, line in enumerate(lines, start=1):
        try:
            values.append(float(line))
        except ValueError:
            raise input_error(path, "score", "a number", quoted(line), number) from None
        if isnan(values[-1]):
            raise input_error(path, "score", "a number", quoted(line), number)
    if len(values) != test_set.candidates:
        expected = (
            f"{test_set.candidates} (a reference and its errors for each of "
            f"{len(test_set.instances)} instances)"
        )
        first = min(len(values), test_set.candidates) + 1
        raise input_error(path, "scores", expected, str(len(values)), first)
    return np.array(values)
