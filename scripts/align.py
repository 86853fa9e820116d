"""Align the words of parallel text, or evaluate links."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from crosspro.data_prep.align.backends import (
    AlignerSettings,
    align_both_directions,
    check_lemmas,
    default_settings,
    parallel_words,
)
from crosspro.data_prep.align.prior import load_prior, remove_folder, save_prior
from crosspro.data_prep.align.symmetrise import SYMMETRISATIONS, score_links
from crosspro.data_prep.align.text import Sentences
from crosspro.data_prep.align.train import Progress as Report
from crosspro.data_prep.align.train import useful_jobs
from crosspro.data_prep.core.errors import InputError, input_error
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.files import atomic_output
from crosspro.data_prep.core.limits import ALIGNED_WORDS
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.formats.links import read_links
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import Aligner, MaxWords, show_table, unpacked_prior

Links = Sequence[tuple[Link, ...]]
DEFAULTS = AlignerSettings()


class Model(StrEnum):
    """The last model of our own aligner."""

    HMM = "hmm"
    IBM1 = "ibm1"


class BackOff(StrEnum):
    """What links the segments beyond the limits."""

    SAME = "same"
    IBM1 = "ibm1"


class Form(StrEnum):
    """What words are compared by."""

    PREFIX = "prefix"
    WORD = "word"
    LEMMA = "lemma"


app = command_app()


@app.command()
def align(
    source: Annotated[Path, typer.Option(help="Tokenised source text (also .gz, .xz).")],
    target: Annotated[Path, typer.Option(help="Tokenised target text, line by line.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where links are written.")
    ] = None,
    task: Annotated[
        str | None,
        typer.Option("--task", "-t", help="Gives the symmetrisation and the source pronouns."),
    ] = None,
    aligner: Annotated[Aligner, typer.Option(help="Our own, or eflomal.")] = Aligner.OWN,
    model: Annotated[
        Model, typer.Option("--aligner-model", help="IBM 1, then the HMM; or IBM 1 alone.")
    ] = Model.HMM,
    symmetrisation: Annotated[
        str | None,
        typer.Option(help=f"{', '.join(SYMMETRISATIONS)}; the task's by default."),
    ] = None,
    form: Annotated[Form, typer.Option(help="What words are compared by.")] = Form.PREFIX,
    prefix_length: Annotated[
        int, typer.Option(min=1, help="Characters of the prefix.")
    ] = DEFAULTS.prefix_length,
    source_lemmas: Annotated[
        Path | None, typer.Option(help="With --form lemma: the source text in lemmas.")
    ] = None,
    target_lemmas: Annotated[
        Path | None, typer.Option(help="With --form lemma: the target text in lemmas.")
    ] = None,
    iterations: Annotated[
        int, typer.Option(min=0, help="Passes over the text; 0 only links it, with --prior.")
    ] = DEFAULTS.iterations,
    variational: Annotated[
        float, typer.Option(min=0, help="Variational Bayes with this concentration; 0: plain EM.")
    ] = DEFAULTS.variational,
    null: Annotated[float, typer.Option(help="Prior chance of no link.")] = DEFAULTS.null,
    max_length: Annotated[
        int, typer.Option(min=1, help="Longer segments are not learnt from, and backed off.")
    ] = DEFAULTS.max_length,
    max_ratio: Annotated[
        float | None,
        typer.Option(min=1, help="Nor are more unequal ones; 9 with --task, no limit without."),
    ] = None,
    back_off: Annotated[
        BackOff | None,
        typer.Option(
            help="Links segments beyond the limits: IBM 1 trained by itself (with --task), or with "
            "the same translations (without)."
        ),
    ] = None,
    most_words: MaxWords = None,
    prior: Annotated[
        Path | None,
        typer.Option(
            help="What was learnt from another text, or a model of the box.",
            callback=unpacked_prior,
        ),
    ] = None,
    save: Annotated[
        Path | None, typer.Option("--save-prior", help="Keep what is learnt (.npz).")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", min=1, help="Processes; one a core by default."),
    ] = None,
    evaluate: Annotated[
        Path | None, typer.Option(metavar="GOLD", help="Compare with these links.")
    ] = None,
    links: Annotated[
        Path | None, typer.Option(help="With --evaluate: these links, instead of making them.")
    ] = None,
    all_symmetrisations: Annotated[
        bool, typer.Option("--all-symmetrisations", help="With --evaluate: a row for each.")
    ] = False,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Drop links of GOLD and --links that lead nowhere.")
    ] = False,
) -> None:
    """Align the words of parallel text, or evaluate links.

    With --evaluate, precision, recall and F1 of all links and of those of the task's source
    pronouns are shown, as in Table 4 of the WMT 2016 findings.

    A long run can be interrupted: the same command goes on after the last pass over the text, from
    OUTPUT.cache, which is removed in the end.
    """
    rules = load_task(task) if task else None
    settings = default_settings(rules) if rules else DEFAULTS
    settings = replace(
        settings,
        aligner=aligner.value,
        model=model.value,
        form="word" if form is Form.LEMMA else form.value,
        prefix_length=prefix_length,
        iterations=iterations,
        variational=variational,
        null=null,
        max_length=max_length,
        most_words=most_words or ALIGNED_WORDS.most(),
        symmetrisation=symmetrisation or settings.symmetrisation,
        max_ratio=max_ratio or settings.max_ratio,
        back_off=back_off.value if back_off else settings.back_off,
    )
    settings.check()
    if (form is Form.LEMMA) != (source_lemmas is not None and target_lemmas is not None):
        raise typer.BadParameter("--form lemma needs --source-lemmas and --target-lemmas, both")
    if output is None and evaluate is None and save is None:
        raise typer.BadParameter("nothing to do: give -o, --evaluate or --save-prior")
    if links is not None and (output or save or not evaluate):
        raise typer.BadParameter("--links belongs to --evaluate, without -o and --save-prior")
    if all_symmetrisations and (links or not evaluate):
        raise typer.BadParameter("--all-symmetrisations belongs to --evaluate, without --links")
    for path in filter(None, (output, save)):
        if not path.parent.is_dir():
            raise input_error(path, "output", "a folder that exists", str(path.parent))
    words = parallel_words(source, target)
    gold = list(read_links(evaluate, *words, lenient=lenient)) if evaluate else None
    if links is not None:
        rows: list[tuple[str, Links]]
        rows = [(links.name, list(read_links(links, *words, lenient=lenient)))]
        _show(rows, gold or [], words[0], rules)
        return
    compared = words
    if source_lemmas and target_lemmas:
        compared = parallel_words(source_lemmas, target_lemmas)
        check_lemmas(words, compared, (source_lemmas, target_lemmas))
    known = load_prior(prior) if prior else None
    folder = _state_folder(output or save)
    files = {"source": source_lemmas or source, "target": target_lemmas or target}
    with _bar() as report:
        with _of_files(files):
            alignment = align_both_directions(
                *compared, settings, known, save is not None, jobs, report, folder
            )
        if save is not None and alignment.prior is not None:
            save_prior(save, alignment.prior)
        if output is not None:
            found = alignment.links(settings.symmetrisation)
            with atomic_output(output) as handle:
                for lines in found.lines(len(found), jobs or useful_jobs(), report):
                    handle.write(lines.encode("ascii"))
    if folder is not None:
        remove_folder(folder)
    if output is not None:
        number = alignment.beyond
        backed = f", {number:,} of them beyond the limits and backed off" if number else ""
        print(f"{output}: links of {len(words[0]):,} segments{backed}", file=sys.stderr)
    if gold is not None:
        names = list(SYMMETRISATIONS) if all_symmetrisations else [settings.symmetrisation]
        _show([(name, alignment.links(name)) for name in names], gold, words[0], rules)


def _state_folder(output: Path | None) -> Path | None:
    """Beside a file that is written; what is no ordinary file has nothing beside it."""
    if output is None or (output.exists() and not output.is_file()):
        return None
    return output.with_name(f"{output.name}.cache") / "alignment"


@contextmanager
def _of_files(files: Mapping[str, Path]) -> Iterator[None]:
    """Let problems of a side name its file."""
    try:
        yield
    except InputError as error:
        named = [
            replace(problem, path=str(files.get(problem.path, problem.path)))
            for problem in error.problems
        ]
        raise InputError(named, error.hint, error.total) from error


@contextmanager
def _bar() -> Iterator[Report]:
    """A progress bar on standard error."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as bar:
        shown = bar.add_task("reading", total=None)

        def report(name: str, done: int, total: int) -> None:
            bar.update(shown, description=name, completed=done, total=total)

        yield report


def _show(
    rows: Sequence[tuple[str, Links]], gold: Links, source: Sentences, task: Task | None
) -> None:
    """A row for each symmetrisation, as in 003 Table 4."""
    heading = ["links", "P", "R", "F1"]
    if task is not None:
        heading += ["P pronouns", "R pronouns", "F1 pronouns"]
    table = []
    for name, found in rows:
        scores = [score_links(found, gold)]
        if task is not None:
            scores.append(score_links(found, gold, source, task.source_pronouns))
        cells = [f"{value:.3f}" for s in scores for value in (s.precision, s.recall, s.f1)]
        table.append((name, *cells))
    print(show_table(heading, table), end="")


if __name__ == "__main__":
    run(app)
