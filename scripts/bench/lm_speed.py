"""Speed and memory of the n-gram language model: estimation, queries, opening.

Run: python -m crosspro.scripts.bench.lm_speed TEXT [tokens]

TEXT may be .gz or .xz; several files can be given with commas between. The first `tokens` words
(5 million) train a 5-gram; what follows them, or the same text if nothing does, is scored. The
ratio is CPU seconds of `crosspro lm query` to those of a plain Python loop over pairs of its words.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from crosspro.baselines.ngram.load import load_own
from crosspro.baselines.ngram.model import NGramModel
from crosspro.baselines.ngram.text import read_sentences
from crosspro.scripts.bench import plain_loops
from crosspro.scripts.bench.measure import measure

SCORED_TOKENS = 1_000_000
STATES = 4096
NGRAMS = 10_000_000


def main() -> None:
    """Print all measurements."""
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        raise SystemExit(__doc__)
    texts = [Path(name) for name in sys.argv[1].split(",")]
    tokens = int(sys.argv[2]) if len(sys.argv) > 2 else 5_000_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        train, rest, model = folder / "train.txt", folder / "rest.txt", folder / "model"
        used, left = split(texts, tokens, train, rest)
        print(f"text: {used:,} words to train on, {left:,} others to score")
        print(f"estimation of a 5-gram, binary file included: {measure(command(train, model), 1)}")
        scored = rest if left else train
        measure_command(model, scored)
        measure_queries(load_own(model), scored)
        random_text(train, NGRAMS * 27 // 100)
        measure([*command(train, model), "--discount-fallback"], 1)
        print(f"a model of {sum(load_own(model).counts):,} n-grams")
        seconds = best(lambda: load_own(model))
        print(f"opening it: {seconds * 1000:.1f} ms")
        seconds = best(lambda: load_own(model).log10([["5", "6"]]))
        print(f"opening it and scoring a sentence, vocabulary included: {seconds * 1000:.1f} ms")


def command(text: Path, model: Path) -> list[str]:
    """How a user trains a model."""
    return [
        sys.executable,
        "-m",
        "crosspro.scripts.main",
        "lm",
        "train",
        str(text),
        "-n",
        "5",
        "-o",
        str(model),
    ]


def split(texts: Iterable[Path], tokens: int, train: Path, rest: Path) -> tuple[int, int]:
    """Write the first sentences to one file and the next ones to another; how many words each."""
    used = left = 0
    with train.open("wb") as first, rest.open("wb") as second:
        for batch in read_sentences(texts):
            for sentence in batch.sentences:
                if used < tokens:
                    used += len(sentence)
                    first.write(b" ".join(sentence) + b"\n")
                elif left < SCORED_TOKENS:
                    left += len(sentence)
                    second.write(b" ".join(sentence) + b"\n")
    return used, left


def random_text(path: Path, tokens: int) -> None:
    """A text in which hardly any n-gram comes twice."""
    generator = random.Random(1)
    with path.open("w", encoding="utf-8") as handle:
        for _ in range(tokens // 20):
            handle.write(" ".join(str(n) for n in generator.choices(range(50_000), k=20)) + "\n")


def measure_command(model: Path, text: Path) -> None:
    """The whole command, start-up and output included, beside a Python loop over the text."""
    query = [sys.executable, "-m", "crosspro.scripts.main", "lm", "query"]
    ours = measure([*query, str(model), str(text)])
    plain = measure([sys.executable, plain_loops.__file__, "words", str(text)])
    print(f"crosspro lm query: {ours}; ratio to a plain loop {ours.cpu / plain.cpu:.2f}")


def measure_queries(model: NGramModel, text: Path) -> None:
    """Tokens a second from words, from numbers, and by states."""
    sentences = [sentence for batch in read_sentences([text]) for sentence in batch.sentences]
    ids, lengths = model.encode(sentences)
    tokens = len(ids) + len(lengths)
    for title, work in {
        "numbered sentences": lambda: model.score(ids, lengths),
        "sentences of words": lambda: model.log10(sentences),
    }.items():
        print(f"batch queries, {title}: {tokens / best(work):,.0f} tokens/s")
    words = ids[:STATES]
    states = np.full(len(words), model.begin_state)
    for shift in range(4):
        states = model.advance(states, np.roll(words, shift))[1]
    seconds = best(lambda: model.advance(states, words))
    print(f"{len(words):,} states and words at once: {len(words) / seconds:,.0f} pairs/s")


def best(work: Callable[[], object], times: int = 5) -> float:
    """The shortest of some times in CPU seconds."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


if __name__ == "__main__":
    main()
