"""A system of a user's own, and the package that may register it."""

from __future__ import annotations

from pathlib import Path

CODE = '''
from crosspro.baselines.majority import Majority


class Rarest(Majority):
    """Always the rarest class that was seen."""

    name = "rarest"

    def __init__(self, least: int = 1) -> None:
        self.least = least

    def predict(self, examples):
        chances = super().predict(examples)
        chances[:, self.counts < self.least] = 1
        return (chances == chances.min(axis=1, keepdims=True)).astype(float)
'''


def write_package(folder: Path, *entries: str) -> Path:
    """A module `rare_words`, installed in a folder with these entry points."""
    (folder / "rare_words.py").write_text(CODE, "utf-8")
    if entries:
        about = folder / "rare_words-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: rare-words\nVersion: 1.0\n")
        lines = "\n".join(("[crosspro.systems]", *entries, ""))
        (about / "entry_points.txt").write_text(lines, "utf-8")
    return folder
