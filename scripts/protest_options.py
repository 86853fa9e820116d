"""What the sub-commands of `crosspro protest` share: options, and which of them go together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosspro.scripts.mt_options import AlignWithOption
from crosspro.scripts.options import Names, named

if TYPE_CHECKING:
    from crosspro.evaluation.protest.match import ScoredSystems
    from crosspro.evaluation.protest.text import Progress

SuiteFile = Annotated[Path, typer.Argument(metavar="SUITE", help="A suite from `protest build`.")]
Silver = Annotated[
    Path | None, typer.Option("--silver", help="Verified alternatives; reported apart.")
]
Verdicts = Annotated[Path | None, typer.Option("--verdicts", help="People's verdicts (SQLite).")]
NeededVerdicts = Annotated[Path, typer.Option("--verdicts", help="People's verdicts (SQLite).")]
Repair = Annotated[
    bool,
    typer.Option(
        "--repair/--no-repair",
        help="Look for pronouns that have no link; PROTEST itself (2016) does not.",
    ),
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes of the aligner.")]
SourceLanguage = Annotated[str, typer.Option(help="Its lists: a code, or a .yaml file.")]


@dataclass(frozen=True)
class Systems:
    """The files of systems, how missing links are made, and how pronouns are looked for."""

    candidate: Annotated[
        list[Path] | None,
        typer.Option(
            "--candidate", metavar="FILE…", help="MT output of the suite; several are compared."
        ),
    ] = None
    candidate_links: Annotated[
        list[Path] | None,
        typer.Option(
            "--candidate-links",
            metavar="FILE…",
            help="Links, one file a candidate; else made.",
        ),
    ] = None
    source: Annotated[
        list[Path] | None,
        typer.Option(help="The source as the systems tokenise it: one file, or one each."),
    ] = None
    name: Names = None
    align_with: AlignWithOption = None
    target_language: Annotated[
        str | None, typer.Option(help="Word lists of the target: a code or a .yaml file.")
    ] = None
    repair: Repair = False
    jobs: Jobs = 1

    def check(self) -> list[str]:
        """The names of the systems; raises if options do not fit together."""
        from crosspro.evaluation.protest.match import system_name

        outputs = self.candidate or []
        if not outputs:
            raise typer.BadParameter("missing --candidate")
        names = named([system_name(path) for path in outputs], self.name)
        for given, option, allowed in (
            (self.candidate_links, "--candidate-links", {len(outputs)}),
            (self.source, "--source", {1, len(outputs)}),
        ):
            if given and len(given) not in allowed:
                raise typer.BadParameter(
                    f"{len(outputs)} candidates, but {len(given)} times {option}"
                )
        if len(set(names)) < len(names):
            raise typer.BadParameter(f"systems need different names (--name): {', '.join(names)}")
        if self.candidate_links and self.align_with:
            raise typer.BadParameter(
                "--align-with is for links that are made: give no --candidate-links"
            )
        return names

    def scored(
        self, suite: Path, silver: Path | None = None, verdicts: Path | None = None
    ) -> ScoredSystems:
        """The systems, read and matched with a suite."""
        from crosspro.evaluation.protest.match import read_and_score

        outputs = dict(zip(self.check(), self.candidate or (), strict=True))
        with progress_shown() as progress:
            return read_and_score(
                suite,
                outputs,
                self.candidate_links,
                self.source,
                self.align_with,
                self.target_language,
                silver,
                verdicts,
                self.repair,
                self.jobs,
                progress,
            )


@contextmanager
def progress_shown() -> Iterator[Progress]:
    """What goes on, in words, on standard error."""
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield status.update
