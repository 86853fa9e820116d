"""Predict the pronouns of a file, or of a sentence and its translation."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosspro.data_prep.annotate.layers import layers_beside
from crosspro.data_prep.core.errors import counted, input_error, printable
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import atomic_output
from crosspro.prediction.system import Probabilities, load_system
from crosspro.scripts.common import (
    App,
    RunPath,
    TableOrJson,
    one_run,
    output_file,
    tell,
    warn,
    write_output,
)

if TYPE_CHECKING:
    from crosspro.prediction.pair_prediction import Prediction

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
        output_file("--output", "-o", help="The submission to write; of --text, its report."),
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
    layout: TableOrJson = "table",
    probabilities: Annotated[
        Path | None,
        output_file("--probabilities", help="Write the probability of every class here (TSV)."),
    ] = None,
    antecedents: Annotated[
        Path | None,
        output_file(
            "--antecedents",
            help="Write the nouns that gaps stand for here (TSV), of systems that point.",
        ),
    ] = None,
) -> None:
    """Predict the pronouns of a file, or of a sentence and its translation.

    With --text the pronouns of a sentence are predicted as it is written: tokenised, and linked to
    its source by the prior of the model. Each REPLACE is a gap, and each word of --hide; without
    either, the pronouns of the task are hidden and predicted.

    The submission of a file has its five columns with the predicted classes in the first. Labels of
    the file are not read. Document ids (X.doc-ids), parses (X.source.conllu, X.target.conllu) and
    coreference chains (X.chains.tsv) that lie beside X.data are.
    """
    if text is not None:
        if file or probabilities or antecedents:
            raise typer.BadParameter("--text goes with --hide, --context, --layout and -o alone")
        from crosspro.prediction.pair_prediction import load_predictor

        pairs = [_pair(sentence) for sentence in context or ()]
        predictor = load_predictor(one_run(run), run.stem)
        prediction = predictor.predict(*text, context=pairs, hide=hide or ())
        write_output(_report(prediction, layout), output)
        for note in prediction.notes:
            if note.startswith("warning"):
                tell(note)
        return
    if hide or context or layout != "table":
        raise typer.BadParameter("--hide, --context and --layout go with --text")
    if file is None or output is None:
        raise typer.BadParameter("expected RUN FILE -o SUBMISSION, or RUN --text SOURCE TARGET")
    _predict_file(one_run(run), file, output, probabilities, antecedents)


def _pair(text: str) -> tuple[str, str]:
    """A sentence of the context and its translation, as in the files of Moses."""
    source, separator, target = text.partition("|||")
    if not separator:
        raise typer.BadParameter("--context needs a source and its translation, separated by |||")
    return source.strip(), target.strip()


def _report(prediction: Prediction, layout: str) -> str:
    if layout == "table":
        return printable(str(prediction), lines=True) + "\n"
    from crosspro.evaluation.report.records import json_text

    gaps = [asdict(gap) for gap in prediction.gaps]
    names = {"model": prediction.model, "text": prediction.text}
    return json_text({**names, "gaps": gaps, "notes": prediction.notes})


def _predict_file(
    run: Path,
    file: Path,
    output: Path,
    probabilities: Path | None,
    antecedents: Path | None,
) -> None:
    from crosspro.data_prep.annotate.layers import read_layered
    from crosspro.data_prep.core.processes import processors
    from crosspro.data_prep.formats.pointed_nouns import HEADER, table_rows
    from crosspro.data_prep.formats.shared_task import check_languages, format_example, other_form
    from crosspro.prediction.output import predict_stream

    layers = layers_beside(file)
    system = load_system(run)
    if antecedents and not system.points:
        expected = "hardmeier_anaphora, or document_encoder with network.pointer"
        raise input_error(run, "--antecedents", expected, system.shown_name)
    check_languages(file, system.task)
    if form := other_form(file, system.task):
        warn([form])
    examples = read_layered(file, system.task, layers)
    for note in system.layer_warnings(str(file), frozenset(layers.files())):
        tell(note)
    lines = gaps = 0
    with ExitStack() as stack:
        submission = stack.enter_context(atomic_output(output))
        table = stack.enter_context(atomic_output(probabilities)) if probabilities else None
        nouns = stack.enter_context(atomic_output(antecedents)) if antecedents else None
        if table:
            heading = "\t".join(("line", "position", *system.task.classes))
            table.write(f"{heading}\n".encode())
        if nouns:
            nouns.write(HEADER.encode("utf-8"))
        jobs = processors() if system.single_threaded else 1
        for group in predict_stream(system, examples, jobs):
            labelled, chances = group.labelled(), group.probabilities
            for example in labelled:
                submission.write(format_example(example).encode("utf-8") + b"\n")
            if table:
                table.write(_rows(labelled, chances, lines).encode("utf-8"))
            if nouns:
                rows = table_rows(labelled, group.antecedents(), lines + 1, MOST_NOUNS)
                nouns.write(rows.encode("utf-8"))
            lines += len(labelled)
            gaps += len(chances)
        if not lines:
            raise input_error(file, "file", "at least one line", "none")
    size = f"{counted(lines, 'line')}, {counted(gaps, 'gap')}"
    tell(f"{output}: {size} predicted by {system.shown_name}")


def _rows(examples: Sequence[Example], probabilities: Probabilities, first_line: int) -> str:
    rows = iter(probabilities.tolist())
    lines = []
    for line, example in enumerate(examples, start=first_line + 1):
        for gap in example.gaps:
            chances = "\t".join(f"{chance:.6f}" for chance in next(rows))
            lines.append(f"{line}\t{gap.position}\t{chances}\n")
    return "".join(lines)
