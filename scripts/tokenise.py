"""Tokenise text as the official files are tokenised."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from itertools import chain, islice
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.annotate.tokenise import SAMPLE, looks_tokenised, tokenise_lines
from crosspro.data_prep.core.files import atomic_output, read_text_lines
from crosspro.scripts.common import App, Output, tell

app = App()


@app.command(epilog="Example: crosspro tokenise text.fr --language fr -o text.tok.fr")
def tokenise(
    file: Annotated[Path, typer.Argument(help="Text, a segment a line (also .gz, .xz, -).")],
    language: Annotated[str, typer.Option("--language", "-l", help="en, fr, de, es, or another.")],
    output: Output = None,
) -> None:
    """Tokenise text as the official files are tokenised.

    Writes a line for each line, tokens separated by single spaces; quotation marks, apostrophes and
    dashes become ASCII. Text that looks tokenised is left alone but for its spaces. Languages other
    than en, fr, de and es have the general rules.
    """
    lines = read_text_lines(file)
    first = list(islice(lines, SAMPLE))
    tokenised = looks_tokenised(first)
    if tokenised:
        tell(f"{file}: looks tokenised already: left alone")
    sentences = tokenise_lines(chain(first, lines), language, tokenised=tokenised)
    place = nullcontext(sys.stdout.buffer) if output is None else atomic_output(output)
    with place as handle:
        handle.writelines(f"{' '.join(tokens)}\n".encode() for tokens in sentences)
        handle.flush()
