"""Build a PROTEST suite, score MT output, collect verdicts."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosspro.data_prep.errors import choices
from crosspro.scripts.html_options import MOST_EXAMPLES, Html, MaxExamples, check_html
from crosspro.scripts.main import command_app, run
from crosspro.scripts.mt_options import AlignWithOption, check_outputs, given_options
from crosspro.scripts.options import DocIds, Output, write_output
from crosspro.scripts.protest_inputs import (
    Attempts,
    Jobs,
    LinkFiles,
    Lists,
    Names,
    Outputs,
    Repair,
    Silver,
    SourceFiles,
    Store,
    SuiteFile,
    known,
    progress_shown,
    read_and_score,
    system_files,
)
from crosspro.scripts.protest_review import review

if TYPE_CHECKING:
    from crosspro.data_prep.example import Link
    from crosspro.evaluation.protest.suite import Suite


class Layout(StrEnum):
    """How the scores are shown."""

    TABLE = "table"
    MARKDOWN = "markdown"
    JSON = "json"
    CSV = "csv"


class Needed(StrEnum):
    """What people must have found right."""

    PRONOUN = "pronoun"
    BOTH = "both"


app = command_app()
app.add_typer(review, name="review", help="Export mismatches, read verdicts back.")


@app.callback()
def protest() -> None:
    """Build a PROTEST suite, score MT output, collect verdicts."""


@app.command()
def build(
    annotation: Annotated[
        Path, typer.Option(help="MMAX project: a folder, or a path into a tar archive.")
    ],
    reference: Annotated[
        list[Path], typer.Option(help="Reference translation; several may be given.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The suite to write (.jsonl).")],
    source: Annotated[
        Path | None,
        typer.Option(help="Source text; without it the references are MMAX projects, too."),
    ] = None,
    doc_ids: DocIds = None,
    links: Annotated[
        list[Path] | None,
        typer.Option(help="Word links, a file for each reference; made if not given."),
    ] = None,
    align_with: AlignWithOption = None,
    source_language: Annotated[
        str, typer.Option(help="Its lists: a code, or a .yaml file.")
    ] = "en",
    target_language: Annotated[str, typer.Option(help="The same for the target.")] = "fr",
    decisions: Annotated[
        Path | None, typer.Option(help="Categories and heads decided by hand (TSV).")
    ] = None,
    size: Annotated[
        list[str] | None,
        typer.Option(metavar="CATEGORY=N", help="Tokens of a category; 002 Table 2 if not given."),
    ] = None,
    top_up: Annotated[
        bool, typer.Option("--top-up", help="Fill up from other categories where one is short.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the selection.")] = 1,
    repair: Repair = True,
    tokenised: Annotated[
        bool | None,
        typer.Option("--tokenised/--raw", help="Whether the text is tokenised; else it is seen."),
    ] = None,
    text: Annotated[
        Path | None,
        typer.Option(metavar="PREFIX", help="Also write the tokenised text, links and doc-ids."),
    ] = None,
    jobs: Jobs = 1,
) -> None:
    """Build a suite from ParCor annotation and a parallel text.

    Pronouns fall into the 13 categories of PROTEST by their annotation; from each, tokens are
    selected so that genders, numbers and translations are balanced. The report says what was left
    out and why, and where there are too few.
    """
    from crosspro.data_prep.formats.mmax import read_mmax
    from crosspro.evaluation.protest.build import (
        ParallelText,
        find_candidates,
        match_documents,
        unknown_decisions,
    )
    from crosspro.evaluation.protest.categories import CATEGORIES
    from crosspro.evaluation.protest.decisions import scan_decisions
    from crosspro.evaluation.protest.language import source_words, target_words
    from crosspro.evaluation.protest.report import build_report
    from crosspro.evaluation.protest.select import select
    from crosspro.evaluation.protest.select import top_up as topped_up
    from crosspro.evaluation.protest.suite import Suite, write_suite
    from crosspro.evaluation.protest.text import (
        make_links,
        read_corpus,
        read_link_files,
        read_mmax_texts,
        read_texts,
    )

    if links and len(links) != len(reference):
        raise typer.BadParameter(f"{len(reference)} references need as many files of --links")
    if links and align_with:
        raise typer.BadParameter("--align-with is for links that are made: give no --links")
    check_outputs(output, None if text is None else Path(f"{text}.links"))
    wanted = _sizes(size or [])
    source_lists, target_lists = source_words(source_language), target_words(target_language)
    languages = (source_lists.language, target_lists.language)
    attempts = Attempts()
    documents = attempts.read(lambda: read_mmax(annotation))
    scanned = attempts.read(lambda: scan_decisions(decisions) if decisions else ({}, []))
    decided, faults = scanned or ({}, [])
    if documents is not None and decisions:
        faults += unknown_decisions(decided, documents, decisions)
    attempts.problems += sorted(faults, key=lambda one: one.line or 0)
    texts = None
    if source is not None:
        text_files = (source, reference, doc_ids, languages, True if links else tokenised)
        texts = attempts.read(lambda: read_texts(*text_files))
    elif documents is not None:
        annotated = documents
        texts = attempts.read(lambda: read_mmax_texts(annotated, reference))
    made: list[list[tuple[Link, ...]]] = []
    if links and texts is not None:
        sides = (texts.source, texts.references)
        found = attempts.read(lambda: read_link_files(links, *sides))
        made = found or []
    with progress_shown() as progress:
        corpus = attempts.read(lambda: read_corpus(align_with, languages, progress))
        attempts.finish()
        talks, lines = known(documents), known(texts)
        parallel = ParallelText(lines.path, lines.source, lines.references, [], lines.documents)
        match_documents(talks, parallel)  # before the links, which take longest
        if not links:
            larger = known(corpus)
            made = [make_links(lines.source, r, larger, jobs, progress) for r in lines.references]
        parallel = replace(parallel, links=made)
        candidates = find_candidates(talks, parallel, source_lists, target_lists, decided, repair)
    if top_up:
        wanted = topped_up(wanted, candidates.usable(), sum(wanted.values()))
    chosen = select(candidates.tokens, wanted, target_lists, seed)
    settings = {
        "seed": seed,
        "repair": repair,
        "links": "given" if links else known(corpus).signature,
        "decisions": len(decided),
        "wanted": wanted,
    }
    suite = Suite(
        *languages,
        tuple(lines.source),
        tuple(tuple(one) for one in lines.references),
        tuple(lines.documents),
        tuple(chosen),
        settings,
    )
    write_suite(output, suite)
    if text is not None:
        _write_text(text, suite, made)
    print(build_report(candidates, suite), end="")
    total = sum(category.wanted for category in CATEGORIES)
    print(f"{output}: {len(chosen)} tokens (002: {total}), suite {suite.digest}", file=sys.stderr)


@app.command()
def score(
    context: typer.Context,
    suite: SuiteFile,
    outputs: Outputs,
    links: LinkFiles = None,
    source: SourceFiles = None,
    name: Names = None,
    align_with: AlignWithOption = None,
    silver: Silver = None,
    verdicts: Store = None,
    needs: Annotated[
        Needed, typer.Option(help="People's right: the pronoun (001), or the antecedent as well.")
    ] = Needed.PRONOUN,
    review_file: Annotated[
        Path | None, typer.Option("--review", help="Write what is still to be judged (TSV).")
    ] = None,
    detail: Annotated[
        Path | None, typer.Option(help="Write every token of every system (TSV).")
    ] = None,
    lists: Lists = None,
    repair: Repair = True,
    layout: Annotated[
        Layout, typer.Option(help="How to show the scores; csv suits `crosspro correlate`.")
    ] = Layout.TABLE,
    resamples: Annotated[
        int, typer.Option(min=0, help="Bootstrap resamples; 0 for no intervals and tests.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resampling.")] = 12345,
    html: Html = None,
    max_examples: MaxExamples = MOST_EXAMPLES,
    output: Output = None,
    jobs: Jobs = 1,
) -> None:
    """Score MT output on a suite: automatic matches, verdicts, and what is still to be judged.

    A token matches if the pronoun and, for anaphoric tokens, the head of its antecedent are
    translated as in one reference. What does not match is not wrong: it goes to people, with
    --review, and comes back with --verdicts or --silver.
    """
    from crosspro.evaluation.protest.report import csv_report, detail_tsv, json_report, text_report
    from crosspro.evaluation.protest.results import ProtestSettings, evaluate_systems
    from crosspro.evaluation.protest.review import to_judge, write_review
    from crosspro.evaluation.protest.silver import silver_signature
    from crosspro.evaluation.statistics.significance import Resampling

    check_html(html)
    if html is None and "max_examples" in given_options(context):
        raise typer.BadParameter("--max-examples: only with --html")
    files = system_files(outputs, links, source, name, align_with, jobs)
    check_outputs(output, review_file, detail, html)
    read, target_lists, scored = read_and_score(suite, files, lists, silver, verdicts, repair)
    settings = ProtestSettings(
        target_lists.signature,
        repair,
        silver_signature(scored.silver),
        "both" if needs is Needed.BOTH else "pronoun",
        scored.links,
        "own" if source else "suite",
    )
    plan = Resampling(resamples, seed) if resamples else None
    evaluation = evaluate_systems(read, scored.results, scored.judgements, settings, plan)
    for warning in evaluation.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if review_file is not None:
        rows = to_judge(scored.tokens, scored.judgements)
        count = write_review(review_file, rows, target_lists)
        print(f"{review_file}: {count} to judge", file=sys.stderr)
    if detail is not None:
        write_output(detail_tsv(evaluation).encode("utf-8"), detail)
    if html is not None:
        from crosspro.evaluation.protest.page import protest_page

        page = protest_page(evaluation, target_lists, max_examples)
        write_output(page.encode("utf-8"), html)
    if layout is Layout.JSON:
        shown = json_report(evaluation)
    elif layout is Layout.CSV:
        shown = csv_report(evaluation)
    else:
        shown = text_report(evaluation, layout is Layout.MARKDOWN)
    write_output(shown.encode("utf-8"), output)


def _sizes(written: list[str]) -> dict[str, int]:
    from crosspro.evaluation.protest.categories import BY_NAME, CATEGORIES

    sizes = {category.name: category.wanted for category in CATEGORIES}
    for text in written:
        name, _, number = text.partition("=")
        if name not in BY_NAME or not number.isdigit():
            raise typer.BadParameter(f"--size {text}: CATEGORY=N with {choices(BY_NAME)}")
        sizes[name] = int(number)
    return sizes


def _write_text(prefix: Path, suite: Suite, links: list[list[tuple[Link, ...]]]) -> None:
    from crosspro.data_prep.formats.links import write_links
    from crosspro.data_prep.formats.textfile import write_text

    def lines(texts: Iterable[str]) -> str:
        return "".join(f"{text}\n" for text in texts)

    write_text(Path(f"{prefix}.{suite.source_language}"), lines(map(" ".join, suite.source)))
    write_text(Path(f"{prefix}.doc-ids"), lines(suite.documents))
    for number, (reference, own) in enumerate(zip(suite.references, links, strict=True)):
        mark = f".{number}" if number else ""
        write_text(Path(f"{prefix}{mark}.{suite.target_language}"), lines(map(" ".join, reference)))
        write_links(f"{prefix}{mark}.links", own)


if __name__ == "__main__":
    run(app)
