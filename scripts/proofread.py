"""Find pronouns of a translation that are probably wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from crosspro.prediction.proofread.output import Proofreading
    from crosspro.prediction.proofread.text import WrittenFile

app = App()
_STANDARD = Path("-")


class ProofreadFormat(StrEnum):
    """How doubtful pronouns are written: for people, for programs, for code review."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"
    GITHUB = "github"


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
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="The chance of being wrong from which on a pronoun is doubtful (0.4).",
        ),
    ] = None,
    decisions: Annotated[
        Path | None,
        typer.Option(
            "--apply",
            metavar="DECISIONS",
            help="Write the translation with the changes that were accepted on a page.",
        ),
    ] = None,
    format_: Annotated[
        ProofreadFormat, typer.Option("--format", help="How to write what is found.")
    ] = ProofreadFormat.TEXT,
    html: Html = None,
    output: Output = None,
    every: Annotated[
        bool,
        typer.Option("--all", help="List all pronouns; json and jsonl do so in any case."),
    ] = False,
) -> None:
    """Find pronouns of a translation that are probably wrong.

    Each pronoun that translates one of the source is hidden from the model, which says what it
    expects there, given both documents. The list begins with what is most probably wrong, and says
    what might stand there and why. --html writes a page on which a person decides; --apply writes
    these decisions into the translation (to standard output, or to the file of -o).

    The model is known by the languages of the files (book.en book.de, or what they state), or
    given with --model. The exit code is 1 where a doubtful pronoun was found, and 0 if none was.
    """
    output = None if output == _STANDARD else output
    for option, path in (("--html", html), ("-o", output)):
        if path is not None and (path.is_dir() or not path.parent.is_dir()):
            raise typer.BadParameter(f"{option}: expected a file in a folder that exists: {path}")
    if decisions is not None:
        if html or every or threshold is not None or format_ is not ProofreadFormat.TEXT:
            raise typer.BadParameter("--apply goes with -o, --model and --doc-ids alone")
        _apply(decisions, source, translation, model, doc_ids, output)
        return
    found = _read(source, translation, model, doc_ids, threshold)
    if html is not None:
        from crosspro.prediction.proofread.page import proofreading_page

        write_text(html, proofreading_page(found))
    write_output(_shown(found, format_, every, output).encode("utf-8"), output)
    for path in filter(None, (html, output)):
        _tell(str(path))
    if found.doubtful:
        raise typer.Exit(1)


def _read(
    source: Path,
    translation: Path | None,
    model: Path | None,
    doc_ids: Path | None,
    threshold: float | None,
) -> Proofreading:
    """What the model of some files, or the one that is given, says of their pronouns."""
    from crosspro.prediction.models import summary
    from crosspro.prediction.pair_prediction import load_predictor
    from crosspro.prediction.proofread.formats import read_translation
    from crosspro.prediction.proofread.languages import model_for, named_otherwise
    from crosspro.prediction.proofread.output import DOUBTFUL, proofreading

    given = model is not None
    model = model_for(source, translation) if model is None else model
    run_dir = one_run(model)
    predictor = load_predictor(run_dir, model.stem)
    languages = predictor.task.source_language, predictor.task.target_language
    text = read_translation(source, translation, doc_ids=doc_ids, languages=languages)
    text = replace(text, source=_named(text.source), target=_named(text.target))
    if given and (other := named_otherwise(source, translation, languages)):
        _tell(f"{text.target.name}: by their names the files are for {other}; {model} reads them")
    threshold = DOUBTFUL if threshold is None else threshold
    with _progress(len(text.segments)) as progress:
        return proofreading(predictor, summary(run_dir).digest, text, threshold, progress)


def _named(file: WrittenFile) -> WrittenFile:
    """A file whose name can be written."""
    return replace(file, name=as_text(file.name))


def _progress(segments: int) -> AbstractContextManager[Callable[[int], None]]:
    """What is told of newly read segments: a bar, where somebody can see it."""
    if not sys.stderr.isatty():
        return nullcontext(lambda read: None)
    from crosspro.scripts.steps import counting_bar

    return counting_bar("segments", segments)


def _shown(found: Proofreading, format_: ProofreadFormat, every: bool, output: Path | None) -> str:
    from crosspro.prediction.proofread import output as plain
    from crosspro.prediction.proofread.annotations import as_github

    if format_ is ProofreadFormat.JSON:
        return plain.as_json(found)
    if format_ is ProofreadFormat.JSONL:
        return plain.as_json_lines(found)
    if format_ is ProofreadFormat.GITHUB:
        return as_github(found, every)
    width = None if output is not None else terminal_width()
    return plain.as_text(found, every, width)


def _apply(
    decisions: Path,
    source: Path,
    translation: Path | None,
    model: Path | None,
    doc_ids: Path | None,
    output: Path | None,
) -> None:
    """Write a translation as a person has decided on its page; the model predicts nothing."""
    from crosspro.prediction.proofread.decisions import read_decisions
    from crosspro.prediction.proofread.formats import mended, read_translation
    from crosspro.prediction.proofread.languages import model_for
    from crosspro.prediction.system import load_system

    model = model_for(source, translation) if model is None else model
    task = load_system(one_run(model)).task
    languages = task.source_language, task.target_language
    text = read_translation(source, translation, doc_ids=doc_ids, languages=languages)
    edits = read_decisions(decisions, text)
    write_output(mended(text, edits), output)
    _tell(f"{output or text.target.name}: {counted(len(edits), 'pronoun')} changed")


def _tell(text: str) -> None:
    print(printable(text), file=sys.stderr)
