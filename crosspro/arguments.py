"""Arguments of the public functions: several forms are taken, and wrong ones refused.

A text is a list of lines, a path, or an open file. Lists and open files stand for files while a
function runs (`data_prep.core.files.given_texts`), under the name of the argument: they are read
and checked by the readers of files, so that both have the same scores and the same messages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeGuard

if TYPE_CHECKING:
    from crosspro.data_prep.core.errors import Problem
    from crosspro.data_prep.core.task import Task

AnyPath = str | Path
Paths = Iterable[AnyPath] | AnyPath
"""Several paths, or one."""
Text = AnyPath | IO[str] | IO[bytes] | Iterable[str]
"""A path, an open file, or lines."""
Texts = Mapping[str, Text] | Text | Sequence[Text]
"""The texts of several systems by their names, or one, or several without names."""
_LIKE_A_PATH = re.compile(r"\S*[^\s.]\.[A-Za-z][\w-]{0,9}")
A_TEXT = "a list of lines, an open file, or the path of a file"


def path_or_none(path: AnyPath | None) -> Path | None:
    """The path of a file that may be left out."""
    return None if path is None else Path(path)


def given_task(task: Task | AnyPath) -> Task:
    """A task, or the one of that name or file."""
    from crosspro.data_prep.core.task import Task, load_task

    return task if isinstance(task, Task) else load_task(given_path("task", task))


def given_path(name: str, value: object, expected: str = "a name or a path") -> Path:
    """The path that an argument is; `InputError` if it is none."""
    from crosspro.data_prep.core.errors import input_error, quoted

    if not isinstance(value, AnyPath):
        raise input_error("arguments", name, expected, quoted(repr(value))[1:-1])
    return Path(value)


def check_choice(name: str, value: object, known: Iterable[str]) -> None:
    """Refuse a value that is none of the known ones."""
    from crosspro.data_prep.core.errors import choices, input_error

    if value not in list(known):
        raise input_error("arguments", name, choices(known), repr(value))


def is_open_file(value: object) -> bool:
    """Whether a value can be read."""
    return callable(getattr(value, "read", None))


def is_listed(value: object) -> TypeGuard[Iterable[Any]]:
    """Whether a value gives lines, numbers and so on one by one, in an order."""
    alone = (str, Path, bytes, Mapping, set, frozenset)
    if isinstance(value, alone) or is_open_file(value) or _is_table(value):
        return False
    return isinstance(value, Iterable)


def by_name(value: Any) -> Any:
    """The columns of a table of pandas or polars by their names; other values as they are."""
    return {str(name): value[name] for name in value.columns} if _is_table(value) else value


def _is_table(value: object) -> bool:
    return hasattr(value, "columns") and hasattr(value, "__getitem__")


class GivenText(NamedTuple):
    """The text of a system: what it is to be called (None: as its file), and its path."""

    name: str | None
    path: Path


def names_of(texts: Sequence[GivenText], usual: Sequence[str]) -> list[str]:
    """What systems are called: as they were given, else by their files."""
    return [one.name or name for one, name in zip(texts, usual, strict=True)]


class Inputs:
    """The texts that a function was given, each with a path; their problems are told together.

    `with inputs:` lets the readers of files read them.
    """

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self._texts: dict[Path, bytes] = {}
        self._open: Any = None

    def __enter__(self) -> Inputs:
        from crosspro.data_prep.core.errors import InputError
        from crosspro.data_prep.core.files import given_texts

        if self.problems:
            raise InputError(self.problems)
        self._open = given_texts(self._texts)
        self._open.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._open.__exit__(*error)

    def text(self, name: str, value: object, written: Callable[[Any], str] | None = None) -> Path:
        """The path of a text; `written` makes lines of what may stand in a list beside lines."""
        if isinstance(value, AnyPath):
            return self._path(name, value)
        if is_open_file(value):
            return self._kept(name, self._content(name, value))
        if not is_listed(value):
            self.problem(name, None, A_TEXT, value)
            return Path(name)
        lines = "".join(self._lines(name, list(value), written))
        return self._kept(name, lines.encode("utf-8", "surrogatepass"))

    def text_or_none(
        self, name: str, value: object, written: Callable[[Any], str] | None = None
    ) -> Path | None:
        """The same of a text that may be left out."""
        return None if value is None else self.text(name, value, written)

    def several(
        self, name: str, value: object, written: Callable[[Any], str] | None = None
    ) -> list[GivenText]:
        """The texts of systems, with the names that they are given; files have theirs still."""
        value = by_name(value)
        if isinstance(value, Mapping):
            wrong = [key for key in value if not isinstance(key, str) or not key.strip()]
            if wrong or not value:
                expected = "the texts of systems by their names"
                self.problem(name, None, expected, wrong[0] if wrong else dict(value))
                return []
            return [
                GivenText(key, self.text(f'{name}["{key}"]', own, written))
                for key, own in value.items()
            ]
        if isinstance(value, AnyPath) or is_open_file(value):
            items = [value]
        elif not is_listed(value):
            self.problem(name, None, f"{A_TEXT}, or several by their names", value)
            return []
        else:
            listed = list(value)
            apart = [isinstance(one, Path) or is_open_file(one) or is_listed(one) for one in listed]
            items = listed if listed and (any(apart) or are_files(listed)) else [listed]
        many = len(items) > 1
        found = []
        for number, one in enumerate(items):
            path = self.text(f"{name}[{number}]" if many else name, one, written)
            called = f"system {number + 1}" if many else "system"
            found.append(GivenText(None if isinstance(one, AnyPath) else called, path))
        return found

    def documents(self, value: object) -> Path | None:
        """The path of the document of each line; numbers are names, too."""
        if is_listed(value):
            value = list(value)
            for number, one in enumerate(value, start=1):
                if isinstance(one, str) and "\t" in one:
                    self.problem("documents", number, "a name without a tab", one)
        return self.text_or_none("documents", value, _document)

    def _path(self, name: str, value: AnyPath) -> Path:
        from crosspro.data_prep.core.files import STANDARD_INPUT, is_file

        path = Path(value)
        looks_like_text = isinstance(value, str) and (not value or any(map(str.isspace, value)))
        if looks_like_text and path != STANDARD_INPUT and not (is_file(path) or _is_folder(path)):
            self.problem(name, None, A_TEXT, value)
        return path

    def _content(self, name: str, value: Any) -> bytes:
        try:
            content = value.read()
        except (OSError, ValueError) as error:  # ValueError: it is closed, or not UTF-8
            self.problem(name, None, "an open file", str(error))
            return b""
        if isinstance(content, str):
            return content.encode("utf-8", "surrogatepass")
        return bytes(content)

    def _lines(
        self, name: str, lines: Sequence[object], written: Callable[[Any], str] | None
    ) -> Iterator[str]:
        for number, line in enumerate(lines, start=1):
            if not isinstance(line, str) and written is not None:
                with suppress(TypeError, ValueError):
                    line = written(line)
            text = line.removesuffix("\n") if isinstance(line, str) else None
            if text is None or "\n" in text:
                self.problem(name, number, "one line of text", line)
            yield f"{text}\n"

    def _kept(self, name: str, content: bytes) -> Path:
        path = Path(name)
        if path in self._texts:  # a//b and a/b
            self.problem(name, None, "a name that no other is like", name)
        self._texts[path] = content
        return path

    def problem(
        self, name: str, number: int | None, expected: str, found: object, what: str = "line"
    ) -> None:
        """Note what is wrong with an argument, or with one of its lines."""
        from crosspro.data_prep.core.errors import Problem

        shown = found if isinstance(found, str) and found == "none" else _shown(found)
        path, field = ("arguments", name) if number is None else (name, what)
        self.problems.append(Problem(path, number, field, expected, shown))


def _shown(value: object) -> str:
    from crosspro.data_prep.core.errors import quoted

    return quoted(value) if isinstance(value, str) else quoted(repr(value))[1:-1]


def are_files(values: Sequence[object]) -> bool:
    """Whether all of some strings are names of files or runs, and not lines.

    Those that look like nothing else are, too, so that they are told if they are not there.
    """
    from crosspro.data_prep.core.files import is_file

    return all(
        isinstance(one, str)
        and (_LIKE_A_PATH.fullmatch(one) or is_file(Path(one)) or _is_folder(Path(one)))
        for one in values
    )


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _document(value: object) -> str:
    """The name of a document that is a number."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError
    return str(value)


def languages_or_none(source: str | None, target: str | None) -> tuple[str, str] | None:
    """Both languages, or None if neither is given; one without the other is refused."""
    from crosspro.data_prep.core.errors import input_error

    if source is None and target is None:
        return None
    if not isinstance(source, str) or not isinstance(target, str):
        missing = "source_language" if not isinstance(source, str) else "target_language"
        found = repr(source if missing == "source_language" else target)
        raise input_error("arguments", missing, "a language such as fr, beside the other", found)
    return source, target
