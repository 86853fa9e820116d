"""All measurements: `python -m crosspro.scripts.bench CASE [options]`; without a case, their list.

A case is a function whose parameters are options and which yields rows, one for each thing that is
measured. They are printed as they come. `--record FILE`, which every case has, keeps them with the
command, the machine and versions.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import platform
import shlex
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer

from crosspro.data_prep.core.files import write_text
from crosspro.data_prep.core.processes import processors

CASES = {
    "align": "commands",
    "align-beside": "peers",
    "annotate": "commands",
    "evaluate": "commands",
    "first-step": "networks",
    "fill": "systems",
    "fit": "systems",
    "leaderboard": "leaderboard",
    "lm": "commands",
    "lm-query": "peers",
    "lm-train": "peers",
    "mt": "commands",
    "predict": "systems",
    "prepare": "commands",
    "pretrain": "networks",
    "proofread": "commands",
    "read": "commands",
    "report": "commands",
    "report-again": "peers",
    "review": "review",
    "start-up": "commands",
    "tokenise": "peers",
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
    def printed(record: Path | None = None, **parameters: Any) -> None:
        rows = []
        for row in measured(**parameters):
            print("  ".join(f"{name} {value}".strip() for name, value in row.items()), flush=True)
            rows.append(row)
        if record is not None:
            made = {"case": case, "command": shlex.join(arguments), **described(), "rows": rows}
            write_text(record, json.dumps(made, ensure_ascii=False, indent=1) + "\n")

    signature = inspect.signature(measured, eval_str=True)
    keep = Annotated[Path | None, typer.Option(help="Keep what is measured in a JSON file.")]
    recorded = inspect.Parameter(
        "record", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=keep
    )
    every = [*signature.parameters.values(), recorded]
    printed.__signature__ = signature.replace(parameters=every)  # type: ignore[attr-defined]
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command(context_settings={"allow_extra_args": False})(printed)
    app(args=options, prog_name=f"bench {case}")


def described() -> dict[str, Any]:
    """The machine and the versions of what was measured; no name of the machine."""
    cpu = platform.processor() or platform.machine()
    with suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        cpu = next(
            line.partition(":")[2].strip() for line in lines if line.startswith("model name")
        )
    packages = ("crosspro", "numpy")
    return {
        "machine": {"processor": cpu, "cores": processors(), "architecture": platform.machine()},
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in packages},
    }


if __name__ == "__main__":
    main(sys.argv[1:])
