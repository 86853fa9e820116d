"""Find pronouns of a translation that are probably wrong."""

from __future__ import annotations

import os
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
from crosspro.scripts.html_options import Html, ItemsFile
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import (
    DocIds,
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

app = command_app()
_STANDARD = Path("-")


class ProofreadFormat(StrEnum):
    """How doubtful pronouns are written: for people, for programs, for code review."""

    TEXT = "text"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    SARIF = "sarif"
    GITHUB = "github"


@app.command()
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
            help="The chance of being wrong from which on a pronoun is doubtful: 0.4, with --fix "
            "0.6.",
        ),
    ] = None,
    fix: Annotated[
        Path | None,
        typer.Option(metavar="MENDED", help="Also write the translation with pronouns mended."),
    ] = None,
    decisions: Annotated[
        Path | None,
        typer.Option(
            "--apply",
            metavar="DECISIONS",
            help="With --fix: what was accepted on a page, as it exports it, instead of doubts.",
        ),
    ] = None,
    format_: Annotated[
        ProofreadFormat, typer.Option("--format", help="How to write what is found.")
    ] = ProofreadFormat.TEXT,
    html: Html = None,
    items_file: ItemsFile = None,
    output: Output = None,
    every: Annotated[
        bool,
        typer.Option("--all", help="List all pronouns; json, jsonl and csv do so in any case."),
    ] = False,
) -> None:
    """Find pronouns of a translation that are probably wrong.

    Each pronoun that translates one of the source is hidden from the model, which says what it
    expects there, given both documents. The list begins with what is most probably wrong, and says
    what might stand there and why. --fix changes pronouns alone, and only where no other word
    would have to follow; the rest is suggested. --html writes a page on which a person decides,
    --items what several people judge with `crosspro protest review serve`.

    The model is known by the languages of the files (book.en book.de, or what they state), or
    given with --model. The exit code is 1 where a doubtful pronoun was found, and 0 if none was.
    """
    output = None if output == _STANDARD else output
    for option, path in (("--fix", fix), ("--html", html), ("--items", items_file), ("-o", output)):
        _check_writable(option, path)
    if decisions is not None:
        shown = html or items_file or output or every or format_ is not ProofreadFormat.TEXT
        if fix is None or shown or threshold is not None:
            raise typer.BadParameter("--apply goes with --fix MENDED, --model and --doc-ids alone")
        _apply(decisions, source, translation, model, doc_ids, fix)
        return
    found = _read(source, translation, model, doc_ids, threshold, fix is not None)
    if fix is not None and found.mending is not None:
        from crosspro.prediction.proofread.formats import write_mended

        write_mended(found.text, found.mending.edits, fix)
    if html is not None:
        from crosspro.prediction.proofread.page import proofreading_page

        write_text(html, proofreading_page(found))
    if items_file is not None:
        _write_items(items_file, found, every)
    write_output(_shown(found, format_, every, output).encode("utf-8"), output)
    for path in filter(None, (html, output)):
        _tell(str(path))
    if fix is not None and found.mending is not None:
        _tell(f"{fix}: {counted(len(found.mending.changes), 'pronoun')} changed")
    if found.doubtful:
        raise typer.Exit(1)


def _check_writable(option: str, path: Path | None) -> None:
    """Raise before anything is read if a file cannot be written."""
    if path is None or (path.exists() and not path.is_file() and not path.is_dir()):
        return  # a device or a pipe
    wrong = None
    if path == _STANDARD:
        wrong = "expected a file; the terminal has what is found"
    elif path.is_dir():
        wrong = f"expected a file, found the folder {path}"
    elif not path.parent.is_dir():
        wrong = f"no folder {path.parent}"
    elif not os.access(Path(os.path.realpath(path)).parent, os.W_OK):
        wrong = f"nothing can be written in the folder {path.parent}"
    if wrong:
        raise typer.BadParameter(f"{option}: {wrong}")


def _read(
    source: Path,
    translation: Path | None,
    model: Path | None,
    doc_ids: Path | None,
    threshold: float | None,
    mended: bool,
) -> Proofreading:
    """What the model of some files, or the one that is given, says of their pronouns."""
    from crosspro.prediction.models import summary
    from crosspro.prediction.pair_prediction import load_predictor
    from crosspro.prediction.proofread.formats import read_translation
    from crosspro.prediction.proofread.languages import model_for, named_otherwise
    from crosspro.prediction.proofread.output import DOUBTFUL, MENDED, proofreading

    given = model is not None
    model = model_for(source, translation) if model is None else model
    run_dir = one_run(model)
    predictor = load_predictor(run_dir, model.stem)
    languages = predictor.task.source_language, predictor.task.target_language
    text = read_translation(source, translation, doc_ids=doc_ids, languages=languages)
    text = replace(text, source=_named(text.source), target=_named(text.target))
    if given and (other := named_otherwise(source, translation, languages)):
        _tell(f"{text.target.name}: by their names the files are for {other}; {model} reads them")
    if threshold is None:
        threshold = MENDED if mended else DOUBTFUL
    with _progress(len(text.segments)) as progress:
        found = proofreading(predictor, summary(run_dir).digest, text, threshold, progress)
    return replace(found, mending=found.mend()) if mended else found


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
    from crosspro.prediction.proofread import annotations
    from crosspro.prediction.proofread import output as plain

    if format_ is ProofreadFormat.JSON:
        return plain.as_json(found)
    if format_ is ProofreadFormat.JSONL:
        return plain.as_json_lines(found)
    if format_ is ProofreadFormat.CSV:
        return plain.as_csv(found)
    if format_ is ProofreadFormat.SARIF:
        return annotations.as_sarif(found, every)
    if format_ is ProofreadFormat.GITHUB:
        return annotations.as_github(found, every)
    width = None if output is not None else terminal_width()
    return plain.as_text(found, every, width)


def _write_items(path: Path, found: Proofreading, every: bool) -> None:
    """Doubtful pronouns, or all, as items of a review; none are no file that could be reviewed."""
    from crosspro.evaluation.human.items import items_text
    from crosspro.prediction.proofread.review_items import review_items

    chosen = found.worst_first if every else found.doubtful
    if chosen:
        write_text(path, items_text(review_items(found, chosen)))
    _tell(f"{path}: {counted(len(chosen), 'item')}{'' if chosen else ', not written'}")


def _apply(
    decisions: Path,
    source: Path,
    translation: Path | None,
    model: Path | None,
    doc_ids: Path | None,
    fix: Path,
) -> None:
    """Write a translation as a person has decided on its page; the model is asked nothing."""
    from crosspro.prediction.proofread.decisions import read_decisions
    from crosspro.prediction.proofread.formats import read_translation, write_mended
    from crosspro.prediction.proofread.languages import model_for
    from crosspro.prediction.system import load_system

    model = model_for(source, translation) if model is None else model
    task = load_system(one_run(model)).task
    languages = task.source_language, task.target_language
    text = read_translation(source, translation, doc_ids=doc_ids, languages=languages)
    edits = read_decisions(decisions, text)
    write_mended(text, edits, fix)
    _tell(f"{fix}: {counted(len(edits), 'pronoun')} changed as {decisions} says")


def _tell(text: str) -> None:
    print(printable(text), file=sys.stderr)


if __name__ == "__main__":
    run(app)
