"""Scores of generated translations: is the expected form there, and what is there instead?

An instance is right if the expected form is a word of the scored part of the output (its payload),
whatever else is there. A rival form beside it is counted apart: which of the two translates the
pronoun cannot be seen from the words.

Words are those of our tokeniser, with what clitics hide. ctxpro's released tool deletes punctuation
instead and looks for the form between spaces: `Il l'a vu` has *la*, and `est-il` has no *il*.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from crosspro.evaluation.core.evaluation import Evaluation
from crosspro.evaluation.core.metric import Part, Scored
from crosspro.evaluation.core.statistics import Floats, percentage
from crosspro.evaluation.core.tables import Cell, Table
from crosspro.evaluation.pronouns import has_form, target_words
from crosspro.evaluation.metrics.contrastive.formats import ContrastiveSet, Instance
from crosspro.evaluation.metrics.contrastive.set_metric import SetMetric, places_of, scored_set
from crosspro.evaluation.metrics.expected_forms.expected_sets import rival_words
from crosspro.evaluation.metrics.expected_forms.outputs import (
    LAST_PART,
    SEPARATORS,
    GeneratedOutput,
)
from crosspro.evaluation.output.examples import Mark, Rendering

ALONE, BESIDE, RIVAL, NEITHER = range(4)
VERDICTS = ("right", "right beside a rival", "rival instead", "neither")
"""What can be said of an instance, by number."""
LAST_RIGHT = BESIDE
"""Verdicts begin with those by which an instance is right."""


@dataclass(frozen=True)
class GeneratedSet:
    """A set whose sources systems have translated."""

    test_set: ContrastiveSet
    outputs: tuple[GeneratedOutput, ...]


Match = Literal["words", "released"]
"""A form is a word of ours, or stands between spaces after ctxpro has deleted punctuation."""

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True)
class ExpectedFormsSettings:
    """The language of the translations, the scored part of an output, and how forms are found."""

    language: str
    separators: tuple[str, ...] = SEPARATORS
    part: int = LAST_PART
    match: Match = "words"


@dataclass(frozen=True)
class FoundForms:
    """The verdict on an instance, and the rivals that were found."""

    verdict: int
    rivals: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether the expected form is there."""
        return self.verdict <= LAST_RIGHT


JudgedSet = Scored[GeneratedSet, FoundForms]
"""The instances of a set, judged."""


class ExpectedForms(SetMetric[ExpectedFormsSettings, GeneratedSet, FoundForms]):
    """Is the expected form a word of the translation?"""

    name = "expected_forms"
    settings_class = ExpectedFormsSettings
    title = "Expected forms in generated translations"
    needs = "generated"
    called = "{} (generated)"
    examples_note = "Marked are the words that are the expected form or a rival."
    verdict_kinds = tuple(zip(VERDICTS, ("right", "part", "wrong", "open"), strict=True))

    @property
    def keys(self) -> list[str]:
        """The verdicts as counts and scores are called."""
        return [name.replace(" ", "_") for name, _ in self.verdict_kinds]

    def items(self, data: GeneratedSet) -> JudgedSet:
        """The instances of the set, judged in each output."""
        own = self.settings
        judged = [judge(data.test_set, one, own.language, own.match) for one in data.outputs]
        notes = [f"{one.name}: {note}" for one in data.outputs for note in one.notes]
        return scored_set(data, (one.name for one in data.outputs), judged, notes)

    def how(self, scored: JudgedSet, system: int) -> tuple[str, ...]:
        """How forms are found, the scored part and the language."""
        own = self.settings
        return (f"match:{own.match}", f"payload:part{own.part:+d}", f"language:{own.language}")

    def statistics(self, scored: JudgedSet, system: int) -> Floats:
        """Right instances, all, and each verdict."""
        verdicts = np.eye(len(self.verdict_kinds))[self.verdicts(scored, system)]
        return np.concatenate((super().statistics(scored, system), verdicts), axis=1)

    def more_of_total(self, scored: JudgedSet, system: int) -> Iterable[Part]:
        """The share of each verdict."""
        for number, verdict in enumerate(self.keys):
            yield Part(columns=(2 + number, 1), score=partial(_share, verdict))

    def counts(self, sums: Floats) -> Mapping[str, int]:
        """How many instances there are, and how many have which verdict."""
        return {
            "instances": int(sums[1]),
            **{key: int(n) for key, n in zip(self.keys, sums[2:], strict=True)},
        }

    def notes(self, scored: JudgedSet) -> tuple[str, ...]:
        """When an instance is right."""
        return ("right if the expected form is a word of the translated sentence.",)

    def tables(self, evaluation: Evaluation) -> Sequence[Table]:
        """The shares of the verdicts."""
        rows: list[Sequence[Cell]] = [
            [verdict, *(system.scores[key] for system in evaluation.systems)]
            for (verdict, _), key in zip(self.verdict_kinds, self.keys, strict=True)
        ]
        return [Table(("instances (%)", *evaluation.names), rows, "What is there")]

    def of_system(self, scored: JudgedSet, system: int) -> Mapping[str, Any]:
        """What is odd about an output."""
        return {"notes": list(scored.data.outputs[system].notes)}

    def details(self, scored: JudgedSet, system: int) -> Iterator[Mapping[str, Any]]:
        """The verdict on each instance, with the words that it rests on."""
        instances, output = scored.data.test_set.instances, scored.data.outputs[system]
        for number, (one, instance) in enumerate(zip(scored.items[system], instances, strict=True)):
            yield {
                **self.placed(scored, number),
                "verdict": self.verdict_kinds[one.verdict][0],
                "expected": instance.reference_pronoun or "",
                "rivals": list(one.rivals),
                "payload": output.payloads[number],
            }

    def cells(self, scored: JudgedSet) -> list[list[tuple[str, str]]]:
        """The expected form, and what is there: it, the first rival, or nothing."""
        forms = [
            (instance.reference_pronoun or "").lower()
            for instance in scored.data.test_set.instances
        ]
        return [
            [
                (form, form if one.right else one.rivals[0].lower() if one.rivals else "neither")
                for form, one in zip(forms, own, strict=True)
            ]
            for own in scored.items
        ]

    def reference(self, instance: Instance, line: int) -> tuple[str, list[Any]]:
        """Its text, and where the expected form is."""
        text = " ".join((instance.reference or "").split())
        return text, self.marks(instance, line, text, ())

    def rendering(
        self,
        scored: JudgedSet,
        number: int,
        system: int,
        line: int,
        cell: tuple[str, str],
    ) -> tuple[str, Rendering]:
        """The payload, with the expected form and the rivals in it."""
        one = scored.items[system][number]
        text = " ".join(scored.data.outputs[system].payloads[number].split())
        marks = self.marks(scored.data.test_set.instances[number], line, text, one.rivals)
        return text, Rendering(one.verdict, *cell, marks)

    def marks(self, instance: Instance, line: int, text: str, rivals: Sequence[str]) -> list[Mark]:
        """The source pronoun, and the words between spaces that are the form or a rival."""
        words_of = target_words(self.settings.language)
        forms = [words_of.form(word) for word in (instance.reference_pronoun or "", *rivals)]
        found = [
            place
            for place, chunk in enumerate(text.split())
            if any(form and has_form(words_of(chunk), form) for form in forms)
        ]
        return [Mark(line, places_of(instance), ()), Mark(line, (), found)]


def _share(name: str, sums: Floats) -> Mapping[str, Floats]:
    return {name: percentage(sums)}


def judge(
    test_set: ContrastiveSet, output: GeneratedOutput, language: str, match: Match = "words"
) -> list[FoundForms]:
    """The verdict on each instance."""
    words_of = target_words(language)
    form_of: Callable[[str], Any] = words_of.form if match == "words" else str.lower
    judged = []
    for instance, payload in zip(test_set.instances, output.payloads, strict=True):
        has: Callable[[Any], bool]
        if match == "words":
            has = partial(has_form, words_of(payload))
        else:
            has = partial(_has_between_spaces, payload.lower().translate(_NO_PUNCTUATION))
        expected = form_of(instance.reference_pronoun or "")
        rivals = tuple(
            word
            for word in dict.fromkeys(rival_words(instance))
            if form_of(word) != expected and has(form_of(word))
        )
        verdict = (BESIDE if rivals else ALONE) if has(expected) else (RIVAL if rivals else NEITHER)
        judged.append(FoundForms(verdict, rivals))
    return judged


def _has_between_spaces(text: str, form: str) -> bool:
    return f" {form} " in f" {text} "


METRIC = ExpectedForms
