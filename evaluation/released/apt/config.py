"""The INI files of the released APT tool.

Paths are relative to the current folder, as in the tool; where the source text is not there but is
beside the INI file, they are relative to that. An optional file that does not exist counts as
empty.
"""

from __future__ import annotations

import configparser
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from crosspro.data_prep.core.errors import (
    InputError,
    Problem,
    choices,
    input_error,
    is_whole_number,
)
from crosspro.data_prep.core.files import is_file, read_lines
from crosspro.evaluation.inputs.case_records import CASES
from crosspro.evaluation.inputs.linked_text import bad_lines, raise_problems

_TRUE, _FALSE = ("1", "yes", "true", "on"), ("0", "no", "false", "off")

Number = TypeVar("Number", int, float)
Groups = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class ReleasedConfig:
    """The settings of an INI file, with the content of its lists."""

    path: str
    source_separator: str | None
    target_separator: str | None
    source: Path
    reference: Path
    candidate: Path
    links_reference: Path
    links_candidate: Path
    by_position: bool
    source_list: tuple[str, ...]
    positions: Path | None
    target_list: tuple[str, ...]
    equal: Groups
    similar: Groups
    source_pronouns: tuple[str, ...]
    target_pronouns: tuple[str, ...]
    cases: tuple[int, ...]
    weights: tuple[float, ...]
    other_is_equal: bool
    output: str
    """What comes before `.score` and `.detail`; perhaps nothing, and then that is the name."""
    count_all_words: bool
    matrix_length: int
    absent: tuple[str, ...]
    """What the tool says about optional files that do not exist."""


def read_config(path: Path) -> ReleasedConfig:
    """Read an INI file and its lists; all problems are reported together."""
    return _Reader(path).config()


def unicode_lines(path: Path) -> list[str]:
    """The lines of a text as Python 2's `codecs` reads them: any Unicode line end ends a line."""
    content = b"".join(read_lines(path))
    try:
        return content.decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(bad_lines(str(path), content)) from error


def texts_of(paths: Iterable[Path], problems: list[Problem]) -> list[list[str]]:
    """The lines of several texts; those that cannot be read are problems, and empty."""
    found = []
    for path in paths:
        try:
            found.append(unicode_lines(path))
        except InputError as error:
            problems += error.problems
            found.append([])
    return found


def lower(text: str) -> str:
    """Lower case character by character, as Python 2 has it."""
    if "İ" in text or "Σ" in text:  # where Python 3 writes two characters, or looks at its place
        return "".join(character.lower()[0] for character in text)
    return text.lower()


class _Reader:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[Problem] = []
        self.absent: list[str] = []
        self.values = configparser.RawConfigParser(
            strict=False, inline_comment_prefixes=(";",), empty_lines_in_values=False
        )
        try:
            lines = unicode_lines(path)
            self.values.read_string("\n".join(lines), str(path))
        except configparser.Error as error:
            line = getattr(error, "lineno", None)
            raise input_error(path, "file", "an INI file", error.message, line) from error
        self.lines = dict(_places(lines))
        self.folder = Path()
        source = self.text("files", "source")
        if source and not is_file(Path(source)) and is_file(path.parent / source):
            self.folder = path.parent

    def config(self) -> ReleasedConfig:
        files = {
            key: self.needed_file(key)
            for key in (
                "source",
                "reference",
                "target",
                "alignment_source_reference",
                "alignment_source_target",
            )
        }
        kind = self.text("files", "input_type")
        positions = None
        source_list: tuple[str, ...] = ()
        if kind == "possition":
            positions = self.optional_file("files", "list_source_pronouns", "list of source")
            if positions is None:
                self.problem("list_source_pronouns", "a file of positions", "no file")
        else:
            words = self.list_file("files", "list_source_pronouns", "list of source")
            source_list = words if kind == "word" else ()
        target_list = self.list_file("files", "list_target_pronouns", "list of target")
        config = ReleasedConfig(
            path=str(self.path),
            source_separator=self.text("lang", "source_word_separator") or None,
            target_separator=self.text("lang", "target_word_separator") or None,
            source=files["source"],
            reference=files["reference"],
            candidate=files["target"],
            links_reference=files["alignment_source_reference"],
            links_candidate=files["alignment_source_target"],
            by_position=kind == "possition",
            source_list=source_list,
            positions=positions,
            target_list=target_list,
            equal=self.groups("equal"),
            similar=self.groups("similar"),
            source_pronouns=self.list_file("dictionary", "source_pronouns", "dictionary of source"),
            target_pronouns=self.list_file("dictionary", "target_pronouns", "dictionary of target"),
            cases=tuple(n for n in self.numbers("cases_to_use", int) if n in CASES),
            weights=self.numbers("weigths_per_case", float),
            other_is_equal=self.boolean("cases", "count_OTHER_as_equal"),
            output=self.stem(self.text("output", "output_file")),
            count_all_words=self.boolean("output", "counting_multiword_in_matrix"),
            matrix_length=self.length(),
            absent=tuple(self.absent),
        )
        self.check_weights(config)
        if self.problems:
            raise_problems(self.problems)
        return config

    def stem(self, name: str) -> str:
        if name:
            return str(self.folder / name)
        return "" if self.folder == Path() else f"{self.folder}/"

    def problem(self, key: str, expected: str, found: str, section: str = "") -> None:
        line = self.lines.get(key.lower(), self.lines.get(f"[{section}]"))
        self.problems.append(Problem(str(self.path), line, key, expected, found))

    def text(self, section: str, key: str) -> str:
        try:
            value = self.values.get(section, key)
        except configparser.Error:
            if not any(problem.field == key for problem in self.problems):
                self.problem(key, f"this key in the section [{section}]", "nothing", section)
            return ""
        return "" if value == '""' else value

    def needed_file(self, key: str) -> Path:
        name = self.text("files", key)
        if not (name and is_file(self.folder / name)):
            self.problem(key, "a file that exists", repr(name))
        return self.folder / name

    def optional_file(self, section: str, key: str, what: str) -> Path | None:
        name = self.text(section, key)
        path = self.folder / name
        if name and is_file(path):
            return path
        self.absent.append(f"Not {what} pronouns")
        return None

    def list_file(self, section: str, key: str, what: str) -> tuple[str, ...]:
        path = self.optional_file(section, key, what)
        if path is None:
            return ()
        (lines,) = texts_of([path], self.problems)
        return tuple(lower(line.strip()) for line in lines if line.strip())

    def groups(self, key: str) -> Groups:
        lines = self.list_file("dictionary", key, f"dictionary of {key}")
        return tuple(tuple(line.replace(" ", "").split(",")) for line in lines)

    def numbers(self, key: str, kind: Callable[[str], Number]) -> tuple[Number, ...]:
        written = self.text("cases", key)
        try:
            return tuple(kind(item.strip()) for item in written.split(","))
        except ValueError:
            self.problem(key, "numbers with commas between them", repr(written))
            return ()

    def boolean(self, section: str, key: str) -> bool:
        written = self.text(section, key).lower()
        if written not in _TRUE + _FALSE:
            self.problem(key, choices(_TRUE + _FALSE), repr(written))
        return written in _TRUE

    def length(self) -> int:
        written = self.text("output", "max_length_matrix")
        if not (is_whole_number(written) and int(written) > 0):
            self.problem("max_length_matrix", "a number of at least 1", repr(written))
            return 1
        return int(written)

    def check_weights(self, config: ReleasedConfig) -> None:
        if not config.cases:
            self.problem("cases_to_use", "at least one of the cases 1 to 6", "none")
        # One weight for all cases, or one case with several weights, pass in the tool too.
        elif len(config.weights) != len(config.cases) and 1 not in (
            len(config.weights),
            len(config.cases),
        ):
            expected = f"{len(config.cases)} weights, one for each case"
            self.problem("weigths_per_case", expected, str(len(config.weights)))


_SECTION = re.compile(r"\[([^]]+)\]")
_KEY = re.compile(r"([^\s#;:=][^:=]*?)\s*[:=]")


def _places(lines: Iterable[str]) -> Iterator[tuple[str, int]]:
    """The line of each section, in its brackets, and of each key."""
    for number, line in enumerate(lines, start=1):
        section, key = _SECTION.match(line), _KEY.match(line)
        if section:
            yield f"[{section[1]}]", number
        elif key:
            yield key[1].lower(), number
