"""Check shared-task files and list every problem."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.annotate.layers import layer_problems, layers_beside
from crosspro.data_prep.core.errors import (
    SHOWN_AT_MOST,
    InputError,
    Problem,
    counted,
    empty_file,
    more_problems,
)
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.shared_task import other_form, read_examples, scan
from crosspro.data_prep.pipeline.sets.cues import (
    CUES,
    CueDifference,
    CueStrength,
    GapCues,
    SetCues,
    set_cues,
)
from crosspro.evaluation.output.tables import csv_number, csv_text
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import DocIdsBeside, TableLayout, TaskName, layers_of, style_of

app = command_app()


@app.command()
def check(
    files: Annotated[
        list[Path],
        typer.Argument(help="Five-column files (also .gz, .xz, or - for standard input)."),
    ],
    task: TaskName,
    doc_ids: DocIdsBeside = None,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Accept what the official scorer accepts.")
    ] = False,
    against: Annotated[
        list[Path] | None,
        typer.Option(help="Training data, from which the files should not differ (repeatable)."),
    ] = None,
    cues: Annotated[
        bool, typer.Option("--cues", help="Show how well labels are told without any language.")
    ] = False,
    layout: Annotated[
        TableLayout, typer.Option("--layout", help="How to show the tables of --cues.")
    ] = TableLayout.TABLE,
) -> None:
    """Check shared-task files and list every problem.

    The files that lie beside X.data are checked too: document ids (X.doc-ids), parses
    (X.source.conllu, X.target.conllu) and coreference chains (X.chains.tsv).

    Problems go to standard output as `path:line: field: expected …, found …`, and a summary to
    standard error; a terminal gets the first 20 of each file. The exit status is 0 if all files are
    well-formed and 1 if not.

    A warning tells where labels are given away by what is no language: the number of links of a
    gap, its position, the length of its line, its document. With --against another tells where
    files differ in these, or in the source words of gaps, from the data that is learnt from.
    """
    rules = load_task(task)
    if doc_ids is not None and len(files) > 1:
        raise typer.BadParameter("document ids belong to one file: check files one by one")
    most = SHOWN_AT_MOST if sys.stdout.isatty() else sys.maxsize
    train = GapCues(rules)
    for path in against or ():
        train.add(read_examples(path, rules, layers_beside(path).documents, lenient=lenient))
    measured: dict[str, SetCues] = {}
    bad = 0
    for path in files:
        found = GapCues(rules)
        lines = gaps = problems = 0
        layers = layers_of(path, doc_ids)
        try:
            for item in scan(path, rules, layers.documents, lenient=lenient):
                if isinstance(item, Problem):
                    problems += 1
                    if problems <= most:
                        print(item)
                else:
                    lines += 1
                    gaps += len(item.gaps)
                    found.add([item])
        except InputError as error:
            problems += error.total
            print(error)
        if not problems and not lines:
            problems += 1
            print(empty_file(path))
        form = None if problems else other_form(path, rules)
        if form and lenient:
            print(f"warning: {form}", file=sys.stderr)
        elif form:
            problems += 1
            print(form)
        if not problems:  # layers can be told to fit only where the lines are known
            for problem in layer_problems(path, rules, layers, lenient=lenient):
                problems += 1
                print(problem)
        if problems > most:
            print(more_problems(problems - most), "(redirect the output to see them all)")
        bad += problems > 0
        verdict = counted(problems, "problem") if problems else "ok"
        size = f"{counted(lines, 'good line')}, {counted(gaps, 'gap')}"
        print(f"{path}: {verdict}, {size}", file=sys.stderr)
        if not problems:
            measured[str(path)] = set_cues(found, train if against else None)
            for warning in measured[str(path)].warnings():
                print(f"warning: {path}: {warning}", file=sys.stderr)
    if cues and not bad:
        print(_shown(measured, layout), end="")
    raise typer.Exit(1 if bad else 0)


def _shown(measured: Mapping[str, SetCues], layout: TableLayout) -> str:
    """What the cues of each file tell: tables for people, or everything for programs."""
    if layout is TableLayout.JSON:
        content = {
            path: {"warnings": one.warnings(), **one.record()} for path, one in measured.items()
        }
        return json.dumps(content, ensure_ascii=False, indent=2) + "\n"
    if layout is TableLayout.CSV:
        return csv_text([_COLUMNS, *(row for item in measured.items() for row in _rows(*item))])
    told: list[tuple[str, ...]] = [("file", "chance", *CUES)]
    given: list[tuple[str, ...]] = [("file", "gaps", "number", "class", "of these", "of the class")]
    far: list[tuple[str, ...]] = [("file", *(cue for cue in CUES if cue != "document"))]
    for path, one in measured.items():
        chance = [f"{100 * strength.prior:.1f}" for strength in one.strengths[:1]]
        none = ["-"] * len(told[0][1:])  # of sets that are blind, or too small
        told.append((path, *([*chance, *map(_told, one.strengths)] or none)))
        if one.differences:
            far.append((path, *map(_far, one.differences)))
        for away in (strength.given_away for strength in one.strengths):
            if away is not None:
                shares = (away.right / away.gaps, away.of_class)
                shown = (f"{100 * share:.1f}%" for share in shares)
                given.append((path, away.value, f"{away.gaps:,}", away.label, *shown))
    style = style_of(layout=layout)
    tables = (
        ("Balanced accuracy from one cue alone (! warned of)", told, 1),
        ("Classes given away", given, 2),
        ("Distance to the training data (by chance up to; ! warned of)", far, 1),
    )
    return "\n".join(
        style.title(title) + style.after + style.table(rows[0], rows[1:], left)
        for title, rows, left in tables
        if rows[1:]
    )


def _told(one: CueStrength) -> str:
    return f"{100 * one.told:.1f}{' !' if one.warning else ''}"


def _far(one: CueDifference) -> str:
    return f"{one.distance:.2f} ({one.by_chance:.2f}){' !' if one.warning else ''}"


_COLUMNS = (
    *("file", "cue", "prior", "told", "error", "value", "class", "gaps", "right", "of_class"),
    *("distance", "by_chance"),
)


def _rows(path: str, cues: SetCues) -> Iterator[tuple[str, ...]]:
    """A row for each cue of a file."""
    strengths = {strength.cue: strength for strength in cues.strengths}
    differences = {difference.cue: difference for difference in cues.differences}
    for cue in CUES:
        one, other = strengths.get(cue), differences.get(cue)
        away = None if one is None else one.given_away
        told = () if one is None else (one.prior, one.told, one.error)
        given = () if away is None else (away.gaps, away.right, away.of_class)
        far = () if other is None else (other.distance, other.by_chance)
        words = ("", "") if away is None else (away.value, away.label)
        yield (path, cue, *_cells(told, 3), *words, *_cells(given, 3), *_cells(far, 2))


def _cells(numbers: Sequence[float], width: int) -> list[str]:
    return [*map(csv_number, numbers), *[""] * (width - len(numbers))]


if __name__ == "__main__":
    run(app)
