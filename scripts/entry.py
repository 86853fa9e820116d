"""The console commands: nothing is imported before an interrupt has somebody to catch it."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any


def main() -> None:
    """Run `crosspro`; Control-C ends it without a traceback, also while modules are imported."""
    command = " ".join(["crosspro", *sys.argv[1:2]])
    if not _run("crosspro.scripts.overview", command):
        _run("crosspro.scripts.main", command)


def train() -> None:
    """Run `crosspro train` by its other names, `train.py` and `crosspro-train`."""
    _run("crosspro.scripts.train", "crosspro train")


def _run(module: str, command: str) -> Any:
    """Run what a module does; a command that needs the extra `train` says so where it is not."""
    try:
        return import_module(module).main()
    except ImportError as error:
        from crosspro.data_prep.core.errors import how_to_install, printable, training_package

        package = training_package(error)
        if package is None:
            raise
        told = f"{command}: expected the package {package}, found nothing: "
        print(printable(told) + how_to_install("train"), file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None
