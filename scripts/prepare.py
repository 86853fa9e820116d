"""Make shared-task files from parallel text."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from crosspro import __version__
from crosspro.data_prep.align.backends import default_settings
from crosspro.data_prep.annotate.tokenise import tokenise_lines
from crosspro.data_prep.bitext.read import read_bitext
from crosspro.data_prep.bitext.segment import Segment
from crosspro.data_prep.cache import Cache, file_digest
from crosspro.data_prep.errors import choices, input_error
from crosspro.data_prep.example import Example
from crosspro.data_prep.formats.shared_task import format_example
from crosspro.data_prep.formats.textfile import atomic_output, write_text
from crosspro.data_prep.gaps.extract import RULES, GapRules
from crosspro.data_prep.prepare import (
    Counts,
    PrepareSettings,
    Step,
    TokenisedSegment,
    check_annotators,
    prepare,
)
from crosspro.data_prep.sets.statistics import data_statistics
from crosspro.data_prep.task import Task, load_task
from crosspro.evaluation.layout.tables import text_table
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import DocIds, TaskName


class Year(StrEnum):
    """Whose rules are followed."""

    Y2015 = "2015"
    Y2016 = "2016"
    Y2017 = "2017"


class Engine(StrEnum):
    """Where shards are worked on."""

    LOCAL = "local"
    RAY = "ray"


app = command_app()


@app.command("prepare")
def prepare_command(
    task: TaskName,
    source: Annotated[
        Path, typer.Option(help="Source text, or both sides (TMX, .po), or X for X.en and X.fr.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Prefix of the files to write.")],
    target: Annotated[Path | None, typer.Option(help="Target text, line by line.")] = None,
    doc_ids: DocIds = None,
    links: Annotated[Path | None, typer.Option(help="Word links s-t; else they are made.")] = None,
    annotator: Annotated[
        str,
        typer.Option(help="Of the target: auto, spacy:MODEL, hanta, conllu:FILE, tokens:FILE …"),
    ] = "auto",
    source_annotator: Annotated[
        str, typer.Option(help="Of the source, for the subject filter and for null subjects.")
    ] = "auto",
    source_parse: Annotated[
        Path | None, typer.Option(help="A parse of the source (CoNLL-U).")
    ] = None,
    aligner: Annotated[str, typer.Option(help="own or eflomal.")] = "own",
    rules: Annotated[Year, typer.Option(help="Rules of this year.")] = Year.Y2017,
    rule: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Change a rule that the papers leave open."),
    ] = None,
    text_format: Annotated[
        str | None, typer.Option("--format", help="plain, iwslt, train-tags, tmx, po or mo.")
    ] = None,
    tokenised: Annotated[
        bool | None, typer.Option(help="Whether the text is tokenised; found out if not said.")
    ] = None,
    blind: Annotated[bool, typer.Option("--blind", help="Also write PREFIX.blind.data.")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    engine: Annotated[Engine, typer.Option(help="Where shards are worked on.")] = Engine.LOCAL,
    cache: Annotated[
        Path | None, typer.Option(help="Folder of finished steps; PREFIX.cache by default.")
    ] = None,
) -> None:
    """Make shared-task files from parallel text.

    Writes PREFIX.data, PREFIX.doc-ids and PREFIX.report.json. The text is tokenised, aligned, and
    the target annotated; then gaps are placed by the rules of the papers. Finished steps are kept
    in a cache, so an interrupted run goes on where it stopped. For the other direction exchange
    --source and --target and take the other task.
    """
    task_rules = load_task(task)
    settings = PrepareSettings(
        rules=_rules(rules, rule or []),
        aligner=replace(default_settings(task_rules), aligner=aligner),
        annotator=annotator,
        source_annotator=f"conllu:{source_parse}" if source_parse else source_annotator,
        links=links,
        jobs=jobs,
        engine=engine.value,
    )
    settings.aligner.check()
    check_annotators(task_rules, settings)
    texts = list(
        read_bitext(
            source,
            target,
            source_language=task_rules.source_language,
            target_language=task_rules.target_language,
            doc_ids=doc_ids,
            format=text_format,
        )
    )
    segments = _tokenised(task_rules, texts, tokenised)
    console = Console(stderr=True)

    def report(step: Step) -> None:
        console.print(f"{step.name}: {step.detail}", highlight=False, markup=False)

    folder = cache or output.with_name(f"{output.name}.cache")
    examples, counts = prepare(task_rules, segments, settings, Cache(folder), report)
    written = _write(examples, output, blind)
    inputs = {str(p): file_digest(p) for p in (source, target, doc_ids, links) if p and p.is_file()}
    _report(task_rules, written, counts, settings, rules.value, inputs, output)


def _rules(year: Year, changes: list[str]) -> GapRules:
    """The rules of a year with changes NAME=VALUE."""
    values = asdict(RULES[year.value])
    for change in changes:
        name, _, text = change.partition("=")
        if name not in values:
            raise input_error("settings", "--rule", choices(values), name)
        yes_or_no = not isinstance(values[name], str)
        if yes_or_no:
            allowed: tuple[str, ...] = ("true", "false")
        else:
            allowed = (
                ("left", "right") if name != "neighbour_link" else ("nearest", "left", "right")
            )
        if text not in allowed:
            raise input_error("settings", f"--rule {name}", choices(allowed), repr(text))
        values[name] = text == "true" if yes_or_no else text
    return GapRules(**values)


def _tokenised(task: Task, texts: list[Segment], tokenised: bool | None) -> list[TokenisedSegment]:
    sides = [
        tokenise_lines(
            [segment.source for segment in texts], task.source_language, tokenised=tokenised
        ),
        tokenise_lines(
            [segment.target for segment in texts], task.target_language, tokenised=tokenised
        ),
    ]
    return [
        TokenisedSegment(tuple(source), tuple(target), segment.document)
        for source, target, segment in zip(*sides, texts, strict=True)
    ]


def _write(examples: Iterator[Example], output: Path, blind: bool) -> list[Example]:
    """Write all files at once, so that either all or none of them appear."""
    kept = []
    data = output.with_name(f"{output.name}.data")
    with atomic_output(data) as handle:
        for example in examples:
            kept.append(example)
            handle.write(format_example(example).encode("utf-8") + b"\n")
        write_text(
            output.with_name(f"{output.name}.doc-ids"),
            "".join(f"{example.document or ''}\n" for example in kept),
        )
        if blind:
            lines = ("\t\t" + format_example(example).split("\t", 2)[2] for example in kept)
            write_text(output.with_name(f"{output.name}.blind.data"), "\n".join(lines) + "\n")
    return kept


def _report(
    task: Task,
    examples: list[Example],
    counts: Counts,
    settings: PrepareSettings,
    year: str,
    inputs: dict[str, str],
    output: Path,
) -> None:
    total = data_statistics(examples, task).total
    chosen = {
        f.name: value if isinstance(value := getattr(settings, f.name), str | int) else str(value)
        for f in fields(settings)
        if f.name not in ("rules", "aligner")
    }
    content = {
        "crosspro": __version__,
        "task": task.name,
        "year": year,
        "rules": asdict(settings.rules),
        "aligner": asdict(settings.aligner),
        "settings": chosen,
        "inputs": inputs,
        "segments": total.segments,
        "source_tokens": total.source_tokens,
        "target_tokens": total.target_tokens,
        "gaps": total.gaps,
        "segments_backed_off": counts.backed_off,
        "decisions": dict(counts.decisions.most_common()),
        "subject_rules": dict(counts.subject_rules.most_common()),
        "classes_before_filter": {name: counts.before[name] for name in task.classes},
        "classes": {name: counts.after[name] for name in task.classes},
    }
    path = output.with_name(f"{output.name}.report.json")
    write_text(path, json.dumps(content, ensure_ascii=False, indent=2, default=str) + "\n")
    rows = [
        (
            name,
            f"{counts.before[name]:,}",
            f"{counts.after[name]:,}",
            f"{100 * counts.after[name] / max(total.gaps, 1):.1f}%",
        )
        for name in task.classes
    ]
    print(text_table(("class", "before filter", "after", "share"), rows))
    decisions = [(name, f"{number:,}") for name, number in counts.decisions.most_common()]
    print(text_table(("decision", "pronouns"), decisions), end="")
    print(f"{output}.data: {total.segments:,} lines, {total.gaps:,} gaps", file=sys.stderr)


if __name__ == "__main__":
    run(app)
