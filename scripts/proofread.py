"""Find pronouns of a translation that are probably wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from enum import StrEnum
from operator import contains
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.core.errors import counted, printable
from crosspro.data_prep.core.files import write_text
from crosspro.scripts.common import (
    App,
    DocIds,
    Html,
    Model,
    Output,
    as_text,
    one_run,
    terminal_width,
    write_output,
)

app = App()
_STANDARD = Path("-")


class ProofreadFormat(StrEnum):
    """How doubtful pronouns are written."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"
    GITHUB = "github"


class Documents(StrEnum):
    """What is context for a pronoun in a PO, XLIFF or TMX file."""

    MESSAGE = "message"
    FILE = "file"


@app.command(epilog="Example: crosspro proofread book.en book.de --html page.html")
def proofread(
    source: Annotated[
        Path,
        typer.Argument(help="Source text (lines, .srt, .vtt), or both in one (.po, .xliff, .tmx)."),
    ],
    translation: Annotated[
        Path | None, typer.Argument(help="Its translation, where that is another file.")
    ] = None,
    model: Model = None,
    doc_ids: DocIds = None,
    documents: Annotated[
        Documents | None,
        typer.Option(
            help="Whether each message is read alone (the default for PO), or with those before "
            "it of the same file (the default for XLIFF and TMX)."
        ),
    ] = None,
    any_language: Annotated[
        bool, typer.Option("--any-language", help="Accept text that looks like another language.")
    ] = False,
    threshold: Annotated[
        float,
        typer.Option(min=0, max=1, help="The least chance of being wrong of a doubtful pronoun."),
    ] = 0.4,
    decisions: Annotated[
        Path | None,
        typer.Option(
            "--apply",
            metavar="DECISIONS",
            help="Write the translation with the changes that were accepted on a page.",
        ),
    ] = None,
    format_: Annotated[
        ProofreadFormat, typer.Option("--format", help="Format of the output.")
    ] = ProofreadFormat.TEXT,
    html: Html = None,
    output: Output = None,
    every: Annotated[
        bool, typer.Option("--all", help="List all pronouns; json and jsonl always do.")
    ] = False,
) -> None:
    """Find pronouns of a translation that are probably wrong.

    Each pronoun that translates one of the source is hidden, and a model predicts it from both
    documents. The list begins with the pronoun that is most probably wrong, and says what might
    stand there and why. --html writes a page on which a person decides; --apply writes these
    decisions into the translation (to standard output, or to the file of -o).

    The languages of the files choose the model (book.en book.de, or what they state), or --model
    names it. The exit code is 1 where a doubtful pronoun was found, and 0 if none was.
    """
    from crosspro.prediction.models import summary
    from crosspro.prediction.pair_prediction import load_predictor
    from crosspro.prediction.proofread import output as formats
    from crosspro.prediction.proofread.files import (
        apply_decisions,
        open_translation,
        read_decisions,
        read_text,
    )
    from crosspro.prediction.proofread.languages import model_for, stated_languages
    from crosspro.prediction.system import load_system

    output = None if output == _STANDARD else output
    if decisions is not None and (html or every or format_ is not ProofreadFormat.TEXT):
        raise typer.BadParameter("--apply writes a translation, and no list or page")
    opened = open_translation(source, translation)
    if documents is not None and translation is not None:
        raise typer.BadParameter("--documents: only for PO, XLIFF and TMX (--doc-ids for lines)")
    by_message = None if documents is None else documents is Documents.MESSAGE
    model = Path(model_for(opened)) if model is None else model
    run = one_run(model)
    if decisions is not None:
        task = load_system(run).task
        languages = task.source_language, task.target_language
        accepted = read_decisions(decisions).accepted
        write_output(apply_decisions(read_text(opened, languages, doc_ids), accepted), output)
        _tell(f"{output or opened.target.name}: {counted(len(accepted), 'pronoun')} changed")
        return
    predictor = load_predictor(run, model.stem)
    languages = predictor.task.source_language, predictor.task.target_language
    text = read_text(opened, languages, doc_ids, by_message).text
    text = replace(
        text, source_name=as_text(text.source_name), target_name=as_text(text.target_name)
    )
    with _progress(len(text.segments)) as progress:
        result = formats.proofreading(
            predictor,
            summary(run).digest,
            text,
            threshold,
            any_language=any_language,
            progress=progress,
        )
    for warning in result.warnings:
        _tell(f"warning: {warning}")
    stated = stated_languages(opened)
    if all(stated) and not all(map(contains, stated, languages)):
        named = " and ".join(", ".join(sorted(side)) for side in stated)
        _tell(f"warning: {text.target_name}: files in {named}, read by {model}")
    if html is not None:
        write_text(html, result.html())
    if format_ is ProofreadFormat.JSON:
        written = formats.as_json(result)
    elif format_ is ProofreadFormat.JSONL:
        written = formats.as_json_lines(result)
    elif format_ is ProofreadFormat.GITHUB:
        written = formats.as_github(result, every)
    else:
        width = None if output is not None else terminal_width()
        written = formats.as_text(result, every, width)
    write_output(written.encode("utf-8"), output)
    for path in filter(None, (html, output)):
        _tell(str(path))
    if result.doubtful:
        raise typer.Exit(1)


def _progress(segments: int) -> AbstractContextManager[Callable[[int], None]]:
    """A bar on a terminal."""
    if not sys.stderr.isatty():
        return nullcontext(lambda read: None)
    from crosspro.scripts.steps import counting_bar

    return counting_bar("segments", segments)


def _tell(text: str) -> None:
    print(printable(text), file=sys.stderr)
