"""Add lemmas, tags and parses to tokenised text."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.annotate.corpus import FORMS, annotate_text, default_tagset
from crosspro.data_prep.annotate.files import conllu_text
from crosspro.data_prep.core.errors import choices
from crosspro.data_prep.core.files import atomic_output, read_text_lines
from crosspro.scripts.common import App, Jobs, Output
from crosspro.scripts.steps import counting_bar

app = App()


@app.command(epilog="Example: crosspro annotate corpus.fr --language fr -o corpus.fr.conllu")
def annotate(
    file: Annotated[Path, typer.Argument(help="Tokenised text, one sentence a line (.gz, .xz).")],
    language: Annotated[str, typer.Option("--language", "-l", help="Its language: fr, de, en …")],
    annotator: Annotated[str, typer.Option(help=f"{choices(FORMS)}.")] = "auto",
    jobs: Jobs = 1,
    output: Output = None,
) -> None:
    """Add lemmas, tags and parses to tokenised text.

    Writes CoNLL-U. Words are never split or joined, so word links stay valid.
    """
    total = sum(1 for _ in read_text_lines(file))
    with counting_bar("sentences", total) as progress:
        annotated = annotate_text(
            _sentences(file),
            annotator,
            language,
            default_tagset(language),
            jobs=jobs,
            progress=progress,
        )
        place = nullcontext(sys.stdout.buffer) if output is None else atomic_output(output)
        with place as handle:
            handle.writelines(conllu_text(sentence).encode() for sentence in annotated)
            handle.flush()


def _sentences(file: Path) -> Iterator[list[str]]:
    for line in read_text_lines(file):
        yield [word for word in line.rstrip("\r").split(" ") if word]
