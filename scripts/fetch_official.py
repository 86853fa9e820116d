"""Download the official data of the shared tasks."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.official.download import LARGEST, DownloadError, Patience, download, tried
from crosspro.data_prep.official.files import PAGES, OfficialFile, official_files, select
from crosspro.scripts.main import command_app, run

app = command_app()


@app.command()
def fetch_official(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to download to.")] = Path(
        "official"
    ),
    task: Annotated[
        list[str] | None, typer.Option("--task", "-t", help="A task such as en-fr, or all.")
    ] = None,
    year: Annotated[list[int] | None, typer.Option(help="2015, 2016 or 2017.")] = None,
    split: Annotated[
        list[str] | None, typer.Option(help="train, dev, test, lm, scorer or archive.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List files and addresses, fetch nothing.")
    ] = False,
    attempts: Annotated[int, typer.Option(min=1, help="Failures in a row before giving up.")] = 5,
    max_size: Annotated[
        float, typer.Option(min=0, help="GB of a file whose size is not known.")
    ] = LARGEST / 1e9,
    table: Annotated[Path | None, typer.Option(help="Another table of files.")] = None,
    allow_http: Annotated[
        bool,
        typer.Option(
            "--allow-http", help="Try plain http after https: anybody on the way can change files."
        ),
    ] = False,
) -> None:
    """Download the official data of the shared tasks.

    Choose by --task, --year and --split, each as often as needed. Files go to YEAR/NAME in the
    output folder, with a manifest of sizes and checksums, against which a file is checked ever
    after. Addresses are tried over https, whatever the table says. Interrupted downloads go on
    where they stopped; complete files are not fetched again. The addresses are those of the
    organisers and of archives; --dry-run shows which of them are confirmed.
    """
    chosen = select(official_files(table), task or (), year or (), split or ())
    if dry_run:
        for file in chosen:
            print(_description(file, output, allow_http))
        _tell_pages(chosen)
        return
    if not (task or year or split):
        raise CrossproError(
            "expected --task, --year or --split (all files are more than 10 GB; "
            "--dry-run lists them), found none"
        )
    largest = int(max_size * 1e9)
    failed = [f for f in chosen if not _fetched(f, output, Patience(attempts), largest, allow_http)]
    if failed:
        print(f"{len(failed)} of {len(chosen)} files could not be fetched", file=sys.stderr)
        if not allow_http and any(url.startswith("http:") for f in failed for url in f.urls):
            print("some addresses are plain http: --allow-http tries them so", file=sys.stderr)
        _tell_pages(failed)
        raise typer.Exit(1)


def _tell_pages(files: Iterable[OfficialFile]) -> None:
    """Where the files of some years can be looked at."""
    for year in sorted({file.year for file in files}):
        print(f"pages of {year}: {' '.join(PAGES.get(year, ()))}", file=sys.stderr)


def _description(file: OfficialFile, output: Path, allow_http: bool) -> str:
    size = "size not known" if file.size is None else f"{file.size:,} bytes"
    lines = [f"{output / file.path}\t{' '.join(file.tasks)}\t{file.split}\t{size}\t{file.evidence}"]
    return "\n".join([*lines, *(f"  {url}" for url in tried(file.urls, allow_http))])


def _fetched(
    file: OfficialFile, output: Path, patience: Patience, largest: int, allow_http: bool
) -> bool:
    """Fetch one file with a progress bar, and say what came of it."""
    path = output / file.path
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bars:
        bar = bars.add_task(file.name, total=file.size)
        try:
            received, fetched = download(
                file.urls,
                path,
                size=file.size,
                sha256=file.sha256,
                largest=largest,
                patience=patience,
                progress=lambda done, total: bars.update(bar, completed=done, total=total),
                allow_http=allow_http,
            )
        except DownloadError as error:
            message = str(error)
            fetched = None
    if fetched is None:
        print(f"{path}: not fetched\n{message}", file=sys.stderr)
        return False
    verdict = "fetched" if fetched else "already there"
    if fetched and received.url.startswith("http:") and file.sha256 is None:
        verdict += " over plain http, with no known checksum to check it by"
    print(f"{path}: {verdict}, {received.size:,} bytes, sha256 {received.sha256}", file=sys.stderr)
    return True


if __name__ == "__main__":
    run(app)
