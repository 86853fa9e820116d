"""Learn, convert and look up gender and number of words."""

from __future__ import annotations

import sys
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.annotate.tokenise import tokenise_lines
from crosspro.data_prep.core.errors import choices
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.lexicon.induce import LANGUAGES, InductionSettings, determiners, induce
from crosspro.data_prep.lexicon.lexicon import (
    CATEGORIES,
    HEADER,
    Lexicon,
    entry_line,
    write_lexicon,
)
from crosspro.data_prep.lexicon.load import PACKAGES, load_lexicon
from crosspro.scripts.main import command_app, run

app = command_app()

Name = Annotated[str, typer.Argument(help=f"A TSV file, or {choices(PACKAGES)}.")]
TsvFile = Annotated[Path, typer.Option("--output", "-o", help="The TSV file to write.")]


@app.callback()
def lexicon() -> None:
    """Learn, convert and look up gender and number of words."""


@app.command("induce")
def induce_command(
    texts: Annotated[
        list[Path], typer.Argument(help="Text, one sentence a line, tokenised or not (.gz, .xz).")
    ],
    language: Annotated[
        str, typer.Option("--language", "-l", help=f"The language: {choices(LANGUAGES)}.")
    ],
    output: TsvFile,
    min_count: Annotated[
        int, typer.Option(min=1, help="How often a word must follow a determiner.")
    ] = 3,
    confidence: Annotated[
        float, typer.Option(min=0.5, max=1, help="Share of its determiners that must agree.")
    ] = 0.9,
) -> None:
    """Learn gender and number of nouns from text, by agreement with their determiners."""
    determiners(language)  # an unknown language is told before the text is read
    sentences = chain.from_iterable(
        tokenise_lines(read_text_lines(path), language) for path in texts
    )
    learnt = induce(sentences, language, InductionSettings(min_count, confidence))
    write_lexicon(output, learnt)
    print(f"{output}: {_counts(learnt)}", file=sys.stderr)


@app.command()
def convert(name: Name, output: TsvFile) -> None:
    """Write a lexicon as a TSV file: word, category, gender, number, count."""
    loaded = load_lexicon(name)
    write_lexicon(output, loaded)
    print(f"{output}: {_counts(loaded)}", file=sys.stderr)


@app.command()
def look_up(
    name: Name, words: Annotated[list[str], typer.Argument(help="Words, as they are written.")]
) -> None:
    """Show the readings of words; the exit status is 1 if a word has none."""
    loaded = load_lexicon(name)
    found = {word: loaded.readings(word) for word in words}
    print(HEADER)
    for entry in chain.from_iterable(found.values()):
        print(entry_line(entry))
    for word in (word for word, readings in found.items() if not readings):
        print(f"{word}: not in {name}", file=sys.stderr)
    raise typer.Exit(0 if all(found.values()) else 1)


def _counts(lexicon: Lexicon) -> str:
    counts = dict.fromkeys(CATEGORIES, 0)
    for entry in lexicon:
        counts[entry.category] += 1
    return ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)


if __name__ == "__main__":
    run(app)
