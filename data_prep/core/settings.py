"""One way to check settings, task files, requests and saved descriptions: type hints and pydantic.

What is expected is a frozen dataclass (or any other hint): `checked(Task, content, path)` gives a
`Task`, or raises an `InputError` with every fault at once, each in our words and with its place.
Types are taken strictly (`"1"` is no number), every key that has no default is required, and no
other is allowed. `Annotated[int, Must("an even number", even)]` says more of a value than its type;
a dataclass may have a method `faults` with the rules between its fields.

pydantic takes a while to import, so it is imported only when something is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Protocol, TypeVar

from crosspro.data_prep.core.errors import InputError, Problem, choices, quoted

Kind = TypeVar("Kind")
Place = tuple[str | int, ...]
"""Keys and list positions from the top of a file to an item."""

MOST_SEED = 2**32 - 1
"""Seeds are numbers of 32 bits, which every generator takes."""

_QUOTE_IT = " (YAML reads on, off, yes and no so: quote it)"


class Fault(NamedTuple):
    """A value that is not what it should be, and its place."""

    place: Place
    expected: str
    found: str


class FileLines(Protocol):
    """Where the items of a file stand."""

    def of(self, *place: str | int) -> tuple[str, int | None]:
        """The file and the line of an item."""


def shown(value: object) -> str:
    """A value as shown in a message: text in quotes, nothing too long."""
    if isinstance(value, str):
        return quoted(value)
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


@dataclass(frozen=True)
class Must:
    """What a value must be beyond its type: in words, as a test, and what is shown if it fails.

    A value of another type, or a list with an item of another, gets the same words.
    """

    expected: str
    holds: Callable[[Any], bool]
    found: Callable[[Any], str] = shown

    def __get_pydantic_core_schema__(self, hint: Any, handler: Callable[[Any], Any]) -> Any:
        from pydantic_core import PydanticCustomError, ValidationError, core_schema

        def error(found: str) -> PydanticCustomError:
            return PydanticCustomError(
                "must", "{expected}", {"expected": self.expected, "found": found}
            )

        def check(value: Any, inner: Callable[[Any], Any]) -> Any:
            try:
                fitting = inner(value)
            except ValidationError as unfit:
                faults = unfit.errors(include_url=False)
                if any(fault["type"] == "must" or _is_deep(fault["loc"]) for fault in faults):
                    raise
                raise error(_found(faults[0])) from None
            if not self.holds(fitting):
                raise error(self.found(value))
            return fitting

        return core_schema.no_info_wrap_validator_function(
            check, handler(hint), metadata={"expected": self.expected}
        )


def one_of(names: Collection[str]) -> Must:
    """One of some names."""
    return Must(choices(names), lambda value: value in names)


Count = Annotated[int, Must("a whole number from 1", lambda value: value >= 1)]
Seed = Annotated[
    int, Must(f"a whole number from 0 to {MOST_SEED:,}", lambda value: 0 <= value <= MOST_SEED)
]
Share = Annotated[float, Must("a share above 0, at most 1", lambda value: 0 < value <= 1)]
Folder = Annotated[str | Path, Must("a folder", lambda value: Path(value).is_dir())]
NameInFolder = Annotated[
    str,
    Must(
        "a file name or pattern inside data.dir",
        lambda value: bool(value) and not Path(value).is_absolute(),
    ),
]


def checked(kind: type[Kind], content: object, where: str | Path | FileLines) -> Kind:
    """The content of a file or of settings as what it should be; raises with every fault.

    `where` is the name used in messages, or knows the lines of a file; positions in lists are told
    where lines are not.
    """
    value, found = fitted(kind, content)
    if found:
        raise fault_error(found, where)
    return value  # type: ignore[no-any-return] # there are no faults


def fault_error(found: Iterable[Fault], where: str | Path | FileLines) -> InputError:
    """The error that tells of faults."""
    problems = []
    for place, expected, what in found:
        path, line = (str(where), None) if isinstance(where, str | Path) else where.of(*place)
        steps = [str(step) for step in place if line is None or isinstance(step, str)]
        problems.append(Problem(path, line, ".".join(steps) or "file", expected, what))
    return InputError(problems)


def fitted(hint: Any, content: object) -> tuple[Any, list[Fault]]:
    """Plain values as what a hint says, and what is wrong with them."""
    from pydantic_core import ValidationError

    checker = _checker(hint)
    try:
        value = checker.validator.validate_python(content, extra="forbid")
    except ValidationError as error:
        found = [(tuple(one["loc"]), one) for one in error.errors(include_url=False)]
        return None, list(checker.faults(checker.schema, found, ()))
    rules = getattr(value, "faults", None)
    return value, [] if rules is None else list(rules())


_Errors = list[tuple[tuple[int | str, ...], Any]]
"""Those of pydantic, each with the rest of the way to its place."""
_SCALARS = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "str": "text",
    "none": "nothing",
}
_LISTS = ("list", "tuple", "set", "frozenset")
_KEY = "[key]"
_UNKNOWN = ("unexpected_keyword_argument", "extra_forbidden", "invalid_key")


@lru_cache(maxsize=256)
def _checker(hint: Any) -> _Checker:
    return _Checker(hint)


class _Checker:
    """What pydantic makes of a hint, read strictly, and our words for it."""

    def __init__(self, hint: Any) -> None:
        from pydantic import PydanticSchemaGenerationError, TypeAdapter
        from pydantic_core import SchemaValidator

        self.definitions: dict[str, Any] = {}
        try:
            self.schema = self._strict(TypeAdapter(hint).core_schema)
        except PydanticSchemaGenerationError:  # a class of somebody else takes any value
            self.schema = self._strict(TypeAdapter(Any).core_schema)
        self.validator = SchemaValidator(self.schema)

    def _strict(self, node: Any) -> Any:
        """A schema whose plain types take no others, and whose unions number their members."""
        if isinstance(node, list | tuple):
            return type(node)(self._strict(part) for part in node)
        if not isinstance(node, dict):
            return node
        kept = ("default", "metadata", "serialization")
        new = {key: part if key in kept else self._strict(part) for key, part in node.items()}
        kind = new.get("type")
        if isinstance(kind, str) and kind in _SCALARS and kind != "none":
            new["strict"] = True
            if kind == "float":
                new["allow_inf_nan"] = False
        elif kind == "union":
            new["choices"] = [
                (part[0] if isinstance(part, tuple) else part, str(number))
                for number, part in enumerate(new["choices"])
            ]
        elif kind == "dataclass":
            _name_keys(new)
        if "ref" in new:
            self.definitions[new["ref"]] = new
        return new

    def faults(self, node: Any, errors: _Errors, place: Place) -> Iterator[Fault]:
        """What is wrong at a place and inside it."""
        for rest, error in errors:
            if not rest:
                yield self._fault(node, error, place)
                return
        inner = self._unwrapped(node)
        groups: dict[int | str, _Errors] = {}
        for way, error in errors:
            groups.setdefault(way[0], []).append((way[1:], error))
        if inner["type"] == "union":
            yield from self._union(node, inner["choices"], groups, place)
            return
        keys = _keys(inner)
        for step, group in groups.items():
            rest, error = group[0]
            if rest == (_KEY,):
                yield self._fault(inner["keys_schema"], error, place)
            elif error["type"] in _UNKNOWN and not rest:
                yield Fault((*place, step), choices(keys), "an unknown key")
            else:
                yield from self.faults(self._child(inner, step), group, (*place, step))

    def _union(
        self, node: Any, members: list[Any], groups: Mapping[Any, _Errors], place: Place
    ) -> Iterator[Fault]:
        told = [list(self.faults(members[int(n)][0], found, place)) for n, found in groups.items()]
        # A mapping that is none of the rest has its faults inside.
        inside = [found for found in told if all(fault.place != place for fault in found)]
        if inside:
            yield from inside[0]
        else:
            yield Fault(place, self._words(node), told[0][0].found)

    def _fault(self, node: Any, error: Any, place: Place) -> Fault:
        if error["type"] == "missing":
            if self._unwrapped(node, once=True)["type"] == "nullable" or node["type"] == "nullable":
                return Fault(place, "a value, or null", "no such key")
            while "expected" in node.get("schema", {}).get("metadata", {}):
                node = node["schema"]  # what it is, before what it must be besides
            return Fault(place, self._words(node), "nothing")
        value, context = error["input"], error.get("ctx", {})
        found = context["found"] if error["type"] == "must" else _found(error)
        expected = "a path" if error["type"] == "path_type" else self._words(node, context)
        if error["type"] == "finite_number" or (expected == "a number" and _is_number(value)):
            expected = expected.replace("a number", "a finite number")
        return Fault(place, expected, found)

    def _words(self, node: Any, context: Mapping[str, str] | None = None) -> str:
        """What a schema expects, or what a test said that failed."""
        kind = node["type"]
        if kind == "nullable":
            return f"{self._words(node['schema'], context)} or nothing"
        if context and "expected" in context and "found" in context:
            return context["expected"]
        if "expected" in node.get("metadata", {}):
            return str(node["metadata"]["expected"])
        if kind == "union":
            return " or ".join(dict.fromkeys(self._words(part) for part, _ in node["choices"]))
        if kind == "literal":
            return choices(map(str, node["expected"]))
        if kind == "dict":
            return "a mapping of names to values"
        if kind in _LISTS:
            return "a list"
        if kind in _SCALARS:
            return _SCALARS[kind]
        if keys := _keys(node):
            return f"a mapping with the keys {', '.join(keys)}"
        inner = self._unwrapped(node, once=True)
        return "another value" if inner is node else self._words(inner)

    def _unwrapped(self, node: Any, once: bool = False) -> Any:
        """The schema inside those that only say how it is used."""
        while not _keys(node) and node["type"] not in _LISTS:
            if node["type"] == "definition-ref":
                node = self.definitions[node["schema_ref"]]
            elif isinstance(node.get("schema"), dict):
                node = node["schema"]
            elif "python_schema" in node:
                node = node["python_schema"]
            else:
                break
            if once:
                break
        return node

    def _child(self, node: Any, step: int | str) -> Any:
        if node["type"] == "tuple":
            parts = node["items_schema"]
            return parts[min(int(step), len(parts) - 1)]
        if node["type"] in _LISTS:
            return node["items_schema"]
        return node["values_schema"] if node["type"] == "dict" else _keys(node)[str(step)]


def _keys(node: Any) -> dict[str, Any]:
    """The keys of a record by the names that a file has, each with its schema."""
    while node["type"] in ("dataclass", "model"):
        node = node["schema"]
    if node["type"] == "dataclass-args":
        return {one.get("validation_alias", one["name"]): one["schema"] for one in node["fields"]}
    if node["type"] in ("typed-dict", "model-fields"):
        return {name: one["schema"] for name, one in node["fields"].items()}
    return {}


def _name_keys(node: Any) -> None:
    """Fields of a dataclass that a file calls otherwise: `field(metadata={"key": "classes"})`."""
    names = {field.name: field.metadata.get("key", field.name) for field in fields(node["cls"])}
    for one in node["schema"]["fields"]:
        if names[one["name"]] != one["name"]:
            one["validation_alias"] = names[one["name"]]


def _is_deep(place: tuple[int | str, ...]) -> bool:
    """Whether a fault is neither one of a value nor one of an item in a list."""
    return len(place) > 1 or (len(place) == 1 and not isinstance(place[0], int))


def _found(error: Any) -> str:
    """What pydantic found, as shown in a message."""
    unquoted = error["type"] == "string_type" and isinstance(error["input"], bool)
    return shown(error["input"]) + (_QUOTE_IT if unquoted else "")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def plain_values(value: Any) -> Any:
    """The opposite of `checked`: dataclasses as mappings, tuples as lists, as files have them."""
    if is_dataclass(value):
        return {
            field.metadata.get("key", field.name): plain_values(getattr(value, field.name))
            for field in fields(value)
            if field.init
        }
    if isinstance(value, Mapping):
        return {key: plain_values(item) for key, item in value.items()}
    return [plain_values(item) for item in value] if isinstance(value, tuple) else value
