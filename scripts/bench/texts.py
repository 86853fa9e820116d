"""Text for cases: made-up files of examples, and folders of MT output from given text."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.shared_task import placeholder
from crosspro.data_prep.sample import sample_path

_WORDS = re.compile(r"\w+['’]|\w+(?:-\w+)*|[^\w\s]")
_NEWS = ("pronoun-test.tok.en", "pronoun-test.tok.fr", "mt-output.fr",
         "pronoun-test.tok.en-fr.alig", "mt-output.en-fr.alig")  # fmt: skip
"""Source, reference, output, and the links of both."""
_DOCUMENT = 25
_FEW, _SOME = 0.02, 0.03
"""The share of words that are replaced: in each repetition, more in each further system."""


def split(path: Path) -> Path:
    """Part the words of a text, as aligners want them."""
    parted = (" ".join(_WORDS.findall(line)) for line in read_text_lines(path))
    return _write(path.with_name(f"{path.name}.split"), parted)


def write_large(path: Path, lines: int, seed: int = 1, predicted: bool = False) -> Path:
    """A five-column en-fr file of about 480 bytes a line, 0 to 3 gaps; or a submission for it."""
    task = load_task("en-fr")
    labels, text, guesses = (
        random.Random(f"{what} {seed}") for what in ("labels", "text", "guesses")
    )
    vocabulary = [f"m{'éaoui'[n % 5]}t{n:x}" for n in range(20_000)]
    templates = [_template(text, vocabulary) for _ in range(2000)]
    with path.open("w", encoding="utf-8", newline="\n") as handle:
        for _ in range(lines):
            gaps, body = templates[text.randrange(len(templates))]
            gold = [labels.choice(task.classes) for _ in range(gaps)]
            if predicted:
                gold = [c if guesses.random() < 0.6 else guesses.choice(task.classes) for c in gold]
            handle.write(f"{' '.join(gold)}\t{' '.join(gold)}\t{body}\n")
    return path


def _template(text: random.Random, vocabulary: list[str]) -> tuple[int, str]:
    length = text.randint(12, 30)
    source = text.choices(vocabulary, k=length)
    target = [f"{word}|NOM" for word in text.choices(vocabulary, k=length)]
    gaps = text.choices((0, 1, 2, 3), (40, 35, 15, 10))[0]
    for position in text.sample(range(length), gaps):
        target[position] = placeholder(position)
    links = " ".join(f"{position}-{position}" for position in range(length))
    return gaps, f"{' '.join(source)}\t{' '.join(target)}\t{links}"


def write_outputs(folder: Path, corpora: Path | None, segments: int, systems: int) -> Path:
    """A folder as `crosspro report` reads it, of news or of the sample.

    The text is repeated; in each system and in each repetition some words are replaced by others
    of the text, so that lines differ.
    """
    source, reference, output, links_reference, links_output = _real_text(corpora)
    generator = random.Random(1)
    (folder / "outputs").mkdir(parents=True)

    def write(name: str, lines: Sequence[str], replaced: float = 0) -> None:
        words = [word for line in lines for word in line.split()] if replaced else []
        repeated = (lines[number % len(lines)] for number in range(segments))
        changed = (_changed(line, words, replaced, generator) for line in repeated)
        _write(folder / name, changed if replaced else repeated)

    write("source.en", source, _FEW)
    write("reference.fr", reference, _FEW)
    write("reference.links", links_reference)
    _write(folder / "doc-ids", (f"d{number // _DOCUMENT}" for number in range(segments)))
    for number in range(systems):
        write(f"outputs/system{number + 1}.fr", output, _FEW + number * _SOME)
        write(f"outputs/system{number + 1}.links", links_output)
    return folder


def _real_text(corpora: Path | None) -> list[list[str]]:
    """The lines of source, reference and output, and the links of both."""
    if corpora:
        read = [list(read_text_lines(corpora / "news_mt" / f"{name}.xz")) for name in _NEWS]
        return [lines[: len(read[0])] for lines in read]  # GIZA++ writes a blank line at the end
    source, reference = (
        list(read_text_lines(sample_path(f"sample.{language}"))) for language in ("en", "fr")
    )
    links = [_diagonal(*pair) for pair in zip(source, reference, strict=True)]
    return [source, reference, reference, links, links]


def _diagonal(source: str, target: str) -> str:
    sizes = len(source.split()), len(target.split())
    return " ".join(f"{place}-{place * sizes[1] // sizes[0]}" for place in range(sizes[0]))


def _changed(line: str, words: Sequence[str], share: float, generator: random.Random) -> str:
    return " ".join(
        generator.choice(words) if generator.random() < share else word for word in line.split()
    )


def _write(path: Path, lines: Iterable[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path
