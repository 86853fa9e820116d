"""A task: a language pair and a year's rules, read strictly from one YAML file.

The files of the shared tasks are in `conf/task/`; a new language pair is a new file and no code.
Keys without a default are required, and no other is allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field

from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.errors import InputError, Problem, choices, input_error, quoted
from crosspro.data_prep.core.settings import check_settings, read_yaml, settings

OTHER = "OTHER"
"""The class of every translation that no other class covers, including none at all."""

NONE = "NONE"
"""Written where there is no word: the gold word of a gap that was inserted, a form of `OTHER`, and
the filler that leaves a gap empty. (What APT calls NONE is a label of its own.)"""

Target = Literal["lemmatised", "inflected"]
Tagset = Literal["universal", "treetagger-fr", "none"]
Symmetrisation = Literal[
    "grow-diag-final-and", "grow-diag-final", "grow-diag", "intersection", "union"
]
SYMMETRISATIONS: tuple[str, ...] = get_args(Symmetrisation)
OfficialScore = Literal["macro_recall", "macro_f1"]
_MAX_CLASSES = 100
"""Predictions store classes in one byte."""


def _unique(words: tuple[str, ...]) -> tuple[str, ...]:
    if len({*words}) < len(words):
        raise ValueError(f"a word stands twice in {quoted(' '.join(words))}")
    return words


Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Word = Annotated[str, Field(pattern=r"^\S+$")]
UniqueWords = Annotated[tuple[Word, ...], Field(strict=False), AfterValidator(_unique)]
Forms = Annotated[UniqueWords, Field(min_length=1)]


@settings
class SubjectFilter:
    """Which source pronouns must be subjects, and the dependency labels that say so.

    Papers 003 §3.3.3 and 004 §3.3.2. Expletive labels are apart because the shared tasks lost
    German expletives (`EP`) by not accepting them.
    """

    pronouns: UniqueWords = ()
    labels: UniqueWords = ()
    expletive_labels: UniqueWords = ()


@settings
class Task:
    """The rules of one shared task; see the comments in `conf/task/en-fr.yaml` for each key.

    The fillers are all forms of the classes, unless some are named.
    """

    name: Name
    source_language: Name
    target_language: Name
    target: Target
    tagset: Tagset
    source_pronouns: UniqueWords
    forms: dict[Word, Forms] = Field(alias="classes", max_length=_MAX_CLASSES)
    years: Annotated[tuple[int, ...], Field(strict=False)] = ()
    null_subjects: bool = False
    fillers: UniqueWords = ()
    other_fillers: UniqueWords = ()
    symmetrisation: Symmetrisation = "grow-diag-final-and"
    subject_filter: SubjectFilter = SubjectFilter()
    coarse: dict[str, str] = Field(default_factory=dict)
    official_score: OfficialScore = "macro_recall"
    linked: UniqueWords = ()

    def __post_init__(self) -> None:
        if not self.fillers:
            forms = [form for name in self.forms if name != OTHER for form in self.forms[name]]
            object.__setattr__(self, "fillers", tuple(dict.fromkeys(forms)))

    @cached_property
    def class_index(self) -> Mapping[str, int]:
        """The index of a class by its own name and by each of its forms."""
        index = {name: position for position, name in enumerate(self.forms)}
        for position, words in enumerate(self.forms.values()):
            index.update(dict.fromkeys(words, position))
        return index

    @property
    def classes(self) -> tuple[str, ...]:
        return tuple(self.forms)

    @property
    def tagged(self) -> bool:
        return self.target == "lemmatised"

    @property
    def coarse_classes(self) -> tuple[str, ...]:
        return tuple(name for name in self.classes if name not in self.coarse)

    def class_of(self, word: str) -> str:
        return self.classes[self.class_index.get(word, self.class_index[OTHER])]

    def faults(self) -> Iterator[tuple[str, str, str]]:
        """Contradictions in a task: key, expected value and value."""
        owner: dict[str, str] = {}
        for name, words in self.forms.items():
            for word in (name, *words):
                if owner.setdefault(word, name) != name:
                    expected = "a name and forms of no other class"
                    yield (f"classes.{name}", expected, f"{word!r}, which is of {owner[word]}")
        if OTHER not in self.forms:
            yield ("classes", f"a class {OTHER}", ", ".join(self.forms) or "no class")
        for filler in self.fillers:
            if owner.get(filler, OTHER) == OTHER:
                yield ("fillers", f"forms of a class that is not {OTHER}", filler)
        for filler in self.other_fillers:
            if owner.get(filler, OTHER) != OTHER:
                actual = f"{filler}, a form of {owner[filler]}"
                yield ("other_fillers", f"words of the class {OTHER}", actual)
        for fine, group in self.coarse.items():
            for name in (fine, group):
                if name not in self.forms:
                    yield (f"coarse.{fine}", choices(self.forms), repr(name))
            if group in self.coarse:
                yield (f"coarse.{fine}", "a class that stays", f"{group!r}, itself grouped")
        if not self.source_pronouns and not self.null_subjects:
            yield ("source_pronouns", "at least one, or null_subjects: true", "none")
        if (self.tagset == "none") != (self.target == "inflected"):
            expected = "none where the target is inflected, a tag set where not"
            yield ("tagset", expected, self.tagset)


def task_names() -> list[str]:
    return sorted(path.stem for path in (CONF_DIR / "task").glob("*.yaml"))


class _AnyLabel(dict[str, int]):
    """The classes of a task that takes every label."""

    def __contains__(self, label: object) -> bool:
        return True


def task_of_any_label(tagged: bool) -> Task:
    """The rules for a file that belongs to no known task."""
    task = Task(
        name="labels",
        source_language="source",
        target_language="target",
        target="lemmatised" if tagged else "inflected",
        tagset="none",
        classes={},
        source_pronouns=(),
    )
    task.__dict__["class_index"] = _AnyLabel()
    return task


def load_task(name_or_path: str | Path) -> Task:
    """Read a task by its name, or from a file of your own."""
    path = Path(name_or_path)
    if path.suffix not in (".yaml", ".yml"):
        if str(name_or_path) not in task_names():
            expected = f"{choices(task_names())}, or the path of a .yaml file"
            raise input_error("task", "name", expected, quoted(str(name_or_path)))
        path = CONF_DIR / "task" / f"{name_or_path}.yaml"
    return task_from_mapping(read_yaml(path), str(path))


def task_from_mapping(mapping: object, origin: str) -> Task:
    """Build a task from the content of its file; `origin` is the name used in messages."""
    task = check_settings(Task, mapping, origin)
    problems = [Problem(origin, None, *fault) for fault in task.faults()]
    if problems:
        raise InputError(problems)
    return task
