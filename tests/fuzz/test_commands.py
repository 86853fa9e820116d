"""Command lines with something wrong, and input in other carriers: all lines of the workshop.

A line may succeed or be refused with a message; it may not end otherwise, write over a file, leave
a temporary file behind, or say that all is well and have written nothing.
"""

from __future__ import annotations

import gzip
import lzma
import os
import re
import shlex
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.reader import Files, files_of
from tests.fuzz.strategies import NUMBERS, damaged
from tests.fuzz.workshop import LINES, make_workshop
from tests.scripts.run import Outcome, crosspro
from tests.scripts.test_vocabulary import commands

VALUES = (
    "", " ", ".", "-", "--", "x", "nowhere", "no/where", "out", "out/y", "out/y.gz", "out/y.xz",
    "a\nb", "\x1b[31m", "é", "e\u0301", "\udcff", "x" * 300, "a" * 5000, "en-fr", "de-en", "xx-yy",
    "../x", "null", "0", "1", "-1", "1e400", "nan", "inf", "-inf", "9" * 30, "9" * 5000, "1,2",
    "a=b", "=", "il:elle", "conllu:s.conllu", "[", "{}", "tokens:", "spacy:", "0.5", "1e-300",
    "json", "csv", "table", "none", "\u202e", "\x85", "--help", "-o", "*",
    *(number.decode("utf-8", "surrogateescape") for number in NUMBERS),
)  # fmt: skip
AMOUNTS = ("--resamples", "--train", "--dev", "--test", "--iterations", "--max-examples", "--jobs")
"""Options that say how much is done: who asks for much gets it, and waits."""
FEW = ("0", "-1", "x", "1e3", "3", "")
OUTPUTS = (
    "-o", "--output", "--html", "--detail", "--save-prior", "--arpa", "--review", "--verdicts",
    "--probabilities", "--write-scores", "--text", "--cache", "--plot", "--judged",
)  # fmt: skip
FOLDERS = ("majority", "project", "turku", "out", "apt", "folder")


def options_by_command() -> dict[str, list[str]]:
    """All options of each command; those of its parts together."""
    found: dict[str, list[str]] = {}
    for name, command in commands():
        spelled = (one.opts[0] for one in command.params if one.opts[0].startswith("-"))
        found.setdefault(name.split()[0], []).extend(spelled)
    return found


def outputs(line: list[str]) -> set[str]:
    """Words of a line that stand where an output is named, or are a store that is written to."""
    named = (*OUTPUTS, "--key") if "draw" in line else OUTPUTS  # elsewhere a key is read
    found = {value for option, value in pairwise(line) if option in named}
    return found | {f"{one}{suffix}" for one in found for suffix in ("-journal", ".data")}


@st.composite
def wrong_lines(draw: Any, originals: Files, known: dict[str, list[str]]) -> Any:
    """A line of the workshop with one or two changes, and perhaps a changed file."""
    line = shlex.split(draw(st.sampled_from(LINES)))
    names = sorted(name for name in originals if "/" not in name)
    words = (*VALUES, *names, *FOLDERS)
    for _ in range(draw(st.sampled_from((1, 1, 2)))):
        places = st.integers(min(1, len(line) - 1), len(line) - 1)
        at = draw(places)
        way = draw(st.sampled_from(("drop", "double", "swap", "add", "any", "value", "value")))
        if way == "drop" and len(line) > 1:
            del line[at]
        elif way == "double":
            line.insert(at, line[at])
        elif way == "swap":
            other = draw(places)
            line[at], line[other] = line[other], line[at]
        elif way == "add":
            option = draw(st.sampled_from(known.get(line[0]) or ["--help"]))
            value = draw(st.sampled_from(FEW if option in AMOUNTS else words))
            line += [option, *[value] * draw(st.integers(0, 2))]
        elif line[at - 1] in AMOUNTS:
            line[at] = draw(st.sampled_from(FEW))
        elif way == "any" or not line[at].startswith("-"):
            line[at] = draw(st.sampled_from(words))
    used = [word for word in line if word in originals]
    if not used or draw(st.integers(0, 2)):
        return line, {}
    name = draw(st.sampled_from(used))
    other = originals[draw(st.sampled_from(names))]
    broken = damaged(originals[name], (), other)
    return line, {name: draw(st.just(b"") | st.just(other) | broken)}


def run(folder: Path, line: list[str]) -> tuple[Outcome, Files, Files]:
    """What a line says, the files before, and those that it wrote; the folder is put back."""
    before = files_of(folder)
    result = crosspro(*line)
    after = files_of(folder)
    written = {name: one for name, one in after.items() if before.get(name) != one}
    for name in written:
        if name in before:
            (folder / name).write_bytes(before[name])
        elif not name.startswith("out/"):
            (folder / name).unlink()
    for name in ("runs", "official", "out"):
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / "out").mkdir()
    assert before.keys() <= after.keys(), "an input was removed"
    shown = result.stderr + result.stdout
    assert b"Traceback (most" not in shown
    assert result.code in (0, 1, 2)
    assert not result.code or shown.strip(), "refused without a word"
    return result, before, written


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("workshop")
    make_workshop(folder)
    before = Path.cwd()
    os.chdir(folder)
    yield folder
    os.chdir(before)


def test_wrong_lines_are_refused_and_leave_nothing_behind(workshop):
    originals = files_of(workshop)

    @settings(suppress_health_check=list(HealthCheck))
    @given(wrong_lines(originals, options_by_command()))
    def refused_or_done(case: tuple[list[str], Files]) -> None:
        line, changed = case
        for name, content in changed.items():
            (workshop / name).write_bytes(content)
        try:
            result, before, written = run(workshop, line)
        finally:
            for name in changed:
                (workshop / name).write_bytes(originals[name])
        asked = outputs(line)
        strays = [Path(name).name for name in written.keys() - asked if name not in before]
        assert not any(name.startswith((".", "tmp")) for name in strays), "a temporary file is left"
        assert written.keys() & before.keys() <= asked, "an input was changed"
        if result.code:
            return
        assert (result.stdout + result.stderr).strip() or written, "nothing said and written"
        given_files = [before[word] for word in line if word in before and word not in asked]
        empty = [name for name in written.keys() & asked if not written[name]]
        assert not empty or not all(given_files), "an empty output of inputs with content"

    refused_or_done()


# The same input in another carrier: with a byte-order mark, compressed, or through a pipe. A pipe
# gives its content once: whoever reads it twice finds nothing the second time, or waits for ever.
# Bombs are small files that unpack to more than a limit allows.

LOW = ("--limit", "0.02")
BOMB, BLOCK = 1 << 26, 1 << 20
OTHER_BYTES = ("mark", "gz", "xz")
"""Carriers with a digest of their own, and perhaps another name."""
TIMED = ("out/ensemble/run.json",)
"""Files that say when they were made."""


@contextmanager
def _replaced(path: Path, put: Callable[[], None]) -> Iterator[str]:
    """Something else in the place of a file."""
    content = path.read_bytes()
    path.unlink()
    put()
    try:
        yield path.name
    finally:
        path.unlink()
        path.write_bytes(content)


@contextmanager
def _beside(path: Path, suffix: str, content: bytes) -> Iterator[str]:
    made = path.with_name(path.name + suffix)
    made.write_bytes(content)
    try:
        yield made.name
    finally:
        made.unlink()


def _write(pipe: Path | int, content: bytes) -> threading.Thread:
    def work() -> None:
        with suppress(BrokenPipeError), open(pipe, "wb") as handle:  # noqa: PTH123 - or a descriptor
            handle.write(content)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


@contextmanager
def _fifo(path: Path) -> Iterator[str]:
    """A named pipe, which is written once."""
    content = path.read_bytes()
    with _replaced(path, lambda: os.mkfifo(path)) as name:
        written = _write(path, content)
        try:
            yield name
        finally:
            with suppress(OSError):  # if nobody has read it, somebody must
                os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
            written.join()


@contextmanager
def _substituted(path: Path) -> Iterator[str]:
    """The same as a shell makes it of `<(cat FILE)`, and as /dev/stdin is, under the old name."""
    content = path.read_bytes()
    reader, writer = os.pipe()
    with _replaced(path, lambda: path.symlink_to(f"/dev/fd/{reader}")) as name:
        written = _write(writer, content)
        try:
            yield name
        finally:
            os.close(reader)
            written.join()


def _marked(path: Path) -> AbstractContextManager[str]:
    content = b"\xef\xbb\xbf" + path.read_bytes()
    return _replaced(path, lambda: path.write_bytes(content) and None)


def _packed(suffix: str, pack: Callable[[bytes], bytes]) -> Any:
    return lambda path: _beside(path, suffix, pack(path.read_bytes()))


def _bomb(suffix: str, pack: Callable[[bytes], bytes]) -> Any:
    """Very many lines, all as the first one, in a small file."""

    def made(path: Path) -> AbstractContextManager[str]:
        line = path.read_bytes().partition(b"\n")[0][: BLOCK - 1] + b"\n"
        block = line * (BLOCK // len(line))
        return _beside(path, suffix, pack(block) * (BOMB // len(block)))

    return made


CARRIERS: dict[str, Callable[[Path], AbstractContextManager[str]]] = {
    "plain": lambda path: nullcontext(path.name),
    "mark": _marked,
    "gz": _packed(".gz", gzip.compress),
    "xz": _packed(".xz", lzma.compress),
    "fifo": _fifo,
    "pipe": _substituted,
    "bomb.gz": _bomb(".gz", gzip.compress),
    "bomb.xz": _bomb(".xz", lzma.compress),
}


def _words(content: bytes, name: str) -> list[str]:
    """What is said without the names of files, digests, and lines drawn as long as names are."""
    with suppress(OSError, EOFError):
        content = gzip.decompress(content)
    text = content.decode("utf-8", "replace")
    text = text.replace(f"{name}.gz", name).replace(f"{name}.xz", name)
    words = re.split(r"[\s\"',:;<>&()]+", re.sub(r"[0-9a-f]{8,64}", "", text))
    stem = Path(name).stem
    return [word for word in words if word and not set(word) <= {"─", "-"} and stem not in word]


def _said(result: Outcome, written: Files) -> dict[str, bytes]:
    kept = {name: one for name, one in written.items() if name not in TIMED}
    return {"what is said": result.stdout, **kept}


def test_a_carrier_makes_no_difference(workshop):
    names = {name for name in files_of(workshop) if "/" not in name}
    places = [
        (line, at)
        for line in map(shlex.split, LINES)
        for at, word in enumerate(line)
        if word in names and word not in outputs(line)
    ]
    plain: dict[tuple[str, ...], tuple[Outcome, Files]] = {}

    @settings(
        max_examples=settings.default.max_examples // 5, suppress_health_check=list(HealthCheck)
    )
    @given(st.sampled_from(places), st.sampled_from(list(CARRIERS)))
    def same(place: tuple[list[str], int], carrier: str) -> None:
        line, at = place
        if tuple(line) not in plain:
            result, _, written = run(workshop, line)
            plain[tuple(line)] = (result, written)
        expected, expected_files = plain[tuple(line)]
        bomb = carrier.startswith("bomb")
        with CARRIERS[carrier](workshop / line[at]) as word:
            carried = [*line[:at], word, *line[at + 1 :], *(LOW if bomb else ())]
            result, _, written = run(workshop, carried)
        assert result.code or not bomb, "a bomb is no fault"
        if bomb or 2 in (result.code, expected.code):
            return
        assert result.code == expected.code
        found, before = _said(result, written), _said(expected, expected_files)
        assert found.keys() == before.keys(), "other files are written"
        for name in found:
            one, other = found[name], before[name]
            if one != other and carrier in OTHER_BYTES:
                assert _words(one, line[at]) == _words(other, line[at]), name
            else:
                assert one == other, name

    same()
