"""Readers of contrastive sets: ContraPro and the large en-fr set.

ContraPro (en-de; Müller et al. 2018) and the large en-fr set (Lopes et al. 2020) are JSON lists of
references with errors, in which the pronoun is exchanged. What was not noted of an antecedent
(null, or distance -1 in the large set) is `unknown`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import (
    AliasChoices,
    BaseModel,
    Field,
    StrictBool,
    StrictInt,
    StringConstraints,
    ValidationError,
)

from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.files import parse_json, read_bytes
from crosspro.data_prep.core.settings import settings_error

CONTRAPRO = "contrapro"
UNKNOWN = "unknown"
MOST_DISTANCE, FAR = 3, ">3"
"""Larger distances are counted together, as in the released script."""
Word = Annotated[str, StringConstraints(pattern=r"\S")]
Kind = TypeVar("Kind", bound="Fields")


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


class Fields(BaseModel):
    """The fields of an instance that both kinds of set have; others are passed over.

    Released files and ctxpro's tool spell some of them in two ways.
    """

    document: str | None = Field(
        None,
        validation_alias=AliasChoices("document id", "document_id"),
        coerce_numbers_to_str=True,
    )
    source: str | None = Field(None, validation_alias=AliasChoices("src segment", "source"))
    reference: str | None = Field(None, validation_alias=AliasChoices("ref segment", "reference"))
    source_pronoun: str | None = Field(None, alias="src pronoun")
    source_context: tuple[str, ...] = Field((), alias="src context")
    reference_context: tuple[str, ...] = Field((), alias="ref context")
    same_segment: StrictBool | None = Field(None, alias="intrasegmental")
    distance: StrictInt | None = Field(None, alias="ante distance")

    def instance(self, number: int, **values: Any) -> Instance:
        shared = self.model_dump(include={field.name for field in fields(Instance)})
        return Instance(**{"name": f"instance {number}", **shared, **values})

    def antecedent(self, present: Container[str]) -> dict[str, str]:
        """Segment and distance of the antecedent, if any instance of the set has these fields."""
        groups = {}
        if "intrasegmental" in present:
            segments = {None: UNKNOWN, True: "same segment", False: "earlier segment"}
            groups["antecedent"] = segments[self.same_segment]
        if "ante distance" in present:
            distance = -1 if self.distance is None else self.distance
            near = UNKNOWN if distance < 0 else str(distance)
            groups["distance"] = near if distance <= MOST_DISTANCE else FAR
        return groups


class _Error(BaseModel):
    contrastive: str | None = None
    replacement: str | None = None


class _ContraPro(Fields):
    source_pronoun: Word = Field(alias="src pronoun")
    reference_pronoun: Word = Field(alias="ref pronoun")
    errors: Annotated[list[_Error], Field(min_length=1)]


def contrastive_set(name: str, content: Any) -> ContrastiveSet:
    records, present = read_fields(name, content, _ContraPro)
    instances = []
    for number, record in enumerate(records, start=1):
        words = f"{record.source_pronoun}:{record.reference_pronoun}".lower()
        groups = {"pronoun": words, **record.antecedent(present)}
        errors = [WrongTranslation(error.contrastive, error.replacement) for error in record.errors]
        instances.append(record.instance(number, errors=tuple(errors), groups=groups))
    return ContrastiveSet(name, CONTRAPRO, tuple(instances), content_digest(content))


def content_digest(content: object) -> str:
    """What identifies the content of a set, however its file is written."""
    canonical = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def read_fields(name: str, content: Any, kind: type[Kind]) -> tuple[list[Kind], set[str]]:
    """The fields of each instance, and the names of fields that any instance has."""
    if not isinstance(content, list) or not content:
        raise input_error(name, "file", "a list of instances", quoted(json.dumps(content)[:80]))
    instances: list[Kind] = []
    for number, values in enumerate(content, start=1):
        try:
            instances.append(kind.model_validate(values))
        except ValidationError as error:
            raise settings_error(error, name, f"instance {number}") from error
    return instances, {key for values in content for key in values}
