"""Files in and out: plain, .gz and .xz text, strict JSON, checksums, output that appears complete.

Output is written under a temporary name beside its place and moved there when it is whole.
"""

from __future__ import annotations

import codecs
import gzip
import json
import lzma
import os
import re
import stat
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from functools import lru_cache, partial
from io import BufferedReader, BytesIO, RawIOBase
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, TextIO, TypeVar, cast

from crosspro.data_prep.core.errors import InputError, input_error
from crosspro.data_prep.core.guard import check_output, note_input
from crosspro.data_prep.core.limits import FILE_BYTES, PACKED_TIMES, UNPACKED_BYTES

STANDARD_INPUT = Path("-")
BLOCK = 8192
"""Bytes at the beginning of a file that tell whether it is text."""
NOISE = "binary data (compressed perhaps, or UTF-16)"
_MEGABYTE = 1 << 20
_BYTE_ORDER_MARK = codecs.BOM_UTF8
"""Windows programs put it before text; it belongs to no line."""
_CONTROLS = bytes({*range(0x20), 0x7F} - set(b"\t\n\v\f\r\x1b"))
_ARCHIVE = b"PK\x03\x04"


# Kinds of paths -----------------------------------------------------------------------------------


def is_file(path: Path) -> bool:
    """Whether there is such a file, or a pipe; a name that no file can have is none."""
    with suppress(OSError, ValueError):
        return is_given(path) or path.is_file() or is_pipe(path)
    return False


def is_pipe(path: Path) -> bool:
    """Whether a path can be read once only: a pipe, a socket, or a device such as a terminal."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def is_archive(path: Path) -> bool:
    """Whether a file begins as zip archives do."""
    try:
        if not path.is_file():  # a pipe can be read once
            return False
        with path.open("rb") as handle:
            return handle.read(len(_ARCHIVE)) == _ARCHIVE
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return False


def is_run(path: Path) -> bool:
    """Whether a path stands for a trained system, and not for a file of data."""
    return not is_given(path) and (path.is_dir() or is_archive(path))


def is_plain_name(path: Path) -> bool:
    """Whether a path is a word that names no file, as bundled models are named: en-fr."""
    word = str(path)
    return path.name == word and word[:1].isalnum() and "." not in word and not path.exists()


# Texts in memory ----------------------------------------------------------------------------------

_given: ContextVar[Mapping[Path, bytes]] = ContextVar("_given", default=MappingProxyType({}))


@contextmanager
def given_texts(texts: Mapping[Path, bytes]) -> Iterator[None]:
    """Texts in memory that stand for files of these paths while the block runs.

    All readers of files read them, so that lists of lines are checked as files are.
    """
    before = _given.set({**_given.get(), **texts})
    try:
        yield
    finally:
        _given.reset(before)


def is_given(path: Path) -> bool:
    """Whether a path stands for a text in memory."""
    return path in _given.get()


# Reading ------------------------------------------------------------------------------------------


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file for reading, decompressed by its suffix; `-` is standard input.

    The content of a pipe is kept, so several readers may go over it. A compressed file that stands
    for far more than its size is refused while it is read.
    """
    if is_given(path):
        return BytesIO(_given.get()[path])
    note_input(path)
    raw = _open_packed(path)
    if path.suffix not in (".gz", ".xz"):
        return raw
    return cast(IO[bytes], BufferedReader(_Unpacked(path, raw), 1 << 16))


def _open_packed(path: Path) -> IO[bytes]:
    """Open a file as it is, compressed or not."""
    try:
        if path == STANDARD_INPUT:
            return BytesIO(_standard_input(sys.stdin))
        if is_pipe(path):
            status = path.stat()
            return BytesIO(_piped(path, status.st_dev, status.st_ino))
        return path.open("rb")
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise _unreadable(path, error) from error


@lru_cache(maxsize=1)
def _standard_input(stream: TextIO) -> bytes:
    return _whole_pipe(STANDARD_INPUT, stream.buffer)


@lru_cache(maxsize=16)
def _piped(path: Path, device: int, inode: int) -> bytes:
    with path.open("rb") as handle:
        return _whole_pipe(path, handle)


def _whole_pipe(path: Path, handle: IO[bytes]) -> bytes:
    content = _read_at_most(handle, FILE_BYTES + 1)
    if len(content) > FILE_BYTES:
        raise input_error(path, "file", f"at most {FILE_BYTES:,} bytes through a pipe", "more")
    return content


def _read_at_most(handle: IO[bytes], size: int) -> bytes:
    """Up to `size` bytes, without allocating memory for all of them first."""
    blocks = []
    while size and (block := handle.read(min(size, _MEGABYTE))):
        blocks.append(block)
        size -= len(block)
    return b"".join(blocks)


class _Unpacked(RawIOBase):
    """The bytes of a compressed file, until there are too many of them."""

    def __init__(self, path: Path, packed: IO[bytes]) -> None:
        self._path, self._packed = path, packed
        opener = gzip.open if path.suffix == ".gz" else lzma.open
        self._opened = cast(IO[bytes], opener(packed, "rb"))
        self._left = max(UNPACKED_BYTES, PACKED_TIMES * packed.seek(0, os.SEEK_END))
        packed.seek(0)

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes."""
        try:
            block = self._opened.read(len(buffer))
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            raise _unreadable(self._path, error) from error
        self._left -= len(block)
        if self._left < 0:
            expected = f"at most {PACKED_TIMES:,} times its size once decompressed"
            raise input_error(self._path, "file", expected, "more")
        buffer[: len(block)] = block
        return len(block)

    def close(self) -> None:
        """Close both files."""
        self._opened.close()
        self._packed.close()
        super().close()


def _unreadable(path: Path, error: Exception) -> InputError:
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    kind = {".gz": "gzip ", ".xz": "xz "}.get(path.suffix, "")
    return input_error(path, "file", f"a readable {kind}file", reason)


def read_lines(path: Path, *, binary: bool = False) -> Iterator[bytes]:
    """The lines of a file with their line ends; only LF ends a line.

    Unless the file may be `binary`, content that is no text is one error, and a byte-order mark
    before the first line is left out.
    """
    with open_bytes(path) as handle:
        if not binary:
            block = handle.read(BLOCK)
            if is_noise(block):
                raise input_error(path, "file", "text", NOISE)
            yield from BytesIO(block.removeprefix(_BYTE_ORDER_MARK) + handle.readline())
        yield from handle


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


def read_bytes(path: Path, size: int = -1) -> bytes:
    """The content of a file without a byte-order mark, or its first `size` bytes.

    A compressed file of more than FILE_BYTES is refused; a plain file is as large as it looks.
    """
    packed = size < 0 and path != STANDARD_INPUT and path.suffix in (".gz", ".xz")
    with open_bytes(path) as handle:
        content = _read_at_most(handle, FILE_BYTES + 1) if packed else handle.read(size)
    if packed and len(content) > FILE_BYTES:
        expected = f"at most {FILE_BYTES:,} bytes once decompressed, as a plain file may have"
        raise input_error(path, "file", expected, "more")
    return content.removeprefix(_BYTE_ORDER_MARK)


def count_lines(path: Path) -> int:
    """How many line ends a file has."""
    with open_bytes(path) as handle:
        return sum(block.count(b"\n") for block in iter(partial(handle.read, _MEGABYTE), b""))


def has_byte_order_mark(path: Path) -> bool:
    """Whether a file begins with a byte-order mark, which the readers leave out."""
    with open_bytes(path) as handle:
        return handle.read(len(_BYTE_ORDER_MARK)) == _BYTE_ORDER_MARK


def is_noise(block: bytes) -> bool:
    """Whether the beginning of a file is no text: not UTF-8, and one byte in twenty a control
    character. Text in another encoding has none of those, and random bytes one in nine."""
    controls = len(block) - len(block.translate(None, _CONTROLS))
    if controls < 16 or controls * 20 < len(block):
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(block)  # the last character may be cut
    except UnicodeDecodeError:
        return True
    return False


def sha256_of(path: Path) -> str:
    """The checksum of a file's bytes, as hexadecimal digits."""
    import hashlib  # it loads OpenSSL

    with _open_packed(path) as handle:
        return hashlib.file_digest(cast(Any, handle), "sha256").hexdigest()


# JSON ---------------------------------------------------------------------------------------------

Number = TypeVar("Number", int, float)
_SURROGATES = re.compile("[\ud800-\udfff]")


def parse_json(text: str | bytes) -> Any:
    """The content of a text; every fault is a `ValueError`.

    Faults are also NaN, numbers that no fraction can hold, nesting without end, and lone surrogates
    (`\\ud800`), which no file can hold.
    """
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    try:
        value = json.loads(
            text,
            parse_constant=partial(_finite, float),
            parse_float=partial(_finite, float),
            parse_int=partial(_finite, int),
        )
        escaped = "\\u" in text and _SURROGATES.search(json.dumps(value, ensure_ascii=False))
    except RecursionError as error:
        raise ValueError("nesting too deep") from error
    if escaped or _SURROGATES.search(text):
        raise ValueError("half of a character (a lone surrogate)")
    return value


def _finite(kind: Callable[[str], Number], text: str) -> Number:
    if not isfinite(float(text)):
        raise ValueError(f"a number that is not finite or too large: {text[:60]}")
    return kind(text)


def json_object(text: str | bytes, path: Path) -> dict[str, Any]:
    """The JSON object in a text; errors name the path."""
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


# Writing ------------------------------------------------------------------------------------------


@contextmanager
def atomic_output(path: Path) -> Iterator[IO[bytes]]:
    """A binary file, compressed by its suffix, that replaces `path` only if the block succeeds.

    A link is followed and the permissions of an existing file are kept. Devices and pipes are
    written to directly. Inputs of the command and databases of verdicts are refused.
    """
    check_output(path)
    path = Path(os.path.realpath(path))
    if path.is_dir() or not path.parent.is_dir():
        found = "a folder" if path.is_dir() else f"no folder {path.parent}"
        raise input_error(path, "output", "a file in an existing folder", found)
    if path.exists() and not path.is_file():
        with path.open("wb") as raw, _compressed(raw, path.suffix) as handle:
            yield handle
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}")
    try:
        with ExitStack() as stack:
            with _writable(path):
                raw = stack.enter_context(temporary.open("xb"))
            yield stack.enter_context(_compressed(raw, path.suffix))
        check_output(path)  # again: the block may have read more inputs
        with _writable(path):
            if path.exists():
                temporary.chmod(stat.S_IMODE(path.stat().st_mode))
            temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a whole UTF-8 text file atomically."""
    with atomic_output(path) as handle:
        handle.write(text.encode("utf-8"))


def make_folder(path: Path) -> None:
    """Create a folder for output, and those above it."""
    with _writable(path):
        path.mkdir(parents=True, exist_ok=True)


def check_new_folder(path: Path) -> None:
    """Refuse a folder for output that has something in it: it would be mixed with the output."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise input_error(path, "output", "a new or an empty folder", "one with files")


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """A folder to write into, which becomes `path` if the block succeeds, and is gone otherwise."""
    check_new_folder(path)
    path = Path(os.path.realpath(path))
    make_folder(path.parent)
    with ExitStack() as stack:
        with _writable(path):
            scratch = stack.enter_context(temporary_folder(path.parent, path.name))
        new = scratch / "new"
        new.mkdir()
        yield new
        check_new_folder(path)
        with _writable(path):
            new.replace(path)


@contextmanager
def temporary_folder(parent: Path, name: str) -> Iterator[Path]:
    """A new folder beside the output that it is for; it is removed after the block."""
    with tempfile.TemporaryDirectory(prefix=f".{name}.", dir=parent) as folder:
        yield Path(folder)


@contextmanager
def _writable(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise input_error(path, "output", "a place that can be written", reason) from error


def _compressed(raw: IO[bytes], suffix: str) -> AbstractContextManager[IO[bytes]]:
    if suffix == ".gz":  # no time stamp: the same text gives the same bytes
        zipped = gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)
        return cast(AbstractContextManager[IO[bytes]], zipped)
    if suffix == ".xz":
        return cast(AbstractContextManager[IO[bytes]], lzma.open(raw, "wb"))
    return nullcontext(raw)
