"""Records of results: what was measured, of which system, on which data, and how it was made.

`results/en-de/uppsala_bilstm.json` is one record, called `en-de/uppsala_bilstm`: a row of a board.
All seeds of one system on one task share a record; an ensemble, an MT system and a metric have one
each. Beside it lies its evidence, `uppsala_bilstm.xz` (`evidence.py`), from which anybody can
compute every score again. A record without a commit, seeds or the digest of its data is refused.

Figures of the papers are records, too (`published_records`): they have a source and no evidence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem, input_error, quoted
from crosspro.data_prep.core.files import (
    atomic_output,
    make_folder,
    read_json_object,
)
from crosspro.data_prep.core.settings import Fault, Place, checked, fault_error
from crosspro.evaluation.core.score import Score
from crosspro.evaluation.leaderboard.speed import FOLDER as SPEED
from crosspro.evaluation.published.results import SOURCES, published_results

FOLDER = Path("results")
FORMAT = 1
POOLED = "pooled"
"""The name of all test sets of a task together."""
SUFFIX = ".json"
EVIDENCE = ".xz"
_SAID = ("title", "source", "notes", "configuration", "environment", "members")
"""What of a record people or their machines have written."""
_NAME = re.compile(r"[\w.+-]+(/[\w.+-]+)+")
_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_MACHINE = re.compile(r"(?<![\w}/.])(?:/[\w.+-]+){2,}|\b[A-Za-z]:\\|(?<!\S)~/")
"""A path of a machine."""


class Board(StrEnum):
    """What a record is a row of."""

    PREDICTION = "prediction"
    """Systems that fill gaps."""
    TRANSLATIONS = "translations"
    """MT systems: how well they translate pronouns."""
    METRICS = "metrics"
    """Metrics: which of them notices wrong pronouns."""


class Provenance(StrEnum):
    """Whose system it is, and who measured it."""

    OWN = "own"
    """Ours, beyond the papers."""
    PAPERS = "papers"
    """A system of the papers, trained here."""
    PUBLISHED = "published"
    """A figure of a paper."""
    OTHERS = "others"
    """The output of other people's program, measured here: MT systems, metrics."""


@dataclass(frozen=True)
class TrainingText:
    """What a system learnt from: its name, the rules of its gaps, and a digest of all its files."""

    name: str
    digest: str
    gaps: int
    rules: tuple[str, ...] = ()


@dataclass(frozen=True)
class MeasuredSet:
    """A test set: the items that are scored in it, its documents, and a digest of its gold."""

    items: int
    documents: int | None
    digest: str


@dataclass(frozen=True)
class ClassScore:
    """A class in a test set: recall with its interval, precision, and how often it is there.

    All but `gold` are means over seeds.
    """

    gold: int
    predicted: float
    recall: float
    low: float | None
    high: float | None
    precision: float


@dataclass(frozen=True)
class MakingStep:
    """A command that makes something of a record, and what it needs.

    Words of the command may have `{corpora}`, the folder of corpora, and `{work}`, that of all that
    is made. `needs` are `gpu`, `extra NAME` of the package, and `folder PATH` that must be there.
    """

    makes: str
    command: tuple[str, ...]
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Record:
    """A row of a board: a system, what it was made from, and its scores on each test set.

    `task` is that of a predictor, or the test that MT systems and metrics are measured on. `scores`
    are by test set and measure, `classes` by test set and class, `digests` those of the evidence:
    of predictions by test set and seed (`ted_tst2015 1`, of an ensemble `ted_tst2015 1+2+3`).
    `members` are the records of an ensemble's members, where these have some. `source` says where a
    published figure stands.
    """

    name: str
    board: Board
    title: str
    system: str
    origin: Provenance
    task: str
    ensemble: bool = False
    year: int | None = None
    text: TrainingText | None = None
    seeds: tuple[int, ...] = ()
    commit: str = ""
    configuration: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    steps: tuple[MakingStep, ...] = ()
    members: tuple[str, ...] = ()
    sets: Mapping[str, MeasuredSet] = field(default_factory=dict)
    scores: Mapping[str, Mapping[str, Score]] = field(default_factory=dict)
    classes: Mapping[str, Mapping[str, ClassScore]] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    notes: tuple[str, ...] = ()

    def faults(self) -> Iterator[Fault]:
        """What a record lacks without which nobody can make or check it again."""
        if not _NAME.fullmatch(self.name):
            yield Fault(("name",), "FOLDER/NAME of letters, digits and ._+-", quoted(self.name))
        if not any(self.scores.values()):
            yield Fault(("scores",), "scores of at least one test set", "none")
        said = {one: getattr(self, one) for one in _SAID}
        steps = [{"command": step.command, "needs": step.needs} for step in self.steps]
        for place, text in _texts({**said, "steps": steps}):
            if path := _MACHINE.search(text):
                told = "no path of a machine ({work} and {corpora} stand for its folders)"
                yield Fault(place, told, quoted(path[0]))
        if self.origin == Provenance.PUBLISHED:
            if not self.source:
                yield Fault(("source",), "where the figure stands", "nothing")
            return
        if not _COMMIT.fullmatch(self.commit):
            found = quoted(self.commit) if self.commit else "nothing"
            yield Fault(("commit",), "the commit it was made at (7 to 40 digits of it)", found)
        if self.board == Board.PREDICTION:
            if not self.seeds:
                yield Fault(("seeds",), "a seed at least", "none")
            if self.text is None or not _DIGEST.fullmatch(self.text.digest):
                yield Fault(("text", "digest"), "the SHA-256 of the training data", "none")
        if not self.steps:
            yield Fault(("steps",), "the commands that make it", "none")
        if not self.digests:
            yield Fault(("digests",), "digests of the predictions", "none")
        for name in self.scores:
            if name != POOLED and name not in self.sets:
                yield Fault(("sets",), f"the test set {name}, which has scores", "none of it")

    @property
    def headline_set(self) -> str:
        """The test set by which it is ranked: all together, or the only one."""
        return POOLED if POOLED in self.scores else next(iter(self.scores))


def _texts(value: object, place: tuple[str | int, ...] = ()) -> Iterator[tuple[Place, str]]:
    """Every text of a value, and where it stands."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from _texts(one, (*place, key))
    elif isinstance(value, tuple | list):
        for number, one in enumerate(value):
            yield from _texts(one, (*place, number))


def record_file(name: str, results: Path = FOLDER) -> Path:
    """Where a record of this name lies."""
    return results / f"{name}{SUFFIX}"


def evidence_file(name: str, results: Path = FOLDER) -> Path:
    """Where the evidence of a record lies."""
    return results / f"{name}{EVIDENCE}"


def write_record(record: Record, results: Path = FOLDER) -> Path:
    """Write a record, over one of before; raises `InputError` if it lacks something."""
    path = record_file(record.name, results)
    problems = record_problems(record, results)
    if problems:
        raise InputError(problems)
    make_folder(path.parent)
    content = {"format": FORMAT, **_shortened(asdict(record))}
    with atomic_output(path, merged=True) as handle:
        handle.write(json.dumps(content, ensure_ascii=False, indent=1).encode() + b"\n")
    return path


def record_problems(record: Record, results: Path = FOLDER) -> list[Problem]:
    """What a record lacks, as problems of its file."""
    return list(fault_error(record.faults(), record_file(record.name, results)).problems)


def _shortened(content: dict[str, object]) -> dict[str, object]:
    """What is said of a record, without what is not known; floats as short as they mean."""
    return {
        key: _rounded(value) for key, value in content.items() if value not in (None, "", (), {})
    }


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return value


def read_record(path: Path) -> Record:
    """The record of a file; raises `InputError` with all its faults."""
    content = read_json_object(path)
    form = content.pop("format", None)
    if form != FORMAT:
        raise input_error(path, "format", str(FORMAT), quoted(repr(form)))
    record = checked(Record, content, path)
    if record_file(record.name, path.parents[record.name.count("/")]) != path:
        raise input_error(path, "name", "that of its file", quoted(record.name))
    return record


def read_records(results: Path = FOLDER) -> tuple[Record, ...]:
    """All records of a folder by their names; raises `InputError` with the faults of all files."""
    found, problems = [], []
    for name in record_names(results):
        try:
            found.append(read_record(record_file(name, results)))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return tuple(found)


def record_names(results: Path = FOLDER) -> list[str]:
    """The names of all records of a folder; raises `InputError` where there is none."""
    paths = record_paths(results)
    if not paths:
        raise input_error(results, "folder", "records: FOLDER/NAME.json", "none")
    return [path.relative_to(results).as_posix().removesuffix(SUFFIX) for path in paths]


def record_paths(results: Path) -> list[Path]:
    """The files of all records of a folder; measurements of speed are none."""
    speed = results / SPEED
    found = (path for path in results.rglob(f"*{SUFFIX}") if speed not in path.parents)
    return sorted(path for path in found if path.is_file())


def published_records() -> tuple[Record, ...]:
    """The figures of the papers' result tables, by task and submission."""
    found = []
    for row in published_results():
        task = f"{row.pair}-2015" if row.year == 2015 else row.pair
        test = f"official {row.year}"
        scores = {name: Score(name, value, "") for name, value in row.scores.items()}
        folder = f"published/{row.year}.{row.pair}"
        name = re.sub(r"[^\w.+-]+", "_", row.submission)
        if row.none_penalty is not None:
            name += f".{row.none_penalty:g}"
        found.append(
            Record(
                name=f"{folder}/{name}",
                board=Board.PREDICTION,
                title=f"{row.submission} {row.year}",
                system=row.submission,
                origin=Provenance.PUBLISHED,
                task=task,
                year=row.year,
                scores={test: scores},
                source=SOURCES[row.year],
            )
        )
    return tuple(found)
