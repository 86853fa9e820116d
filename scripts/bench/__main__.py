"""All measurements: `python -m crosspro.scripts.bench CASE [options]`; without a case, their list.

A case is a function whose parameters are options and which yields rows, one for each thing that is
measured. They are printed as they come.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections.abc import Callable
from typing import Any

import typer

CASES = {
    "align": "commands",
    "annotate": "commands",
    "evaluate": "commands",
    "first-step": "networks",
    "fill": "systems",
    "fit": "systems",
    "leaderboard": "leaderboard",
    "lm": "commands",
    "mt": "commands",
    "predict": "systems",
    "prepare": "commands",
    "pretrain": "networks",
    "proofread": "commands",
    "read": "commands",
    "report": "commands",
    "review": "review",
    "start-up": "commands",
    "train": "networks",
}
"""The module of each case; its function has the name of the case."""


def function_of(case: str) -> Callable[..., Any]:
    """What measures a case."""
    module = importlib.import_module(f"crosspro.scripts.bench.{CASES[case]}")
    found: Callable[..., Any] = getattr(module, case.replace("-", "_"))
    return found


def main(arguments: list[str]) -> None:
    """Run one case, and print its rows."""
    if not arguments or arguments[0] not in CASES:
        shown = [
            f"  {case:12}{(function_of(case).__doc__ or '').splitlines()[0]}" for case in CASES
        ]
        print("\n".join((f"{(__doc__ or '').splitlines()[0]}\n", *shown)))
        raise SystemExit(bool(set(arguments) - {"-h", "--help"}))
    case, *options = arguments
    measured = function_of(case)

    @functools.wraps(measured)
    def printed(**parameters: Any) -> None:
        for row in measured(**parameters):
            print("  ".join(f"{name} {value}".strip() for name, value in row.items()), flush=True)

    printed.__signature__ = inspect.signature(measured, eval_str=True)  # type: ignore[attr-defined]
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command(context_settings={"allow_extra_args": False})(printed)
    app(args=options, prog_name=f"bench {case}")


if __name__ == "__main__":
    main(sys.argv[1:])
