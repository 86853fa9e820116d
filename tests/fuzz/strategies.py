"""Hypothesis strategies for damaged files: stretches of bytes, and what a file's form holds inside.

Files of a known form (JSON, YAML, archives, arrays) are also taken apart, changed inside and put
together again, so that their outer form stays good (checksums of zip and gzip too) and readers get
to see what is wrong further in.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import re
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import yaml
from hypothesis import strategies as st

NUMBERS = (
    b"-1", b"0", b"1", b"00", b"01", b"+1", b"2147483648", b"-2147483649", b"4294967296",
    b"9223372036854775808", b"18446744073709551616", b"1e309", b"-1e309", b"1e-400", b"NaN", b"nan",
    b"inf", b"-inf", b"Infinity", b"0x10", b"1_000", b"1.5", b"-0.0", b".5", b"5.", b"1e5", b"7",
    b"\xd9\xa3", b"\xc2\xb2", b"9" * 400, b"9" * 5000, b"", b"999999999", b"1000000000", b"2", b"3",
)  # fmt: skip
"""What stands for a number and is none, or one that nobody expects."""
PIECES = (
    b"", b"\0", b"\t", b"\n", b"\r", b"\r\n", b"\x0b", b"\x0c", b"\x1b[31m", b"\x7f", b"\x85", b" ",
    b"  ", b"\xc2\x85", b"\xc2\xa0", b"\xe2\x80\xa8", b"\xe2\x80\xa9", b"\xe3\x80\x80",
    b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80", b"e\xcc\x81",
    b"\xe2\x80\xae", b"\xff", b"\xc3", b"\xef\xbf\xbd", b"|", b"-", b"_", b"#", b"%", b"/", b"..",
    b"../..", b"\\", b"'", b'"', b"\"\"", b"<", b">", b"&", b"&amp;", b"&#0;", b"&x;",
    b"<!DOCTYPE a [<!ENTITY x 'y'>]>", b"[", b"]", b"{", b"}", b":", b",", b";", b"=", b"~",
    b"null", b"true", b"*a", b"&a", b"!!x", b"<<", b"REPLACE_", b"REPLACE_0", b"REPLACE_9",
    b"OTHER", b"NONE", b"a" * 3000, b"[" * 2000, b"-" * 300, b"ce", b"<s>", b"</s>", b"<unk>",
    b"\xc3\x9f", b"\xc4\xb0",
)  # fmt: skip
"""What is inserted, and what words become."""
VALUES = (
    None, True, False, 0, 1, -1, 2, 10**9, -(10**9), 2**63, 10**30, 1.5, -0.0, 1e308, "", " ", "x",
    "\0", "\x1b[2J", "a\tb", "a\nb", "é", "e\u0301", "\u202e", "0", "null", [], {}, [[]], [0],
    ["x"], {"x": 1}, {"": ""}, "../x", [None], "9" * 4000, ["a"] * 50, "REPLACE_0",
)  # fmt: skip
"""What a value of a tree may become."""
_STRETCHES = {
    "number": re.compile(rb"[-+]?\d+(?:\.\d+)?"),
    "word": re.compile(rb"\S+"),
    "field": re.compile(rb"[^\t\n,;|=:]+"),
    "line": re.compile(rb"[^\n]*\n?"),
}


@st.composite
def _stretch(draw: Any, content: bytes, kind: str) -> tuple[int, int]:
    """Where a number, word, field or line begins and ends; or a few bytes, or all the rest."""
    at = draw(st.integers(0, len(content)))
    if kind == "bytes":
        return at, min(len(content), at + draw(st.integers(0, 16)))
    if kind == "rest":
        return draw(st.sampled_from([(at, len(content)), (0, at)]))
    match = _STRETCHES[kind].search(content, at) or _STRETCHES[kind].search(content)
    return match.span() if match else (at, at)


@st.composite
def damaged(draw: Any, content: bytes, words: tuple[bytes, ...] = (), other: bytes = b"") -> bytes:
    """Content in which one to three stretches are replaced.

    They become a hostile piece, a word of the format, noise, the same with a bit the other way,
    nothing, another stretch of the content (perhaps 40 times), or the end of another file.
    """
    for _ in range(draw(st.sampled_from((1, 1, 1, 2, 3)))):
        kind = draw(st.sampled_from(("bytes", "bytes", "rest", *_STRETCHES)))
        start, end = draw(_stretch(content, kind))
        way = draw(st.sampled_from(("piece", "piece", "noise", "bit", "none", "own", "other")))
        if kind == "number":
            piece = draw(st.sampled_from(NUMBERS))
        elif way == "piece":
            piece = draw(st.sampled_from((*words, *PIECES)))
        elif way == "noise":
            piece = draw(st.binary(min_size=1, max_size=9))
        elif way == "bit" and start < end:
            flipped = content[start] ^ (1 << draw(st.integers(0, 7)))
            piece = bytes([flipped]) + content[start + 1 : end]
        elif way == "own":
            own, last = draw(_stretch(content, kind))
            kept = content[start:end] if draw(st.booleans()) else b""
            piece = kept + content[own:last] * draw(st.sampled_from((1, 1, 2, 40)))
        elif way == "other":
            piece = other[draw(st.integers(0, len(other))) :]
        else:
            piece = b""
        content = content[:start] + piece + content[end:]
    return content


def _places(tree: Any) -> list[tuple[Any, Any]]:
    """Every container of a tree with each of its keys or positions."""
    keys = tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    return [place for key in keys for place in ((tree, key), *_places(tree[key]))]


@st.composite
def changed_tree(draw: Any, tree: Any) -> Any:
    """A value changed, moved, doubled, left out or nested somewhere in a tree of plain values."""
    places = _places(tree)
    at = draw(st.integers(-1, len(places) - 1))
    if at < 0:
        return draw(st.sampled_from(VALUES))
    container, key = places[at]
    value = container[key]
    way = draw(st.sampled_from(("drop", "double", "move", "list", "dict", "inside", "value")))
    if way == "drop":
        del container[key]
    elif way == "double" and isinstance(container, dict):
        container[draw(st.sampled_from(("x", "", f"{key}s", "version", "a b")))] = value
    elif way == "double":
        container.insert(draw(st.integers(0, len(container))), value)
    elif way == "move":
        moved, place = places[draw(st.integers(0, len(places) - 1))]
        container[key] = json.loads(json.dumps(moved[place], default=str))  # a copy: no circles
    elif way in ("list", "dict"):
        container[key] = [value] if way == "list" else {"x": value}
    elif way == "inside" and isinstance(value, str):
        container[key] = draw(damaged(value.encode("utf-8", "replace"))).decode("utf-8", "replace")
    elif way == "inside" and type(value) in (int, float):
        changed = (-value, value + 1, value * 1000, float(value), str(value))
        container[key] = draw(st.sampled_from(changed))
    else:
        container[key] = draw(st.sampled_from(VALUES))
    return tree


def _json(draw: Any, content: bytes) -> bytes:
    tree = draw(changed_tree(json.loads(content)))
    return json.dumps(tree, ensure_ascii=draw(st.booleans())).encode("utf-8", "replace")


def _json_lines(draw: Any, content: bytes) -> bytes:
    rows = content.splitlines()
    at = draw(st.integers(0, len(rows) - 1))
    rows[at] = _json(draw, rows[at])
    return b"\n".join(rows) + b"\n"


def _yaml(draw: Any, content: bytes) -> bytes:
    tree = draw(changed_tree(yaml.safe_load(content)))
    return yaml.safe_dump(tree, allow_unicode=True).encode("utf-8", "replace")


def _packed(pack: Callable[[bytes], bytes], unpack: Callable[[bytes], bytes]) -> Any:
    return lambda draw, content: pack(draw(damaged(unpack(content))))


def _zip(draw: Any, content: bytes) -> bytes:
    """One member changed, renamed, left out or exchanged."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = [(one.filename, archive.read(one)) for one in archive.infolist()]
    at = draw(st.integers(0, len(members) - 1))
    name, data = members[at]
    way = draw(st.sampled_from(("drop", "rename", "exchange", "array", "array", "damage")))
    if way == "drop":
        del members[at]
    elif way == "rename":
        members[at] = (draw(st.sampled_from((f"{name}x", "x.npy", f"../{name}"))), data)
    elif way == "exchange":
        members[at] = (name, members[draw(st.integers(0, len(members) - 1))][1])
    elif way == "array" and name.endswith(".npy"):
        members[at] = (name, _npy(draw, data))
    else:
        members[at] = (name, draw(damaged(data)))
    out = io.BytesIO()
    kind = draw(st.sampled_from((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)))
    with zipfile.ZipFile(out, "w", kind) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()


def _npy(draw: Any, content: bytes) -> bytes:
    """An array with another value, type or shape."""
    array = np.load(io.BytesIO(content), allow_pickle=False)
    way = draw(st.sampled_from(("type", "shorter", "deeper", "value", "longer")))
    if way == "type":
        kinds = ("float32", "int8", "int64", "U3", "complex64", "bool")
        array = array.astype(draw(st.sampled_from(kinds)))
    elif way == "shorter":
        array = array[: draw(st.integers(0, len(array)))] if array.ndim else array.reshape(1)
    elif way == "deeper":
        array = array.reshape(1, *array.shape)
    elif way == "value" and array.size:
        flat = array.reshape(-1).copy()
        values = (-1, 0, 127) if array.dtype.kind in "iub" else (np.nan, np.inf, -1, 1e30, 0)
        with np.errstate(all="ignore"):
            value = np.array(draw(st.sampled_from(values))).astype(array.dtype)
        flat[draw(st.integers(0, flat.size - 1))] = value
        array = flat.reshape(array.shape)
    else:
        array = np.concatenate([array.reshape(-1), array.reshape(-1)[:1]])
    out = io.BytesIO()
    np.save(out, array, allow_pickle=False)
    return out.getvalue()


def _tar(draw: Any, content: bytes) -> bytes:
    """One member with other content, name, type, or none at all."""
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        members = [(one, archive.extractfile(one).read()) for one in archive.getmembers()]
    at = draw(st.integers(0, len(members) - 1))
    member, data = members.pop(at)
    way = draw(st.sampled_from(("damage", "rename", "type", "drop")))
    if way == "damage":
        data = draw(damaged(data))
    elif way == "rename":
        names = ("/etc/x", "../x", "a" * 300, "x\n", f"{member.name}.mmax")
        member.name = draw(st.sampled_from(names))
    elif way == "type":
        kinds = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, b"9")
        member.type = draw(st.sampled_from(kinds))
        member.linkname = draw(st.sampled_from(("../../x", member.name, "/dev/zero")))
    if way != "drop":
        members.insert(at, (member, data))
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=draw(st.sampled_from(("w", "w:gz", "w:xz")))) as archive:
        for one, inside in members:
            one.size = len(inside)
            archive.addfile(one, io.BytesIO(inside))
    return out.getvalue()


_FORMS: dict[str, Callable[[Any, bytes], bytes]] = {
    ".json": _json,
    ".jsonl": _json_lines,
    ".yaml": _yaml,
    ".gz": _packed(lambda data: gzip.compress(data, 1, mtime=0), gzip.decompress),
    ".xz": _packed(lambda data: lzma.compress(data, preset=0), lzma.decompress),
    ".npz": _zip,
    ".ckpt": _zip,
    ".npy": _npy,
    ".tar": _tar,
}


@st.composite
def changed_file(
    draw: Any, name: str, content: bytes, words: tuple[bytes, ...] = (), other: bytes = b""
) -> tuple[bytes, bool]:
    """A file's content, changed, and whether that is damage: the file as a whole has its form."""
    form = _FORMS.get(PurePosixPath(name).suffix)
    if form and draw(st.booleans()):
        return form(draw, content), False
    return draw(damaged(content, words, other)), True
