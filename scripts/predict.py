"""Fill the gaps of a file, or of a typed sentence."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosspro.data_prep.core.errors import InputError, counted, input_error, printable
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import atomic_output
from crosspro.prediction.system import Probabilities, System, load_system
from crosspro.scripts.common import (
    App,
    DocIdsBeside,
    Layout,
    RunPath,
    TableLayout,
    layers_of,
    one_run,
    write_report,
)

if TYPE_CHECKING:
    from crosspro.evaluation.report.tables import Style
    from crosspro.prediction.pair_prediction import FilledText

MOST_NOUNS = 5
"""Nouns that are written for a gap, at most."""

app = App()


@app.command(
    epilog='Example: crosspro predict en-fr --text "The cup fell, but it did not break."'
    ' "La tasse est tombée, mais REPLACE ne s\'est pas cassée."'
)
def predict(
    run: RunPath,
    file: Annotated[
        Path | None, typer.Argument(help="Five-column file, blind or not (also .gz, .xz, -).")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            writable=True,
            dir_okay=False,
            help="The submission to write; of --text, its report.",
        ),
    ] = None,
    text: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="SOURCE TARGET",
            help="Instead of a file: a sentence, and its translation with REPLACE for pronouns.",
        ),
    ] = None,
    hide: Annotated[
        list[str] | None,
        typer.Option(metavar="WORD", help="With --text: a word of TARGET to hide (repeatable)."),
    ] = None,
    context: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'SOURCE ||| TARGET'",
            help="With --text: a sentence before it, the oldest first (repeatable).",
        ),
    ] = None,
    layout: Layout = TableLayout.TABLE,
    doc_ids: DocIdsBeside = None,
    probabilities: Annotated[
        Path | None,
        typer.Option(
            writable=True, dir_okay=False, help="Write the probability of every class here (TSV)."
        ),
    ] = None,
    antecedents: Annotated[
        Path | None,
        typer.Option(
            writable=True,
            dir_okay=False,
            help="Write the nouns that gaps stand for here (TSV), of systems that point.",
        ),
    ] = None,
) -> None:
    """Fill the gaps of a file, or of a typed sentence.

    With --text the pronouns of a sentence are predicted as it is written: tokenised, and linked to
    its source by what the model brings. The classes of each gap are shown with their probabilities,
    with the word that the gap stands for if the model points at one, and the filled sentence.

    The submission of a file has its five columns with the predicted classes in the first. Labels
    that the file may have must be of the task, but do not influence the predictions. Document ids
    (X.doc-ids), parses (X.source.conllu, X.target.conllu) and coreference chains (X.chains.tsv)
    that lie beside X.data are found there. --antecedents has rows for each gap: the nouns that it
    may stand for, and none, the best first.
    """
    of_files = (doc_ids, probabilities, antecedents)
    if text is not None:
        if any(one is not None for one in of_files):
            raise typer.BadParameter("--text goes with --hide, --context, --layout and -o alone")
        if file is not None:
            raise typer.BadParameter("--text goes without a file")
        pairs = [_pair(sentence) for sentence in context or ()]
        _predict_text(run, text, pairs, hide or (), output, layout)
        return
    if hide or context or layout is not TableLayout.TABLE:
        raise typer.BadParameter("--hide, --context and --layout go with --text")
    if file is None:
        raise typer.BadParameter("expected RUN FILE, or RUN --text SOURCE TARGET")
    if output is None:
        raise typer.BadParameter("expected --output FILE for the submission, found none")
    _predict_file(
        one_run(run),
        file,
        _Outputs(output, probabilities, antecedents),
        doc_ids,
    )


def _pair(text: str) -> tuple[str, str]:
    """A sentence of the context and its translation, as in the files of Moses."""
    source, separator, target = text.partition("|||")
    if not separator:
        raise typer.BadParameter("--context: 'SOURCE ||| TARGET'")
    return source.strip(), target.strip()


def _predict_text(
    run_dir: Path,
    text: tuple[str, str],
    context: Sequence[tuple[str, str]],
    hide: Sequence[str],
    output: Path | None,
    layout: TableLayout,
) -> None:
    from crosspro.prediction.pair_prediction import load_predictor

    predictor = load_predictor(one_run(run_dir), run_dir.stem)
    found = predictor.fill(*text, context=context, hide=hide)
    write_report(found, _as_json, _as_csv, _as_text, output, layout)
    for note in found.notes:
        if note.startswith("warning"):
            print(note, file=sys.stderr)


def _as_text(found: FilledText, style: Style) -> str:
    if not style.markdown:
        return printable(str(found), lines=True) + "\n"
    from crosspro.prediction.pair_prediction import likely

    rows = [
        (str(number), gap.source, label, f"{chance:.2f}")
        for number, gap in enumerate(found.gaps, start=1)
        for label, chance in likely(gap.probabilities).items()
    ]
    table = style.table(("gap", "source", "class", "probability"), rows, 3)
    return f"{printable(found.text, lines=True)}\n\n{table}"


def _as_json(found: FilledText) -> str:
    return json.dumps(asdict(found), ensure_ascii=False, indent=2) + "\n"


def _as_csv(found: FilledText) -> str:
    from crosspro.evaluation.report.records import csv_text

    rows = [
        (str(number), gap.source, label, f"{chance:.6f}")
        for number, gap in enumerate(found.gaps, start=1)
        for label, chance in gap.probabilities.items()
    ]
    return csv_text([("gap", "source", "class", "probability"), *rows])


@dataclass(frozen=True)
class _Outputs:
    """What is written for a file."""

    submission: Path
    probabilities: Path | None
    antecedents: Path | None


def _predict_file(
    run_dir: Path,
    file: Path,
    wanted: _Outputs,
    doc_ids: Path | None,
) -> None:
    from rich.console import Console
    from rich.progress import Progress, TextColumn, TimeElapsedColumn

    from crosspro.data_prep.annotate.layers import read_layered
    from crosspro.data_prep.core.processes import processors
    from crosspro.data_prep.formats.pointed_nouns import HEADER, table_rows
    from crosspro.data_prep.formats.shared_task import check_languages, format_example, other_form
    from crosspro.prediction.output import layer_notes, predict_stream

    output, probabilities, antecedents = (
        wanted.submission,
        wanted.probabilities,
        wanted.antecedents,
    )
    layers = layers_of(file, doc_ids)
    system = load_system(run_dir)
    if antecedents and not system.points:
        expected = "hardmeier_anaphora, or document_encoder with network.pointer (or an ensemble)"
        raise input_error(run_dir, "--antecedents", expected, system.shown_name)
    check_languages(file, system.task)
    form = other_form(file, system.task)
    if form is not None:
        print(f"warning: {form}", file=sys.stderr)
    examples = read_layered(file, system.task, layers)
    for note in layer_notes(system, str(file), layers.present()):
        print(note, file=sys.stderr)
    lines = gaps = 0
    columns = (TextColumn("{task.description}"), TimeElapsedColumn())
    console = Console(stderr=True)
    with ExitStack() as stack:
        submission = stack.enter_context(atomic_output(output))
        table = stack.enter_context(atomic_output(probabilities)) if probabilities else None
        nouns = stack.enter_context(atomic_output(antecedents)) if antecedents else None
        progress = stack.enter_context(
            Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        )
        bar = progress.add_task("reading")
        if table:
            heading = ("line", "position", *system.task.classes)
            table.write(("\t".join(heading) + "\n").encode("utf-8"))
        if nouns:
            nouns.write(HEADER.encode("utf-8"))
        jobs = processors() if system.single_threaded else 1
        for found in predict_stream(system, examples, jobs):
            group, chances = found.labelled(), found.probabilities
            for example in group:
                submission.write(format_example(example).encode("utf-8") + b"\n")
            if table:
                table.write(_rows(group, chances, lines).encode("utf-8"))
            if nouns:
                rows = table_rows(group, found.antecedents(), lines + 1, MOST_NOUNS)
                nouns.write(rows.encode("utf-8"))
            lines += len(group)
            gaps += len(chances)
            progress.update(bar, description=f"{counted(lines, 'line')}, {counted(gaps, 'gap')}")
        if not lines:
            raise input_error(file, "file", "at least one line", "none")
    name = _name(run_dir, system)
    print(
        f"{output}: {counted(lines, 'line')}, {counted(gaps, 'gap')} predicted by {name}",
        file=sys.stderr,
    )


def _name(run_dir: Path, system: System) -> str:
    """What the run is called; a record that cannot be read does not stop a good model."""
    from crosspro.prediction.runs import find_run

    try:
        record = find_run(run_dir)
    except InputError as error:
        print(f"warning: {error}", file=sys.stderr)
        return system.shown_name
    return record.name if record else system.shown_name


def _rows(examples: Sequence[Example], probabilities: Probabilities, first_line: int) -> str:
    rows = iter(probabilities.tolist())
    lines = []
    for line, example in enumerate(examples, start=first_line + 1):
        for gap in example.gaps:
            chances = "\t".join(f"{chance:.6f}" for chance in next(rows))
            lines.append(f"{line}\t{gap.position}\t{chances}\n")
    return "".join(lines)
