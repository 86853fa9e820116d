"""The Typer applications of all commands, which know the files on their command line.

What a command reads is never written over, and every command takes `--limit`, which holds while it
runs. A group of commands may have a default: `crosspro contrastive SET …` beside `… build`.

Every path that a command is given is an input unless its parameter is one of `OUTPUTS`. Inputs are
noted before the command begins, and an output that is one of them, or another output, is refused
there and then. An input may be a file of the sample in the package: `sample/sample.en`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from crosspro.data_prep.core.guard import check_apart, check_not_input, note_input
from crosspro.data_prep.core.limits import changed_limits
from crosspro.evaluation.inputs import sheets  # noqa: F401 - which protects them

OUTPUTS = frozenset(
    (
        "output",
        "html",
        "fix",
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

SAMPLE = Path(__file__).resolve().parent.parent / "data_prep" / "sample"
"""The sample that comes with the package, which commands know as `sample/` in any folder."""

LimitOption = Annotated[
    float,
    typer.Option(metavar="FACTOR", help="Allow so many times as much input as usual."),
]


class App(typer.Typer):
    """A Typer application whose commands check their files before they begin."""

    def command(self, *names: Any, **settings: Any) -> Callable[[Any], Any]:
        """Register a command, which gets the option `--limit`."""
        register = super().command(*names, **settings)

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            register(_checked(function))
            return function

        return decorate


class DefaultFirst(TyperGroup):
    """A group of commands with a default: the one that was defined first (click has no such thing).

    Contexts are not typed because Typer may bring a click of its own.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands in the order in which they were defined."""
        return list(self.commands)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the name of the default before arguments that name no command."""
        names = self.list_commands(ctx)
        if args and args[0] not in (*names, *ctx.help_option_names):
            args = [names[0], *args]
        return super().parse_args(ctx, args)


def command_app(**settings: Any) -> App:
    """A Typer application for one command, the same for all of them."""
    return App(
        **{"add_completion": False, **settings},
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,
        rich_markup_mode=None,  # to import rich would take as long as the command itself
    )


def group_app() -> App:
    """An application with a default command."""
    return command_app(cls=DefaultFirst, no_args_is_help=True)


def _checked(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def checked(*, limit: float = 1, **parameters: Any) -> Any:
        for name, value in parameters.items():
            if isinstance(value, float) and not isfinite(value):
                raise typer.BadParameter(f"--{name.replace('_', '-')}: {value} is no number")
            if name not in OUTPUTS:
                parameters[name] = value = _of_sample(value)
                for path in _paths(value):
                    note_input(path)
        outputs = [
            path for name in parameters if name in OUTPUTS for path in _paths(parameters[name])
        ]
        for path in outputs:
            check_not_input(path)
        check_apart(outputs)
        with changed_limits(limit):
            return function(**parameters)

    signature = inspect.signature(function, eval_str=True)
    option = inspect.Parameter(
        "limit", inspect.Parameter.KEYWORD_ONLY, default=1, annotation=LimitOption
    )
    parameters = [*signature.parameters.values(), option]
    checked.__annotations__ = {**function.__annotations__, "limit": LimitOption}
    checked.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return checked


def _of_sample(value: Any) -> Any:
    """Paths in `sample/` are in the package where there is no such file or folder."""
    if isinstance(value, list | tuple):
        return type(value)(map(_of_sample, value))
    if not isinstance(value, Path) or value.parts[:1] != (SAMPLE.name,) or value.exists():
        return value
    inside = SAMPLE.joinpath(*value.parts[1:])
    return inside if ".." not in value.parts and inside.exists() else value


def _paths(value: object) -> Iterator[Path]:
    if isinstance(value, Path):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _paths(item)
