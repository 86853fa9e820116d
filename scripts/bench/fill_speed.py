"""Lines per second of gap filling, by the number of gaps, on a trained model.

Run: python -m crosspro.scripts.bench.fill_speed MODEL FILE [--task en-fr] [--lines 2000]
Lines of more than twenty words are used, with gaps at random places at least four words apart.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path

from crosspro.baselines.fill import GapFiller, task_fillers
from crosspro.baselines.fill_released import released_fillings
from crosspro.baselines.ngram.load import load_model
from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.shared_task import is_placeholder, placeholder, read_examples

APART = 4


def with_gaps(example: Example, number: int, chooser: random.Random) -> Example:
    """The example with this many gaps, four or more words apart as subject pronouns are."""
    target = [token for token in example.target if not is_placeholder(token)]
    room = len(target) - (APART - 1) * (number - 1)
    first = sorted(chooser.sample(range(room), number))
    places = [place + (APART - 1) * order for order, place in enumerate(first)]
    for place in places:
        target[place] = placeholder(0)
    gaps = tuple(Gap(place, 0) for place in places)
    return Example(example.source, tuple(target), (), gaps, None, example.tagged)


def main() -> None:
    """Print exact and legacy speed for one to four gaps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--task", default="en-fr")
    parser.add_argument("--lines", type=int, default=2000)
    options = parser.parse_args()
    task = load_task(options.task)
    model = load_model(options.model)
    fillers = task_fillers(task)
    chooser = random.Random(1)
    examples = [e for e in read_examples(options.file, task, lenient=True) if len(e.target) > 20]
    for number in (1, 2, 3, 4):
        chosen = [with_gaps(e, number, chooser) for e in examples[: options.lines]]
        filler = GapFiller(model, fillers, -1.0)
        start = time.perf_counter()
        filler.fill(chosen)
        exact = len(chosen) / (time.perf_counter() - start)
        few = chosen[:20]
        start = time.perf_counter()
        for example in few:
            released_fillings(model, fillers, -1.0, example)
        legacy = len(few) / (time.perf_counter() - start)
        print(
            f"{number} gaps: {exact:,.0f} lines/s exact, {legacy:,.0f} lines/s legacy", flush=True
        )


if __name__ == "__main__":
    main()
