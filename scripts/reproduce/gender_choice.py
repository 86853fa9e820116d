"""How often a trained system chooses the right gender of a pronoun whose number is known.

    python -m crosspro.scripts.reproduce.gender_choice RUN --bitext PREFIX
    python -m crosspro.scripts.reproduce.gender_choice RUN --versions FILE.tsv

RUN is a run, the folder of its model, or an archive of `crosspro models export`. PREFIX is that of
PREFIX.en, PREFIX.fr and PREFIX.doc-ids, in which `cur` marks the line of each document that has the
pronoun (`opensubs_contrastive`): the system chooses between il and elle, or between ils and elles.
FILE.tsv has references and wrong versions (ContraPro): it chooses among the classes of the words in
which these differ. All other classes are ignored. The choice is the most probable class; what is
not strictly more probable is wrong. Nothing is learnt here. Intervals and tests resample instances.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.words import names_of
from crosspro.evaluation.core.evaluation import Evaluation, evaluate
from crosspro.evaluation.core.significance import Resampling
from crosspro.evaluation.metrics import make_metric
from crosspro.evaluation.metrics.contrastive.metric import ScoredSet, SystemScores
from crosspro.evaluation.output.style import Style
from crosspro.evaluation.output.text import text_report
from crosspro.prediction.contrastive import (
    ContrastiveTexts,
    PreparedSet,
    prepare_set,
    run_digest,
    system_scores,
)
from crosspro.prediction.output import layer_notes
from crosspro.prediction.system import System, load_system
from crosspro.scripts.main import command_app, run
from crosspro.scripts.reproduce.gender_questions import (
    find_linked,
    gender_questions,
    read_marked_bitext,
    read_table,
    rivals_in_number,
    within_context,
)

app = command_app()


@app.command()
def measure(
    run_dir: Annotated[
        Path, typer.Argument(metavar="RUN", help="A run, the folder of its model, or an archive.")
    ],
    bitext: Annotated[
        Path | None, typer.Option(help="Prefix of bitext whose doc-ids say ctx or cur.")
    ] = None,
    versions: Annotated[
        Path | None, typer.Option(help="TSV: id, contexts, sentences, wrong versions (ContraPro).")
    ] = None,
    context: Annotated[
        int | None, typer.Option(min=0, help="Sentences before, at most; else all there are.")
    ] = None,
    annotator: Annotated[str, typer.Option(help="What tags and lemmatises the target.")] = "auto",
    most: Annotated[int | None, typer.Option(min=1, help="Instances to read, at most.")] = None,
) -> None:
    """Print how often the right gender is chosen, with context and without."""
    if (bitext is None) == (versions is None):
        raise typer.BadParameter("give either --bitext or --versions")
    system = load_system(run_dir)
    left_out: Counter[str] = Counter()
    prepared = gender_questions(
        _prepared(system, run_dir, bitext, versions, annotator, most), left_out
    )
    reasons = [f"{number:,} {reason}" for reason, number in sorted(left_out.items())]
    if not prepared.segments:
        expected = f"one with a choice between classes of {system.task.name}"
        raise input_error(prepared.test_set.name, "instances", expected, "; ".join(reasons))
    for note in layer_notes(system, prepared.test_set.name, layers_in(prepared.examples)):
        _tell(note)
    evaluation = judged(system, prepared, context, run_digest(run_dir))
    for warning in evaluation.warnings:
        _tell(f"warning: {warning}")
    for reason in reasons:
        print(f"left out: {reason}")
    print(text_report(evaluation, Style(signatures=True)), end="")


def _prepared(
    system: System,
    run_dir: Path,
    bitext: Path | None,
    versions: Path | None,
    annotator: str,
    most: int | None,
) -> PreparedSet:
    """All instances as examples of the system's task."""
    task, texts = system.task, ContrastiveTexts()
    if versions is not None:
        return prepare_set(read_table(versions, most), task, texts, annotator, _tell)
    assert bitext is not None  # noqa: S101 - there is one of the two
    if not rivals_in_number(task):
        expected = f"for --bitext one into {', '.join(names_of('contrastive'))}"
        raise input_error(run_dir, "task", expected, task.name)
    read = read_marked_bitext(bitext, task, most)
    return prepare_set(read, task, texts, annotator, _tell, find_linked)


def judged(system: System, prepared: PreparedSet, context: int | None, digest: str) -> Evaluation:
    """The accuracy with context, unless the system reads none, and without; `digest` names it."""
    found = list(_scores(system, prepared, context, digest))
    data = ScoredSet(prepared.test_set, tuple(found))
    return evaluate(make_metric("contrastive"), data, Resampling())


def _scores(
    system: System, prepared: PreparedSet, context: int | None, digest: str
) -> Iterator[SystemScores]:
    ways = {"with context": context} if system.context and context != 0 else {}
    for name, most in {**ways, "without context": 0}.items():
        _tell(f"{name}: {len(prepared.test_set.instances):,} instances")
        scores = system_scores(name, system, within_context(prepared, most), digest)
        how = ("choice:gender", f"context:{'all' if most is None else most}")
        yield replace(scores, origin=(*scores.origin, *how))


def _tell(text: str) -> None:
    print(text, file=sys.stderr)


if __name__ == "__main__":
    run(app)
