"""Files in and out: plain, .gz and .xz text, strict JSON, checksums, output that appears complete.

What is temporary is locked while its process lives. The lock goes with the process, however that
ends, so that the next one that writes into a folder can tell what nobody needs any more.
"""

from __future__ import annotations

import codecs
import contextlib
import fcntl
import functools
import gzip
import json
import lzma
import os
import re
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import lru_cache, partial
from io import BufferedReader, BytesIO, RawIOBase
from itertools import chain
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, TextIO, cast

from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.guard import check_output, is_pipe, kept_pipe, note_input
from crosspro.data_prep.core.limits import FILE_BYTES, LINE_BYTES, PACKED_TIMES

_BEGINNING = b"PK\x03\x04"


def is_archive(path: Path) -> bool:
    """Whether a file begins as archives do; whether it is one of ours is seen when it is read."""
    try:
        if not path.is_file():  # a pipe can be read once
            return False
        with path.open("rb") as handle:
            return handle.read(len(_BEGINNING)) == _BEGINNING
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return False


def is_run(path: Path) -> bool:
    """Whether a path stands for a trained system, and not for a file of data."""
    return not is_given(path) and (path.is_dir() or is_archive(path))


def is_plain_name(path: Path) -> bool:
    """Whether a path is a word that names no file, as a model of the box is named: en-fr."""
    word = str(path)
    return path.name == word and word[:1].isalnum() and "." not in word and not path.exists()


_DIGITS = 300
"""A whole number of more is none that arithmetic could go on with."""
_HALF = re.compile("[\ud800-\udfff]")


def parse_json(text: str | bytes) -> Any:
    """The content of a text; every fault is a `ValueError`.

    NaN and infinite numbers, numbers too large for a calculation, nesting without end, and halves
    of characters (`\\ud800` alone), which no file can hold, are faults.
    """
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    try:
        value = json.loads(text, parse_constant=_no_number, parse_float=_fraction, parse_int=_whole)
        escaped = "\\u" in text and _HALF.search(json.dumps(value, ensure_ascii=False))
        if escaped or _HALF.search(text):
            raise ValueError("half of a character (a lone surrogate)")
    except RecursionError as error:
        raise ValueError("nesting too deep") from error
    return value


def json_object(text: str | bytes, path: Path) -> dict[str, Any]:
    """The JSON object that a file says."""
    try:
        content = parse_json(text if isinstance(text, str) else text.decode("utf-8"))
    except ValueError as error:
        raise input_error(path, "file", "JSON in UTF-8", str(error)) from error
    if not isinstance(content, dict):
        raise input_error(path, "file", "a JSON object", type(content).__name__)
    return content


def read_json_object(path: Path) -> dict[str, Any]:
    """A JSON file, which may be compressed, that must hold an object."""
    return json_object(read_bytes(path), path)


def _no_number(text: str) -> None:
    raise ValueError(f"{text}, which is no number of JSON")


def _fraction(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise _too_large(text)
    return value


def _whole(text: str) -> int:
    if len(text) > _DIGITS:
        raise _too_large(text)
    return int(text)


def _too_large(text: str) -> ValueError:
    return ValueError(f"a number that is too large: {quoted(text)[1:-1]}")


_TEMPORARY = ".crosspro"
"""How names of temporary files and folders end; they begin with a dot."""


def temporary_file(folder: Path, name: str) -> tuple[int, Path]:
    """A new file in a folder, open and locked, for what will be moved to `name`."""
    remove_left_behind(folder)
    while True:
        descriptor, made = tempfile.mkstemp(prefix=f".{name}.", suffix=_TEMPORARY, dir=folder)
        if _lock(descriptor, made):
            return descriptor, Path(made)
        os.close(descriptor)


@contextmanager
def temporary_folder(parent: Path, name: str) -> Iterator[Path]:
    """A new folder, which is gone after the block unless it was moved."""
    remove_left_behind(parent)
    while True:
        made = tempfile.mkdtemp(prefix=f".{name}.", suffix=_TEMPORARY, dir=parent)
        with suppress(FileNotFoundError):
            descriptor = os.open(made, os.O_RDONLY)
            if _lock(descriptor, made):
                break
            os.close(descriptor)
    try:
        yield Path(made)
    finally:
        shutil.rmtree(made, ignore_errors=True)
        os.close(descriptor)


@functools.cache
def remove_left_behind(folder: Path) -> None:
    """Remove what killed processes left in a folder; a process does so once for each folder."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") and entry.name.endswith(_TEMPORARY):
                with suppress(OSError):  # somebody else's, or just gone
                    _remove_unlocked(entry.path)


def _remove_unlocked(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # BlockingIOError: in use
        if os.path.isdir(path):  # noqa: PTH112 - as the entry gave it
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)  # noqa: PTH108
    finally:
        os.close(descriptor)


def _lock(descriptor: int, path: str) -> bool:
    """Lock what was just made; False if somebody took it for left behind before that."""
    with suppress(OSError):  # a file system without locks: nobody removes anything there
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), os.stat(path))  # noqa: PTH116
    return False


_given: ContextVar[Mapping[Path, bytes]] = ContextVar("_given", default=MappingProxyType({}))


@contextmanager
def given_texts(texts: Mapping[Path, bytes]) -> Iterator[None]:
    """Texts in memory that stand for files of these paths while the block runs.

    Whatever reads a file reads them, so that lists of lines are checked as files are.
    """
    before = _given.set({**_given.get(), **texts})
    try:
        yield
    finally:
        _given.reset(before)


def is_given(path: Path) -> bool:
    """Whether a path stands for a text in memory."""
    return path in _given.get()


STANDARD_INPUT = Path("-")
BLOCK = 8192
_UNPACKED_AT_ONCE = 1 << 16
_AHEAD = 1 << 20
"""More than is read ahead of a line, so that one that is too long is told as that."""
NOISE = "binary data (compressed perhaps, or UTF-16)"
_BYTE_ORDER_MARK = codecs.BOM_UTF8
"""What Windows programs put before text: it belongs to no line."""
_CONTROLS = bytes({*range(0x20), 0x7F} - set(b"\t\n\v\f\r\x1b"))


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file for reading, decompressing by its suffix; `-` is standard input.

    What comes through a pipe is kept: several readers may go over it, as they may over a file. A
    compressed file that is many times as large as it looks is refused where that is seen.
    """
    if path == STANDARD_INPUT:
        return BytesIO(_standard_input(sys.stdin))
    if is_given(path):
        return BytesIO(_given.get()[path])
    note_input(path)
    try:
        if is_pipe(path):
            raw: IO[bytes] = BytesIO(piped_bytes(path))
        else:
            raw = path.open("rb")
        if path.suffix not in (".gz", ".xz"):
            return raw
        return cast(IO[bytes], BufferedReader(_Unpacked(path, raw), _UNPACKED_AT_ONCE))
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise _unreadable(path, error) from error


class _Unpacked(RawIOBase):
    """The bytes of a compressed file, so far as there are not too many of them."""

    def __init__(self, path: Path, packed: IO[bytes]) -> None:
        self._path, self._packed = path, packed
        opener = gzip.open if path.suffix == ".gz" else lzma.open
        self._opened = cast(IO[bytes], opener(packed, "rb"))
        size = packed.seek(0, os.SEEK_END)
        packed.seek(0)
        self._left = max(LINE_BYTES.most() + _AHEAD, PACKED_TIMES.most() * size)

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes."""
        found = self._opened.read(len(buffer))
        self._left -= len(found)
        if self._left < 0:
            expected = PACKED_TIMES.expected("times its size once decompressed")
            raise input_error(self._path, "file", expected, "more")
        buffer[: len(found)] = found
        return len(found)

    def close(self) -> None:
        """Close all of them."""
        self._opened.close()
        self._packed.close()
        super().close()


@lru_cache(maxsize=1)
def _standard_input(stream: TextIO) -> bytes:
    return _whole_pipe(STANDARD_INPUT, stream.buffer)


def piped_bytes(path: Path) -> bytes:
    """All that comes through a pipe, as it comes."""

    def read() -> bytes:
        with path.open("rb") as handle:
            return _whole_pipe(path, handle)

    return kept_pipe(path, read)


def _whole_pipe(path: Path, handle: IO[bytes]) -> bytes:
    """What is in a pipe, which may be endless."""
    most = FILE_BYTES.most()
    content = _read_at_most(handle, most + 1)
    if len(content) > most:
        raise input_error(path, "file", FILE_BYTES.expected("bytes through a pipe"), "more")
    return content


def _is_small(path: Path, size: int) -> bool:
    """Whether a file is known to hold no more than so many bytes."""
    plain = path != STANDARD_INPUT and path.suffix not in (".gz", ".xz")
    return plain and not is_given(path) and 0 < path.stat().st_size <= size


def read_lines(path: Path, *, binary: bool = False) -> Iterator[bytes]:
    """The lines of a file with their line ends; only LF ends a line, and a byte-order mark before
    the first is left out.

    What is plainly no text is refused at once, unless it may be `binary`. A small compressed file
    may hold a line that fills the memory: one of more than LINE_BYTES is refused.
    """
    longest = LINE_BYTES.most()
    with open_bytes(path) as handle:
        try:
            block = handle.read(BLOCK)
            if not binary and is_noise(block):
                raise input_error(path, "file", "text", NOISE)
            if len(block) == BLOCK:
                block += handle.readline(longest + 1)
            if not binary:
                block = block.removeprefix(_BYTE_ORDER_MARK)
            if _is_small(path, longest):
                yield from BytesIO(block)
                yield from handle  # no line can be too long, and this is twice as fast
                return
            rest = iter(partial(handle.readline, longest + 1), b"")
            for number, line in enumerate(chain(BytesIO(block), rest), start=1):
                if len(line) > longest:
                    raise input_error(path, "line", LINE_BYTES.expected("bytes"), "more", number)
                yield line
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            raise _unreadable(path, error) from error


def read_blocks(path: Path, size: int) -> Iterator[bytes]:
    """The text of a file in blocks of about `size` bytes that end where lines end.

    Nothing is checked, but a line that is longer than a block is refused; there is no byte-order
    mark, as in `read_lines`.
    """
    mark = _BYTE_ORDER_MARK
    with open_bytes(path) as handle:
        try:
            while block := handle.read(size):
                rest = handle.readline(size)
                if len(rest) == size:
                    raise input_error(path, "line", f"less than {size:,} bytes", "more")
                yield block.removeprefix(mark) + rest
                mark = b""
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            raise _unreadable(path, error) from error


def is_file(path: Path) -> bool:
    """Whether there is such a file, or a pipe; a name that no file can have is none."""
    with contextlib.suppress(OSError, ValueError):
        return is_given(path) or path.is_file() or is_pipe(path)
    return False


def count_lines(path: Path, most: int = 1 << 32) -> int:
    """How many lines a file has, for telling how far a reader is: 0 if that cannot be known, or not
    soon, for a small compressed file may be endless."""
    lines = size = 0
    try:
        with open_bytes(path) as handle:
            while block := handle.read(1 << 20):
                lines += block.count(b"\n")
                size += len(block)
                if size > most:
                    return 0
    except (OSError, EOFError, zlib.error, lzma.LZMAError):
        return 0  # the reader tells what is wrong
    return lines


def is_noise(block: bytes) -> bool:
    """Whether the beginning of a file is no text: not UTF-8, and one byte in twenty a control
    character. Text in another encoding has none of those, and random bytes one in nine."""
    controls = len(block) - len(block.translate(None, _CONTROLS))
    if controls < 16 or controls * 20 < len(block):
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(block)  # whose last character may be cut
    except UnicodeDecodeError:
        return True
    return False


def has_byte_order_mark(path: Path) -> bool:
    """Whether a file begins with a byte-order mark, which all readers of lines leave out."""
    with open_bytes(path) as handle:
        return handle.read(len(_BYTE_ORDER_MARK)) == _BYTE_ORDER_MARK


def read_bytes(path: Path, size: int = -1) -> bytes:
    """The content of a file without a byte-order mark, or its first `size` bytes.

    A small compressed file may hold what fills the memory: one that is too large is refused. A
    plain file is never larger than it looks, so whoever means it unpacks it.
    """
    packed = size < 0 and path != STANDARD_INPUT and path.suffix in (".gz", ".xz")
    most = FILE_BYTES.most()
    with open_bytes(path) as handle:
        try:
            content = _read_at_most(handle, most + 1) if packed else handle.read(size)
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            raise _unreadable(path, error) from error
    if packed and len(content) > most:
        expected = FILE_BYTES.expected("bytes once decompressed, as a plain file may have")
        raise input_error(path, "file", expected, "more")
    return content.removeprefix(_BYTE_ORDER_MARK)


def _read_at_most(handle: IO[bytes], size: int) -> bytes:
    """What there is of so many bytes, without making room for all of them first."""
    blocks = []
    while size and (block := handle.read(min(size, 1 << 20))):
        blocks.append(block)
        size -= len(block)
    return b"".join(blocks)


def read_text_lines(path: Path) -> Iterator[str]:
    """The lines of a UTF-8 file without their LF."""
    for number, raw in enumerate(read_lines(path), start=1):
        try:
            yield raw.decode("utf-8").removesuffix("\n")
        except UnicodeDecodeError as error:
            raise input_error(path, "encoding", "UTF-8", bad_byte(error), number) from error


def bad_byte(error: UnicodeDecodeError) -> str:
    """Which byte could not be decoded, and where in the line."""
    return f"byte 0x{error.object[error.start]:02x} at byte {error.start + 1} of the line"


def _unreadable(path: Path, error: Exception) -> Exception:
    if isinstance(error, OSError) and error.strerror:
        found = error.strerror
    else:
        found = str(error) or type(error).__name__
    kind = {".gz": "gzip ", ".xz": "xz "}.get(path.suffix, "")
    return input_error(path, "file", f"a readable {kind}file", found)


@contextlib.contextmanager
def atomic_output(path: Path, merged: bool = False) -> Iterator[IO[bytes]]:
    """A binary file, compressed by its suffix, that replaces `path` only if the block succeeds.

    A link is followed, the permissions of an existing file are kept, and what is no ordinary file
    (a device, a pipe) is written to as it is. Inputs of the command and verdicts of people are not
    replaced, unless the writer has `merged` what was there into the new content.
    """
    if not merged:
        check_output(path)
    path = Path(os.path.realpath(path))
    if path.is_dir() or not path.parent.is_dir():
        found = "a folder" if path.is_dir() else f"no folder {path.parent}"
        raise input_error(path, "output", "a file in an existing folder", found)
    if path.exists() and not path.is_file():
        with path.open("wb") as raw, _compressed(raw, path.suffix) as handle:
            yield handle
        return
    try:
        descriptor, temporary = temporary_file(path.parent, path.name)
    except (OSError, ValueError) as error:
        found = getattr(error, "strerror", None) or str(error)
        raise input_error(path, "output", "a writable folder", found) from error
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
    try:
        with os.fdopen(descriptor, "wb") as raw, _compressed(raw, path.suffix) as handle:
            yield handle
        if not merged:
            check_output(path)  # again: input may be read only while output is written
        temporary.chmod(mode)
        _move(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def make_folder(path: Path) -> None:
    """Create a folder for output, and those above it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise input_error(path, "output", "a folder", str(error.strerror)) from error


def check_new_folder(path: Path) -> None:
    """Refuse a folder for output that has something in it: it would be mixed with what is new."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise input_error(path, "output", "a new or an empty folder", "one with files")


@contextlib.contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """A folder to write into, which becomes `path` if the block succeeds, and is gone otherwise.

    There may be an empty folder. Of two that are written at once the first one stays.
    """
    check_new_folder(path)
    path = Path(os.path.realpath(path))
    make_folder(path.parent)
    with _beside(path) as new:
        yield new
        new.chmod(0o777 & ~_umask())
        check_new_folder(path)
        _move(new, path)


@contextlib.contextmanager
def atomic_files(folder: Path) -> Iterator[Path]:
    """A folder for files that belong together: they are moved to `folder` when all are written."""
    if not folder.is_dir():
        raise input_error(folder, "output", "an existing folder", "none")
    with _beside(folder / "files") as new:
        yield new
        places = {one: Path(os.path.realpath(folder / one.name)) for one in sorted(new.iterdir())}
        for place in places.values():
            check_output(place)
        for one, place in places.items():
            _move(one, place)


@contextlib.contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """A temporary folder on the disk of what it will become."""
    with contextlib.ExitStack() as stack:
        try:
            new = stack.enter_context(temporary_folder(path.parent, path.name))
        except OSError as error:
            found = error.strerror or str(error)
            raise input_error(path, "output", "a writable folder", found) from error
        yield new


def write_text(path: Path, text: str) -> None:
    """Write a whole UTF-8 text file atomically."""
    with atomic_output(path) as handle:
        handle.write(text.encode("utf-8"))


def _move(temporary: Path, path: Path) -> None:
    try:
        temporary.replace(path)
    except OSError as error:
        expected = "a writable folder" if temporary.is_dir() else "a writable file"
        raise input_error(path, "output", expected, str(error.strerror)) from error


def _compressed(raw: IO[bytes], suffix: str) -> contextlib.AbstractContextManager[IO[bytes]]:
    if suffix == ".gz":  # no time stamp: the same text gives the same bytes
        zipped = gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)
        return cast(contextlib.AbstractContextManager[IO[bytes]], zipped)
    if suffix == ".xz":
        return cast(contextlib.AbstractContextManager[IO[bytes]], lzma.open(raw, "wb"))
    return contextlib.nullcontext(raw)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def sha256_of(path: Path) -> str:
    """The checksum of a file's bytes, as hexadecimal digits."""
    import hashlib  # it loads OpenSSL

    if is_pipe(path):
        return hashlib.sha256(piped_bytes(path)).hexdigest()
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
