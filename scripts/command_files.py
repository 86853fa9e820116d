"""Commands that know the files on their command line: what is read is never written over.

Every command also takes `--limit`, which holds while it runs.

Every path that a command is given is an input unless its parameter is one of `OUTPUTS`. Inputs are
noted before the command begins, and an output that is one of them, or another output, is refused
there and then.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer

from crosspro.data_prep.core.errors import choices, is_whole_number, quoted
from crosspro.data_prep.core.guard import check_apart, check_not_input, note_input
from crosspro.data_prep.core.limits import LIMITS, MOST, changed_limits
from crosspro.scripts.renamed_options import accepting

OUTPUTS = frozenset(
    (
        "output",
        "written",
        "html",
        "plot",
        "detail",
        "save",
        "arpa",
        "write_scores",
        "probabilities",
        "antecedents",
        "review_file",
        "items_file",
        "key_file",
        "judged_file",
        "sheet_file",
    )
)
"""Names of parameters that are written to. One that is missing here counts as an input: the
command then refuses to replace it."""

LimitOption = Annotated[
    list[str] | None,
    typer.Option("--limit", metavar="NAME=N", help="Another limit of input (docs/commands.md)."),
]


class App(typer.Typer):
    """A Typer application whose commands check their files before they begin."""

    def command(
        self, *names: Any, renamed: Mapping[str, str] | None = None, **settings: Any
    ) -> Callable[[Any], Any]:
        """Register a command; `renamed` has old spellings of its options and those of today."""
        if renamed:
            settings["cls"] = accepting(renamed, settings.get("cls"))
        register = super().command(*names, **settings)

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            register(_checked(function))
            return function

        return decorate


def _checked(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def checked(*, limit: list[str] | None = None, **parameters: Any) -> Any:
        for name, value in parameters.items():
            if isinstance(value, float) and not isfinite(value):
                raise typer.BadParameter(f"--{name.replace('_', '-')}: {value} is no number")
            if name not in OUTPUTS:
                for path in _paths(value):
                    note_input(path)
        outputs = [
            path for name in parameters if name in OUTPUTS for path in _paths(parameters[name])
        ]
        for path in outputs:
            check_not_input(path)
        check_apart(outputs)
        with changed_limits(dict(map(_limit, limit or []))):
            return function(**parameters)

    signature = inspect.signature(function, eval_str=True)
    option = inspect.Parameter(
        "limit", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=LimitOption
    )
    parameters = [*signature.parameters.values(), option]
    checked.__annotations__ = {**function.__annotations__, "limit": LimitOption}
    checked.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return checked


def _limit(text: str) -> tuple[str, int]:
    """A limit as it is given on the command line."""
    name, _, number = text.partition("=")
    if name not in LIMITS or not is_whole_number(number):
        expected = f"NAME=N with a whole number from 1 to {MOST:,}, NAME {choices(LIMITS)}"
        raise typer.BadParameter(f"--limit: expected {expected}, found {quoted(text)}")
    return name, int(number)


def _paths(value: object) -> Iterator[Path]:
    if isinstance(value, Path):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _paths(item)
