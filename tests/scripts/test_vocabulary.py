"""One vocabulary of options over all commands, as docs/reference/options.md has it."""

from __future__ import annotations

import contextlib
import fcntl
import importlib
import inspect
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import types
import typing
from collections import defaultdict
from enum import Enum
from pathlib import Path

import pytest
import typer

from crosspro.scripts.main import COMMANDS
from crosspro.scripts.options import named
from tests.conftest import ROOT
from tests.scripts.run import crosspro

KINDS = {Path: "file", str: "text", int: "number", float: "number", bool: "switch"}
NEVER = {
    *("--out", "--out-file", "--prefix", "--out-dir", "--json", "--csv", "--markdown"),
    *("--page", "--report", "--names", "--label", "--docs", "--document-ids", "--docids"),
    *("--threads", "--processes", "--workers", "--lang", "--lowercase", "--uncased"),
    *("--alignment", "--alignments", "--hypothesis", "--system-output", "--ref", "--src"),
    *("--bootstrap", "--random-seed", "--verbose", "--quiet", "--tokenized", "--normalize"),
}
"""Words of other programs for what has a name here."""
LIMITS = re.compile(r"--(most|least|fewest|limit|per|maximum|minimum)-")
SAME_WORDS = ("--html", "--max-examples", "--name", "--signatures", "--resamples", "--prior")
"""What these say of themselves is the same in all commands, or begins alike."""


SIZES = ("--train", "2", "--dev", "2", "--test", "2")


def commands():
    """Every command: its name, its parameters, and the types of these."""
    for name in COMMANDS:
        module = importlib.import_module(f"crosspro.scripts.{name.replace('-', '_')}")
        if hasattr(module, "app"):
            yield from _inside(name, typer.main.get_command(module.app))


def _inside(name, command):
    if not hasattr(command, "commands"):
        yield name, command
    for inner, one in getattr(command, "commands", {}).items():
        yield from _inside(f"{name} {inner}", one)


TYPED = {("predict", "--text"), ("predict", "--context")}
"""Sentences themselves, as they are typed; elsewhere files of text, and numbers of sentences."""
LIKE_LINTERS = {("proofread", "--format")}
"""How what is written looks, as linters call it; elsewhere how text that is read is kept."""


def kind_of(annotation):
    """What kind of value an annotation stands for, whether it may be repeated or left out."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return "choice"
    if origin is typing.Annotated or origin in (list, tuple):
        return kind_of(inner[0])
    if origin in (typing.Union, types.UnionType):
        return kind_of(next(one for one in inner if one is not type(None)))
    return "choice" if issubclass(annotation, Enum) else KINDS[annotation]


def options():
    """Rows of command, spellings, kind and help for all options."""
    for name, command in commands():
        hints = typing.get_type_hints(inspect.unwrap(command.callback), include_extras=True)
        for option in command.params:
            if option.param_type_name == "option" and option.name in hints:
                spelled = (*option.opts, *option.secondary_opts)
                yield name, spelled, kind_of(hints[option.name]), option.help


@pytest.fixture(scope="module")
def known():
    return list(options())


def table(title):
    """The cells of a table of docs/reference/options.md."""
    page = (ROOT / "docs/reference/options.md").read_text("utf-8")
    text = page.split(f"## {title}\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in row] for row in rows]


def words(cell):
    return tuple(re.findall(r"`([^`]+)`", cell))


def test_an_option_is_spelled_and_behaves_alike_in_all_commands(known):
    used = defaultdict(set)
    times = defaultdict(int)
    for command, spelled, kind, _ in known:
        if (command, spelled[0]) in TYPED:
            assert kind == "text"
            continue
        if (command, spelled[0]) in LIKE_LINTERS:
            assert kind == "choice"
            continue
        used[spelled[0]].add((spelled, kind))
        times[spelled[0]] += 1
    unlike = {name: rows for name, rows in used.items() if len(rows) > 1}
    assert not unlike
    documented = {
        words(option)[0]: (words(option), kind)
        for option, kind, _ in table("Options that several commands have")
    }
    assert documented == {name: next(iter(used[name])) for name in sorted(used) if times[name] > 1}


def test_nothing_has_two_names(known):
    spellings = {one for _, spelled, _, _ in known for one in spelled}
    assert not spellings & NEVER
    assert not [one for one in spellings if LIMITS.match(one) and one != "--per-word"]
    short = defaultdict(set)
    for _, spelled, _, _ in known:
        for one in spelled:
            if len(one) == 2:
                short[one].add(spelled[0])
    assert all(len(names) == 1 for names in short.values()), short


def test_what_options_say_of_themselves(known):
    said = defaultdict(set)
    for name, spelled, _, text in known:
        assert text, (name, spelled)
        assert text[0].isupper() or text.split()[0].rstrip(":,") in text.lower(), (name, spelled)
        said[spelled[0]].add(text)
    for name in SAME_WORDS:
        shortest = min(said[name], key=len)
        if name == "--prior":
            continue  # `align` says it without "Without links"
        assert len(said[name]) == 1, (name, shortest)
    assert all(text.startswith("Document ids, one line per line") for text in said["--doc-ids"])
    assert all(text.startswith("Processes") for text in said["--jobs"])
    assert all("inks" in text for text in said["--links"])


def test_signatures_are_shown_when_they_are_asked_for(tmp_path):
    crosspro("demo", "-t", "en-fr", "-o", tmp_path, *SIZES)
    gold = tmp_path / "test.data"
    call = ("evaluate", gold, gold, "-t", "en-fr", "--resamples", "0")
    assert b"macro_recall|" not in crosspro(*call).stdout
    assert b"macro_recall|" in crosspro(*call, "--signatures").stdout
    assert b"## Signatures" in crosspro(*call, "--signatures", "--layout", "markdown").stdout
    assert b"macro_recall|" in crosspro(*call, "--layout", "json").stdout
    assert crosspro(*call, "--signatures", "--layout", "json").code == 2


def test_names_are_given_in_order():
    assert named(["a", "b", "c"], ["x"]) == ["x", "b", "c"]
    assert named(["a"], None) == ["a"]
    for given in (["x", "y"], ["b"], [" "]):
        with pytest.raises(typer.BadParameter):
            named(["a", "b"] if given == ["b"] else ["a"], given)


def test_tables_keep_to_a_terminal_and_not_to_a_file(tmp_path):
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 70, 0, 0))
    program = "from crosspro.scripts.entry import main; main()"
    command = [sys.executable, "-c", program, "published", "--year", "2017", "-t", "en-fr"]
    variables = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    with subprocess.Popen(command, stdout=follower, env=variables) as process:
        os.close(follower)
        shown = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while block := os.read(leader, 65536):
                shown += block
    os.close(leader)
    assert process.returncode == 0
    tables = [line for line in shown.decode().splitlines() if "  " in line]
    assert max(map(len, tables)) <= 70
    whole = crosspro("published", "--year", "2017", "-t", "en-fr").stdout.decode()
    assert max(map(len, whole.splitlines())) > 70
    figures = re.compile(r"\d+\.\d\d")
    assert sorted(figures.findall(shown.decode())) == sorted(figures.findall(whole))
