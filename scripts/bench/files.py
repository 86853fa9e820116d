"""Large shared-task files for benchmarks: random text with the proportions of the real data."""

from __future__ import annotations

import random
from pathlib import Path

from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.shared_task import placeholder


def write_large(path: Path, lines: int, seed: int = 1, predicted: bool = False) -> None:
    """A five-column en-fr file of about 480 bytes a line, 0 to 3 gaps; or a submission for it."""
    task = load_task("en-fr")
    labels = random.Random(f"labels {seed}")
    text = random.Random(f"text {seed}")
    vocabulary = [f"m{'éaoui'[n % 5]}t{n:x}" for n in range(20_000)]
    guesses = random.Random(f"guesses {seed}")
    templates = [_template(text, vocabulary) for _ in range(2000)]
    with path.open("w", encoding="utf-8", newline="\n") as handle:
        for _ in range(lines):
            gaps, body = templates[text.randrange(len(templates))]
            gold = [labels.choice(task.classes) for _ in range(gaps)]
            if predicted:
                gold = [c if guesses.random() < 0.6 else guesses.choice(task.classes) for c in gold]
            handle.write(f"{' '.join(gold)}\t{' '.join(gold)}\t{body}\n")


def _template(text: random.Random, vocabulary: list[str]) -> tuple[int, str]:
    length = text.randint(12, 30)
    source = text.choices(vocabulary, k=length)
    target = [f"{word}|NOM" for word in text.choices(vocabulary, k=length)]
    gaps = text.choices((0, 1, 2, 3), (40, 35, 15, 10))[0]
    for position in text.sample(range(length), gaps):
        target[position] = placeholder(position)
    links = " ".join(f"{position}-{position}" for position in range(length))
    return gaps, f"{' '.join(source)}\t{' '.join(target)}\t{links}"
