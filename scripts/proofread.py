"""Find pronouns of a translation that are probably wrong."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from crosspro.data_prep.core.errors import counted, printable
from crosspro.data_prep.core.files import write_text
from crosspro.scripts.common import (
    AnyLanguage,
    App,
    DocIds,
    Html,
    Output,
    one_run,
    tell,
    write_output,
)
from crosspro.scripts.steps import counting_bar

if TYPE_CHECKING:
    from crosspro.prediction.proofread.files import Translation

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
            help="Whether each message is read alone (the default for PO and XLIFF), or with those "
            "before it of the same file (the default for TMX)."
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
        typer.Option("--format", help="Format of the output; json and jsonl have all pronouns."),
    ] = "text",
    html: Html = None,
    output: Output = None,
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
    from crosspro.prediction.proofread.bundled import model_for
    from crosspro.prediction.proofread.files import open_translation, read_text

    output = None if output == Path("-") else output
    if decisions is not None and (html or format_ != "text"):
        raise typer.BadParameter("--apply writes a translation, and no list or page")
    opened = open_translation(source, translation)
    if documents is not None and translation is not None:
        raise typer.BadParameter("--documents: only for PO, XLIFF and TMX (--doc-ids for lines)")
    model = Path(model_for(opened)) if model is None else model
    run = one_run(model)
    if decisions is not None:
        _apply(opened, run, decisions, output)
        return
    predictor = load_predictor(run, model.stem)
    languages = predictor.task.source_language, predictor.task.target_language
    by_message = None if documents is None else documents == "message"
    text = read_text(opened, languages, doc_ids, by_message)
    digest = summary(run).digest
    with counting_bar("segments", len(text.segments)) as progress:
        result = formats.proofreading(
            predictor, digest, text, threshold, any_language=any_language, progress=progress
        )
    for warning in result.warnings:
        tell(f"warning: {printable(warning)}")
    if html is not None:
        write_text(html, result.html())
    writers = {
        "text": formats.as_text,
        "json": formats.as_json,
        "jsonl": formats.as_json_lines,
        "github": formats.as_github,
    }
    write_output(writers[format_](result), output)
    for path in filter(None, (html, output)):
        tell(printable(str(path)))
    if result.doubtful:
        raise typer.Exit(1)


def _apply(opened: Translation, run: Path, decisions: Path, output: Path | None) -> None:
    """Write a translation with what was accepted on a page."""
    from crosspro.prediction.proofread.files import apply_decisions, read_decisions
    from crosspro.prediction.system import load_system

    task = load_system(run).task
    accepted = read_decisions(decisions).accepted
    changed = apply_decisions(opened, (task.source_language, task.target_language), accepted)
    write_output(changed, output)
    name = printable(str(output or opened.target.name))
    tell(f"{name}: {counted(len(accepted), 'pronoun')} changed")
