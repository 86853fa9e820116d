"""Speed and memory of the two CRF systems on 100,000 examples.

Run: python -m crosspro.scripts.bench.crf_speed [examples] [system …]

The systems are those of conf/system, with all their features. The text is random, with the
proportions of the shared-task data (25 target tokens a line); every line has a gap, and a parse of
its source with tags. Prints CPU seconds (of all processes), wall-clock seconds and gaps a second of
training and prediction.
"""

from __future__ import annotations

import random
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from crosspro.baselines.cap_crf import CapCRF
from crosspro.baselines.uedin_crf import UedinCRF
from crosspro.data_prep.core.example import AnnotatedSentence, Example, Gap, Token
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.shared_task import placeholder
from crosspro.prediction.system import System
from crosspro.scripts.bench.feature_speed import processor_seconds, settings_of

WORDS, LONGEST = 30_000, 35
TAGS = ("NOM", "VER", "DET", "PRP", "ADJ", "ADV", "PUN", "PRO", "KON")
PRONOUNS = ("it", "they")
SYSTEMS: dict[str, type[System]] = {"cap_crf": CapCRF, "uedin_crf": UedinCRF}


def main() -> None:
    """Print all measurements."""
    sizes = [int(word) for word in sys.argv[1:] if word.isdigit()]
    names = [word for word in sys.argv[1:] if not word.isdigit()] or list(SYSTEMS)
    if not set(names) <= set(SYSTEMS):
        raise SystemExit(__doc__)
    examples = make_examples(sizes[0] if sizes else 100_000)
    tokens = sum(len(example.target) for example in examples)
    print(f"{len(examples):,} examples, {tokens:,} target tokens")
    for name in names:
        system = SYSTEMS[name](**settings_of(name))
        work = partial(system.fit, load_task("en-fr"), examples, examples[:2000])
        _timed(f"{name}: training", len(examples), work)
        if system.report is not None:
            print(f"{name}: {system.report.told()}")
        _timed(f"{name}: prediction", len(examples), partial(system.predict, examples))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory, the examples included: {peak:,.0f} MB")


def make_examples(number: int) -> list[Example]:
    """Documents of twenty lines, each with a gap; few words are frequent, as in any text."""
    task = load_task("en-fr")
    generator = random.Random(1)
    words = [f"w{rank:x}" for rank in range(WORDS)]
    weights = [1 / (rank + 10) for rank in range(WORDS)]
    drawn = iter(generator.choices(words, weights, k=2 * LONGEST * number))
    examples = []
    for line in range(number):
        size = generator.randint(15, LONGEST)
        source = [next(drawn) for _ in range(size)]
        target = [f"{word}|{tag_of(word)}" for word in (next(drawn) for _ in range(size))]
        place, pronoun = generator.randrange(size), generator.randrange(size)
        source[pronoun] = generator.choice(PRONOUNS)
        target[place] = placeholder(pronoun)
        gap = Gap(place, pronoun, generator.choice(task.classes))
        links = tuple((n, n) for n in range(size))
        parse = AnnotatedSentence(tuple(Token(word, word, tag_of(word)) for word in source))
        line_of_text = Example(tuple(source), tuple(target), links, (gap,), f"d{line // 20}")
        examples.append(replace(line_of_text, source_parse=parse))
    return examples


def tag_of(word: str) -> str:
    """The tag of a word, always the same."""
    return "PRO" if word in PRONOUNS else TAGS[int(word[1:], 16) % len(TAGS)]


def _timed(title: str, gaps: int, work: Callable[[], object]) -> None:
    wall, cpu = time.perf_counter(), processor_seconds()
    work()
    wall, cpu = time.perf_counter() - wall, processor_seconds() - cpu
    print(
        f"{title}: {cpu:.1f} CPU s, {wall:.1f} s, {gaps / cpu:,.0f} gaps a CPU second", flush=True
    )


if __name__ == "__main__":
    main()
