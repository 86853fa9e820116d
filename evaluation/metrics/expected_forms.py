"""Does a translation have the form that a set expects? For systems that give no scores.

- ctxpro (Wicks and Post 2023): a JSON list of objects with `rule` and `expected`.
- ContraPro and the large en-fr set: the expected form is `ref pronoun`, its rivals are the words of
  the errors.

An instance is right if the expected form is a word of the output, whatever else is there. A rival
form beside it is counted apart: which of the two translates the pronoun cannot be seen from the
words. Where a set names no rivals they are the other forms in the same role, from our tables of
pronouns. Of an output of several sentences, joined by `<eos>` or `<sep>`, the last is scored.

Words are those of our tokeniser, with what clitics hide. ctxpro's released tool (`match: released`)
deletes punctuation instead and looks for the form between spaces: `Il l'a vu` has *la*, and
`est-il` has no *il*.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import read_text_lines
from crosspro.evaluation.metric import Display, Items
from crosspro.evaluation.metrics.contrastive import SetMetric, context_lines, pronoun_places
from crosspro.evaluation.metrics.contrastive_sets import (
    UNKNOWN,
    ContrastiveSet,
    Fields,
    Instance,
    Word,
    WrongTranslation,
    content_digest,
    contrastive_set,
    read_fields,
    read_objects,
)
from crosspro.evaluation.pronouns import (
    TranslationWords,
    gender_of,
    has_form,
    likely_readings,
    rivals_of,
    target_words,
)
from crosspro.evaluation.report.examples import Examples, Mark, Rendering
from crosspro.evaluation.resampling import Cells, Columns, Scores, Sums, ratio

CTXPRO = "ctxpro"
_SEPARATOR = re.compile("<eos>|<sep>", re.IGNORECASE)
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_STRIPPED = '.,;:!?…"“”«»()'

VERDICTS = ("right", "right_beside_a_rival", "rival_instead", "neither")
ALONE, BESIDE, RIVAL, NEITHER = range(4)


# Sets ---------------------------------------------------------------------------------------------


def read_expected(path: Path, language: str) -> ContrastiveSet:
    return expected_set(path.name, read_objects(path), language)


def expected_set(name: str, content: Any, language: str) -> ContrastiveSet:
    """The set that the content of a JSON file is, with genders, and with rivals if it has none."""
    is_ctxpro = isinstance(content, list) and any(
        isinstance(fields, dict) and "expected" in fields for fields in content
    )
    test_set = _ctxpro_set(name, content) if is_ctxpro else contrastive_set(name, content)
    instances = []
    for instance in test_set.instances:
        form, source = instance.reference_pronoun or "", instance.source_pronoun
        readings = likely_readings(form, language, source)
        errors = instance.errors or tuple(
            WrongTranslation(None, rival) for rival in rivals_of(readings, language)
        )
        groups = {**instance.groups, "gender": gender_of(readings) or UNKNOWN}
        instances.append(replace(instance, errors=errors, groups=groups))
    if all(instance.groups["gender"] == UNKNOWN for instance in instances):
        instances = [
            replace(new, groups=old.groups)
            for new, old in zip(instances, test_set.instances, strict=True)
        ]
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


def rival_words(instance: Instance) -> list[str]:
    """The words that stand in the errors where the reference has the expected form."""
    expected = (instance.reference_pronoun or "").lower()
    words = (
        error.word or _replacement(instance.reference, error.text) for error in instance.errors
    )
    return [word for word in words if word and word.lower() != expected]


def _replacement(reference: str | None, error: str | None) -> str | None:
    """The one word in which an error differs from the reference."""
    words, wrong_words = (reference or "").split(), (error or "").split()
    if len(words) != len(wrong_words):
        return None
    pairs = zip(words, wrong_words, strict=True)
    different = [wrong for right, wrong in pairs if right != wrong]
    return different[0].strip(_STRIPPED) if len(different) == 1 else None


def read_translations(path: Path, test_set: ContrastiveSet) -> list[str]:
    """A line for each instance: its translation, of several sentences the last."""
    lines = list(read_text_lines(path))
    if len(lines) != len(test_set.instances):
        expected = f"{len(test_set.instances)} as in {test_set.name}"
        line = min(len(lines), len(test_set.instances)) + 1
        raise input_error(path, "lines", expected, str(len(lines)), line)
    return lines


# The metric ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GeneratedSet:
    """A set, and the translations of its instances by each system."""

    test_set: ContrastiveSet
    translations: Mapping[str, Sequence[str]]


@dataclass(frozen=True, config=ConfigDict(strict=True, extra="forbid"))
class ExpectedFormsSettings:
    """The language of the translations, and how forms are found in them."""

    language: str
    match: Literal["words", "released"] = "words"


@dataclass(frozen=True)
class FoundForms:
    """The scored sentence, the verdict on it, and the rivals that were forms."""

    sentence: str
    verdict: int
    rivals: tuple[str, ...]

    @property
    def right(self) -> bool:
        return self.verdict <= BESIDE


class ExpectedForms(SetMetric[ExpectedFormsSettings, GeneratedSet, FoundForms]):
    """Is the expected form a word of the translation?"""

    name = "expected_forms"
    settings_class = ExpectedFormsSettings
    display = Display(
        "Expected forms in generated translations",
        headline="accuracy",
        counts=("instances",),
        verdicts=tuple(zip(VERDICTS, ("right", "part", "wrong", "open"), strict=True)),
        notes=("right if the expected form is a word of the translated sentence.",),
    )

    def items(self, data: GeneratedSet) -> Items[GeneratedSet, FoundForms]:
        settings, judged, warnings = self.settings, {}, []
        for name, lines in data.translations.items():
            judged[name] = judge(data.test_set, lines, settings.language, settings.match)
            if empty := sum(not forms.sentence for forms in judged[name]):
                warnings.append(f"{name}: {empty:,} empty translations; they count as wrong")
        return self.set_items(data, judged, warnings)

    def statistics(self, items: Items[GeneratedSet, FoundForms], candidate: int) -> Columns:
        return {"verdicts": Cells(np.array(self.verdicts(items, candidate)), len(VERDICTS))}

    def score(self, sums: Sums) -> Scores:
        verdicts = sums["verdicts"]
        total = verdicts.sum(axis=-1)
        right = verdicts[..., ALONE] + verdicts[..., BESIDE]
        shares = {
            verdict: 100 * ratio(verdicts[..., number], total)
            for number, verdict in enumerate(VERDICTS)
            if number != ALONE
        }
        return {"accuracy": 100 * ratio(right, total), **shares}

    def signature(self, items: Items[GeneratedSet, FoundForms]) -> Sequence[str]:
        settings = self.settings
        language = f"language:{settings.language}"
        return [*super().signature(items), f"match:{settings.match}", language]

    def verdicts(self, items: Items[GeneratedSet, FoundForms], candidate: int) -> Sequence[int]:
        return [forms.verdict for forms in items.values[candidate]]

    def details(
        self, items: Items[GeneratedSet, FoundForms], candidate: int
    ) -> Iterable[Mapping[str, Any]]:
        for number, forms in enumerate(items.values[candidate]):
            yield {
                **self.placed(items, number),
                "verdict": VERDICTS[forms.verdict],
                "expected": items.data.test_set.instances[number].reference_pronoun or "",
                "rivals": list(forms.rivals),
                "translation": forms.sentence,
            }

    def examples(self, items: Items[GeneratedSet, FoundForms], numbers: Sequence[int]) -> Examples:
        instances = items.data.test_set.instances
        shown: dict[int, list[tuple[str, Rendering]]] = {}
        references = {}
        for number in numbers:
            instance = instances[number]
            form = (instance.reference_pronoun or "").lower()
            line, source = len(context_lines(instance)), pronoun_places(instance)
            references[number] = self._places(instance.reference or "", [form])
            shown[number] = []
            for system in items.values:
                forms = system[number]
                marks = [Mark(line, source, self._places(forms.sentence, [form, *forms.rivals]))]
                word = form if forms.right else (*forms.rivals, "neither")[0].lower()
                rendering = Rendering(forms.verdict, form, word, marks)
                shown[number].append((" ".join(forms.sentence.split()), rendering))
        note = "Marked are the words that are the expected form or a rival."
        return self.example_page(items, numbers, shown, references, note)

    def _places(self, text: str, forms: Iterable[str]) -> list[int]:
        words_of = target_words(self.settings.language)
        expected = [words_of.form(form) for form in forms if form]
        return [
            place
            for place, chunk in enumerate(text.split())
            if any(has_form(words_of(chunk), form) for form in expected)
        ]


def judge(
    test_set: ContrastiveSet, translations: Sequence[str], language: str, match: str = "words"
) -> list[FoundForms]:
    words_of = target_words(language)
    judged = []
    for instance, line in zip(test_set.instances, translations, strict=True):
        sentence = _SEPARATOR.split(line)[-1].strip()
        has: Callable[[str], bool]
        if match == "released":
            has = partial(_has_between_spaces, sentence.lower().translate(_NO_PUNCTUATION))
            same: Callable[[str], Any] = str.lower
        else:
            words, same = words_of(sentence), words_of.form
            has = partial(_has_word, words, words_of)
        expected = instance.reference_pronoun or ""
        rivals = tuple(
            word
            for word in dict.fromkeys(rival_words(instance))
            if same(word) != same(expected) and has(word)
        )
        verdict = (BESIDE if rivals else ALONE) if has(expected) else RIVAL if rivals else NEITHER
        judged.append(FoundForms(sentence, verdict, rivals))
    return judged


def _has_word(words: Sequence[str], words_of: TranslationWords, form: str) -> bool:
    return has_form(words, words_of.form(form))


def _has_between_spaces(text: str, form: str) -> bool:
    return f" {form.lower()} " in f" {text} "
