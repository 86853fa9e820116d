"""A folder as `crosspro report` reads it, from the golden files of the metrics."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from crosspro.evaluation.metrics.pronoun_doubt.metric import ProofreadPronoun
from tests.conftest import GOLDEN

APT = GOLDEN / "apt"


def make_folder(folder: Path) -> Path:
    """Fifteen lines in three documents, two systems with links."""
    files = {
        "source.en": APT / "src.en",
        "reference.fr": APT / "ref.fr",
        "reference.links": APT / "ref.align",
        "outputs/mt.fr": APT / "mt.fr",
        "outputs/mt.links": APT / "mt.align",
        "outputs/people.fr": APT / "ref.fr",
        "outputs/people.links": APT / "ref.align",
    }
    for name, path in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, folder / name)
    ids = "".join(f"d{number // 5}\n" for number in range(15))
    (folder / "doc-ids").write_text(ids, "utf-8")
    return folder


@dataclass(frozen=True)
class WordJudge:
    """Takes each `il` for wrong with a chance, and says how many documents it was given."""

    chance: float = 0.5

    @property
    def described(self):
        """As a model would be described."""
        return ("model:test.0",)

    def judged(self, source, target, documents, progress=lambda lines: None):
        """Every word that is `il`, of lines that have a source."""
        progress(len(target))
        return tuple(
            ProofreadPronoun(line, word, f"it-{len(set(documents or ['']))}", self.chance, "elle")
            for line, text in enumerate(target)
            for word in text.split()
            if word.lower() == "il" and source[line]
        )


def word_judge(source, target):
    """The judge of the only pair that it knows."""
    return WordJudge() if (source, target) == ("en", "fr") else None
