"""What the sub-commands of `crosspro protest` share: options, and reading a suite with systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from data_prep.errors import InputError, Problem

if TYPE_CHECKING:
    from evaluation.protest.language import TargetWords
    from evaluation.protest.score import TokenResult
    from evaluation.protest.silver import Alternative
    from evaluation.protest.suite import Suite
    from evaluation.protest.text import Report
    from evaluation.protest.verdicts import Judgement

Thing = TypeVar("Thing")

SuiteFile = Annotated[Path, typer.Argument(metavar="SUITE", help="A suite from `protest build`.")]
Outputs = Annotated[
    list[Path], typer.Argument(metavar="OUTPUT...", help="MT output, a line for each line.")
]
LinkFiles = Annotated[
    list[Path] | None,
    typer.Option("--links", help="Word links, a file for each OUTPUT; made if not given."),
]
SourceFiles = Annotated[
    list[Path] | None,
    typer.Option("--source", help="The source as the systems tokenise it: one file, or one each."),
]
Names = Annotated[
    list[str] | None, typer.Option("--name", help="A name for each OUTPUT; else the file's.")
]
Corpus = Annotated[
    Path | None,
    typer.Option(help="A larger parallel text X (X.en, X.fr) that helps to make links."),
]
Silver = Annotated[
    Path | None, typer.Option("--silver", help="Verified alternatives; reported apart.")
]
Store = Annotated[Path | None, typer.Option("--verdicts", help="People's verdicts (SQLite).")]
NeededStore = Annotated[Path, typer.Option("--verdicts", help="People's verdicts (SQLite).")]
Lists = Annotated[
    str | None, typer.Option(help="Word lists of the target language: a code or a .yaml file.")
]
Repair = Annotated[
    bool, typer.Option("--repair/--no-repair", help="Look for pronouns that have no link.")
]
Jobs = Annotated[int, typer.Option(min=1, max=2, help="Processes of the aligner.")]


class Attempts:
    """Reads several things and raises the problems of all of them together."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def read(self, reader: Callable[[], Thing]) -> Thing | None:
        """What a reader gives, or nothing: then its problems are kept."""
        try:
            return reader()
        except InputError as error:
            self.problems += error.problems
            return None

    def finish(self) -> None:
        """Raise if any reader had problems."""
        if self.problems:
            raise InputError(self.problems)


def open_suite(path: Path) -> Suite:
    """Read a suite."""
    from evaluation.protest.suite_reader import read_suite

    return read_suite(path)


def lists_of(suite: Suite, lists: str | None) -> TargetWords:
    """The word lists of the target language: the suite's, or others."""
    from evaluation.protest.language import target_words

    return target_words(lists or suite.target_language)


def silver_of(path: Path | None, suite: Suite) -> dict[str, list[Alternative]]:
    """Silver alternatives, if a file is given."""
    from evaluation.protest.silver import read_silver

    return {} if path is None else read_silver(path, suite)


def judgements_of(path: Path | None, suite: Suite) -> dict[tuple[str, str, str], Judgement]:
    """What people have said, if a store is given."""
    from evaluation.protest.verdicts import VerdictStore

    if path is None:
        return {}
    with VerdictStore(path, suite.digest, create=False) as store:
        return store.judgements()


def results_of(
    suite: Suite,
    lists: TargetWords,
    outputs: list[Path],
    links: list[Path] | None,
    source: list[Path] | None,
    names: list[str] | None,
    corpus: Path | None,
    silver: dict[str, list[Alternative]],
    repair: bool,
    jobs: int,
) -> dict[str, list[TokenResult]]:
    """The results of each system; all files are read and checked before anything is scored."""
    from evaluation.protest.score import score_system
    from evaluation.protest.systems import read_systems

    named = names or [path.name.partition(".")[0] for path in outputs]
    for given, option, allowed in (
        (links, "--links", {len(outputs)}),
        (names, "--name", {len(outputs)}),
        (source, "--source", {1, len(outputs)}),
    ):
        if given and len(given) not in allowed:
            raise typer.BadParameter(f"{len(outputs)} outputs, but {len(given)} times {option}")
    if len(set(named)) < len(named):
        raise typer.BadParameter(f"systems need different names (--name): {', '.join(named)}")
    sources: list[Path | None] = [None] * len(outputs)
    if source:
        sources = [*source] * len(outputs) if len(source) == 1 else [*source]
    with progress_shown() as progress:
        systems = read_systems(suite, named, outputs, links, sources, corpus, jobs, progress)
    return {one.name: score_system(suite, one, lists, silver, repair) for one in systems}


@contextmanager
def progress_shown() -> Iterator[Report]:
    """What goes on, in words, on standard error."""
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield status.update
