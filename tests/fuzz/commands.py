"""Command lines with something wrong: hostile values, exchanged, missing and foreign files.

A line of the workshop is changed and run in a copy of the workshop, inside the process. It may
succeed or be refused with a message; it may not end otherwise, write over a file, leave a temporary
file behind, or say that all is well and have written nothing.
"""

from __future__ import annotations

import importlib
import json
import os
import shlex
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import typer

from crosspro.data_prep.core.errors import CrossproError
from crosspro.scripts.main import COMMANDS
from tests.fuzz.mutate import NUMBERS, mutate
from tests.fuzz.subject import Files, Subject, files_of, require
from tests.fuzz.workshop import LINES
from tests.scripts.run import crosspro

COMMAND = "command.json"
VALUES = (
    "", " ", ".", "-", "--", "x", "nowhere", "no/where", "out", "out/y", "out/y.gz", "out/y.xz",
    "a\nb", "\x1b[31m", "é", "e\u0301", "\udcff", "x" * 300, "a" * 5000, "en-fr", "de-en", "xx-yy",
    "../x", "null", "0", "1", "-1", "1e400", "nan", "inf", "-inf", "9" * 30, "9" * 5000, "1,2",
    "a=b", "=", "il:elle", "conllu:s.conllu", "[", "{}", "tokens:", "spacy:", "0.5", "1e-300",
    "json", "csv", "table", "none", "\u202e", "\x85", "--help", "-o", "*",
)  # fmt: skip
AMOUNTS = ("--resamples", "--train", "--dev", "--test", "--iterations", "--max-examples", "--jobs")
"""Options that say how much is done: who asks for much gets it, and waits."""
_MOST = ("0", "-1", "x", "1e3", "3", "")


def _params(command: Any, words: list[str]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """The words of each command and its options, as Typer knows them."""
    if hasattr(command, "commands"):
        for name, one in command.commands.items():
            yield from _params(one, [*words, name])
        return
    yield tuple(words), [one.opts[0] for one in command.params if one.opts[0].startswith("-")]


def options() -> dict[str, list[str]]:
    """All options of each command; those of its parts together."""
    found: dict[str, list[str]] = {}
    for name in COMMANDS:
        module = importlib.import_module(f"crosspro.scripts.{name.replace('-', '_')}")
        if hasattr(module, "app"):
            for _, given in _params(typer.main.get_command(module.app), [name]):
                found.setdefault(name, []).extend(given)
    return found


def commands(workshop: Path) -> Iterator[Subject]:
    """One subject: all lines of the workshop."""
    known = options()
    originals = files_of(workshop)
    names = sorted(name for name in originals if "/" not in name)
    folders = ("majority", "project", "turku", "out", "apt", "folder")

    def draw(rng: Random, files: Files) -> Files:
        line = shlex.split(rng.choice(LINES))
        changed: dict[str, bytes] = {}
        for _ in range(rng.choice((1, 1, 2))):
            line = _change(line, rng, known, [*names, *folders])
        used = [word for word in line if word in originals]
        if used and rng.random() < 0.4:
            name = rng.choice(used)
            other = originals[rng.choice(names)]
            changed[name] = rng.choice((b"", other, mutate(originals[name], other, rng)))
        return {**changed, COMMAND: json.dumps(line).encode()}

    yield Subject("commands", (originals,), Bench(originals).run, share=40, draw=draw, tidy=_tidy)


def _change(
    line: list[str], rng: Random, known: dict[str, list[str]], names: list[str]
) -> list[str]:
    """One change of a command line that works."""
    at = rng.randrange(1, len(line)) if len(line) > 1 else 0
    way = rng.randrange(8)
    if way == 0:
        return line[:at] + line[at + 1 :]
    if way == 1:
        return [*line[:at], line[at], *line[at:]]
    if way == 2:
        other = rng.randrange(1, len(line)) if len(line) > 1 else 0
        line[at], line[other] = line[other], line[at]
        return line
    if way == 3:
        option = rng.choice(known.get(line[0]) or ["--help"])
        value = rng.choice(_MOST if option in AMOUNTS else (*VALUES, *names))
        return [*line, option, *rng.choice(((), (value,), (value, value)))]
    if line[at - 1] in AMOUNTS:
        line[at] = rng.choice(_MOST)
    elif not line[at].startswith("-") or way == 4:
        line[at] = rng.choice((*VALUES, *names)) if way < 7 else _number(rng)
    return line


def _number(rng: Random) -> str:
    return rng.choice(NUMBERS).decode("utf-8", "surrogateescape")


def _tidy(folder: Path) -> None:
    for path in [one for one in folder.iterdir() if one.name in ("out", "runs", "official")]:
        shutil.rmtree(path, ignore_errors=True)
    (folder / "out").mkdir()


class Bench:
    """Runs the line of an input, and looks at what it has left behind."""

    def __init__(self, originals: Files) -> None:
        self.originals = originals

    def run(self, folder: Path) -> bool:
        """Raise for a line that is refused, and for whatever may not be."""
        line = json.loads((folder / COMMAND).read_text())
        (folder / "out").mkdir(exist_ok=True)
        os.chdir(folder)
        before = _state(folder)
        try:
            result = crosspro(*line)
        finally:
            after = _state(folder)
            for name in after.keys() - before.keys():
                if not name.startswith("out/"):
                    _remove(folder / name)
            self._restore(folder, before, after)
        shown = result.stderr + result.stdout
        require(b"Traceback (most" not in shown, "a traceback is shown")
        require(result.code in (0, 1, 2), f"exit code {result.code}")
        asked = _outputs(line)
        new = after.keys() - before.keys()
        changed = {name for name in before if after.get(name) != before[name]}
        strays = {name for name in new - asked if _temporary(name)}
        require(not strays, "a temporary file is left behind")
        require(changed <= asked, "an input was changed")
        if result.code:
            require(bool(shown.strip()), "refused without a word")
            raise CrossproError(shown.decode("utf-8", "replace")[:200])
        require(bool(shown.strip() or new or changed), "nothing shown and nothing written")
        empty = [name for name in (new | changed) & asked if not after[name][1]]
        given = [before[word][1] for word in line if word in before and word not in asked]
        require(not empty or 0 in given, "an empty output of inputs with something in them")
        return True

    def _restore(self, folder: Path, before: Any, after: Any) -> None:
        for name in before:
            if after.get(name) != before[name] and name in self.originals:
                (folder / name).write_bytes(self.originals[name])


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _state(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Identity, size and time of every file under a folder."""
    found = {}
    for path in folder.rglob("*"):
        if path.is_file() and path.name != COMMAND:
            about = path.stat()
            name = path.relative_to(folder).as_posix()
            found[name] = (about.st_mtime_ns, about.st_size, about.st_ino)
    return found


def _temporary(name: str) -> bool:
    last = name.rpartition("/")[2]
    return last.startswith(".") or last.startswith("tmp")


def _outputs(line: list[str]) -> set[str]:
    """Words of a line that stand where an output is named, or are a store that is written to."""
    named = ("-o", "--output", "--html", "--detail", "--save-prior", "--arpa", "--review",
             "--verdicts", "--probabilities", "--write-scores", "--text", "--cache",
             "--plot", "--judged")  # fmt: skip
    if "draw" in line:  # elsewhere a key is read
        named += ("--key",)
    found = {value for option, value in pairwise(line) if option in named}
    return found | {f"{one}{suffix}" for one in found for suffix in ("-journal", ".data")}
