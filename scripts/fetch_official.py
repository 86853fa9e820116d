"""Download the official data of the shared tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.core.files import sha256_of
from crosspro.data_prep.official.download import DownloadError, download
from crosspro.data_prep.official.files import OfficialFile, official_files, select
from crosspro.scripts.common import App, output_folder, tell
from crosspro.scripts.steps import step_display

app = App()


@app.command(epilog="Example: crosspro fetch-official --task en-fr --year 2017 -o data")
def fetch_official(
    output: Annotated[Path, output_folder("Folder to download to.")] = Path("official"),
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
) -> None:
    """Download the official data of the shared tasks.

    Choose by --task, --year and --split, each as often as needed. Files go to YEAR/NAME in the
    output folder and are checked by size and checksum where these are known; complete files are not
    fetched again. The addresses are those of the organisers and of archives; --dry-run shows which
    of them are confirmed.
    """
    chosen = select(official_files(), task or (), year or (), split or ())
    if dry_run:
        for file in chosen:
            size = "size not known" if file.size is None else f"{file.size:,} bytes"
            columns = (output / file.path, " ".join(file.tasks), file.split, size, file.evidence)
            print(*columns, sep="\t")
            print(*(f"  {url}" for url in file.urls), sep="\n")
        return
    if not (task or year or split):
        raise typer.BadParameter("give --task, --year or --split: all files have more than 10 GB")
    failed = [file for file in chosen if not _fetched(file, output)]
    if failed:
        tell(f"{len(failed)} of {len(chosen)} files could not be fetched")
        raise typer.Exit(1)


def _fetched(file: OfficialFile, output: Path) -> bool:
    """Fetch one file with a progress bar and report it."""
    path = output / file.path
    try:
        with step_display() as show_step:
            fetched = download(
                file.urls,
                path,
                size=file.size,
                sha256=file.sha256,
                progress=lambda done, total: show_step(file.name, "", done, total or 0),
            )
    except DownloadError as error:
        tell(f"{path}: not fetched\n{error}")
        return False
    verdict = "fetched" if fetched else "already there"
    tell(f"{path}: {verdict}, {path.stat().st_size:,} bytes, sha256 {sha256_of(path)}")
    return True
