"""The sub-commands of `crosspro protest review`: mismatches out, verdicts in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.scripts.main import command_app
from crosspro.scripts.mt_options import AlignWithOption, check_outputs
from crosspro.scripts.options import Names, show_table
from crosspro.scripts.protest_options import (
    Jobs,
    LinkFiles,
    Lists,
    NeededStore,
    Outputs,
    Repair,
    Silver,
    SourceFiles,
    Store,
    SuiteFile,
    progress_shown,
    system_files,
)
from crosspro.scripts.protest_review_serve import serve, write_suite_items

review = command_app()
review.command("serve")(serve)
review.command("items")(write_suite_items)


@review.command("export")
def export_review(
    suite: SuiteFile,
    outputs: Outputs,
    output: Annotated[Path, typer.Option("--output", "-o", help="The review file to write.")],
    links: LinkFiles = None,
    source: SourceFiles = None,
    name: Names = None,
    align_with: AlignWithOption = None,
    silver: Silver = None,
    verdicts: Store = None,
    matches: Annotated[
        bool, typer.Option("--matches", help="Also what matches a reference: it may be wrong.")
    ] = False,
    conflicts: Annotated[
        bool, typer.Option("--conflicts", help="Only tokens that annotators disagree on.")
    ] = False,
    lists: Lists = None,
    repair: Repair = False,
    jobs: Jobs = 1,
) -> None:
    """Write mismatches (or all tokens) that nobody has judged, or conflicts, as a table to fill in.

    Write right, wrong or unclear into the columns pronoun and antecedent; tags and remarks are
    free. `protest review import` reads the file back.
    """
    from crosspro.evaluation.protest.review import item_key, to_judge, write_review
    from crosspro.evaluation.protest.scored_systems import read_and_score

    if conflicts and verdicts is None:
        raise typer.BadParameter("--conflicts needs --verdicts")
    if conflicts and matches:
        raise typer.BadParameter("--conflicts and --matches do not go together")
    files = system_files(outputs, links, source, name, align_with, jobs)
    check_outputs(output)
    with progress_shown() as progress:
        _, target_lists, scored = read_and_score(
            suite, files, lists, silver, verdicts, repair, progress
        )
    rows = scored.tokens
    if conflicts:
        open_items = {key for key, one in scored.judgements.items() if one.in_conflict}
        rows = [one for one in rows if item_key(one) in open_items]
    else:
        rows = to_judge(rows, scored.judgements, matches)
    count = write_review(output, rows, target_lists)
    print(f"{output}: {count} to judge", file=sys.stderr)


@review.command("import")
def import_review(
    suite: SuiteFile,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Filled-in files.")],
    verdicts: NeededStore,
    annotator: Annotated[str, typer.Option("--judge", help="Whose verdicts they are.")],
    resolve: Annotated[
        bool, typer.Option("--resolve", help="These verdicts end conflicts: they are final.")
    ] = False,
) -> None:
    """Read filled-in review files into the store of verdicts."""
    from crosspro.evaluation.protest.review import read_review
    from crosspro.evaluation.protest.suite_reader import read_suite
    from crosspro.evaluation.protest.verdicts import VerdictStore

    read = read_suite(suite)
    if not annotator.strip():
        raise typer.BadParameter("an annotator needs a name")
    found = []
    problems: list[Problem] = []
    for path in files:
        try:
            found += read_review(path, read, annotator.strip())
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    with VerdictStore(verdicts, read.digest) as store:
        count = store.resolve(found) if resolve else store.record(found)
        disputed = len(store.conflicts())
    print(f"{verdicts}: {count} verdicts by {annotator}, {disputed} conflicts", file=sys.stderr)


@review.command("conflicts")
def show_conflicts(suite: SuiteFile, verdicts: NeededStore) -> None:
    """Show the tokens that annotators disagree on."""
    from crosspro.evaluation.protest.suite_reader import read_suite
    from crosspro.evaluation.protest.verdicts import VerdictStore

    read = read_suite(suite)
    with VerdictStore(verdicts, read.digest, create=False) as store:
        found = store.conflicts()
    rows = [
        (
            one.item.token,
            one.item.system,
            one.annotator,
            one.pronoun,
            one.antecedent or "",
            one.item.pronoun,
            one.item.head,
            " ".join(one.tags),
            one.remark,
        )
        for _, own in found
        for one in own
    ]
    heading = (
        "token",
        "system",
        "annotator",
        "pronoun",
        "antecedent",
        "words",
        "head",
        "tags",
        "remark",
    )
    print(show_table(heading, rows, len(heading)) if rows else "no conflicts\n", end="")


@review.command("silver")
def write_alternatives(
    suite: SuiteFile,
    verdicts: NeededStore,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    silver: Silver = None,
) -> None:
    """Write what people found right as silver alternatives, beside those that --silver has."""
    from crosspro.evaluation.protest.review import silver_from
    from crosspro.evaluation.protest.scored_systems import judgements_of, silver_of
    from crosspro.evaluation.protest.silver import write_silver
    from crosspro.evaluation.protest.suite_reader import read_suite

    read = read_suite(suite)
    found = silver_from(judgements_of(verdicts, read).values(), silver_of(silver, read))
    write_silver(output, found)
    print(f"{output}: {sum(map(len, found.values()))} alternatives", file=sys.stderr)
