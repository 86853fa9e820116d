"""The console commands: nothing is imported before an interrupt has somebody to catch it."""

from __future__ import annotations

from importlib import import_module


def main() -> None:
    """Run `crosspro`; Control-C ends it without a traceback, also while modules are imported."""
    _run("crosspro.scripts.main")


def train() -> None:
    """Run `crosspro train` by its other names, `train.py` and `crosspro-train`."""
    _run("crosspro.scripts.train")


def _run(module: str) -> None:
    try:
        import_module(module).main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
