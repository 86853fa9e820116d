"""Build a PROTEST suite, score MT output, collect verdicts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from crosspro.data_prep.core.files import write_text
from crosspro.scripts.common import (
    App,
    CandidateLinks,
    Candidates,
    DocIds,
    Html,
    JsonFile,
    LinkPrior,
    Resamples,
    output_file,
    output_prefix,
    resampling_of,
    show_evaluation,
    style_of,
    tell,
    warn,
)
from crosspro.scripts.protest_review import review
from crosspro.scripts.protest_systems import (
    Sources,
    SuiteFile,
    Verdicts,
    scored_systems,
)

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
    source: Annotated[Path, typer.Option(help="Source text, a segment a line.")],
    reference: Annotated[list[Path], typer.Option(help="Reference translation (repeatable).")],
    output: Annotated[Path, output_file("--output", "-o", help="The suite to write (.jsonl).")],
    doc_ids: DocIds = None,
    links: Annotated[
        list[Path] | None, typer.Option(help="Word links, a file a reference; else made.")
    ] = None,
    prior: LinkPrior = None,
    target_language: Annotated[str, typer.Option(help="Code of the target language.")] = "fr",
    source_parse: Annotated[
        Path | None, typer.Option(help="CoNLL-U of the source: heads of antecedents.")
    ] = None,
    decisions: Annotated[
        Path | None, typer.Option(help="Categories and heads decided by hand (TSV).")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the selection.")] = 1,
    text: Annotated[
        Path | None,
        output_prefix("--text", help="Prefix: also write text, links, doc-ids, APT's tokens."),
    ] = None,
) -> None:
    """Build a suite from ParCor annotation and a parallel text.

    Pronouns fall into the 13 categories of PROTEST by their annotation; from each, as many tokens
    as published in 2016 are selected, balanced by gender, number and translation. The tables say
    what was left out and why, and count all annotated pronouns by type.
    """
    from crosspro.evaluation.protest.build import (
        SuiteFiles,
        build_suite,
        report_tables,
        write_suite_text,
    )
    from crosspro.evaluation.protest.language import target_words
    from crosspro.evaluation.protest.suite import write_suite

    if links and len(links) != len(reference):
        raise typer.BadParameter(f"{len(reference)} references need as many files of --links")
    if links and prior:
        raise typer.BadParameter("--prior is for links that are made")
    built = build_suite(
        SuiteFiles(
            annotation, source, reference, doc_ids, links or (), prior, decisions, source_parse
        ),
        target_words(target_language),
        seed,
    )
    warn(built.warnings)
    write_suite(output, built.suite)
    if text is not None:
        write_suite_text(text, built)
    print("\n".join(map(style_of().shown, report_tables(built))), end="")
    tell(f"{output}: {len(built.suite.tokens)} tokens, suite {built.suite.digest}")


@app.command(
    epilog="Example: crosspro protest score suite.jsonl --candidate mt.de --html page.html"
)
def score(
    suite: SuiteFile,
    candidate: Candidates,
    candidate_links: CandidateLinks = None,
    source: Sources = None,
    prior: LinkPrior = None,
    silver: Annotated[
        Path | None, typer.Option(help="Verified alternatives; reported apart.")
    ] = None,
    verdicts: Verdicts = None,
    needs: Annotated[
        Literal["pronoun", "both"],
        typer.Option(help="What must be right: the pronoun, or the antecedent as well."),
    ] = "pronoun",
    save_silver: Annotated[
        Path | None,
        output_file("--save-silver", help="Write accepted translations."),
    ] = None,
    judged: Annotated[
        Path | None,
        output_file("--judged", help="Write verdicts for `correlate` (CSV)."),
    ] = None,
    resamples: Resamples = 1000,
    html: Html = None,
    json: JsonFile = None,
) -> None:
    """Score MT output on a suite: automatic matches, verdicts, and what is still to be judged.

    A token matches if the pronoun and, for anaphoric tokens, the head of its antecedent are
    translated as in one reference. What does not match is not wrong: people judge it (`protest
    review`), and it counts with --verdicts or --silver.
    """
    from crosspro.evaluation.evaluation import evaluate
    from crosspro.evaluation.protest.metric import Protest, ProtestSettings
    from crosspro.evaluation.protest.silver import silver_from, write_silver

    scored = scored_systems(suite, candidate, candidate_links, source, prior, silver)
    if verdicts is not None:
        from crosspro.evaluation.people.verdicts import read_judgements

        scored = replace(scored, judgements=read_judgements(verdicts, scored.suite.digest))
    evaluation = evaluate(Protest(ProtestSettings(needs)), scored, resampling_of(resamples))
    if judged is not None:
        from crosspro.evaluation.correlation.disagreement import verdict_table
        from crosspro.evaluation.protest.review import placed_verdicts

        placed = list(placed_verdicts(scored.tokens, scored.judgements))
        write_text(judged, verdict_table(placed))
    if save_silver is not None:
        write_silver(save_silver, silver_from(scored.judgements.values(), scored.silver))
    show_evaluation(evaluation, html, json, "tokens")
