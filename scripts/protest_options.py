"""What the sub-commands of `crosspro protest` share: options, and which of them go together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosspro.scripts.options import named

if TYPE_CHECKING:
    from crosspro.evaluation.protest.scored_systems import SystemFiles
    from crosspro.evaluation.protest.text import Report

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
Silver = Annotated[
    Path | None, typer.Option("--silver", help="Verified alternatives; reported apart.")
]
Store = Annotated[Path | None, typer.Option("--verdicts", help="People's verdicts (SQLite).")]
NeededStore = Annotated[Path, typer.Option("--verdicts", help="People's verdicts (SQLite).")]
Lists = Annotated[
    str | None,
    typer.Option("--target-language", help="Word lists of the target: a code or a .yaml file."),
]
Repair = Annotated[
    bool,
    typer.Option(
        "--repair/--no-repair",
        help="Look for pronouns that have no link; PROTEST itself (2016) does not.",
    ),
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, max=2, help="Processes of the aligner.")]


def system_files(
    outputs: list[Path],
    links: list[Path] | None,
    sources: list[Path] | None,
    names: list[str] | None,
    align_with: tuple[Path, Path] | None,
    jobs: int,
) -> SystemFiles:
    """Check that the options fit together; nothing is read yet."""
    from crosspro.evaluation.protest.scored_systems import SystemFiles, system_name

    called = named([system_name(path) for path in outputs], names)
    for given, option, allowed in (
        (links, "--links", {len(outputs)}),
        (sources, "--source", {1, len(outputs)}),
    ):
        if given and len(given) not in allowed:
            raise typer.BadParameter(f"{len(outputs)} outputs, but {len(given)} times {option}")
    if len(set(called)) < len(called):
        raise typer.BadParameter(f"systems need different names (--name): {', '.join(called)}")
    if links and align_with:
        raise typer.BadParameter("--align-with is for links that are made: give no --links")
    return SystemFiles(outputs, links, sources, called, align_with, jobs)


@contextmanager
def progress_shown() -> Iterator[Report]:
    """What goes on, in words, on standard error."""
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        yield status.update
