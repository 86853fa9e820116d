"""Mutations that know the form of a file: JSON, YAML, compressed files, archives and arrays.

A file is taken apart, changed inside and put together again, so that its outer form stays good
(checksums of zip and gzip too) and readers get to see what is wrong further in.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from random import Random
from typing import Any

import numpy as np
import yaml

from tests.fuzz.mutate import mutate

VALUES = (
    None, True, False, 0, 1, -1, 2, 10**9, -(10**9), 2**63, 10**30, 1.5, -0.0, 1e308, "", " ", "x",
    "\0", "\x1b[2J", "a\tb", "a\nb", "é", "e\u0301", "\u202e", "0", "null", [], {}, [[]], [0],
    ["x"], {"x": 1}, {"": ""}, "../x", [None], "9" * 4000, ["a"] * 50, "REPLACE_0",
)  # fmt: skip
"""What a value of a tree may become."""


def _places(tree: Any) -> list[tuple[Any, Any]]:
    """Every container of a tree with each of its keys or positions."""
    found: list[tuple[Any, Any]] = []
    left = [tree]
    while left:
        one = left.pop()
        keys: Sequence[Any] = ()
        if isinstance(one, dict):
            keys = list(one)
        elif isinstance(one, list):
            keys = range(len(one))
        for key in keys:
            found.append((one, key))
            left.append(one[key])
    return found


def mutate_tree(tree: Any, rng: Random) -> Any:
    """A value changed, moved, doubled, left out or nested somewhere in a tree of plain values."""
    places = _places(tree)
    if not places or rng.random() < 0.02:
        return rng.choice(VALUES)
    container, key = rng.choice(places)
    value = container[key]
    way = rng.randrange(8)
    if way == 0:
        del container[key]
    elif way == 1 and isinstance(container, dict):
        container[rng.choice(("x", "", str(key) + "s", "version", "a b"))] = value
    elif way == 1:
        container.insert(rng.randint(0, len(container)), value)
    elif way == 2:
        other, place = rng.choice(places)
        if not _holds(value, other):
            other[place] = value
    elif way == 3:
        container[key] = [value]
    elif way == 4:
        container[key] = {"x": value}
    elif way == 5 and isinstance(value, str) and value:
        text = mutate(value.encode("utf-8", "replace"), b"", rng).decode("utf-8", "replace")
        container[key] = text
    elif way == 6 and isinstance(value, int | float) and not isinstance(value, bool):
        container[key] = rng.choice((-value, value + 1, value * 1000, float(value), str(value)))
    else:
        container[key] = rng.choice(VALUES)
    return tree


def _holds(value: Any, container: Any) -> bool:
    """Whether a container is a value or inside it: put there, it would have no end."""
    return value is container or any(one[key] is container for one, key in _places(value))


def _json(content: bytes, rng: Random) -> bytes:
    tree = mutate_tree(json.loads(content), rng)
    return json.dumps(tree, ensure_ascii=rng.random() < 0.5).encode("utf-8", "replace")


def _json_lines(content: bytes, rng: Random) -> bytes:
    rows = content.splitlines()
    at = rng.randrange(len(rows))
    rows[at] = _json(rows[at], rng)
    return b"\n".join(rows) + b"\n"


def _yaml(content: bytes, rng: Random) -> bytes:
    tree = mutate_tree(yaml.safe_load(content), rng)
    return yaml.safe_dump(tree, allow_unicode=True).encode("utf-8", "replace")


def _gzip(content: bytes, rng: Random) -> bytes:
    return gzip.compress(mutate(gzip.decompress(content), b"", rng), 1, mtime=0)


def _xz(content: bytes, rng: Random) -> bytes:
    return lzma.compress(mutate(lzma.decompress(content), b"", rng), preset=0)


def _zip(content: bytes, rng: Random) -> bytes:
    """One member changed, renamed, left out or doubled."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = [(one.filename, archive.read(one)) for one in archive.infolist()]
    at = rng.randrange(len(members))
    name, data = members[at]
    way = rng.randrange(6)
    if way == 0:
        del members[at]
    elif way == 1:
        members[at] = (rng.choice((name + "x", "x.npy", "../" + name)), data)
    elif way == 2:
        members[at] = (name, members[rng.randrange(len(members))][1])
    elif name.endswith(".npy") and way < 5:
        members[at] = (name, npy(data, rng))
    else:
        members[at] = (name, mutate(data, b"", rng))
    out = io.BytesIO()
    with zipfile.ZipFile(
        out, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    ) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()


def npy(content: bytes, rng: Random) -> bytes:
    """An array with other values, another type or another shape."""
    array = np.load(io.BytesIO(content), allow_pickle=False)
    way = rng.randrange(5)
    if way == 0:
        array = array.astype(rng.choice(("float32", "int8", "int64", "U3", "complex64", "bool")))
    elif way == 1:
        array = array[: rng.randint(0, len(array))] if array.ndim else array.reshape(1)
    elif way == 2:
        array = array.reshape(1, *array.shape)
    elif way == 3 and array.size:
        flat = array.reshape(-1).copy()
        values = (-1, 0, 127) if array.dtype.kind in "iub" else (np.nan, np.inf, -1, 1e30, 0)
        with np.errstate(all="ignore"):
            flat[rng.randrange(flat.size)] = np.array(rng.choice(values)).astype(array.dtype)
        array = flat.reshape(array.shape)
    else:
        array = np.concatenate([array.reshape(-1), array.reshape(-1)[:1]])
    out = io.BytesIO()
    np.save(out, array, allow_pickle=False)
    return out.getvalue()


def _tar(content: bytes, rng: Random) -> bytes:
    """One member with other content, another name, another type or another size."""
    members = []
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for member in archive.getmembers():
            data = archive.extractfile(member)
            members.append((member, b"" if data is None else data.read()))
    at = rng.randrange(len(members))
    member, data = members[at]
    way = rng.randrange(4)
    if way == 0:
        data = mutate(data, b"", rng)
    elif way == 1:
        member.name = rng.choice(("/etc/x", "../x", "a" * 300, "x\n", member.name + ".mmax"))
    elif way == 2:
        member.type = rng.choice((tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, b"9"))
        member.linkname = rng.choice(("../../x", member.name, "/dev/zero"))
    members[at] = (member, data)
    if way == 3:
        del members[at]
    out = io.BytesIO()
    kind = rng.choice(("w", "w:gz", "w:xz"))
    with tarfile.open(fileobj=out, mode=kind) as archive:  # type: ignore[call-overload]
        for one, inside in members:
            one.size = len(inside)
            archive.addfile(one, io.BytesIO(inside))
    return out.getvalue()


_FORMS: dict[str, Callable[[bytes, Random], bytes]] = {
    ".json": _json,
    ".jsonl": _json_lines,
    ".yaml": _yaml,
    ".gz": _gzip,
    ".xz": _xz,
    ".npz": _zip,
    ".ckpt": _zip,
    ".npy": npy,
    ".tar": _tar,
}


def has_form(name: str) -> bool:
    """Whether a file can be taken apart by its name."""
    return PurePosixPath(name).suffix in _FORMS


def rewrite(name: str, content: bytes, rng: Random) -> bytes:
    """A file with something else inside."""
    return _FORMS[PurePosixPath(name).suffix](content, rng)
