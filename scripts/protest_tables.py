"""The sub-commands of `crosspro protest` that write tables: tokens, judged tokens, types."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from crosspro.scripts.mt_options import AlignWithOption, check_outputs, lists_or_problems
from crosspro.scripts.options import (
    LayoutOption,
    Names,
    Output,
    TableLayout,
    write_output,
    write_report,
)
from crosspro.scripts.protest_options import (
    Jobs,
    LinkFiles,
    Lists,
    NeededStore,
    Outputs,
    Repair,
    SourceFiles,
    SuiteFile,
    progress_shown,
    system_files,
)


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
    from crosspro.data_prep.core.errors import InputError
    from crosspro.evaluation.protest.attempts import Attempts, known
    from crosspro.evaluation.protest.suite_reader import read_suite
    from crosspro.evaluation.protest.token_list import token_list

    check_outputs(output)
    attempts = Attempts()
    read = attempts.read(lambda: read_suite(suite))
    lists, problems = (None, []) if pronouns is None else lists_or_problems(pronouns)
    attempts.problems += problems
    attempts.finish()
    found = token_list(known(read), lists)
    if not found.places:
        raise InputError([], f"{suite}: none of the tokens is a pronoun of the lists {pronouns}")
    write_output(found.text().encode("utf-8"), output)
    counted = ", ".join(f"{count} {form}" for form, count in found.forms.items())
    said = f"{len(found.places)} tokens: {counted}"
    if found.left_out:
        others = ", ".join(f"{count} {form}" for form, count in found.left_out.items())
        said += f"; left out, as {pronouns} does not have them: {others}"
    print(said, file=sys.stderr)


def judged(
    suite: SuiteFile,
    outputs: Outputs,
    verdicts: NeededStore,
    cases: Annotated[
        Path, typer.Option(help="What APT says of the tokens: `crosspro apt --detail FILE.json`.")
    ],
    links: LinkFiles = None,
    source: SourceFiles = None,
    name: Names = None,
    align_with: AlignWithOption = None,
    lists: Lists = None,
    repair: Repair = False,
    output: Output = None,
    jobs: Jobs = 1,
) -> None:
    """Join people's verdicts with APT's cases, for `crosspro correlate disagreement`.

    A row (CSV) for each token of each system that has a case: its category, the case, the verdict
    on its pronoun and, where the two disagree, the kind: V valid alternative, E incorrect
    equivalence, I impersonal translation, O other. The kind is told by the words alone: look
    through it. Verdicts on another output do not count, and a match is no verdict.
    """
    from crosspro.evaluation.correlation.joined import join_cases
    from crosspro.evaluation.inputs.case_records import read_case_records
    from crosspro.evaluation.protest.attempts import Attempts, known
    from crosspro.evaluation.protest.judged_tokens import token_verdicts
    from crosspro.evaluation.protest.scored_systems import read_and_score

    files = system_files(outputs, links, source, name, align_with, jobs)
    check_outputs(output)
    attempts = Attempts()
    records = attempts.read(lambda: read_case_records(cases))
    with progress_shown() as progress:
        scored = attempts.read(
            lambda: read_and_score(suite, files, lists, None, verdicts, repair, progress)
        )
    attempts.finish()
    read, target_lists, results = known(scored)
    said = token_verdicts(read, results.tokens, results.judgements)
    table = join_cases(cases, known(records), said, target_lists.language)
    write_output(table.text().encode("utf-8"), output)
    told = f"{len(table.rows)} tokens with a case, {table.judged} of them judged"
    if table.without_case:
        told += f"; {table.without_case} without a case are left out"
    print(told, file=sys.stderr)


def stats(
    annotation: Annotated[
        Path, typer.Argument(help="MMAX project: a folder, or a path into a tar archive.")
    ],
    source_language: Annotated[
        str, typer.Option(help="Its lists: a code, or a .yaml file.")
    ] = "en",
    layout: LayoutOption = TableLayout.TABLE,
    output: Output = None,
) -> None:
    """Count the types of pronouns in annotated text (Guillou and Hardmeier 2016, Table 1).

    Anaphoric pronouns are intra-sentential if their nearest antecedent that is no pronoun is in the
    same annotated sentence. Types that the paper does not have follow those that it has.
    """
    from crosspro.data_prep.formats.mmax import read_mmax
    from crosspro.evaluation.protest.language import source_words
    from crosspro.evaluation.protest.pronoun_types import count_types
    from crosspro.evaluation.protest.type_report import type_csv, type_json, type_text

    check_outputs(output)
    lists = source_words(source_language)
    types = count_types(read_mmax(annotation), lists)
    write_report(types, type_json, type_csv, type_text, output, layout)
