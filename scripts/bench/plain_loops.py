"""What speed is compared with: the same work as a plain Python loop, without this package.

Run: python plain_loops.py score GOLD SUBMISSION, or python plain_loops.py words TEXT
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path


def score(gold: Path, submission: Path) -> float:
    """The accuracy of a submission, counted gap by gap; nothing is checked."""
    cells: Counter[tuple[str, str]] = Counter()
    with gold.open(encoding="utf-8") as ours, submission.open(encoding="utf-8") as theirs:
        for line, other in zip(ours, theirs, strict=True):
            labels, predicted = line.split("\t")[0].split(), other.split("\t")[0].split()
            cells.update(zip(labels, predicted, strict=True))
    return sum(count for (one, two), count in cells.items() if one == two) / cells.total()


def words(text: Path) -> int:
    """The number of different words and pairs of words: a dictionary is asked for each of them."""
    seen: dict[tuple[bytes, ...], int] = {}
    with text.open("rb") as lines:
        for line in lines:
            before = b"<s>"
            for word in line.split():
                for key in ((word,), (before, word)):
                    seen[key] = seen.get(key, 0) + 1
                before = word
    return len(seen)


if __name__ == "__main__":
    work, *names = sys.argv[1:]
    print((score if work == "score" else words)(*map(Path, names)))
