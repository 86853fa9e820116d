"""Build a PROTEST suite, score MT output, collect verdicts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from crosspro.data_prep.core.errors import choices, is_whole_number
from crosspro.data_prep.core.files import write_text
from crosspro.scripts.common import (
    AlignWith,
    App,
    CandidateLinks,
    Candidates,
    Detail,
    DocIds,
    Html,
    Layout,
    Output,
    Resamples,
    Seed,
    TableLayout,
    check_suffix,
    resampling,
    style_of,
    tell,
    write_evaluation,
)
from crosspro.scripts.protest_review import review
from crosspro.scripts.protest_systems import (
    Repair,
    Sources,
    SuiteFile,
    Systems,
    TargetLanguage,
    Verdicts,
    progress_shown,
)

if TYPE_CHECKING:
    from crosspro.evaluation.protest.match import ScoredSystems

app = App(no_args_is_help=True)
app.add_typer(review, name="review", help="Let annotators judge mismatches.")


@app.callback()
def protest() -> None:
    """Build a PROTEST suite, score MT output, collect verdicts."""


@app.command(
    epilog="Example: crosspro protest build --annotation ParCor --source s.en --reference r.de "
    "--target-language de -o suite.jsonl"
)
def build(
    annotation: Annotated[Path, typer.Option(help="Folder of an MMAX project.")],
    reference: Annotated[
        list[Path], typer.Option(help="Reference translation; several may be given.")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", writable=True, dir_okay=False, help="The suite to write (.jsonl)."
        ),
    ],
    source: Annotated[
        Path | None,
        typer.Option(help="Source text; without it the references are MMAX projects, too."),
    ] = None,
    doc_ids: DocIds = None,
    links: Annotated[
        list[Path] | None,
        typer.Option(help="Word links, a file for each reference; made if not given."),
    ] = None,
    align_with: AlignWith = None,
    source_language: Annotated[
        str, typer.Option(help="Lists of the source: a code, or a .yaml file.")
    ] = "en",
    target_language: Annotated[str, typer.Option(help="The same for the target.")] = "fr",
    source_parse: Annotated[
        Path | None,
        typer.Option(help="CoNLL-U of the source, a sentence a line: heads of antecedents."),
    ] = None,
    decisions: Annotated[
        Path | None, typer.Option(help="Categories and heads decided by hand (TSV).")
    ] = None,
    size: Annotated[
        list[str] | None,
        typer.Option(metavar="CATEGORY=N", help="Tokens of a category; else as published in 2016."),
    ] = None,
    top_up: Annotated[
        bool, typer.Option("--top-up", help="Fill up from other categories where one is short.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the selection.")] = 1,
    repair: Repair = False,
    text: Annotated[
        Path | None,
        typer.Option(
            metavar="PREFIX",
            writable=True,
            help="Also write the tokenised text, links, doc-ids, and tokens for APT.",
        ),
    ] = None,
) -> None:
    """Build a suite from ParCor annotation and a parallel text.

    Pronouns fall into the 13 categories of PROTEST by their annotation; from each, tokens are
    selected so that genders, numbers and translations are balanced. The report counts all annotated
    pronouns by type, and says what was left out and why, and where there are too few.
    """
    from crosspro.evaluation.protest.antecedents import type_text
    from crosspro.evaluation.protest.build import (
        SuiteFiles,
        SuiteSettings,
        build_report,
        build_suite,
        write_suite_text,
    )
    from crosspro.evaluation.protest.categories import CATEGORIES
    from crosspro.evaluation.protest.language import source_words, target_words
    from crosspro.evaluation.protest.suite import write_suite

    if links and len(links) != len(reference):
        raise typer.BadParameter(f"{len(reference)} references need as many files of --links")
    if links and align_with:
        raise typer.BadParameter("--align-with is for links that are made: give no --links")
    settings = SuiteSettings(_sizes(size or []), top_up, seed, repair)
    lists = source_words(source_language), target_words(target_language)
    files = SuiteFiles(
        annotation,
        reference,
        source,
        doc_ids,
        links or (),
        align_with,
        decisions,
        source_parse=source_parse,
    )
    with progress_shown() as progress:
        built = build_suite(files, settings, *lists, progress=progress)
    suite = built.suite
    write_suite(output, suite)
    if text is not None:
        write_suite_text(text, built)
    style = style_of()
    print(build_report(built.candidates, suite, style))
    print(type_text(built.types, style), end="")
    total = sum(category.wanted for category in CATEGORIES)
    size_of = f"{len(suite.tokens)} tokens (published: {total})"
    print(f"{output}: {size_of}, suite {suite.digest}", file=sys.stderr)


@app.command(
    epilog="Example: crosspro protest score suite.jsonl --candidate mt.de --html page.html"
)
def score(
    suite: SuiteFile,
    candidate: Candidates,
    candidate_links: CandidateLinks = None,
    source: Sources = None,
    target_language: TargetLanguage = None,
    align_with: AlignWith = None,
    repair: Repair = False,
    silver: Annotated[
        Path | None, typer.Option("--silver", help="Verified alternatives; reported apart.")
    ] = None,
    verdicts: Verdicts = None,
    needs: Annotated[
        Literal["pronoun", "both"],
        typer.Option(help="What must be right: the pronoun, or the antecedent as well."),
    ] = "pronoun",
    save_silver: Annotated[
        Path | None,
        typer.Option(
            writable=True, dir_okay=False, help="Write accepted translations as alternatives."
        ),
    ] = None,
    judged: Annotated[
        Path | None,
        typer.Option(
            writable=True,
            dir_okay=False,
            help="Write human verdicts, for `correlate disagreement` (CSV).",
        ),
    ] = None,
    resamples: Resamples = 1000,
    seed: Seed = 12345,
    layout: Layout = TableLayout.TABLE,
    html: Html = None,
    detail: Detail = None,
    output: Output = None,
) -> None:
    """Score MT output on a suite: automatic matches, verdicts, and what is still to be judged.

    A token matches if the pronoun and, for anaphoric tokens, the head of its antecedent are
    translated as in one reference. What does not match is not wrong: people judge it (`protest
    review`), and it counts with --verdicts or --silver.
    """
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.protest.match import write_silver
    from crosspro.evaluation.protest.metric import Protest, ProtestSettings
    from crosspro.evaluation.protest.review import silver_from

    check_suffix("--detail", detail, ".tsv", ".json")
    systems = Systems(candidate, candidate_links, source, repair, target_language, align_with)
    scored = systems.scored(suite, silver, verdicts)
    settings = ProtestSettings(needs, repair, "own" if source else "suite")
    evaluation = evaluate(Protest(settings), scored, resampling(resamples, seed))
    if judged is not None:
        _write_verdicts(scored, judged)
    if save_silver is not None:
        alternatives = silver_from(scored.judgements.values(), scored.silver)
        write_silver(save_silver, alternatives)
        tell(f"{save_silver}: {sum(map(len, alternatives.values()))} alternatives")
    write_evaluation(evaluation, layout, output, html, detail)


def _write_verdicts(scored: ScoredSystems, output: Path) -> None:
    """Human verdicts by place, to be joined with APT's cases (001 §6)."""
    from crosspro.evaluation.correlation.disagreement import verdict_table
    from crosspro.evaluation.protest.review import placed_verdicts

    verdicts = list(placed_verdicts(scored.tokens, scored.judgements))
    write_text(output, verdict_table(verdicts))
    judged = sum(bool(verdict.human) for verdict in verdicts)
    tell(f"{output}: {len(verdicts)} tokens, {judged} of them judged")


def _sizes(written: list[str]) -> dict[str, int]:
    from crosspro.evaluation.protest.categories import BY_NAME, CATEGORIES

    sizes = {category.name: category.wanted for category in CATEGORIES}
    for text in written:
        name, _, number = text.partition("=")
        if name not in BY_NAME or not is_whole_number(number):
            raise typer.BadParameter(f"--size {text}: CATEGORY=N with {choices(BY_NAME)}")
        sizes[name] = int(number)
    return sizes
