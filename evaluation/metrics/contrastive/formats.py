"""Reader of contrastive sets: ContraPro and the large en-fr set.

ContraPro (en-de; Müller et al. 2018) and the large en-fr set (Lopes et al. 2020) are JSON lists;
the latter writes distance -1 where it does not know it. Their instances are a reference and its
errors. Systems are scored on the reference first and then on each error, in the order of the file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import InputError, Problem, input_error, quoted
from crosspro.data_prep.core.files import parse_json, read_bytes

CONTRAPRO = "contrapro"

UNKNOWN = "unknown"
FAR = ">3"
"""Distances above 3 are counted together, as in the released script."""

_SAID_FOR_ALL_OR_NONE = ("intrasegmental", "ante distance")


@dataclass(frozen=True, slots=True)
class WrongTranslation:
    """A contrastive translation: its text, and the word that replaces the pronoun, if said."""

    text: str | None
    word: str | None


@dataclass(frozen=True, slots=True)
class Instance:
    """A reference translation, which a good system prefers to each of the errors.

    `groups` are what accuracy is broken down by: the name of a breakdown and the instance's group.
    Context is earlier sentences of the same document.
    """

    name: str
    errors: tuple[WrongTranslation, ...]
    groups: dict[str, str]
    source: str | None = None
    reference: str | None = None
    source_pronoun: str | None = None
    reference_pronoun: str | None = None
    document: str | None = None
    source_context: tuple[str, ...] = ()
    reference_context: tuple[str, ...] = ()


@dataclass(frozen=True)
class ContrastiveSet:
    """All instances of a file; `digest` identifies its content in signatures."""

    name: str
    kind: str
    instances: tuple[Instance, ...]
    digest: str

    @property
    def candidates(self) -> int:
        """How many translations are to be scored."""
        return sum(1 + len(instance.errors) for instance in self.instances)


def read_json(path: Path) -> Any:
    """The content of a JSON file (also .gz, .xz)."""
    content = read_bytes(path)
    try:
        return parse_json(content)
    except ValueError as error:
        raise input_error(path, "file", "JSON in UTF-8", str(error)) from error


def read_contrastive(path: Path, *, allow_unknown: bool = False) -> ContrastiveSet:
    """Read a set; raises `InputError` with all its faults.

    Unless `allow_unknown`, a distance or `intrasegmental` that is null, or given for some instances
    only, is a fault.
    """
    return contrastive_set(path, read_json(path), allow_unknown=allow_unknown)


def contrastive_set(path: Path, content: Any, *, allow_unknown: bool = False) -> ContrastiveSet:
    """The set that the content of a JSON file is."""
    if not isinstance(content, list) or not content:
        raise input_error(path, "file", "a list of instances", quoted(json.dumps(content)))
    reader = SetFields(str(path), allow_unknown)
    instances = tuple(_instances(content, reader))
    if reader.problems:
        raise InputError(reader.problems)
    return ContrastiveSet(path.name, CONTRAPRO, instances, content_digest(content))


def content_digest(content: object) -> str:
    """What identifies the content of a set, however its file is written."""
    canonical = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:8]


MISSING = object()
"""What stands for a field that an object does not have."""


class SetFields:
    """Checks the values of one file and collects its problems.

    Unless `allow_unknown`, antecedents whose segment or distance is not said are problems.
    """

    def __init__(self, path: str, allow_unknown: bool) -> None:
        self.path = path
        self.allow_unknown = allow_unknown
        self.problems: list[Problem] = []

    def problem(self, where: str, expected: str, value: object) -> None:
        """Note that a value is not what was expected."""
        found = "nothing" if value is MISSING else quoted(json.dumps(value, ensure_ascii=False))
        self.problems.append(Problem(self.path, None, where, expected, found))

    def objects(self, content: list[Any], noun: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """The objects of a list with their names, `noun` and a number from 1."""
        for number, value in enumerate(content, start=1):
            if isinstance(value, dict):
                yield f"{noun} {number}", value
            else:
                self.problem(f"{noun} {number}", "an object", value)

    def text(self, value: object, where: str, required: bool = True) -> str | None:
        """A text; one that is required may not be blank."""
        if isinstance(value, str) and (value.strip() or not required):
            return value
        if required or value is not MISSING:
            self.problem(where, "text", value)
        return None

    def texts(self, value: object, where: str) -> tuple[str, ...]:
        """A list of sentences, empty where there is none."""
        if value is MISSING:
            return ()
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            self.problem(where, "a list of sentences", value)
            return ()
        return tuple(value)

    def context(self, one: dict[str, Any], name: str) -> dict[str, Any]:
        """The sentences before an instance on each side, by the field of `Instance`."""
        return {
            field: self.texts(one.get(key, MISSING), f"{name}, {key}")
            for field, key in (
                ("source_context", "src context"),
                ("reference_context", "ref context"),
            )
        }

    def antecedent(self, one: dict[str, Any], name: str, said: Collection[str]) -> dict[str, str]:
        """The groups of an instance by segment and distance, as far as its set says them."""
        groups = {}
        if "intrasegmental" in said:
            groups["antecedent"] = self._intrasegmental(one, name)
        if "ante distance" in said:
            groups["distance"] = self._distance(one, name)
        return groups

    def _intrasegmental(self, one: dict[str, Any], name: str) -> str:
        value = one.get("intrasegmental", MISSING)
        if isinstance(value, bool):
            return "same segment" if value else "earlier segment"
        if not (self.allow_unknown and (value is None or value is MISSING)):
            self.problem(f"{name}, intrasegmental", "true or false", value)
        return UNKNOWN

    def _distance(self, one: dict[str, Any], name: str) -> str:
        value = one.get("ante distance", MISSING)
        if isinstance(value, int) and not isinstance(value, bool):
            if value < 0:  # so written in the large en-fr set
                return UNKNOWN
            return str(value) if value <= 3 else FAR
        if not (self.allow_unknown and (value is None or value is MISSING)):
            self.problem(f"{name}, ante distance", "a whole number", value)
        return UNKNOWN


def said_of_antecedents(content: list[Any]) -> set[str]:
    """Which of these fields any instance of a list has."""
    return {
        key
        for key in _SAID_FOR_ALL_OR_NONE
        if any(isinstance(one, dict) and key in one for one in content)
    }


def names_of_files(paths: Sequence[Path]) -> list[str]:
    """File names without their last suffix, or whole paths where these are equal."""
    whole = [path.name.removesuffix(".xz").removesuffix(".gz") for path in paths]
    short = [Path(name).stem for name in whole]
    return [
        name if short.count(name) == 1 else str(path)
        for name, path in zip(short, paths, strict=True)
    ]


def _instances(content: list[Any], reader: SetFields) -> Iterator[Instance]:
    said = said_of_antecedents(content)
    for name, one in reader.objects(content, "instance"):
        source, reference = (
            reader.text(one.get(key, MISSING), f"{name}, {key}")
            for key in ("src pronoun", "ref pronoun")
        )
        document = one.get("document id")
        yield Instance(
            name=name,
            errors=_errors(one, name, reader),
            groups={
                "pronoun": f"{source or ''}:{reference or ''}".lower(),
                **reader.antecedent(one, name, said),
            },
            source=reader.text(one.get("src segment", MISSING), f"{name}, src segment", False),
            reference=reader.text(one.get("ref segment", MISSING), f"{name}, ref segment", False),
            source_pronoun=source,
            reference_pronoun=reference,
            document=None if document is None else str(document),
            **reader.context(one, name),
        )


def _errors(one: dict[str, Any], name: str, reader: SetFields) -> tuple[WrongTranslation, ...]:
    value = one.get("errors", MISSING)
    if not isinstance(value, list) or not value:
        reader.problem(f"{name}, errors", "a list of at least one error", value)
        return ()
    errors = []
    for where, error in reader.objects(value, f"{name}, error"):
        text, word = (
            reader.text(error.get(key, MISSING), f"{where}, {key}", False)
            for key in ("contrastive", "replacement")
        )
        errors.append(WrongTranslation(text, word))
    return tuple(errors)
