"""Commands in processes of their own, and what a long work needs, checked in its first seconds."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import typer

from crosspro.data_prep.core.errors import TRAINING, Problem
from crosspro.data_prep.core.files import make_folder
from crosspro.data_prep.lexicon.load import PACKAGES

PROGRAM = (sys.executable, "-m", "crosspro.scripts.cli")


def crosspro(*arguments: str) -> None:
    """Run a command of crosspro; one that fails has said why."""
    print("crosspro", *arguments, file=sys.stderr, flush=True)
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
    return process.returncode == 0


def missing_training_packages() -> Iterator[Problem]:
    """Packages of the extra `train` that are not installed."""
    for package in sorted(TRAINING):
        if find_spec(package) is None:
            expected = f"{package} (pip install 'crosspro[train]')"
            yield Problem("settings", None, "package", expected, "none")


def missing_lexicons(names: Iterable[str]) -> Iterator[Problem]:
    """Lexicons whose packages are not installed; others are learnt or files."""
    for name in sorted({*names} & PACKAGES.keys()):
        if PACKAGES[name].path() is None:
            expected = f"{PACKAGES[name].package} (make extras EXTRAS=lexicon)"
            yield Problem("settings", None, "lexicon", expected, "none")


def missing_disk_space(folder: Path, megabytes: int) -> Iterator[Problem]:
    """Too little free space where a folder is or will be."""
    absolute = folder.absolute()
    place = next(path for path in (absolute, *absolute.parents) if path.exists())
    free = shutil.disk_usage(place).free // 10**6
    if free < megabytes:
        yield Problem(str(folder), None, "disk", f"{megabytes:,} MB free", f"{free:,} MB")
