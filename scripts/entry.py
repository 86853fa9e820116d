"""The console command: nothing is imported before an interrupt has somebody to catch it."""

from __future__ import annotations


def main() -> None:
    """Run `crosspro`; Control-C ends it without a traceback, also while modules are imported."""
    try:
        from crosspro.scripts.main import main as crosspro

        crosspro()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
