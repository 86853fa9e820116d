"""Find pronouns of a translation that are probably wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from operator import contains
from pathlib import Path
from typing import Annotated, Literal

import typer

from crosspro.data_prep.core.errors import counted, printable
from crosspro.data_prep.core.files import write_text
from crosspro.scripts.common import (
    AnyLanguage,
    App,
    DocIds,
    Html,
    Output,
    as_text,
    one_run,
    tell,
    terminal_width,
    write_output,
)

app = App()


@app.command(epilog="Example: crosspro proofread book.en book.de --html page.html")
def proofread(
    source: Annotated[
        Path,
        typer.Argument(help="Source text (lines, .srt, .vtt), or both in one (.po, .xliff, .tmx)."),
    ],
    translation: Annotated[
        Path | None, typer.Argument(help="Its translation, where that is another file.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="A bundled model (en-fr), an archive, or a run.")
    ] = None,
    doc_ids: DocIds = None,
    documents: Annotated[
        Literal["message", "file"] | None,
        typer.Option(
            help="Whether each message is read alone (the default for PO), or with those before "
            "it of the same file (the default for XLIFF and TMX)."
        ),
    ] = None,
    any_language: AnyLanguage = False,
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
        Literal["text", "json", "jsonl", "github"],
        typer.Option("--format", help="Format of the output."),
    ] = "text",
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
    from crosspro.prediction.proofread.bundled import model_for, stated_languages
    from crosspro.prediction.proofread.files import (
        apply_decisions,
        open_translation,
        read_decisions,
        read_text,
    )
    from crosspro.prediction.system import load_system

    output = None if output == Path("-") else output
    if decisions is not None and (html or every or format_ != "text"):
        raise typer.BadParameter("--apply writes a translation, and no list or page")
    opened = open_translation(source, translation)
    if documents is not None and translation is not None:
        raise typer.BadParameter("--documents: only for PO, XLIFF and TMX (--doc-ids for lines)")
    model = Path(model_for(opened)) if model is None else model
    run = one_run(model)
    if decisions is not None:
        task = load_system(run).task
        accepted = read_decisions(decisions).accepted
        text = read_text(opened, (task.source_language, task.target_language), doc_ids)
        write_output(apply_decisions(text, accepted), output)
        _tell(f"{output or opened.target.name}: {counted(len(accepted), 'pronoun')} changed")
        return
    predictor = load_predictor(run, model.stem)
    languages = predictor.task.source_language, predictor.task.target_language
    by_message = None if documents is None else documents == "message"
    segments = read_text(opened, languages, doc_ids, by_message).text
    names = as_text(segments.source_name), as_text(segments.target_name)
    segments = replace(segments, source_name=names[0], target_name=names[1])
    with _progress(len(segments.segments)) as progress:
        result = formats.proofreading(
            predictor,
            summary(run).digest,
            segments,
            threshold,
            any_language=any_language,
            progress=progress,
        )
    for warning in result.warnings:
        _tell(f"warning: {warning}")
    stated = stated_languages(opened)
    if all(stated) and not all(map(contains, stated, languages)):
        pair = " and ".join(", ".join(sorted(side)) for side in stated)
        _tell(f"warning: {segments.target_name}: files in {pair}, read by {model}")
    if html is not None:
        write_text(html, result.html())
    if format_ == "json":
        report = formats.as_json(result)
    elif format_ == "jsonl":
        report = formats.as_json_lines(result)
    elif format_ == "github":
        report = formats.as_github(result, every)
    else:
        report = formats.as_text(result, every, None if output else terminal_width())
    write_output(report, output)
    for path in filter(None, (html, output)):
        _tell(str(path))
    if result.doubtful:
        raise typer.Exit(1)


def _progress(segments: int) -> AbstractContextManager[Callable[[int], None]]:
    """A bar on a terminal."""
    if not sys.stderr.isatty():
        return nullcontext(lambda count: None)
    from crosspro.scripts.steps import counting_bar

    return counting_bar("segments", segments)


def _tell(text: str) -> None:
    tell(printable(text))
