"""Commands in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import typer

from crosspro.data_prep.core.files import make_folder
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
