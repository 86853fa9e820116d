"""Text for cases: words of a text apart, examples with a submission, folders of MT output."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from itertools import cycle, islice
from pathlib import Path

from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_examples
from crosspro.scripts.bench.table import BenchOptions

TASK = "en-fr"
"""Of the examples."""
_DOCUMENT, _MADE = 8, 10_000
"""The fewest lines of a document of the demo corpus, and of how many lines it is made."""
_NEWS = "news_mt/"
_WORDS = re.compile(r"\w+['’]|\w+(?:-\w+)*|[^\w\s]")
_WRONG = 3
"""One line in so many has a wrong label."""
_REPLACED = 0.05
"""The share of words that are replaced in a system's output, so that repeated lines differ."""


def split(path: Path) -> Path:
    """Part the words of a text, as aligners want them."""
    parted = (" ".join(_WORDS.findall(line)) for line in read_text_lines(path))
    return _write(path.with_name(f"{path.name}.split"), parted)


def examples(size: int, path: Path, part: str = "train") -> Path:
    """Write lines of the demo corpus, in five columns; there are some, which are repeated."""
    made = demo_examples(load_task(TASK), part, min(size, _MADE) // _DOCUMENT + 1)
    write_examples(path, made[:size])
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(islice(cycle(lines), size)))
    return path


def submission(gold: Path, path: Path) -> Path:
    """Write what a system might predict for a file."""

    def predicted() -> Iterator[str]:
        for number, line in enumerate(read_text_lines(gold)):
            labels, tab, rest = line.partition("\t")
            wrong = labels and number % _WRONG == 0
            yield f"{' '.join(['OTHER', *labels.split()[1:]]) if wrong else labels}{tab}{rest}"

    return _write(path, predicted())


def outputs(given: BenchOptions, size: int, folder: Path, systems: int) -> Path:
    """A folder as `crosspro report` reads it, of news or of the sample."""
    (folder / "outputs").mkdir(parents=True)
    given.text(f"{_NEWS}pronoun-test.tok.en.xz", size, folder / "source.en")
    reference = given.text(f"{_NEWS}pronoun-test.tok.fr.xz", size, folder / "reference.fr")
    lines = [line.split() for line in read_text_lines(reference)]
    words = [word for line in lines for word in line]
    generator = random.Random(1)
    for number in range(systems):
        changed = (" ".join(_changed(line, words, generator)) for line in lines)
        _write(folder / "outputs" / f"system{number}.fr", changed)
    return folder


def _changed(line: list[str], words: list[str], generator: random.Random) -> Iterator[str]:
    for word in line:
        yield generator.choice(words) if generator.random() < _REPLACED else word


def _write(path: Path, lines: Iterable[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path
