"""A task: a language pair and a year's rules, read strictly from one YAML file.

The files of the shared tasks are in `conf/task/`; a new language pair is a new file and no code.
Every key is required and no other is allowed, but for `RETIRED_KEYS`. All faults of a file are
reported together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.errors import InputError, Problem, choices, input_error, quoted

OTHER = "OTHER"
"""The class of every translation that no other class covers, including none at all."""

NONE = "NONE"
"""Written where there is no word: the gold word of a gap that was inserted, a form of `OTHER`, and
the filler that leaves a gap empty. (What APT calls NONE is a label of its own.)"""

TARGETS = ("lemmatised", "inflected")
TAGSETS = ("universal", "treetagger-fr", "none")
SYMMETRISATIONS = (
    "grow-diag-final-and",
    "grow-diag-final",
    "grow-diag",
    "intersection",
    "union",
)
OFFICIAL_SCORES = ("macro_recall", "macro_f1")
RETIRED_KEYS = ("alignment",)
"""Keys of older task files and saved models: nothing was ever done with them, and they may stay."""
MAX_CLASSES = 100
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class SubjectFilter:
    """Which source pronouns must be subjects, and the dependency labels that say so.

    Papers 003 §3.3.3 and 004 §3.3.2. Expletive labels are apart because the shared tasks lost
    German expletives (`EP`) by not accepting them.
    """

    pronouns: tuple[str, ...]
    labels: tuple[str, ...]
    expletive_labels: tuple[str, ...]


@dataclass(frozen=True)
class Task:
    """The rules of one shared task; see the comments in `conf/task/en-fr.yaml` for each key."""

    name: str
    source_language: str
    target_language: str
    years: tuple[int, ...]
    target: str
    tagset: str
    forms: Mapping[str, tuple[str, ...]]
    source_pronouns: tuple[str, ...]
    null_subjects: bool
    fillers: tuple[str, ...]
    other_fillers: tuple[str, ...]
    symmetrisation: str
    subject_filter: SubjectFilter
    coarse: Mapping[str, str]
    official_score: str
    class_index: Mapping[str, int] = field(init=False, repr=False, compare=False)
    """The index of a class by its own name and by each of its forms."""

    def __post_init__(self) -> None:
        index = {name: position for position, name in enumerate(self.forms)}
        for position, words in enumerate(self.forms.values()):
            index.update(dict.fromkeys(words, position))
        object.__setattr__(self, "class_index", index)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes in official order."""
        return tuple(self.forms)

    @property
    def tagged(self) -> bool:
        """Whether target tokens are `lemma|TAG`."""
        return self.target == "lemmatised"

    @property
    def coarse_classes(self) -> tuple[str, ...]:
        """The classes that remain after the coarse grouping."""
        return tuple(name for name in self.classes if name not in self.coarse)

    def class_of(self, word: str) -> str:
        """The class that a target word belongs to."""
        return self.classes[self.class_index.get(word, self.class_index[OTHER])]


def task_names() -> list[str]:
    """The names of the tasks that come with the package."""
    return sorted(path.stem for path in (CONF_DIR / "task").glob("*.yaml"))


def load_task(name_or_path: str | Path) -> Task:
    """Read a task by its name, or from a file of your own."""
    path = Path(name_or_path)
    if path.suffix not in (".yaml", ".yml"):
        path = CONF_DIR / "task" / f"{name_or_path}.yaml"
        if str(name_or_path) not in task_names():
            raise input_error(
                "task",
                "name",
                f"{choices(task_names())}, or the path of a .yaml file",
                quoted(str(name_or_path)),
            )
    from crosspro.data_prep.core.files.yaml_file import read_yaml  # not every command reads a task

    content, _ = read_yaml(path, "task file")
    return task_from_mapping(content, str(path))


def task_from_mapping(mapping: object, origin: str) -> Task:
    """Build a task from the content of its file; `origin` is the name used in messages."""
    return _Reader(origin).task(mapping)


class _Reader:
    """Turns the mapping of a task file into a `Task`, collecting every fault on the way."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.problems: list[Problem] = []

    def task(self, mapping: object) -> Task:
        keys = ["classes" if f.name == "forms" else f.name for f in fields(Task) if f.init]
        values = self.keys(mapping, "", keys)
        arguments: dict[str, Any] = {
            "name": self.string(values, "name"),
            "source_language": self.string(values, "source_language"),
            "target_language": self.string(values, "target_language"),
            "years": self.sequence(values, "years", int),
            "target": self.choice(values, "target", TARGETS),
            "tagset": self.choice(values, "tagset", TAGSETS),
            "forms": self.classes(values),
            "source_pronouns": self.sequence(values, "source_pronouns"),
            "null_subjects": self.boolean(values, "null_subjects"),
            "fillers": self.sequence(values, "fillers"),
            "other_fillers": self.sequence(values, "other_fillers"),
            "symmetrisation": self.choice(values, "symmetrisation", SYMMETRISATIONS),
            "subject_filter": self.subject_filter(values),
            "coarse": self.coarse(values),
            "official_score": self.choice(values, "official_score", OFFICIAL_SCORES),
        }
        if not self.problems:
            self.consistency(arguments)
        if self.problems:
            raise InputError(self.problems)
        return Task(**arguments)

    def problem(self, key: str, expected: str, found: object) -> None:
        shown = found if isinstance(found, str) else quoted(repr(found))
        self.problems.append(Problem(self.origin, None, key, expected, shown))

    def keys(self, value: object, where: str, expected: list[str]) -> dict[str, Any]:
        """The mapping with exactly the expected keys; missing ones are reported and left out."""
        if not isinstance(value, Mapping):
            self.problem(where or "file", f"a mapping with the keys {', '.join(expected)}", value)
            return {}
        prefix = f"{where}." if where else ""
        for key in value:
            if key not in expected and (where or key not in RETIRED_KEYS):
                self.problem(f"{prefix}{key}", choices(expected), f"the unknown key {key!r}")
        for key in expected:
            if key not in value:
                self.problem(f"{prefix}{key}", "this key", "nothing")
        return {key: value[key] for key in expected if key in value}

    def string(self, values: dict[str, Any], key: str) -> str:
        value = values.get(key, "missing")
        if not isinstance(value, str) or not _NAME.fullmatch(value):
            self.problem(key, "a name of letters, digits, dots, - and _", repr(value))
        return str(value)

    def boolean(self, values: dict[str, Any], key: str) -> bool:
        value = values.get(key, False)
        if not isinstance(value, bool):
            self.problem(key, "true or false", value)
        return bool(value)

    def choice(self, values: dict[str, Any], key: str, allowed: tuple[str, ...]) -> str:
        value = values.get(key, allowed[0])
        if value not in allowed:
            self.problem(key, choices(allowed), value)
        return str(value)

    def sequence(
        self, values: dict[str, Any], key: str, kind: type = str, where: str = ""
    ) -> tuple[Any, ...]:
        value = values.get(key, [])
        what = "words" if kind is str else "numbers"
        if not isinstance(value, list):
            self.problem(where + key, f"a list of {what}", value)
            return ()
        items: list[Any] = value
        for item in items:
            if type(item) is not kind or item == "":
                self.problem(where + key, f"a list of {what}", f"{item!r}{_boolean_hint(item)}")
            elif kind is str and any(character.isspace() for character in str(item)):
                self.problem(where + key, "words without spaces", item)
        for item in sorted({str(item) for item in items if items.count(item) > 1}):
            self.problem(where + key, "each item once", f"{item!r} twice")
        return tuple(value)

    def classes(self, values: dict[str, Any]) -> dict[str, tuple[str, ...]]:
        value = values.get("classes", {OTHER: [NONE]})
        if not isinstance(value, Mapping):
            self.problem("classes", "a mapping from each class to its forms", value)
            return {}
        forms: dict[str, tuple[str, ...]] = {}
        owner: dict[str, str] = {}
        for name, words in value.items():
            if not isinstance(name, str) or not name or any(c.isspace() for c in name):
                self.problem(
                    "classes", "class names without spaces", f"{name!r}{_boolean_hint(name)}"
                )
                continue
            forms[name] = self.sequence({name: words}, name, where="classes.")
            if not forms[name]:
                self.problem(f"classes.{name}", "at least one form", "none")
            for word in (form for form in forms[name] if isinstance(form, str)):
                first = owner.setdefault(word, name)
                if first != name:
                    self.problem(
                        f"classes.{name}", "forms of no other class", f"{word!r}, a form of {first}"
                    )
        for name in forms:
            if owner.get(name, name) != name:
                self.problem(
                    f"classes.{name}",
                    "a class name that is no form of another class",
                    f"{name!r}, a form of {owner[name]}",
                )
        if len(forms) > MAX_CLASSES:
            self.problem("classes", f"at most {MAX_CLASSES} classes", str(len(forms)))
        if OTHER not in forms:
            self.problem("classes", f"a class {OTHER}", ", ".join(forms) or "no class")
        return forms

    def subject_filter(self, values: dict[str, Any]) -> SubjectFilter:
        names = [f.name for f in fields(SubjectFilter)]
        inner = self.keys(
            values.get("subject_filter", {name: [] for name in names}), "subject_filter", names
        )
        return SubjectFilter(*(self.sequence(inner, n, where="subject_filter.") for n in names))

    def coarse(self, values: dict[str, Any]) -> dict[str, str]:
        value = values.get("coarse", {})
        if not isinstance(value, Mapping):
            self.problem("coarse", "a mapping from class to class", value)
            return {}
        for fine, group in value.items():
            if not (isinstance(fine, str) and isinstance(group, str)):
                self.problem("coarse", "a mapping from class to class", f"{fine!r}: {group!r}")
                return {}
        return dict(value)

    def consistency(self, arguments: dict[str, Any]) -> None:
        """Rules between keys, checked when each key is well-formed by itself."""
        forms: dict[str, tuple[str, ...]] = arguments["forms"]
        owner = {word: name for name, words in forms.items() for word in words}
        for filler in arguments["fillers"]:
            if owner.get(filler, OTHER) == OTHER:
                self.problem("fillers", f"forms of a class that is not {OTHER}", filler)
        for filler in arguments["other_fillers"]:
            if owner.get(filler, OTHER) != OTHER:
                self.problem(
                    "other_fillers",
                    f"words of the class {OTHER}",
                    f"{filler}, a form of {owner[filler]}",
                )
        for fine, group in arguments["coarse"].items():
            for name in (fine, group):
                if name not in forms:
                    self.problem(f"coarse.{fine}", choices(forms), repr(name))
            if group in arguments["coarse"]:
                self.problem(f"coarse.{fine}", "a class that stays", f"{group!r}, itself grouped")
        if not arguments["source_pronouns"] and not arguments["null_subjects"]:
            self.problem("source_pronouns", "at least one, or null_subjects: true", "none")
        if (arguments["tagset"] == "none") != (arguments["target"] == "inflected"):
            self.problem(
                "tagset",
                "none where the target is inflected, a tag set where not",
                arguments["tagset"],
            )


def _boolean_hint(item: object) -> str:
    return " (YAML reads on, off, yes and no so: quote it)" if isinstance(item, bool) else ""


def task_to_mapping(task: Task) -> dict[str, Any]:
    """The content of the task's file, as JSON or YAML values."""

    def plain(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: plain(item) for key, item in value.items()}
        if isinstance(value, SubjectFilter):
            return {f.name: list(getattr(value, f.name)) for f in fields(SubjectFilter)}
        return list(value) if isinstance(value, tuple) else value

    return {
        "classes" if f.name == "forms" else f.name: plain(getattr(task, f.name))
        for f in fields(Task)
        if f.init
    }
