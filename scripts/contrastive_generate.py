"""Score generated translations on context sets: `crosspro contrastive generate`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosspro.data_prep.core.errors import InputError
from crosspro.scripts.expanded_options import expanded
from crosspro.scripts.html_options import check_html
from crosspro.scripts.mt_options import (
    Outputs,
    Resampled,
    check_outputs,
    refuse_others,
)
from crosspro.scripts.options import Names, TableLayout, given_options, named, write_output

if TYPE_CHECKING:
    from crosspro.evaluation.metrics.contrastive.formats import ContrastiveSet
    from crosspro.evaluation.metrics.expected_forms.outputs import TsvSet
    from crosspro.evaluation.released.contrastive.beside import BesideReleased


class GenerateLayout(StrEnum):
    """How scores are shown: as all commands do, or as the released tools do."""

    TABLE = "table"
    MARKDOWN = "markdown"
    JSON = "json"
    CSV = "csv"
    DEFAULT = "default"
    COMPLETE = "complete"
    PRETTY = "pretty"


@dataclass(frozen=True)
class GenerateOutputs(Outputs):
    """The outputs of all commands, and the layouts of the released tools."""

    layout: Annotated[
        GenerateLayout,
        typer.Option(
            "--layout",
            help="How to show the numbers; with --legacy default, complete or pretty.",
        ),
    ] = GenerateLayout.TABLE  # type: ignore[assignment]


class PayloadKind(StrEnum):
    """What of an output is looked at."""

    PART = "part"
    SENTENCE = "sentence"


@expanded
def generate(
    context: typer.Context,
    test_set: Annotated[
        Path,
        typer.Argument(
            metavar="SET",
            help="JSON: ctxpro, ContraPro, large en-fr set; ContraPro's TSV; the English file of "
            "MT-GenEval's contextual set.",
        ),
    ],
    resampled: Resampled,
    shown: GenerateOutputs,
    candidate: Annotated[
        list[Path] | None,
        typer.Option(
            "--candidate",
            metavar="FILE…",
            help="Translations, a line an instance; several are compared.",
        ),
    ] = None,
    language: Annotated[
        str, typer.Option("--language", "-l", help="The language of the translations.")
    ] = "",
    separator: Annotated[
        list[str] | None,
        typer.Option(help="What joins the sentences of an output (repeat); <eos> and <sep>."),
    ] = None,
    part: Annotated[
        int, typer.Option(help="Which of these is scored: 1 the first, -1 the last.")
    ] = -1,
    parts: Annotated[
        Path | None,
        typer.Option(help="Instead: which is scored on each line (`contrastive text` writes it)."),
    ] = None,
    payload: Annotated[
        PayloadKind,
        typer.Option(help="Score the part, or only its last sentences, as many as the source has."),
    ] = PayloadKind.PART,
    share: Annotated[
        float | None,
        typer.Option(
            help="Without separators: score this times the payload's share of the source."
        ),
    ] = None,
    min_distance: Annotated[
        int | None, typer.Option(min=0, help="Leave out antecedents that are nearer.")
    ] = None,
    max_distance: Annotated[
        int | None, typer.Option(min=0, help="Leave out antecedents that are farther.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="FORM", help="Only instances that expect this form (repeat)."),
    ] = None,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Count an output without that part as wrong.")
    ] = False,
    name: Names = None,
    allow_unknown: Annotated[
        bool, typer.Option("--allow-unknown", help="Accept distances and segments not known.")
    ] = False,
    legacy: Annotated[
        bool,
        typer.Option("--legacy", help="Print exactly what ctxpro or ContraPro's script prints."),
    ] = False,
) -> None:
    """Score translations on a context set.

    An instance is right where the expected form is a word of the translated sentence. Accuracy in
    total, by pronoun, gender, rule, antecedent and distance, with 95% intervals by document; how
    often a rival form is there instead, or neither; paired tests between systems. In MT-GenEval an
    instance is right where no word stands only in the reference with the other gender.
    """
    check_html(shown.html, legacy)
    if not language.strip():
        raise typer.BadParameter("missing --language")
    if part == 0:
        raise typer.BadParameter("--part: 1 is the first part and -1 the last")
    if share is not None and not 0 < share <= 1000:
        raise typer.BadParameter("--share: a number above 0")
    if any(not one.strip() for one in separator or ()):
        raise typer.BadParameter("--separator: at least one character")
    outputs, distances = candidate or [], (min_distance, max_distance)
    if legacy:
        _legacy(context, test_set, outputs, language, shown, separator, share, distances,
                only or [])  # fmt: skip
        return
    if shown.layout.value not in set(TableLayout):
        raise typer.BadParameter(f"--layout {shown.layout.value}: only with --legacy")
    written = Outputs(**{**vars(shown), "layout": TableLayout(shown.layout.value)})
    written.check(context)
    given = given_options(context)
    if share is not None and (clash := {"part", "parts", "payload"} & given.keys()):
        raise typer.BadParameter(f"--share and {given[min(clash)]} do not go together")
    if parts is not None and "part" in given:
        raise typer.BadParameter("--parts and --part do not go together")

    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.metrics.expected_forms.gender_words import metric_of
    from crosspro.evaluation.metrics.expected_forms.metric import (
        ExpectedFormsSettings,
        GeneratedSet,
    )
    from crosspro.evaluation.metrics.expected_forms.outputs import (
        SEPARATORS,
        PayloadRules,
        among,
        choose_instances,
        read_outputs,
    )

    sentences = payload is PayloadKind.SENTENCE
    rules = PayloadRules(tuple(separator or SEPARATORS), part, sentences, share)
    read, rows = _read_set(test_set, outputs, language, allow_unknown, rules.separators)
    if rows is None and not outputs:
        raise typer.BadParameter("give a file of translations")
    if rows is None and share is not None:
        raise typer.BadParameter("--share needs the source with its context, which a TSV has")
    tsv = None if rows is None else (test_set, rows)
    systems = read_outputs(outputs, read, rules, language, tsv=tsv, parts=parts, lenient=lenient)
    kept = choose_instances(test_set, read, rows, distances, only or [])
    read, systems = among(read, systems, kept)
    called = named([system.name for system in systems], name)
    systems = [replace(one, name=own) for one, own in zip(systems, called, strict=True)]
    metric = metric_of(read, ExpectedFormsSettings(language, rules))
    written.write(evaluate(metric, GeneratedSet(read, tuple(systems)), resampled.plan))


def _read_set(
    test_set: Path,
    outputs: list[Path],
    language: str,
    allow_unknown: bool,
    separators: tuple[str, ...],
) -> tuple[ContrastiveSet, TsvSet | None]:
    """The set; if it is faulty, its faults and those of the outputs together."""
    from crosspro.evaluation.inputs.plain_text import lines_of
    from crosspro.evaluation.metrics.expected_forms.expected_sets import read_expected

    try:
        return read_expected(test_set, language, allow_unknown=allow_unknown, separators=separators)
    except InputError as error:
        problems = list(error.problems)
        for path in outputs:
            lines_of(path, problems)
        raise InputError(problems) from error


def _legacy(
    context: typer.Context,
    test_set: Path,
    outputs: list[Path],
    language: str,
    shown: GenerateOutputs,
    separator: list[str] | None,
    share: float | None,
    distances: tuple[int | None, int | None],
    only: list[str],
) -> None:
    from crosspro.evaluation.metrics.contrastive.formats import read_json
    from crosspro.evaluation.metrics.expected_forms.expected_sets import (
        is_ctxpro,
        is_geneval,
        is_json,
    )
    from crosspro.evaluation.released.contrastive import ctxpro, generative_contrapro
    from crosspro.evaluation.released.contrastive.beside import beside_ctxpro

    if is_geneval(test_set):
        raise typer.BadParameter("--legacy: a set of ctxpro, or ContraPro's TSV")
    always = ("test_set", "candidate", "language", "legacy", "layout", "output")
    detail, output = shown.detail, shown.output
    chosen = shown.layout.value if "layout" in given_options(context) else "default"
    if is_json(test_set):
        own = (*always, "detail")
        refuse_others(context, own, "--legacy on a JSON set prints what ctxpro prints; it")
        check_outputs(output, detail)
        _check_released_layout(chosen, ctxpro.LAYOUTS)
        if len(outputs) != 1:
            raise typer.BadParameter("ctxpro takes one file of translations")
        content = read_json(test_set)
        if not is_ctxpro(content):
            raise typer.BadParameter("--legacy: a set of ctxpro, or ContraPro's TSV")
        lines = _lines(outputs[0])
        text = ctxpro.ctxpro_printout(test_set, content, lines, language, chosen)
        _tell_beside("ctxpro", lambda: beside_ctxpro(test_set, outputs[0], lines, language), detail)
    else:
        filters = ("separator", "share", "min_distance", "max_distance", "only")
        allowed = (*always, *filters, "detail")
        refuse_others(context, allowed, "--legacy prints what ContraPro's script does")
        check_outputs(output, detail)
        _check_released_layout(chosen, generative_contrapro.LAYOUTS)
        if outputs:
            raise typer.BadParameter("ContraPro's script reads translations in the TSV")
        if len(separator or ()) > 1:
            raise typer.BadParameter("ContraPro's script knows one --separator")
        text = _contrapro(test_set, language, chosen, separator, share, distances, only, detail)
    write_output(text.encode("utf-8"), output)


def _tell_beside(tool: str, compared: Callable[[], BesideReleased], detail: Path | None) -> None:
    """Say on standard error what a tool's numbers are without its faults; list what differs."""
    try:
        found = compared()
    except InputError as error:
        if detail is not None:
            raise
        print(f"warning: {tool} scores what is an error here:\n{error}", file=sys.stderr)
        return
    print(found.said, file=sys.stderr)
    if detail is not None:
        write_output("".join(found.table()).encode("utf-8"), detail)


def _contrapro(
    test_set: Path,
    language: str,
    layout: str,
    separator: list[str] | None,
    share: float | None,
    distances: tuple[int | None, int | None],
    only: list[str],
    detail: Path | None,
) -> str:
    from crosspro.evaluation.released.contrastive.beside import beside_contrapro
    from crosspro.evaluation.released.contrastive.generative_contrapro import (
        SEPARATOR,
        ReleasedChoice,
        generative_printout,
        script_verdicts,
    )

    low, high = distances
    choice = ReleasedChoice(
        (separator or [SEPARATOR])[0],
        0 if low is None else low,
        1_000_000 if high is None else high,
        [one.lower() for one in only],
        share,
    )
    verdicts = script_verdicts(test_set, language, choice)
    _tell_beside(
        "ContraPro's script",
        lambda: beside_contrapro(test_set, language, choice, verdicts),
        detail,
    )
    return generative_printout(verdicts, layout)


def _check_released_layout(layout: str, known: tuple[str, ...]) -> None:
    if layout not in known:
        raise typer.BadParameter(f"--legacy: --layout {', '.join(known)}")


def _lines(path: Path) -> list[str]:
    from crosspro.data_prep.core.errors import Problem
    from crosspro.evaluation.inputs.plain_text import lines_of

    problems: list[Problem] = []
    lines = lines_of(path, problems)
    if lines is None:
        raise InputError(problems)
    return lines
