"""Files in and out: plain, .gz and .xz text, strict JSON, digests, atomic output."""

from __future__ import annotations

import gzip
import hashlib
import json
import lzma
import os
import stat
import sys
import tempfile
import zlib
from codecs import BOM_UTF8, getincrementaldecoder
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from functools import cache
from io import BytesIO
from math import isfinite
from pathlib import Path
from typing import IO, Any, TextIO, cast

from pydantic_core import from_json

from crosspro.data_prep.core.errors import input_error, quoted

STANDARD_INPUT = Path("-")
_BLOCK = 8192
"""Bytes at the beginning of a file that tell whether it is text."""
_ARCHIVE = b"PK\x03\x04"


def is_file(path: Path) -> bool:
    """Whether there is such a file; a name that no file can have is none."""
    with suppress(OSError, ValueError):
        return path.is_file()
    return False


def is_archive(path: Path) -> bool:
    """Whether a file begins as zip archives do."""
    if not is_file(path):
        return False
    with _reading(path), path.open("rb") as handle:
        return handle.read(len(_ARCHIVE)) == _ARCHIVE


def is_run(path: Path) -> bool:
    """Whether a path is a trained system, and not a data file."""
    return path.is_dir() or is_archive(path)


# Reading ------------------------------------------------------------------------------------------


@contextmanager
def open_bytes(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading, decompressed by its suffix; `-` is standard input.

    The content of standard input is kept, so several readers may go over it.
    """
    with _reading(path), _open_packed(path) as packed:
        if path.suffix not in (".gz", ".xz"):
            yield packed
            return
        opener = gzip.open if path.suffix == ".gz" else lzma.open
        with opener(packed, "rb") as handle:
            yield cast(IO[bytes], handle)


@contextmanager
def _explained(path: Path, field: str, expected: str) -> Iterator[None]:
    """Faults of the system and of archives as input errors."""
    try:
        yield
    except (OSError, ValueError, EOFError, zlib.error, lzma.LZMAError) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise input_error(path, field, expected, reason) from error


def _reading(path: Path) -> AbstractContextManager[None]:
    return _explained(path, "file", "a readable file")


def _open_packed(path: Path) -> IO[bytes]:
    return BytesIO(_content_of(sys.stdin)) if path == STANDARD_INPUT else path.open("rb")


@cache
def _content_of(stream: TextIO) -> bytes:
    return stream.buffer.read()


def read_lines(path: Path, *, binary: bool = False) -> Iterator[bytes]:
    """The lines of a file with their line ends; only LF ends a line.

    Unless the file may be `binary`, content that is no text is one error, and a byte-order mark
    before the first line is left out.
    """
    with open_bytes(path) as handle:
        if not binary:
            block = handle.read(_BLOCK)
            refuse_binary(path, block)
            yield from BytesIO(block.removeprefix(BOM_UTF8) + handle.readline())
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


def read_bytes(path: Path) -> bytes:
    """The content of a file without a byte-order mark."""
    with open_bytes(path) as handle:
        return handle.read().removeprefix(BOM_UTF8)


def has_byte_order_mark(path: Path) -> bool:
    with open_bytes(path) as handle:
        return handle.read(len(BOM_UTF8)) == BOM_UTF8


def refuse_binary(path: str | Path, content: bytes) -> None:
    """Raise if the beginning of a file has a NUL and is not UTF-8."""
    block = content[:_BLOCK]
    if b"\0" in block:
        try:
            getincrementaldecoder("utf-8")().decode(block)  # the last character may be cut
        except UnicodeDecodeError as error:
            actual = "binary data (compressed perhaps, or UTF-16)"
            raise input_error(path, "file", "text", actual) from error


def sha256_of(path: Path) -> str:
    """The checksum of a file's bytes, as hexadecimal digits."""
    with _reading(path), _open_packed(path) as handle:
        return hashlib.file_digest(cast(Any, handle), "sha256").hexdigest()


def content_digest(*parts: object) -> str:
    """A short name of plain values, dataclasses and the content of files (as `Path`).

    The items of an iterator are never held in memory together.
    """
    digest = hashlib.blake2b(digest_size=12)
    for part in parts:
        value = sha256_of(part) if isinstance(part, Path) else part
        for item in value if isinstance(value, Iterator) else (value,):
            digest.update(repr(item).encode("utf-8", errors="surrogatepass") + b",")
        digest.update(b"\n")
    return digest.hexdigest()


# JSON ---------------------------------------------------------------------------------------------


def parse_json(text: str | bytes) -> Any:
    """The content of a text; every fault is a `ValueError`.

    Faults are also NaN, fractions that no float can hold, nesting without end, repeated keys, and
    lone surrogates (`\\ud800`), which no file can hold.
    """
    from_json(text, allow_inf_nan=False)  # finds all but too large numbers and repeated keys
    return json.loads(text, parse_float=_finite, object_pairs_hook=_unique_keys)


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"a number that is too large: {text[:60]}")
    return number


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        raise ValueError(f"a key stands twice among {quoted(', '.join(mapping))}")
    return mapping


def json_object(text: str | bytes, path: Path) -> dict[str, Any]:
    """The JSON object in a text; errors name the path."""
    try:
        content = parse_json(text)
    except ValueError as error:
        raise input_error(path, "file", "JSON in UTF-8", str(error)) from error
    if not isinstance(content, dict):
        raise input_error(path, "file", "a JSON object", type(content).__name__)
    return content


def read_json_object(path: Path) -> dict[str, Any]:
    """A JSON file, which may be compressed, that must hold an object."""
    return json_object(read_bytes(path), path)


# Writing ------------------------------------------------------------------------------------------


def _writable(path: Path) -> AbstractContextManager[None]:
    return _explained(path, "output", "a place that can be written")


@contextmanager
def atomic_output(path: Path) -> Iterator[IO[bytes]]:
    """A binary file, compressed by its suffix, that replaces `path` only if the block succeeds.

    A link is followed and the permissions of an existing file are kept. Devices and pipes are
    written to directly.
    """
    path = Path(os.path.realpath(path))
    if path.is_dir() or not path.parent.is_dir():
        fault = "a folder" if path.is_dir() else f"no folder {path.parent}"
        raise input_error(path, "output", "a file in an existing folder", fault)
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
        with _writable(path):
            if path.exists():
                temporary.chmod(stat.S_IMODE(path.stat().st_mode))
            temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _compressed(raw: IO[bytes], suffix: str) -> AbstractContextManager[IO[bytes]]:
    if suffix == ".gz":  # no time stamp: the same text gives the same bytes
        zipped = gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)
        return cast(AbstractContextManager[IO[bytes]], zipped)
    if suffix == ".xz":
        return cast(AbstractContextManager[IO[bytes]], lzma.open(raw, "wb"))
    return nullcontext(raw)


def write_text(path: Path, text: str) -> None:
    """Write a whole UTF-8 text file atomically."""
    with atomic_output(path) as handle:
        handle.write(text.encode("utf-8"))


def make_folder(path: Path) -> None:
    with _writable(path):
        path.mkdir(parents=True, exist_ok=True)


def check_new_folder(path: Path) -> None:
    """Refuse an output folder with files, which would be mixed with the output."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise input_error(path, "output", "a new or an empty folder", "one with files")


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """A folder to write into, which becomes `path` if the block succeeds, and is gone otherwise."""
    check_new_folder(path)
    path = Path(os.path.realpath(path))
    make_folder(path.parent)
    with _writable(path):
        scratch = tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent)
    with scratch as hidden:
        new = Path(hidden, "new")
        new.mkdir()
        yield new
        with _writable(path):
            new.replace(path)
