"""Commands that know the files on their command line: what is read is never written over.

Every path that a command is given is an input unless its parameter is one of `OUTPUTS`. Inputs are
noted before the command begins, and an output that is one of them, or another output, is refused
there and then.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import signature
from math import isfinite
from pathlib import Path
from typing import Any

import typer

from crosspro.data_prep.files.guard import check_apart, check_not_input, note_input
from crosspro.scripts.plain_arguments import plain_arguments

OUTPUTS = frozenset(
    ("output", "html", "detail", "save", "arpa", "write_scores", "probabilities", "review_file")
)
"""Names of parameters that are written to. One that is missing here counts as an input: the
command then refuses to replace it."""


class App(typer.Typer):
    """A Typer application whose commands check their files before they begin.

    Plain command lines are read without Typer (`plain_arguments.py`). If such a command ends in an
    error, Typer is told to raise it, and shows it as it shows errors of commands that it runs.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: dict[str, Callable[..., Any]] = {}
        self.error: BaseException | None = None

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Any], Any]:
        """Register a command."""
        register = super().command(name, **settings)

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            self.commands[name or function.__name__.replace("_", "-")] = function
            register(self._checked(function))
            return function

        return decorate

    def __call__(self, args: Sequence[str] | None = None, **settings: Any) -> Any:
        """Run the command that a command line asks for."""
        given = sys.argv[1:] if args is None else list(args)
        function = self._function(given)
        values = None if function is None else plain_arguments(function[0], function[1])
        if function is not None and values is not None:
            try:
                return self._checked(function[0])(**values)
            except (Exception, KeyboardInterrupt) as error:
                self.error = error
        try:
            return super().__call__(args=args, **settings)
        finally:
            self.error = None

    def _function(self, given: list[str]) -> tuple[Callable[..., Any], list[str]] | None:
        """The command and what is left for it, where it is plain which one is meant."""
        if not given or self.registered_groups or self.info.cls is not _USUAL.cls:
            return None
        if self.registered_callback is None:
            functions = list(self.commands.values())
            return (functions[0], given) if len(functions) == 1 else None
        callback = self.registered_callback.callback
        if given[0] not in self.commands or callback is None or signature(callback).parameters:
            return None
        return self.commands[given[0]], given[1:]

    def _checked(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def checked(**parameters: Any) -> Any:
            if self.error is not None:
                raise self.error
            _check_files(parameters)
            return function(**parameters)

        return checked


_USUAL = typer.Typer().info


def _check_files(parameters: Mapping[str, Any]) -> None:
    """Note the inputs of a command, and refuse outputs that are among them."""
    for name, value in parameters.items():
        if isinstance(value, float) and not isfinite(value):
            raise typer.BadParameter(f"--{name.replace('_', '-')}: {value} is no number")
        if name not in OUTPUTS:
            for path in _paths(value):
                note_input(path)
    outputs = [path for name in parameters if name in OUTPUTS for path in _paths(parameters[name])]
    for path in outputs:
        check_not_input(path)
    check_apart(outputs)


def _paths(value: object) -> Iterator[Path]:
    if isinstance(value, Path):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _paths(item)
