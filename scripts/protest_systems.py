"""The systems that the sub-commands of `crosspro protest` read, and the options of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosspro.scripts.common import NamedFile, names_of

if TYPE_CHECKING:
    from crosspro.evaluation.protest.match import ScoredSystems
    from crosspro.evaluation.protest.text import Progress

SuiteFile = Annotated[Path, typer.Argument(metavar="SUITE", help="A suite from `protest build`.")]
Verdicts = Annotated[Path | None, typer.Option("--verdicts", help="People's verdicts (SQLite).")]
Repair = Annotated[
    bool,
    typer.Option(
        "--repair/--no-repair",
        help="Look for pronouns that have no link; PROTEST itself (2016) does not.",
    ),
]
Sources = Annotated[
    list[Path] | None,
    typer.Option(
        "--source", help="The source as the systems tokenise it: one file, or one each (repeat)."
    ),
]
TargetLanguage = Annotated[
    str | None, typer.Option(help="Word lists of the target: a code or a .yaml file.")
]


@dataclass(frozen=True)
class Systems:
    """The outputs of systems on a suite, their links, and how pronouns are looked for."""

    candidates: Sequence[NamedFile]
    links: Sequence[Path] | None = None
    sources: Sequence[Path] | None = None
    repair: bool = False
    target_language: str | None = None
    align_with: tuple[Path, Path] | None = None

    def scored(
        self, suite: Path, silver: Path | None = None, verdicts: Path | None = None
    ) -> ScoredSystems:
        """The systems, read and matched with a suite."""
        from crosspro.evaluation.protest.match import read_and_score, system_name

        number = len(self.candidates)
        names = names_of(self.candidates, [system_name(file.path) for file in self.candidates])
        for paths, option, allowed in (
            (self.links, "--candidate-links", {number}),
            (self.sources, "--source", {1, number}),
        ):
            if paths and len(paths) not in allowed:
                raise typer.BadParameter(f"{number} candidates, but {len(paths)} times {option}")
        if len(set(names)) < number:
            raise typer.BadParameter(f"names must differ (NAME=FILE): {', '.join(names)}")
        if self.links and self.align_with:
            raise typer.BadParameter("--align-with is for links that are made")
        outputs = {name: file.path for name, file in zip(names, self.candidates, strict=True)}
        with progress_shown() as progress:
            return read_and_score(
                suite,
                outputs,
                self.links,
                self.sources,
                self.align_with,
                self.target_language,
                silver,
                verdicts,
                self.repair,
                progress=progress,
            )


@contextmanager
def progress_shown() -> Iterator[Progress]:
    """A line on standard error that says what is being done."""
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield status.update
