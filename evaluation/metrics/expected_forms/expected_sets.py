"""Context sets: each instance with the form that its translation is expected to have.

- ctxpro (Wicks and Post 2023): a JSON list of objects with `rule` and `expected`; sets of gender
  and of auxiliaries also say `ante distance`, and those of gender `intrasegmental`. Released files
  and the tool itself spell other fields in two ways (`document id`, `document_id`).
- ContraPro and the large en-fr set: the expected form is `ref pronoun`, its rivals are the words of
  the errors.

Where a set names no rivals they are the other forms in the same role, from our tables of pronouns;
so is the gender of the expected form.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.pronouns import gender_of, likely_readings, rivals_of
from crosspro.evaluation.metrics.contrastive.formats import (
    MISSING,
    UNKNOWN,
    ContrastiveSet,
    Instance,
    SetFields,
    WrongTranslation,
    content_digest,
    contrastive_set,
    read_json,
    said_of_antecedents,
)

CTXPRO = "ctxpro"
_SPELLINGS = {
    "document": ("document id", "document_id"),
    "source": ("src segment", "source"),
    "reference": ("ref segment", "reference"),
}


def read_expected(path: Path, language: str, *, allow_unknown: bool = False) -> ContrastiveSet:
    """A set with its expected forms; raises `InputError` with all faults."""
    content = read_json(path)
    is_ctxpro = isinstance(content, list) and any(
        isinstance(one, dict) and "expected" in one for one in content
    )
    if is_ctxpro:
        return with_forms(_ctxpro_set(path, content), language)
    return with_forms(contrastive_set(path, content, allow_unknown=allow_unknown), language)


def _ctxpro_set(path: Path, content: list[Any]) -> ContrastiveSet:
    # The tool never looks at antecedents, so that sets may leave them open.
    reader = SetFields(str(path), allow_unknown=True)
    instances = tuple(_ctxpro_instances(content, reader))
    if reader.problems:
        raise InputError(reader.problems)
    return ContrastiveSet(path.name, CTXPRO, instances, content_digest(content))


def _ctxpro_instances(content: list[Any], reader: SetFields) -> Iterator[Instance]:
    said = said_of_antecedents(content)
    for name, one in reader.objects(content, "instance"):
        expected, rule = (
            reader.text(one.get(key, MISSING), f"{name}, {key}") or ""
            for key in ("expected", "rule")
        )
        source = reader.text(one.get("src pronoun", MISSING), f"{name}, src pronoun", False)
        document = _spelled(one, "document")
        if isinstance(document, list | dict):
            reader.problem(f"{name}, document id", "text or a number", document)
        text, reference = (
            reader.text(_spelled(one, key), f"{name}, {_SPELLINGS[key][0]}", False)
            for key in ("source", "reference")
        )
        groups = {"rule": rule}
        if "src verb" not in one:  # sets of auxiliaries expect hundreds of verbs
            groups["pronoun"] = ":".join(filter(None, (source, expected))).lower()
        yield Instance(
            name=name,
            errors=(),
            groups=groups | reader.antecedent(one, name, said),
            source=text,
            reference=reference,
            source_pronoun=source,
            reference_pronoun=expected,
            document=None if document in (None, MISSING) else str(document),
            **reader.context(one, name),
        )


def _spelled(one: dict[str, Any], key: str) -> object:
    return next((one[name] for name in _SPELLINGS[key] if name in one), MISSING)


def with_forms(test_set: ContrastiveSet, language: str) -> ContrastiveSet:
    """The set with the gender of its expected forms, and with rivals where it names none."""
    instances = []
    for one in test_set.instances:
        readings = likely_readings(one.reference_pronoun or "", language, one.source_pronoun)
        errors = one.errors
        if not errors:
            errors = tuple(WrongTranslation(None, form) for form in rivals_of(readings, language))
        groups = {**one.groups, "gender": gender_of(readings) or UNKNOWN}
        instances.append(replace(one, errors=errors, groups=groups))
    if all(instance.groups["gender"] == UNKNOWN for instance in instances):
        for one in instances:
            del one.groups["gender"]
    return replace(test_set, instances=tuple(instances))


def rival_words(instance: Instance) -> list[str]:
    """The words that stand in the errors where the reference has the expected form."""
    own = (instance.reference_pronoun or "").lower()
    found = []
    for error in instance.errors:
        word = error.word or _replacement(instance.reference, error.text)
        if word and word.lower() != own:
            found.append(word)
    return found


def _replacement(reference: str | None, error: str | None) -> str | None:
    """The one word in which an error differs from the reference."""
    one, other = (reference or "").split(), (error or "").split()
    if len(one) != len(other):
        return None
    different = [b for a, b in zip(one, other, strict=True) if a != b]
    return different[0].strip('.,;:!?…"“”«»()') if len(different) == 1 else None
