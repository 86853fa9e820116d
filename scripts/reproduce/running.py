"""Commands in processes of their own, and what a long work needs, checked in its first seconds."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import typer

from crosspro.data_prep.core.errors import TRAINING, InputError, Problem
from crosspro.data_prep.core.files import make_folder
from crosspro.data_prep.lexicon.load import PACKAGES
from crosspro.scripts.common import tell

PROGRAM = (sys.executable, "-m", "crosspro.scripts.cli")


def crosspro(*arguments: str) -> None:
    """Run a command of crosspro; one that fails has said why."""
    tell(f"crosspro {' '.join(arguments)}")
    if code := subprocess.run((*PROGRAM, *arguments), check=False).returncode:
        raise typer.Exit(code)


def logged(command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None) -> bool:
    """Run a command with its output at the end of a file; whether it worked."""
    make_folder(log.parent)
    with log.open("ab") as output:
        output.write(f"$ {' '.join(command)}\n".encode())
        output.flush()
        process = subprocess.run(
            command, check=False, stdout=output, stderr=output, env=environment
        )
    if process.returncode:
        tell(f"failed: {log}")
    return process.returncode == 0


def check_needs(folder: Path, megabytes: int, lexicons: Iterable[str] = ()) -> None:
    """Raise if packages for training, lexicons, or free space for a folder are missing."""
    if problems := list(_missing(folder.absolute(), megabytes, lexicons)):
        raise InputError(problems)


def _missing(folder: Path, megabytes: int, lexicons: Iterable[str]) -> Iterator[Problem]:
    for package in sorted(TRAINING):
        if find_spec(package) is None:
            expected = f"{package} (pip install 'crosspro[train]')"
            yield Problem("settings", None, "package", expected, "none")
    for name in sorted({*lexicons} & PACKAGES.keys()):  # others are learnt or files
        if PACKAGES[name].path() is None:
            expected = f"{PACKAGES[name].package} (make extras EXTRAS=lexicon)"
            yield Problem("settings", None, "lexicon", expected, "none")
    place = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(place).free // 10**6
    if free < megabytes:
        yield Problem(str(folder), None, "disk", f"{megabytes:,} MB free", f"{free:,} MB")
