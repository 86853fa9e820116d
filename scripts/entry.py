"""The console commands: nothing is imported before an interrupt has somebody to catch it."""

from __future__ import annotations


def main() -> None:
    """Run `crosspro`; Control-C ends it without a traceback, also while modules are imported."""
    try:
        from crosspro.scripts.main import main as crosspro

        crosspro()
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def train() -> None:
    """Run `crosspro train` by its other names, `train.py` and `crosspro-train`."""
    try:
        from crosspro.scripts.train import main as train_and_score

        train_and_score()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
