"""Make shared-task files from parallel text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from crosspro.data_prep.align.align import FEW_SEGMENTS
from crosspro.data_prep.annotate.bitext import check_source, read_bitext, tokenised_bitext
from crosspro.data_prep.core.errors import counted, input_error
from crosspro.data_prep.core.files import write_text
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.gaps.extract import changed_rules
from crosspro.data_prep.gaps.segments import Counts, PronounDecision
from crosspro.data_prep.pipeline.prepare import (
    PrepareSettings,
    check_settings,
    prepare,
    write_prepared,
    write_report,
)
from crosspro.data_prep.pipeline.sheet import checked_rates, read_sheet, sheet_text
from crosspro.scripts.common import (
    App,
    DocIds,
    Jobs,
    Prior,
    TaskName,
    output_file,
    output_prefix,
    prior_file,
    show_table,
    tell,
    warn,
)
from crosspro.scripts.steps import step_display

app = App()


@app.command(
    "prepare",
    epilog="Example: crosspro prepare --task en-fr --source corpus.en --target corpus.fr -o train",
)
def prepare_command(
    task: TaskName,
    source: Annotated[
        Path, typer.Option(help="Source text, line by line, or X for X.en and X.fr.")
    ],
    output: Annotated[Path, output_prefix("--output", "-o", help="Prefix of the files to write.")],
    target: Annotated[Path | None, typer.Option(help="Target text, line by line.")] = None,
    doc_ids: DocIds = None,
    links: Annotated[Path | None, typer.Option(help="Word links s-t; else they are made.")] = None,
    prior: Prior = None,
    annotator: Annotated[
        str,
        typer.Option(help="Of the target: auto, spacy:MODEL, hanta, conllu:FILE …"),
    ] = "auto",
    source_annotator: Annotated[
        str, typer.Option(help="Of the source, for the subject filter and for null subjects.")
    ] = "auto",
    rules: Annotated[
        Literal["2015", "2016", "2017", "text"] | None,
        typer.Option(help="Rules of this year; text by default for tasks for use, else 2017."),
    ] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Change a rule that the papers leave open."),
    ] = None,
    tokenised: Annotated[
        bool | None, typer.Option(help="Whether the text is tokenised; detected by default.")
    ] = None,
    blind: Annotated[
        bool, typer.Option("--blind", help="Also write PREFIX.blind.data and its doc-ids.")
    ] = False,
    sheet: Annotated[
        Path | None, output_file("--sheet", help="Also write pronouns for people to check (TSV).")
    ] = None,
    checked: Annotated[
        Path | None, typer.Option(help="A sheet that people have filled in, to be followed.")
    ] = None,
    jobs: Jobs = 1,
    engine: Annotated[
        Literal["local", "ray"], typer.Option(help="Where shards are worked on.")
    ] = "local",
) -> None:
    """Make shared-task files from parallel text.

    Writes PREFIX.data, PREFIX.doc-ids (if documents are known) and PREFIX.report.json. The text is
    tokenised, aligned, and the target annotated; then gaps are placed by the rules of the papers.
    Finished steps are kept in PREFIX.cache, so an interrupted run goes on where it stopped. For the
    other direction exchange --source and --target and take the other task. With --sheet and
    --checked people check which pronouns are subjects and what translates them; the report has the
    error rates.
    """
    task_rules = load_task(task)
    for option, path in (("--sheet", sheet), ("--checked", checked)):
        if path is not None and task_rules.null_subjects:
            expected = "a task whose source has pronouns: null subjects have none to check"
            raise input_error("settings", option, expected, task_rules.name)
    if sheet is not None and sheet.exists():
        raise input_error(sheet, "output", "a new file, as people may have filled it in", "a file")
    prior = prior_file(prior, task_rules)
    # Tasks that leave it to links whether a word is a pronoun are those for use.
    year = rules or ("text" if task_rules.linked else "2017")
    settings = PrepareSettings(
        rules=changed_rules(year, rule or []),
        annotator=annotator,
        source_annotator=source_annotator,
        links=links,
        prior=prior,
        jobs=jobs,
        engine=engine,
    )
    check_settings(task_rules, settings)
    texts = read_bitext(
        source,
        target,
        source_language=task_rules.source_language,
        target_language=task_rules.target_language,
        doc_ids=doc_ids,
    )
    check_source(task_rules, texts, source)
    cache = output.with_name(f"{output.name}.cache")
    pronouns: list[PronounDecision] | None = [] if sheet or checked else None
    with step_display() as show_step:
        show_step("tokenising", f"{len(texts):,} segments", 0, 0)
        bitext = tokenised_bitext(task_rules, texts, tokenised)
        if len(bitext) < FEW_SEGMENTS and not (links or prior):
            lines = counted(len(bitext), "line")
            tell(f"note: {lines} are few to learn links from: give a --prior, as a bundled model")
        corrections = None if checked is None else read_sheet(checked, task_rules, bitext)
        examples, counts = prepare(
            task_rules, bitext, settings, cache, show_step, corrections, pronouns
        )
        total = write_prepared(examples, output, blind, any(bitext.documents))
    if sheet is not None:
        write_text(sheet, sheet_text(pronouns or []))
    rates = checked_rates(pronouns or [], corrections) if corrections else None
    inputs = [path for path in (source, target, doc_ids, links, prior, checked) if path]
    write_report(task_rules, total, counts, settings, year, inputs, output, rates)
    _show(task_rules, counts, total.gaps)
    warn([] if total.gaps else ["no gap was made; the table shows why"])
    lines, gaps = counted(total.segments, "line"), counted(total.gaps, "gap")
    tell(f"{output}.data: {lines}, {gaps}")


def _show(task: Task, counts: Counts, gaps: int) -> None:
    before, after = counts.before, counts.after
    rows = [
        (name, f"{before[name]:,}", f"{after[name]:,}", f"{100 * after[name] / max(gaps, 1):.1f}%")
        for name in task.classes
    ]
    print(show_table(("class", "before filter", "after", "share"), rows))
    decisions = [(name, f"{number:,}") for name, number in counts.decisions.most_common()]
    print(show_table(("decision", "pronouns"), decisions), end="")
