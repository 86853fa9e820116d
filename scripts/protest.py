"""Build a PROTEST suite, score MT output, collect verdicts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from crosspro.data_prep.core.errors import InputError, choices, is_whole_number
from crosspro.scripts.expanded_options import expanded
from crosspro.scripts.main import command_app, run
from crosspro.scripts.mt_options import (
    AlignWithOption,
    Outputs,
    Resampled,
    VariadicCommand,
    check_outputs,
)
from crosspro.scripts.options import (
    DocIds,
    LayoutOption,
    Output,
    TableLayout,
    style_of,
    write_output,
    write_report,
)
from crosspro.scripts.protest_options import (
    Jobs,
    NeededVerdicts,
    Repair,
    Silver,
    SourceLanguage,
    SuiteFile,
    Systems,
    Verdicts,
    progress_shown,
)
from crosspro.scripts.protest_review import review

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
    source_language: SourceLanguage = "en",
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
    tokenised: Annotated[
        bool | None,
        typer.Option(help="Whether the text is tokenised; found out if not said."),
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
    check_outputs(output, None if text is None else Path(f"{text}.links"))
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
        tokenised,
        source_parse,
    )
    with progress_shown() as progress:
        built = build_suite(files, settings, *lists, jobs, progress)
    suite = built.suite
    write_suite(output, suite)
    if text is not None:
        write_suite_text(text, built)
    print(build_report(built.candidates, suite, style_of()), end="")
    total = sum(category.wanted for category in CATEGORIES)
    size_of = f"{len(suite.tokens)} tokens (published: {total})"
    print(f"{output}: {size_of}, suite {suite.digest}", file=sys.stderr)


@app.command(cls=VariadicCommand)
@expanded
def score(
    context: typer.Context,
    suite: SuiteFile,
    systems: Systems,
    resampled: Resampled,
    outputs: Outputs,
    silver: Silver = None,
    verdicts: Verdicts = None,
    needs: Annotated[
        Literal["pronoun", "both"],
        typer.Option(help="What must be right: the pronoun, or the antecedent as well."),
    ] = "pronoun",
    review_file: Annotated[
        Path | None, typer.Option("--review", help="Write what is still to be judged (TSV).")
    ] = None,
) -> None:
    """Score MT output on a suite: automatic matches, verdicts, and what is still to be judged.

    A token matches if the pronoun and, for anaphoric tokens, the head of its antecedent are
    translated as in one reference. What does not match is not wrong: it goes to people, with
    --review, and comes back with --verdicts or --silver.
    """
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.protest.metric import Protest, ProtestSettings
    from crosspro.evaluation.protest.review import to_judge, write_review

    systems.check()
    outputs.check(context, (), (review_file,))
    scored = systems.scored(suite, silver, verdicts)
    settings = ProtestSettings(needs, systems.repair, "own" if systems.source else "suite")
    evaluation = evaluate(Protest(settings), scored, resampled.plan)
    if review_file is not None:
        count = write_review(review_file, to_judge(scored.tokens, scored.judgements))
        print(f"{review_file}: {count} to judge", file=sys.stderr)
    outputs.write(evaluation)


@app.command()
def tokens(
    suite: SuiteFile,
    pronouns: Annotated[
        str | None,
        typer.Option(metavar="LISTS", help="Only pronouns of these lists, such as en-fr."),
    ] = None,
    output: Output = None,
) -> None:
    """Write where the tokens of a suite are, for `crosspro apt --tokens`.

    A line and a position on each line, both from 0. APT refuses words that its lists do not have,
    such as *you* in en-fr: --pronouns leaves those out.
    """
    from crosspro.evaluation.inputs.pronoun_lists import lists_or_problems
    from crosspro.evaluation.protest.suite import read_suite, token_list
    from crosspro.evaluation.protest.text import Attempts, known

    check_outputs(output)
    attempts = Attempts()
    read = attempts.read(read_suite, suite)
    lists, problems = (None, []) if pronouns is None else lists_or_problems(pronouns)
    attempts.problems += problems
    attempts.finish()
    places, forms, left_out = token_list(known(read), lists)
    if not places:
        raise InputError([], f"{suite}: none of the tokens is a pronoun of the lists {pronouns}")
    text = "".join(f"{line} {position}\n" for line, position in places)
    write_output(text.encode("utf-8"), output)
    counted = ", ".join(f"{count} {form}" for form, count in forms.items())
    said = f"{len(places)} tokens: {counted}"
    if left_out:
        others = ", ".join(f"{count} {form}" for form, count in left_out.items())
        said += f"; left out, as {pronouns} does not have them: {others}"
    print(said, file=sys.stderr)


@app.command(cls=VariadicCommand)
@expanded
def judged(
    suite: SuiteFile,
    verdicts: NeededVerdicts,
    cases: Annotated[
        Path, typer.Option(help="What APT says of the tokens: `crosspro apt --detail FILE.json`.")
    ],
    systems: Systems,
    output: Output = None,
) -> None:
    """Join people's verdicts with APT's cases, for `crosspro correlate disagreement`.

    A row (CSV) for each token of each system that has a case: its category, the case, the verdict
    on its pronoun and, where the two disagree, the kind: V valid alternative, E incorrect
    equivalence, I impersonal translation, O other. The kind is told by the words alone: look
    through it. Verdicts on another output do not count, and a match is no verdict.
    """
    from crosspro.evaluation.correlation.judged import join_cases
    from crosspro.evaluation.inputs.case_records import read_case_records
    from crosspro.evaluation.protest.review import token_verdicts
    from crosspro.evaluation.protest.text import Attempts, known

    systems.check()
    check_outputs(output)
    attempts = Attempts()
    records = attempts.read(read_case_records, cases)
    found = attempts.read(systems.scored, suite, None, verdicts)
    attempts.finish()
    scored = known(found)
    said = token_verdicts(scored.tokens, scored.judgements)
    table = join_cases(cases, known(records), said, scored.lists.language)
    write_output(table.text().encode("utf-8"), output)
    told = f"{len(table.rows)} tokens with a case, {table.judged} of them judged"
    if table.without_case:
        told += f"; {table.without_case} without a case are left out"
    print(told, file=sys.stderr)


@app.command()
def stats(
    annotation: Annotated[
        Path, typer.Argument(help="MMAX project: a folder, or a path into a tar archive.")
    ],
    source_language: SourceLanguage = "en",
    layout: LayoutOption = TableLayout.TABLE,
    output: Output = None,
) -> None:
    """Count the types of pronouns in annotated text (Guillou and Hardmeier 2016, Table 1).

    Anaphoric pronouns are intra-sentential if their nearest antecedent that is no pronoun is in the
    same annotated sentence. Types that the paper does not have follow those that it has.
    """
    from crosspro.data_prep.formats.mmax import read_mmax
    from crosspro.evaluation.protest.antecedents import count_types, type_csv, type_json, type_text
    from crosspro.evaluation.protest.language import source_words

    check_outputs(output)
    lists = source_words(source_language)
    types = count_types(read_mmax(annotation), lists)
    write_report(types, type_json, type_csv, type_text, output, layout)


def _sizes(written: list[str]) -> dict[str, int]:
    from crosspro.evaluation.protest.categories import BY_NAME, CATEGORIES

    sizes = {category.name: category.wanted for category in CATEGORIES}
    for text in written:
        name, _, number = text.partition("=")
        if name not in BY_NAME or not is_whole_number(number):
            raise typer.BadParameter(f"--size {text}: CATEGORY=N with {choices(BY_NAME)}")
        sizes[name] = int(number)
    return sizes


if __name__ == "__main__":
    run(app)
