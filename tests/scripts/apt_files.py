"""The files of tests/golden/apt as options of `crosspro apt` and `crosspro autoprf`."""

from __future__ import annotations

from tests.conftest import GOLDEN

APT = GOLDEN / "apt"
FILES = {
    "source": APT / "src.en",
    "reference": APT / "ref.fr",
    "candidate": APT / "mt.fr",
    "links": APT / "ref.align",
    "candidate-links": APT / "mt.align",
}


def options(**changes):
    found = []
    for name, value in (FILES | {key.replace("_", "-"): v for key, v in changes.items()}).items():
        found += [] if value is None else [f"--{name}", value]
    return found
