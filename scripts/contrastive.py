"""Score systems on contrastive sets, or build such a set."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosspro.data_prep.core.errors import InputError, counted
from crosspro.scripts.app import group_app
from crosspro.scripts.contrastive_generate import generate
from crosspro.scripts.expanded_options import expanded
from crosspro.scripts.html_options import ItemsFile, check_html
from crosspro.scripts.main import run
from crosspro.scripts.mt_options import (
    Outputs,
    Resampled,
    VariadicCommand,
    judged_items,
    refuse_others,
    tell,
)
from crosspro.scripts.options import Names, named, one_run, show_table, write_output

if TYPE_CHECKING:
    from crosspro.evaluation.metrics.contrastive.formats import ContrastiveSet
    from crosspro.evaluation.metrics.contrastive.metric import SystemScores

app = group_app()


SetFile = Annotated[
    Path, typer.Argument(metavar="SET", help="JSON: ContraPro, large en-fr set or DiscEvalMT.")
]


@app.callback()
def contrastive() -> None:
    """Score systems on contrastive sets, or build such a set.

    `crosspro contrastive SET SCORES…` is short for `crosspro contrastive score …`.
    """


@app.command()
@expanded
def score(
    context: typer.Context,
    test_set: SetFile,
    resampled: Resampled,
    outputs: Outputs,
    scores: Annotated[
        list[Path] | None,
        typer.Argument(help="Scores: one a line, of the reference, then of each error."),
    ] = None,
    run_dir: Annotated[
        list[Path] | None,
        typer.Option("--model", help="A run or archive that scores by probabilities (repeat)."),
    ] = None,
    source: Annotated[
        Path | None, typer.Option(help="For --model: tokenised sources, a line an instance.")
    ] = None,
    target: Annotated[
        Path | None, typer.Option(help="For --model: tokenised references, a line an instance.")
    ] = None,
    links: Annotated[
        Path | None, typer.Option(help="For --model: word links of these; else they are made.")
    ] = None,
    annotator: Annotated[
        str, typer.Option(help="For --model: lemmas and tags, as in `crosspro prepare`.")
    ] = "auto",
    name: Names = None,
    maximise: Annotated[
        bool,
        typer.Option("--maximise", help="In files higher scores are better; lower if not given."),
    ] = False,
    allow_unknown: Annotated[
        bool, typer.Option("--allow-unknown", help="Accept distances and segments not known.")
    ] = False,
    legacy: Annotated[
        bool, typer.Option("--legacy", help="Print exactly what the released script prints.")
    ] = False,
    write_scores: Annotated[
        Path | None, typer.Option(help="Write the scores of a single --model here.")
    ] = None,
    items_file: ItemsFile = None,
) -> None:
    """Score systems on a contrastive set.

    Accuracy in total, by pronoun, by antecedent in the same or an earlier segment and by distance,
    with 95% intervals by document; paired tests between systems. A system is right where it scores
    the reference strictly better than every error.
    """
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.metrics.contrastive.formats import read_contrastive
    from crosspro.evaluation.metrics.contrastive.metric import (
        Contrastive,
        ContrastiveSettings,
        ScoredSet,
        scan_scores,
    )

    runs = [one_run(path) for path in run_dir or []]
    check_html(outputs.html, legacy)
    if legacy:
        known = ("test_set", "scores", "run_dir", "maximise", "legacy", "output")
        refuse_others(context, known, "--legacy prints what the released script prints")
        _released(test_set, scores or [], runs, maximise, outputs.output)
        return
    outputs.check(context, (), (write_scores, items_file))
    if not scores and not runs:
        raise typer.BadParameter("give a file of scores, or a system with --model")
    if write_scores is not None and len(runs) != 1:
        raise typer.BadParameter("--write-scores needs exactly one --model")
    if not runs and (source or target or links):
        raise typer.BadParameter("--source, --target and --links belong to --model")
    if not runs and annotator != "auto":
        raise typer.BadParameter("--annotator belongs to --model")
    if maximise and not scores:
        raise typer.BadParameter("--maximise is about files of scores; a --model gives -log p")
    named([str(path) for path in (*(scores or ()), *runs)], name)
    try:
        read = read_contrastive(test_set, allow_unknown=allow_unknown)
    except InputError as error:
        faults = [fault for path in scores or [] for fault in scan_scores(path, None)[1]]
        raise InputError([*error.problems, *faults]) from error
    systems = _systems(read, scores or [], runs, (source, target, links), annotator, maximise)
    called = named([system.name for system in systems], name)
    systems = [replace(one, name=own) for one, own in zip(systems, called, strict=True)]
    if write_scores is not None:
        lines = "".join(f"{value!r}\n" for value in systems[-1].values.tolist())
        write_output(lines.encode("ascii"), write_scores)
    data = ScoredSet(read, tuple(systems))
    evaluation = evaluate(Contrastive(ContrastiveSettings()), data, resampled.plan)
    outputs.write(evaluation, (), {items_file: lambda: judged_items(evaluation)})


app.command(cls=VariadicCommand)(generate)


def _released(
    test_set: Path, scores: list[Path], runs: list[Path], maximise: bool, output: Path | None
) -> None:
    from crosspro.data_prep.core.files import open_bytes
    from crosspro.evaluation.metrics.contrastive.formats import read_json
    from crosspro.evaluation.released.contrastive.printout import released_printout

    if len(scores) != 1 or runs:
        raise typer.BadParameter("the released scripts take one file of scores")
    problems = []
    content = None
    try:
        content = read_json(test_set)
    except InputError as error:
        problems += error.problems
    try:
        open_bytes(scores[0]).close()
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(problems)
    printout = released_printout(test_set, content, scores[0], maximise)
    if printout.failure is None:
        write_output(printout.text.encode("utf-8"), output)
        return
    write_output(printout.text.encode("utf-8"), None)
    print(printout.failure, file=sys.stderr)
    raise typer.Exit(1)


def _systems(
    test_set: ContrastiveSet,
    scores: list[Path],
    runs: list[Path],
    files: tuple[Path | None, Path | None, Path | None],
    annotator: str,
    maximise: bool,
) -> list[SystemScores]:
    from crosspro.evaluation.metrics.contrastive.metric import read_scores

    systems = read_scores(scores, test_set, maximise)
    if runs:
        from crosspro.prediction.contrastive import ContrastiveTexts, scores_of_runs

        taken = [system.name for system in systems]
        texts = ContrastiveTexts(*files)
        systems += scores_of_runs(runs, test_set, texts, annotator, taken, tell)
    return systems


@app.command()
def build(
    source: Annotated[Path, typer.Option(help="Source text, a segment a line.")],
    target: Annotated[Path, typer.Option(help="Its translation by people, line by line.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The set to write (JSON).")],
    doc_ids: Annotated[
        Path | None,
        typer.Option(
            help="Document ids, one line per line of the file; a second column cur or ctx marks "
            "instances."
        ),
    ] = None,
    forms: Annotated[
        list[str] | None,
        typer.Option(metavar="S:A,B", help="A source pronoun and what competes for it (repeat)."),
    ] = None,
    rivals: Annotated[
        str, typer.Option(metavar="A,B", help="Source words that make a line ambiguous.")
    ] = "he,she",
    not_after: Annotated[
        str | None, typer.Option(metavar="A,B", help="Target words before which no subject comes.")
    ] = None,
    context: Annotated[int, typer.Option(min=0, help="Earlier segments to keep.")] = 3,
    following: Annotated[int, typer.Option(min=0, help="Later segments to keep.")] = 0,
) -> None:
    """Build a contrastive set from bitext.

    Lines with exactly one of the competing forms, as a subject, and exactly one source pronoun
    become instances in ContraPro's format. If no forms are given they are it:il,elle and
    they:ils,elles. Distances of antecedents are not known and therefore not written.
    """
    from crosspro.data_prep.core.errors import input_error
    from crosspro.evaluation.metrics.contrastive.build import (
        KEPT,
        BuildRules,
        build_set,
        read_lines_of,
    )

    rules = BuildRules(rivals=_words(rivals), context=context, following=following)
    if forms:
        rules = replace(rules, forms=dict(_competing(form) for form in forms), impersonal="")
    if not_after is not None:
        rules = replace(rules, not_after=frozenset(_words(not_after)))
    counts: Counter[str] = Counter()
    instances = list(build_set(read_lines_of(source, target, doc_ids), rules, counts))
    pairs = Counter(
        f"{instance['src pronoun']}:{instance['ref pronoun']}".lower() for instance in instances
    )
    if not counts[KEPT]:
        detail = ", ".join(f"{name} {number:,}" for name, number in counts.most_common())
        raise input_error(target, "lines", "at least one instance", detail or "none")
    content = json.dumps(instances, ensure_ascii=False, indent=1) + "\n"
    write_output(content.encode("utf-8"), output)
    print(show_table(("lines", "number"), [(k, f"{n:,}") for k, n in counts.most_common()]))
    print(show_table(("instances", "number"), [(k, f"{n:,}") for k, n in pairs.most_common()]))


def _competing(text: str) -> tuple[str, tuple[str, ...]]:
    pronoun, _, words = text.partition(":")
    if not pronoun.strip() or len(set(_words(words))) < 2:
        raise typer.BadParameter(f"--forms needs the form it:il,elle, not {text!r}")
    return pronoun.strip().lower(), _words(words)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip().lower() for word in text.split(",") if word.strip())


@app.command()
def text(
    call: typer.Context,
    test_set: Annotated[
        Path,
        typer.Argument(
            metavar="SET",
            help="JSON: ContraPro, en-fr set, DiscEvalMT; with --translate ctxpro, TSV.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Prefix: PREFIX.src and PREFIX.trg are written.")
    ],
    translate: Annotated[
        bool,
        typer.Option(
            "--translate", help="A line an instance, to be translated for `contrastive generate`."
        ),
    ] = False,
    context: Annotated[
        int | None,
        typer.Option(min=0, help="With --translate: earlier segments; all that the set has."),
    ] = None,
    following: Annotated[
        int | None,
        typer.Option(min=0, help="With --translate: later segments; all that the set has."),
    ] = None,
    separator: Annotated[
        str, typer.Option(help="With --translate: what joins the segments of a line.")
    ] = "<eos>",
) -> None:
    """Write the sentences that an MT system has to score, or to translate.

    Line by line: the source, and the reference or an error, in the order in which scores are read.
    PREFIX.context.src and .trg have the sentences before, joined by spaces, where the set has them.
    With --translate: the source of each instance with the sentences around it, the same of the
    reference, and in PREFIX.parts which of the joined sentences is the one that is scored.
    """
    if translate:
        _to_translate(test_set, output, context, following, separator)
        return
    allowed = ("test_set", "output", "translate")
    refuse_others(call, allowed, "what is to be scored, without --translate,")
    from crosspro.evaluation.metrics.contrastive.build import sentences_to_score
    from crosspro.evaluation.metrics.contrastive.formats import read_contrastive

    read = read_contrastive(test_set, allow_unknown=True)
    columns = sentences_to_score(read, str(test_set))
    for suffix, lines in columns.items():
        if any(lines):
            _write_lines(output, suffix, lines)
    print(f"{output}: {read.candidates:,} sentence pairs", file=sys.stderr)


def _to_translate(
    test_set: Path, output: Path, context: int | None, following: int | None, separator: str
) -> None:
    from crosspro.evaluation.metrics.contrastive.build import (
        ContextWindow,
        sentences_to_translate,
    )
    from crosspro.evaluation.metrics.expected_forms.expected_sets import read_expected

    if not separator.strip() or separator != separator.strip() or len(separator.splitlines()) > 1:
        raise typer.BadParameter("--separator: a word, without spaces around it")
    read, _ = read_expected(test_set, "", allow_unknown=True)
    window = ContextWindow(context, following, separator)
    for suffix, lines in sentences_to_translate(read, str(test_set), window).items():
        _write_lines(output, suffix, lines)
    print(f"{output}: {counted(len(read.instances), 'instance')} to translate", file=sys.stderr)


def _write_lines(output: Path, suffix: str, lines: list[str]) -> None:
    content = "".join(f"{line}\n" for line in lines).encode("utf-8")
    write_output(content, output.with_name(output.name + suffix))


if __name__ == "__main__":
    run(app)
