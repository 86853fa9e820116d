"""The same input in another carrier: with a byte-order mark, compressed, or through a pipe.

A line of the workshop reads one of its files so, and must say and write what it says and writes for
the file itself, or refuse it with a message. A pipe gives its content once: whoever reads it twice
finds nothing the second time, or waits for ever. Bombs are small files that unpack to more than
a limit allows; they must be refused.
"""

from __future__ import annotations

import gzip
import json
import lzma
import os
import re
import shlex
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from random import Random

from crosspro.data_prep.core.errors import CrossproError
from tests.fuzz.commands import COMMAND, _outputs
from tests.fuzz.subject import Files, Subject, files_of, require
from tests.fuzz.workshop import LINES
from tests.scripts.run import Outcome, crosspro

MARK = b"\xef\xbb\xbf"
UNPACKED = 1 << 26
"""Bytes of a bomb: not much, so that lower limits than usual are enough and none takes long."""
LOW = ("--limit", "line_bytes=1000000", "--limit", "packed_times=2")
_BLOCK = 1 << 20
_OTHER_BYTES = ("mark", "gz", "xz")
"""Carriers with a digest of their own, and perhaps another name."""
_DIGEST = re.compile(r"[0-9a-f]{8,64}")
_TIMES = ("out/ensemble/run.json",)
"""Files that say when they were made."""


def carriers(workshop: Path) -> Iterator[Subject]:
    """One subject: all lines of the workshop, with each of their files in each carrier."""
    originals = files_of(workshop)
    lines = [shlex.split(line) for line in LINES]
    asked = [
        (line, at)
        for line in lines
        for at, word in enumerate(line)
        if word in originals and "/" not in word and word not in _outputs(line)
    ]

    def draw(rng: Random, files: Files) -> Files:
        line, at = rng.choice(asked)
        return {COMMAND: json.dumps([line, at, rng.choice(list(CARRIERS))]).encode()}

    yield Subject("carriers", (originals,), Carried().run, share=20, draw=draw, tidy=_tidy)


def _tidy(folder: Path) -> None:
    shutil.rmtree(folder / "out", ignore_errors=True)
    (folder / "out").mkdir()


class Carried:
    """Runs a line as it is, and with one of its files in a carrier."""

    def __init__(self) -> None:
        self._plain: dict[str, tuple[Outcome, Files]] = {}

    def run(self, folder: Path) -> bool:
        """Raise for what is refused, and for any difference."""
        line, at, carrier = json.loads((folder / COMMAND).read_text())
        os.chdir(folder)
        (folder / "out").mkdir(exist_ok=True)
        key = json.dumps(line)
        if key not in self._plain:
            self._plain[key] = _ran(folder, line)
        plain, written = self._plain[key]
        bomb = carrier.startswith("bomb")
        with CARRIERS[carrier](folder / line[at]) as word:
            carried = [*line[:at], word, *line[at + 1 :], *(LOW if bomb else ())]
            result, new = _ran(folder, carried)
        shown = result.stderr + result.stdout
        require(b"Traceback (most" not in shown, "a traceback is shown")
        require(result.code in (0, 1, 2), f"exit code {result.code}")
        require(not bomb or result.code > 0, "a bomb is no fault")
        if bomb or 2 in (result.code, plain.code):
            require(not result.code or bool(shown.strip()), "refused without a word")
            raise CrossproError(shown.decode("utf-8", "replace")[:200])
        require(result.code == plain.code, f"exit code {result.code}, not {plain.code}")
        require(new.keys() == written.keys(), "other files are written")
        for what, one, other in (
            ("what is said", result.stdout, plain.stdout),
            *((path, new[path], written[path]) for path in new),
        ):
            same = one == other or (
                carrier in _OTHER_BYTES and _words(one, line[at]) == _words(other, line[at])
            )
            require(same, f"{what} is another one")
        return True


def _ran(folder: Path, line: list[str]) -> tuple[Outcome, Files]:
    """What a line says and writes; files that it changes are put back."""
    before = files_of(folder)
    result = crosspro(*line)
    after = {
        name: content for name, content in files_of(folder).items() if before.get(name) != content
    }
    for name in after:
        if name in before:
            (folder / name).write_bytes(before[name])
        else:
            (folder / name).unlink()
    _tidy(folder)
    return result, {name: content for name, content in after.items() if name not in _TIMES}


def _words(content: bytes, name: str) -> list[str]:
    """What is said without the names of files, digests, and lines drawn as long as names are."""
    with suppress(OSError, EOFError):
        content = gzip.decompress(content)
    text = content.decode("utf-8", "replace")
    for suffix in (".gz", ".xz"):
        text = text.replace(name + suffix, name)
    stem = Path(name).stem
    words = re.split(r"[\s\"',:;<>&()]+", _DIGEST.sub("", text))
    return [word for word in words if word and not set(word) <= {"─", "-"} and stem not in word]


@contextmanager
def _fifo(path: Path) -> Iterator[str]:
    """A named pipe in the place of a file, with its content; it is written once."""
    with _away(path) as content:
        os.mkfifo(path)
        written = threading.Thread(target=_write, args=(path, content), daemon=True)
        written.start()
        try:
            yield path.name
        finally:
            with suppress(OSError):  # if nobody has read it, somebody must
                os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
            written.join()


@contextmanager
def _substituted(path: Path) -> Iterator[str]:
    """The same as a shell makes it of `<(cat FILE)`, and as /dev/stdin is, under the old name."""
    with _away(path) as content:
        reader, writer = os.pipe()
        path.symlink_to(f"/dev/fd/{reader}")
        written = threading.Thread(target=_write, args=(writer, content), daemon=True)
        written.start()
        try:
            yield path.name
        finally:
            os.close(reader)
            written.join()


def _write(pipe: Path | int, content: bytes) -> None:
    with suppress(BrokenPipeError), open(pipe, "wb") as handle:  # noqa: PTH123 - or a descriptor
        handle.write(content)


@contextmanager
def _away(path: Path) -> Iterator[bytes]:
    """The content of a file that is not there meanwhile."""
    content = path.read_bytes()
    path.unlink()
    try:
        yield content
    finally:
        path.unlink()
        path.write_bytes(content)


@contextmanager
def _marked(path: Path) -> Iterator[str]:
    content = path.read_bytes()
    path.write_bytes(MARK + content)
    try:
        yield path.name
    finally:
        path.write_bytes(content)


def _packed(suffix: str, pack: Callable[[bytes], bytes]) -> Callable[..., object]:
    @contextmanager
    def packed(path: Path) -> Iterator[str]:
        with _beside(path, suffix, pack(path.read_bytes())) as name:
            yield name

    return packed


@contextmanager
def _beside(path: Path, suffix: str, content: bytes) -> Iterator[str]:
    made = path.with_name(path.name + suffix)
    made.write_bytes(content)
    try:
        yield made.name
    finally:
        made.unlink()


def bomb(suffix: str, line: bytes = b"\n") -> bytes:
    """A small compressed file of very many lines."""
    block = line * (_BLOCK // len(line))
    times = UNPACKED // len(block)
    if suffix == ".gz":
        return gzip.compress(block) * times
    return lzma.compress(block) * times


def _bombs(suffix: str) -> Callable[[Path], AbstractContextManager[str]]:
    def made(path: Path) -> AbstractContextManager[str]:
        first = path.read_bytes().partition(b"\n")[0] + b"\n"
        return _beside(path, suffix, bomb(suffix, first[:_BLOCK]))

    return made


CARRIERS: dict[str, Callable[[Path], AbstractContextManager[str]]] = {
    "plain": lambda path: nullcontext(path.name),
    "mark": _marked,
    "gz": _packed(".gz", gzip.compress),
    "xz": _packed(".xz", lzma.compress),
    "fifo": _fifo,
    "pipe": _substituted,
    "bomb.gz": _bombs(".gz"),
    "bomb.xz": _bombs(".xz"),
}
