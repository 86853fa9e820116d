"""Make the page and tables of all results from records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crosspro.scripts.main import command_app, run
from crosspro.scripts.mt_options import check_outputs, tell
from crosspro.scripts.options import style_of, write_output

app = command_app()


@app.command()
def leaderboard(
    results: Annotated[
        Path, typer.Option(help="Folder of records, as `crosspro results add` writes them.")
    ] = Path("results"),
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The page (.html), every figure (.csv) or everything (.json); leaderboard.html "
            "if nothing else is asked for.",
        ),
    ] = None,
    tables: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Markdown file whose tables between <!-- results: BLOCK --> and "
            "<!-- end of results --> are made anew; several if repeated.",
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Write nothing: say whether Markdown files are up to date, and whether the "
            "figures in them that link to records are theirs.",
        ),
    ] = False,
) -> None:
    """Make the page and tables of all results from records.

    One static page with every board: systems that fill gaps, MT systems, metrics. It sorts,
    filters, and tests any two rows of a task. Published figures are among its rows. Blocks of
    Markdown files: six-rows, pair:TASK, shipped, translations, metrics, not-measured, speed; a
    block with rows=8 has the best eight.
    """
    from crosspro.data_prep.core.errors import InputError, choices, input_error
    from crosspro.data_prep.core.files import atomic_output, read_bytes, write_text
    from crosspro.evaluation.leaderboard.boards import make_boards
    from crosspro.evaluation.leaderboard.export import leaderboard_csv, leaderboard_json
    from crosspro.evaluation.leaderboard.markdown import (
        check_figures,
        fill_blocks,
        overview_cells,
        overview_note,
    )
    from crosspro.evaluation.leaderboard.page import leaderboard_page
    from crosspro.evaluation.leaderboard.record import published_records, read_records

    files = tables or []
    if check and (not files or output):
        raise typer.BadParameter("--check: goes with --tables and with no other output")
    output = output or (None if files else Path("leaderboard.html"))
    check_outputs(output)
    makers = {".html": leaderboard_page, ".csv": leaderboard_csv, ".json": leaderboard_json}
    if output is not None and output.suffix not in makers:
        raise input_error(output, "--output", f"a name that ends in {choices(makers)}", output.name)
    own = read_records(results)
    boards = make_boards((*own, *published_records()), results)
    texts = {path: fill_blocks(path, boards, results) for path in files}
    by_name = {one.name: one for one in own}
    problems = [one for path in files for one in check_figures(path, texts[path], by_name, results)]
    changed = [path for path, text in texts.items() if read_bytes(path) != text.encode("utf-8")]
    if not check:
        for path in changed:
            with atomic_output(path, merged=True) as handle:
                handle.write(texts[path].encode("utf-8"))
        if output is not None:
            write_text(output, makers[output.suffix](boards))
    if problems:
        raise InputError(problems)
    if not check:
        heading, rows = overview_cells(boards.overview, lambda record: record.title)
        shown = style_of().table(heading, [[one.replace("`", "") for one in row] for row in rows])
        write_output(f"{shown}{overview_note(boards.overview)}\n".encode(), None)
    for path in changed if check else []:
        tell(f"{path}: not up to date: crosspro leaderboard --tables {path}")
    if check and changed:
        raise typer.Exit(1)


if __name__ == "__main__":
    run(app)
