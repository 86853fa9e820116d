"""The console commands: Control-C and missing packages are handled while modules are imported."""

from __future__ import annotations

import sys
from importlib import import_module


def main() -> None:
    """Run `crosspro`."""
    _run("crosspro.scripts.cli", " ".join(["crosspro", *sys.argv[1:2]]))


def train() -> None:
    """Run `crosspro train` by its other name, `crosspro-train`."""
    _run("crosspro.scripts.train", "crosspro train")


def explain_missing_package(error: ImportError, command: str) -> None:
    """Exit with a message where a package of the extra `train` is not installed."""
    from crosspro.data_prep.core.errors import how_to_install, printable, training_package

    package = training_package(error)
    if package is not None:
        message = f"{command}: expected the package {package}, found nothing: "
        print(printable(message) + how_to_install("train"), file=sys.stderr)
        raise SystemExit(2) from None


def _run(module: str, command: str) -> None:
    try:
        import_module(module).main()
    except ImportError as error:
        explain_missing_package(error, command)
        raise
    except KeyboardInterrupt:
        raise SystemExit(130) from None
