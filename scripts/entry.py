"""The console command: Control-C and missing packages are handled while modules are imported."""

from __future__ import annotations

import sys


def main() -> None:
    """Run `crosspro`."""
    try:
        from crosspro.scripts.cli import main

        main()
    except ImportError as error:
        explain_missing_package(error, " ".join(["crosspro", *sys.argv[1:2]]))
        raise
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def explain_missing_package(error: ImportError, command: str) -> None:
    """Exit with a message where a package of the extra `train` is not installed."""
    from crosspro.data_prep.core.errors import how_to_install, printable, training_package

    package = training_package(error)
    if package is not None:
        message = f"{command}: expected the package {package}, found nothing: "
        print(printable(message) + how_to_install("train"), file=sys.stderr)
        raise SystemExit(2) from None
