"""Readers of contrastive sets: ContraPro, the large en-fr set, and DiscEvalMT.

ContraPro (en-de; Müller et al. 2018) and the large en-fr set (Lopes et al. 2020) are JSON lists;
the latter writes distance -1 where it does not know it. DiscEvalMT (Bawden et al. 2018) is a JSON
object of numbered blocks: pairs of translations with anaphora, or examples of lexical choice. All
become instances: a reference and its errors. Systems are scored on the reference first and then on
each error, in the order of the file (of the numbers, in DiscEvalMT).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import InputError, Problem, choices, input_error, quoted
from crosspro.data_prep.core.files import parse_json, read_bytes

CONTRAPRO = "contrapro"
ANAPHORA = "discevalmt-anaphora"
LEXICAL_CHOICE = "discevalmt-lexical-choice"

UNKNOWN = "unknown"
FAR = ">3"
"""Distances above 3 are counted together, as in the released script."""

_SAID_FOR_ALL_OR_NONE = ("intrasegmental", "ante distance")
_PAIR_KINDS = ("correct", "semi-correct")


@dataclass(frozen=True, slots=True)
class WrongTranslation:
    """A contrastive translation: its text, and the word that replaces the pronoun, if said."""

    text: str | None
    word: str | None


@dataclass(frozen=True, slots=True)
class Instance:
    """A reference translation, which a good system prefers to each of the errors.

    `groups` are what accuracy is broken down by: the name of a breakdown and the instance's group.
    `block` holds instances together that were made from one another (DiscEvalMT). Context is
    earlier sentences of the same document; sentences after the instance are `following`.
    """

    name: str
    errors: tuple[WrongTranslation, ...]
    groups: dict[str, str]
    source: str | None = None
    reference: str | None = None
    source_pronoun: str | None = None
    reference_pronoun: str | None = None
    document: str | None = None
    block: str | None = None
    source_context: tuple[str, ...] = ()
    reference_context: tuple[str, ...] = ()
    source_following: tuple[str, ...] = ()
    reference_following: tuple[str, ...] = ()


@dataclass(frozen=True)
class ContrastiveSet:
    """All instances of a file; `digest` identifies its content in signatures."""

    name: str
    kind: str
    instances: tuple[Instance, ...]
    digest: str
    warnings: tuple[str, ...] = field(default=())

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
    """Read a set of any of the formats; raises `InputError` with all its faults.

    Unless `allow_unknown`, a distance or `intrasegmental` that is null, or given for some instances
    only, is a fault.
    """
    return contrastive_set(path, read_json(path), allow_unknown=allow_unknown)


def contrastive_set(path: Path, content: Any, *, allow_unknown: bool = False) -> ContrastiveSet:
    """The set that the content of a JSON file is."""
    if not isinstance(content, list | dict) or not content:
        expected = "a list of instances or an object of numbered blocks"
        raise input_error(path, "file", expected, quoted(json.dumps(content)))
    reader = _Reader(str(path), allow_unknown)
    if isinstance(content, list):
        kind, instances = CONTRAPRO, list(reader.contrapro(content))
    else:
        kind, instances = reader.discevalmt(content)
    if reader.problems:
        raise InputError(reader.problems)
    return ContrastiveSet(path.name, kind, tuple(instances), content_digest(content))


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

    def neighbours(self, one: dict[str, Any], name: str) -> dict[str, Any]:
        """The sentences before and after an instance on each side, by the field of `Instance`."""
        return {
            f"{side}_{place}": self.texts(one.get(key, MISSING), f"{name}, {key}")
            for place in ("context", "following")
            for side, key in (("source", f"src {place}"), ("reference", f"ref {place}"))
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


class _Reader(SetFields):
    """Reads the instances of one file."""

    # ContraPro and the large en-fr set ----------------------------------------------------------

    def contrapro(self, content: list[Any]) -> Iterator[Instance]:
        said = said_of_antecedents(content)
        for number, one in enumerate(content, start=1):
            name = f"instance {number}"
            if not isinstance(one, dict):
                self.problem(name, "an object", one)
                continue
            source, reference = (
                self.text(one.get(key, MISSING), f"{name}, {key}")
                for key in ("src pronoun", "ref pronoun")
            )
            groups = {"pronoun": f"{source or ''}:{reference or ''}".lower()}
            groups |= self.antecedent(one, name, said)
            document = one.get("document id")
            yield Instance(
                name=name,
                errors=self.errors(one, name),
                groups=groups,
                source=self.text(one.get("src segment", MISSING), f"{name}, src segment", False),
                reference=self.text(one.get("ref segment", MISSING), f"{name}, ref segment", False),
                source_pronoun=source,
                reference_pronoun=reference,
                document=None if document is None else str(document),
                **self.neighbours(one, name),
            )

    def errors(self, one: dict[str, Any], name: str) -> tuple[WrongTranslation, ...]:
        value = one.get("errors", MISSING)
        if not isinstance(value, list) or not value:
            self.problem(f"{name}, errors", "a list of at least one error", value)
            return ()
        found = []
        for number, error in enumerate(value, start=1):
            where = f"{name}, error {number}"
            if not isinstance(error, dict):
                self.problem(where, "an object", error)
                continue
            text = self.text(error.get("contrastive", MISSING), f"{where}, contrastive", False)
            word = self.text(error.get("replacement", MISSING), f"{where}, replacement", False)
            found.append(WrongTranslation(text, word))
        return tuple(found)

    # DiscEvalMT ---------------------------------------------------------------------------------

    def discevalmt(self, content: dict[str, Any]) -> tuple[str, list[Instance]]:
        lexical = any(isinstance(block, dict) and "examples" in block for block in content.values())
        instances: list[Instance] = []
        numbers = {key for key in content if key.isascii() and key.isdigit() and len(key) < 10}
        for key in sorted(content, key=lambda key: int(key) if key in numbers else 0):
            block = content[key]
            if key not in numbers or str(int(key)) != key:
                self.problem("block", "a number as its key", key)
            elif not isinstance(block, dict):
                self.problem(f"block {key}", "an object", block)
            elif lexical:
                instances += self.lexical(key, block)
            else:
                instances += self.anaphora(key, block)
        return (LEXICAL_CHOICE if lexical else ANAPHORA), instances

    def anaphora(self, key: str, block: dict[str, Any]) -> Iterator[Instance]:
        source = self.sentences(block.get("src", MISSING), f"block {key}, src")
        pairs = block.get("trg", MISSING)
        if not isinstance(pairs, list) or not pairs:
            self.problem(f"block {key}, trg", "a list of pairs", pairs)
            return
        for number, pair in enumerate(pairs, start=1):
            name = f"block {key}, pair {number}"
            if not isinstance(pair, dict):
                self.problem(name, "an object", pair)
                continue
            kind = next((kind for kind in _PAIR_KINDS if kind in pair), None)
            if kind is None:
                self.problem(name, choices(_PAIR_KINDS), list(pair))
                continue
            groups = {"kind": kind}
            if "type" in pair:
                groups = {"type": self.text(pair["type"], f"{name}, type") or "", **groups}
            yield self.pair(name, key, source, pair[kind], pair.get("incorrect", MISSING), groups)

    def lexical(self, key: str, block: dict[str, Any]) -> Iterator[Instance]:
        examples = block.get("examples", MISSING)
        if not isinstance(examples, list) or not examples:
            self.problem(f"block {key}, examples", "a list of examples", examples)
            return
        groups = {"type": str(block["type"])} if "type" in block else {}
        for number, example in enumerate(examples, start=1):
            name = f"block {key}, example {number}"
            target = example.get("trg") if isinstance(example, dict) else None
            if not isinstance(target, dict):
                self.problem(name, "an object with src and trg", example)
                continue
            source = self.sentences(example.get("src", MISSING), f"{name}, src")
            right, wrong = (target.get(kind, MISSING) for kind in ("correct", "incorrect"))
            yield self.pair(name, key, source, right, wrong, groups)

    def pair(
        self,
        name: str,
        block: str,
        source: tuple[str, ...],
        right: object,
        wrong: object,
        groups: dict[str, str],
    ) -> Instance:
        reference = self.sentences(right, f"{name}, correct")
        error = self.sentences(wrong, f"{name}, incorrect")
        return Instance(
            name=name,
            errors=(WrongTranslation(error[-1] if error else None, None),),
            groups=groups,
            source=source[-1] if source else None,
            reference=reference[-1] if reference else None,
            block=block,
            source_context=source[:-1],
            reference_context=reference[:-1],
        )

    def sentences(self, value: object, where: str) -> tuple[str, ...]:
        if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            return tuple(value)
        self.problem(where, "a list of sentences, the last one to be translated", value)
        return ()
