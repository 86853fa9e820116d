"""Does a translation have the form that a set expects? For systems that give no scores.

- ctxpro (Wicks and Post 2023): a JSON list of objects with `rule` and `expected`.
- ContraPro and the large en-fr set: the expected form is `ref pronoun`.

An instance is right if the expected form is a word of the output, whatever else is there. Of an
output of several sentences, joined by `<eos>` or `<sep>`, the last is scored.

Words are those of our tokeniser, with what clitics hide. ctxpro's released tool (`match: released`)
deletes punctuation instead and looks for the form between spaces: `Il l'a vu` has *la*, and
`est-il` has no *il*.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as pydantic_dataclass

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import read_text_lines
from crosspro.evaluation.metric import Display, Items
from crosspro.evaluation.metrics.contrastive import SetData, SetMetric, placed
from crosspro.evaluation.metrics.contrastive_sets import (
    UNKNOWN,
    ContrastiveSet,
    Fields,
    Word,
    content_digest,
    contrastive_set,
    read_fields,
    read_objects,
)
from crosspro.evaluation.pronouns import (
    gender_of,
    has_form,
    likely_readings,
    target_words,
)
from crosspro.evaluation.resampling import Columns, Scores, Sums, ratio

CTXPRO = "ctxpro"
_SEPARATOR = re.compile("<eos>|<sep>", re.IGNORECASE)
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def read_expected(path: Path, language: str) -> ContrastiveSet:
    return expected_set(path.name, read_objects(path), language)


def expected_set(name: str, content: Any, language: str) -> ContrastiveSet:
    """The set that the content of a JSON file is, with genders where some are known."""
    is_ctxpro = isinstance(content, list) and any(
        isinstance(fields, dict) and "expected" in fields for fields in content
    )
    test_set = _ctxpro_set(name, content) if is_ctxpro else contrastive_set(name, content)
    genders = [
        gender_of(
            likely_readings(instance.reference_pronoun or "", language, instance.source_pronoun)
        )
        for instance in test_set.instances
    ]
    if not any(genders):
        return test_set
    instances = (
        replace(instance, groups={**instance.groups, "gender": gender or UNKNOWN})
        for instance, gender in zip(test_set.instances, genders, strict=True)
    )
    return replace(test_set, instances=tuple(instances))


class _Ctxpro(Fields):
    rule: Word
    reference_pronoun: Word = Field(alias="expected")
    source_verb: Any = Field(None, alias="src verb")


def _ctxpro_set(name: str, content: Any) -> ContrastiveSet:
    records, present = read_fields(name, content, _Ctxpro)
    instances = []
    for number, record in enumerate(records, start=1):
        groups = {"rule": record.rule}
        if record.source_verb is None:  # sets of auxiliaries expect hundreds of verbs
            words = filter(None, (record.source_pronoun, record.reference_pronoun))
            groups["pronoun"] = ":".join(words).lower()
        groups |= record.antecedent(present)
        instances.append(record.instance(number, errors=(), groups=groups))
    return ContrastiveSet(name, CTXPRO, tuple(instances), content_digest(content))


def read_translations(path: Path, test_set: ContrastiveSet) -> list[str]:
    """A line for each instance: its translation, of several sentences the last."""
    lines = list(read_text_lines(path))
    if len(lines) != len(test_set.instances):
        expected = f"{len(test_set.instances)} as in {test_set.name}"
        line = min(len(lines), len(test_set.instances)) + 1
        raise input_error(path, "lines", expected, str(len(lines)), line)
    return lines


@dataclass(frozen=True)
class GeneratedSet(SetData):
    """A set, and the translations of its instances by each system."""

    translations: Mapping[str, Sequence[str]]


@pydantic_dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class ExpectedFormsSettings:
    """The language of the translations, and how forms are found in them."""

    language: str
    match: Literal["words", "released"] = "words"


@dataclass(frozen=True)
class JudgedSentence:
    """The scored sentence, and whether the expected form is in it."""

    sentence: str
    right: bool


class ExpectedForms(SetMetric[ExpectedFormsSettings, GeneratedSet, JudgedSentence]):
    """Is the expected form a word of the translation?"""

    name = "expected_forms"
    settings_class = ExpectedFormsSettings
    display = Display(
        "Expected forms in generated translations",
        counts=("instances",),
        notes=("right if the expected form is a word of the translated sentence.",),
    )

    def items(self, data: GeneratedSet) -> Items[GeneratedSet, JudgedSentence]:
        settings, judged, warnings = self.settings, {}, []
        for name, lines in data.translations.items():
            judged[name] = judge(data.test_set, lines, settings.language, settings.match)
            if empty := sum(not judgement.sentence for judgement in judged[name]):
                warnings.append(f"{name}: {empty:,} empty translations; they count as wrong")
        return self.set_items(data, judged, warnings)

    def statistics(self, items: Items[GeneratedSet, JudgedSentence], candidate: int) -> Columns:
        right = [judgement.right for judgement in items.values[candidate]]
        return {"right": right, "instances": np.ones(items.size)}

    def score(self, sums: Sums) -> Scores:
        return {"accuracy": 100 * ratio(sums["right"], sums["instances"])}

    def signature(self, items: Items[GeneratedSet, JudgedSentence]) -> Sequence[str]:
        settings = self.settings
        language = f"language:{settings.language}"
        return [*super().signature(items), f"match:{settings.match}", language]

    def details(
        self, items: Items[GeneratedSet, JudgedSentence], candidate: int
    ) -> Iterable[Mapping[str, Any]]:
        instances = items.data.test_set.instances
        for instance, judgement in zip(instances, items.values[candidate], strict=True):
            yield {
                **placed(instance),
                "verdict": "right" if judgement.right else "wrong",
                "expected": instance.reference_pronoun or "",
                "translation": judgement.sentence,
            }


def judge(
    test_set: ContrastiveSet, translations: Sequence[str], language: str, match: str = "words"
) -> list[JudgedSentence]:
    words_of = target_words(language)
    judged = []
    for instance, line in zip(test_set.instances, translations, strict=True):
        sentence = _SEPARATOR.split(line)[-1].strip()
        form = instance.reference_pronoun or ""
        if match == "released":
            text = sentence.lower().translate(_NO_PUNCTUATION)
            right = f" {form.lower()} " in f" {text} "
        else:
            right = has_form(words_of(sentence), words_of.form(form))
        judged.append(JudgedSentence(sentence, right))
    return judged
