"""The console commands: nothing is imported before an interrupt has somebody to catch it."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any


def main() -> None:
    """Run `crosspro`; Control-C ends it without a traceback, also while modules are imported."""
    command = " ".join(["crosspro", *sys.argv[1:2]])
    _run("crosspro.scripts.cli", command)


def train() -> None:
    """Run `crosspro train` by its other name, `crosspro-train`."""
    _run("crosspro.scripts.train", "crosspro train")


def explain_missing_package(error: ImportError, command: str) -> None:
    """End with a message where a package of the extra `train` is not installed."""
    from crosspro.data_prep.core.errors import how_to_install, printable, training_package

    package = training_package(error)
    if package is not None:
        message = f"{command}: expected the package {package}, found nothing: "
        print(printable(message) + how_to_install("train"), file=sys.stderr)
        raise SystemExit(2) from None


def _run(module: str, command: str) -> Any:
    """Run what a module does."""
    try:
        return import_module(module).main()
    except ImportError as error:
        explain_missing_package(error, command)
        raise
    except KeyboardInterrupt:
        raise SystemExit(130) from None
