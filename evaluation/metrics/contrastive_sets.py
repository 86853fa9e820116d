"""Readers of contrastive sets: ContraPro and the large en-fr set.

ContraPro (en-de; Müller et al. 2018) and the large en-fr set (Lopes et al. 2020) are JSON lists of
references with errors, in which the pronoun is exchanged. What was not noted of an antecedent
(null, or distance -1 in the large set) is `unknown`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import InputError, input_error, quoted
from crosspro.data_prep.core.files import parse_json, read_bytes

CONTRAPRO = "contrapro"
UNKNOWN = "unknown"
MOST_DISTANCE, FAR = 3, ">3"
"""Larger distances are counted together, as in the released script."""


@dataclass(frozen=True)
class WrongTranslation:
    """A contrastive translation: its text, and the word that replaces the pronoun, if known."""

    text: str | None
    word: str | None


@dataclass(frozen=True)
class Instance:
    """A reference translation, which a good system prefers to each of the errors.

    `groups` are what accuracy is broken down by: the name of a breakdown and the instance's group.
    Context is earlier sentences of the same document.
    """

    name: str
    errors: tuple[WrongTranslation, ...]
    groups: Mapping[str, str]
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
        return sum(1 + len(instance.errors) for instance in self.instances)


def read_contrastive(path: Path) -> ContrastiveSet:
    return contrastive_set(path.name, read_objects(path))


def read_objects(path: Path) -> Any:
    try:
        return parse_json(read_bytes(path))
    except ValueError as error:
        raise input_error(path, "file", "JSON in UTF-8", str(error)) from error


def contrastive_set(name: str, content: Any) -> ContrastiveSet:
    instances = []
    for one in fields_of_instances(name, content):
        words = one.text("src pronoun", required=True), one.text("ref pronoun", required=True)
        errors = one.values.get("errors")
        if not isinstance(errors, list) or not errors:
            raise one.fault("errors", "a list of at least one error")
        wrong = [
            InstanceFields(name, f"{one.name}, error {number}", error)
            for number, error in enumerate(errors, start=1)
        ]
        instances.append(
            Instance(
                errors=tuple(
                    WrongTranslation(error.text("contrastive"), error.text("replacement"))
                    for error in wrong
                ),
                groups={"pronoun": ":".join(map(str, words)).lower(), **one.antecedent()},
                source=one.text("src segment"),
                reference=one.text("ref segment"),
                source_pronoun=words[0],
                reference_pronoun=words[1],
                **one.document(),
            )
        )
    return ContrastiveSet(name, CONTRAPRO, tuple(instances), content_digest(content))


def content_digest(content: object) -> str:
    """What identifies the content of a set, however its file is written."""
    canonical = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:8]


class InstanceFields:
    """The fields of one object of a set, which are checked as they are read."""

    def __init__(self, path: str, name: str, values: Any, present: Iterable[str] = ()) -> None:
        self.path, self.name, self.values, self.present = path, name, values, set(present)
        if not isinstance(values, dict):
            raise input_error(path, name, "an object", quoted(json.dumps(values)))

    def fault(self, key: str, expected: str) -> InputError:
        found = quoted(json.dumps(self.values[key])) if key in self.values else "nothing"
        return input_error(self.path, f"{self.name}, {key}", expected, found)

    def text(self, *keys: str, required: bool = False) -> str | None:
        """A text under the first of some keys that is there; one that is required is not blank."""
        key = next((key for key in keys if key in self.values), keys[0])
        value = self.values.get(key)
        if value is None and not required:
            return None
        if not isinstance(value, str) or (required and not value.strip()):
            raise self.fault(key, "text")
        return value

    def document(self) -> dict[str, Any]:
        key = "document id" if "document id" in self.values else "document_id"
        document = self.values.get(key)
        if isinstance(document, list | dict):
            raise self.fault(key, "text or a number")
        context = {}
        for name, key in (("source_context", "src context"), ("reference_context", "ref context")):
            lines = self.values.get(key, [])
            if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
                raise self.fault(key, "a list of sentences")
            context[name] = tuple(lines)
        return {
            "name": self.name,
            "document": None if document is None else str(document),
            **context,
        }

    def antecedent(self) -> dict[str, str]:
        """Segment and distance of the antecedent, if any instance of the set has these fields."""
        groups = {}
        if "intrasegmental" in self.present:
            value = self.values.get("intrasegmental")
            if value is not None and not isinstance(value, bool):
                raise self.fault("intrasegmental", "true or false")
            segments = {True: "same segment", False: "earlier segment"}
            groups["antecedent"] = UNKNOWN if value is None else segments[value]
        if "ante distance" in self.present:
            value = self.values.get("ante distance")
            if value is not None and type(value) is not int:
                raise self.fault("ante distance", "a whole number")
            groups["distance"] = (
                UNKNOWN if value is None or value < 0 else str(value) if value <= MOST_DISTANCE
                else FAR
            )  # fmt: skip
        return groups


def fields_of_instances(name: str, content: Any) -> list[InstanceFields]:
    if not isinstance(content, list) or not content:
        raise input_error(name, "file", "a list of instances", quoted(json.dumps(content)[:80]))
    present = {key for one in content if isinstance(one, dict) for key in one}
    return [
        InstanceFields(name, f"instance {number}", values, present)
        for number, values in enumerate(content, start=1)
    ]
