"""Follows a page of the documentation as a reader would: files, commands, what they print.

A block with a title (```yaml title="my/task.yaml") is a file to write. A block ```console has
commands behind `$ `, with their output under them; … stands for any text, and on a line of its own
for any lines. A block ```python is run, and a block ```text behind it is its output. Other blocks
are ignored. Commands of crosspro run in-process, all others in bash.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT
from tests.scripts.run import crosspro

LEFT_OUT = "…"
CHECKOUT = ("conf", "data_prep", "docs", "models", "tests", "train.py")
"""What of the copy of the repository a reader of a page stands in."""

_BLOCK = re.compile(r"^( *)```(\w+)([^\n]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r'title="([^"]+)"')
_IN_BASH = re.compile(r"[|><;&*~$`]|\{|<<|\n")


@dataclass(frozen=True)
class Step:
    """Something to do on a page: a file to write or a program to run, and what that prints."""

    kind: str
    text: str
    file: str = ""
    shown: str | None = None
    line: int = 0


def steps(page: Path) -> list[Step]:
    """What a page has its reader do."""
    text = page.read_text("utf-8")
    listed: list[Step] = []
    for match in _BLOCK.finditer(text):
        indent, kind, rest, block = match.groups()
        block = re.sub(rf"(?m)^{indent}", "", block)
        line = text.count("\n", 0, match.start()) + 1
        title = _TITLE.search(rest)
        if title:
            listed.append(Step("file", block, file=title[1], line=line))
        elif kind == "console":
            listed += _commands(block, line)
        elif kind == "python":
            listed.append(Step("python", block, line=line))
        elif kind == "text" and listed and listed[-1].kind == "python" and not listed[-1].shown:
            listed[-1] = Step("python", listed[-1].text, shown=block, line=listed[-1].line)
    return listed


def _commands(block: str, line: int) -> Iterator[Step]:
    for part in re.split(r"(?m)^\$ ", block)[1:]:
        lines = part.splitlines(keepends=True)
        length = 1
        while lines[length - 1].rstrip("\n").endswith("\\"):
            length += 1
        command, shown = "".join(lines[:length]), "".join(lines[length:])
        yield Step("command", re.sub(r"\\\n\s*", "", command).strip(), shown=shown, line=line)


def follow(page: Path, folder: Path) -> None:
    """Do all that a page says, in a folder that looks like a copy of the repository."""
    for name in CHECKOUT:
        (folder / name).symlink_to(ROOT / name)
    with chdir(folder):
        for step in steps(page):
            where = f"{page.relative_to(ROOT)}:{step.line}"
            if step.kind == "file":
                Path(step.file).write_text(step.text, "utf-8")
                continue
            out, both = _run(step, where)
            if step.shown and not matches(step.shown, out):
                assert matches(step.shown, both), f"{where}: $ {step.text}\n{out}\n---\n{both}"


def _run(step: Step, where: str) -> tuple[str, str]:
    """What a program prints, and that with what it says on standard error before."""
    if step.kind == "python":
        with redirect_stdout(io.StringIO()) as printed:
            exec(compile(step.text, where, "exec"), {"__name__": "__main__"})  # noqa: S102
        return printed.getvalue(), printed.getvalue()
    words = shlex.split(step.text, comments=True)
    if words[:1] == ["crosspro"] and words[1] != "train" and not _IN_BASH.search(step.text):
        outcome = crosspro(*words[1:])
        code, out, err = outcome.code, outcome.stdout.decode(), outcome.stderr.decode()
    else:
        places = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        done = subprocess.run(
            ["bash", "-ec", step.text], capture_output=True, text=True,
            env={**os.environ, "PATH": places, "COLUMNS": "80"},
        )  # fmt: skip
        code, out, err = done.returncode, done.stdout, done.stderr
    allowed = (0, 1) if words[:2] == ["crosspro", "proofread"] else (0,)
    assert code in allowed, f"{where}: $ {step.text}\n{out}\n{err}"
    return out, err + out


def matches(shown: str, printed: str) -> bool:
    """Whether a program printed what the page shows."""
    pattern = "".join(
        r"(?:.*\n)*" if line.strip() == LEFT_OUT
        else ".*?".join(map(re.escape, line.rstrip().split(LEFT_OUT))) + r" *\n"
        for line in shown.splitlines()
    )  # fmt: skip
    return re.fullmatch(pattern, f"{printed.rstrip()}\n") is not None
