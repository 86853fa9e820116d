"""What the sub-commands of `crosspro protest` share: options, and reading a suite with systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from crosspro.data_prep.errors import InputError, Problem

if TYPE_CHECKING:
    from crosspro.evaluation.protest.language import TargetWords
    from crosspro.evaluation.protest.score import TokenResult
    from crosspro.evaluation.protest.silver import Alternative
    from crosspro.evaluation.protest.suite import Suite
    from crosspro.evaluation.protest.text import Report
    from crosspro.evaluation.protest.verdicts import Judgement

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
    list[str] | None,
    typer.Option("--name", help="A name for each OUTPUT; else the file's without its ending."),
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


def known(thing: Thing | None) -> Thing:
    """What a reader gave, once `Attempts.finish` has found no problem."""
    if thing is None:
        raise RuntimeError("a reader gave neither its content nor a problem")
    return thing


def open_suite(path: Path) -> Suite:
    """Read a suite."""
    from crosspro.evaluation.protest.suite_reader import read_suite

    return read_suite(path)


def lists_of(suite: Suite, lists: str | None) -> TargetWords:
    """The word lists of the target language: the suite's, or others."""
    from crosspro.evaluation.protest.language import target_words

    return target_words(lists or suite.target_language)


def silver_of(path: Path | None, suite: Suite) -> dict[str, list[Alternative]]:
    """Silver alternatives, if a file is given."""
    from crosspro.evaluation.protest.silver import read_silver

    return {} if path is None else read_silver(path, suite)


def judgements_of(path: Path | None, suite: Suite) -> dict[tuple[str, str, str], Judgement]:
    """What people have said, if a store is given."""
    from crosspro.evaluation.protest.verdicts import VerdictStore

    if path is None:
        return {}
    with VerdictStore(path, suite.digest, create=False) as store:
        return store.judgements()


@dataclass(frozen=True)
class SystemFiles:
    """The files of some systems as the options name them, and how missing links are made."""

    outputs: list[Path]
    links: list[Path] | None
    sources: list[Path] | None
    names: list[str]
    align_with: tuple[Path, Path] | None
    jobs: int


def system_files(
    outputs: list[Path],
    links: list[Path] | None,
    sources: list[Path] | None,
    names: list[str] | None,
    align_with: tuple[Path, Path] | None,
    jobs: int,
) -> SystemFiles:
    """Check that the options fit together; nothing is read yet."""
    named = names or [system_name(path) for path in outputs]
    for given, option, allowed in (
        (links, "--links", {len(outputs)}),
        (names, "--name", {len(outputs)}),
        (sources, "--source", {1, len(outputs)}),
    ):
        if given and len(given) not in allowed:
            raise typer.BadParameter(f"{len(outputs)} outputs, but {len(given)} times {option}")
    if len(set(named)) < len(named):
        raise typer.BadParameter(f"systems need different names (--name): {', '.join(named)}")
    if links and align_with:
        raise typer.BadParameter("--align-with is for links that are made: give no --links")
    return SystemFiles(outputs, links, sources, named, align_with, jobs)


def system_name(path: Path) -> str:
    """A file's name without compression and ending; never by the company it is in.

    Verdicts are kept under this name.
    """
    name = path.name.removesuffix(".xz").removesuffix(".gz")
    return Path(name).stem


@dataclass(frozen=True)
class Scored:
    """The results of each system, the silver alternatives and verdicts, and how links came."""

    results: dict[str, list[TokenResult]]
    silver: dict[str, list[Alternative]]
    judgements: dict[tuple[str, str, str], Judgement]
    links: str

    @property
    def tokens(self) -> list[TokenResult]:
        """The results of all systems."""
        return [one for own in self.results.values() for one in own]


def read_and_score(
    suite: Path,
    files: SystemFiles,
    lists: str | None,
    silver: Path | None,
    verdicts: Path | None,
    repair: bool,
) -> tuple[Suite, TargetWords, Scored]:
    """Read everything, or raise all that is wrong with it; then make links and match tokens."""
    from crosspro.evaluation.protest.score import score_system
    from crosspro.evaluation.protest.systems import read_systems, with_links
    from crosspro.evaluation.protest.text import read_corpus

    attempts = Attempts()
    read = attempts.read(lambda: open_suite(suite))
    if read is None:  # how many lines there should be is not known
        attempts.problems += _unreadable(files)
        attempts.finish()
    own = known(read)
    count = len(files.outputs)
    sources: list[Path | None] = [None] * count
    if files.sources:
        sources = [*files.sources] * (count if len(files.sources) == 1 else 1)
    target_lists = attempts.read(lambda: lists_of(own, lists))
    alternatives = attempts.read(lambda: silver_of(silver, own))
    judgements = attempts.read(lambda: judgements_of(verdicts, own))
    systems = attempts.read(
        lambda: read_systems(own, files.names, files.outputs, files.links, sources)
    )
    with progress_shown() as progress:
        languages = (own.source_language, own.target_language)
        corpus = attempts.read(lambda: read_corpus(files.align_with, languages, progress))
        attempts.finish()
        linked = known(systems)
        if not files.links:
            linked = with_links(linked, known(corpus), files.jobs, progress)
    words, right = known(target_lists), known(alternatives)
    results = {one.name: score_system(own, one, words, right, repair) for one in linked}
    how = "given" if files.links else known(corpus).signature
    return own, words, Scored(results, right, known(judgements), how)


def _unreadable(files: SystemFiles) -> list[Problem]:
    """What is wrong with the texts of systems whatever the suite is."""
    from crosspro.evaluation.mt_text.parallel_lines import lines_of

    problems: list[Problem] = []
    for path in (*files.outputs, *(files.sources or ()), *(files.links or ())):
        lines_of(path, problems)
    return problems


@contextmanager
def progress_shown() -> Iterator[Report]:
    """What goes on, in words, on standard error."""
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield status.update
