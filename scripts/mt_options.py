"""Options of the commands that judge MT output: texts, links, documents, resampling."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

Source = Annotated[
    Path | None, typer.Option(help="Source text, one segment a line (all files also .gz, .xz).")
]
Reference = Annotated[Path | None, typer.Option(help="Reference translation.")]
Candidates = Annotated[
    list[Path] | None,
    typer.Option("--candidate", metavar="FILE…", help="MT output; several are compared."),
]
LinksReference = Annotated[
    Path | None, typer.Option(help="Links source-reference, `s-t s-t …` on each line.")
]
LinksCandidates = Annotated[
    list[Path] | None,
    typer.Option(
        "--links-candidate", metavar="FILE…", help="Links source-candidate, one file a candidate."
    ),
]
Pronouns = Annotated[
    str, typer.Option(metavar="LISTS", help="Pronoun lists such as en-fr, or a .yaml file.")
]
DocIdsOption = Annotated[
    Path | None, typer.Option("--doc-ids", help="Document ids, one line per segment.")
]
DocStarts = Annotated[
    Path | None, typer.Option("--doc-starts", help="Instead: first segment of each document.")
]
AlignWithOption = Annotated[
    tuple[Path, Path] | None,
    typer.Option("--align-with", help="Without links: a corpus to align together with."),
]
AlignPrior = Annotated[
    Path | None,
    typer.Option("--align-prior", help="Without links: what `crosspro align` has learnt."),
]
Lenient = Annotated[
    bool, typer.Option("--lenient", help="Drop links that lead nowhere and blank last lines.")
]
Resamples = Annotated[
    int, typer.Option(min=0, help="Bootstrap resamples; 0 for no intervals and tests.")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the resampling.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]

_VARIADIC = ("--candidate", "--links-candidate")


class VariadicCommand(TyperCommand):
    """A command in which `--candidate A B` means `--candidate A --candidate B`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Spread the values before they are parsed."""
        return super().parse_args(ctx, list(spread(args, _VARIADIC)))


def spread(arguments: Sequence[str], options: Iterable[str]) -> Iterable[str]:
    """Repeat an option before each of its values."""
    names = tuple(options)
    current: str | None = None
    values = 0
    for argument in arguments:
        if argument.startswith("-") and argument != "-":
            current, values = (argument if argument in names else None), 0
            yield argument
        elif current is None or values == 0:
            values += 1
            yield argument
        else:
            yield current
            yield argument


def required(**options: object) -> None:
    """Raise if an option that this way of calling needs is missing."""
    missing = [f"--{name.replace('_', '-')}" for name, value in options.items() if not value]
    if missing:
        raise typer.BadParameter(f"missing {', '.join(missing)}")


def tell(text: str) -> None:
    """Say on standard error how far a long step is."""
    print(text, file=sys.stderr, flush=True)
