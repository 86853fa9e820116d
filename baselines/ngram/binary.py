"""The binary form of a model: one file that is mapped and not copied, so it opens quickly.

A line that names the format, a line of JSON that describes the arrays, then the arrays, each at a
multiple of 64 bytes. Nothing in it is code. When it is opened, its size is checked, the CRC-32 of
each array (half a second for a gigabyte), and that every number points inside the model and every
back-off to a shorter context, so that no query goes in circles.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.ngram.index import Index
from crosspro.baselines.ngram.model import (
    ROUNDING,
    SPECIAL_WORDS,
    ModelVocabulary,
    NGramModel,
    in_threads,
)
from crosspro.data_prep.core.errors import InputError, input_error, quoted
from crosspro.data_prep.core.files import atomic_output, is_pipe

_BLOCK = 1 << 16
"""Numbers checked at once: so many stay in the processor's cache."""


def range_fault(model: NGramModel) -> str | None:
    """The first thing that is wrong with the numbers of a model, if any.

    A back-off link goes to a context with a smaller number, so that going along links ends; the
    entries of a bucket do not end before they start; a pair in the index consists of a context and
    a word, and its node is one word longer than the context.
    """
    words, contexts, fails = len(model.vocabulary), len(model.extends), model.fails
    circle = "a back-off that goes to no shorter context"
    for part in _slices(1, contexts):  # node 0, the empty context, stays where it is
        if (fails[part] >= np.arange(part.start, part.stop, dtype=np.uint32)).any():
            return circle
    if fails[0] >= contexts or any(
        fails[part].max() >= contexts for part in _slices(contexts, len(fails))
    ):
        return circle
    starts = model.index.starts
    for part in _slices(0, len(starts) - 1):
        if (starts[part] > starts[part.start + 1 : part.stop + 1]).any():
            return "a bucket of the index that ends before it starts"
    bounds = model.first_nodes[1:].tolist()
    for part in _slices(0, len(model.index.keys)):
        keys, nodes = model.index.keys[part], model.index.nodes[part]
        if keys.min() < words or keys.max() >= contexts * words or nodes.max() >= len(fails):
            return "an index of n-grams that the model does not have"
        # A context of at least n words goes with a node of at least n + 1 words, and the reverse.
        if nodes.min() < bounds[0] or any(
            ((keys >= shorter * words) != (nodes >= longer)).any()
            for shorter, longer in pairwise(bounds)
        ):
            return "an n-gram of another length than its node"
    for name, values in (("probability", model.log_probs), ("back-off", model.back_offs)):
        highest = values.max()  # which is no number if one of them is none
        if np.isnan(highest):
            return f"a {name} that is no number"
        if highest == np.inf:
            return f"a {name} that is infinite"
    if model.log_probs.max() > ROUNDING:
        return "a probability above 1"
    return None


def _slices(first: int, end: int) -> Iterator[slice]:
    for start in range(first, end, _BLOCK):
        yield slice(start, min(start + _BLOCK, end))


MAGIC = b"crosspro n-gram model "
VERSION = 1
ALIGNMENT = 64
LONGEST_HEADER = 1 << 16
WRITTEN_AT_ONCE = 1 << 20
DAMAGED = "the file is damaged; make or copy it again"
TYPES = {
    "words": "|u1",
    "word_ends": "<i8",
    "index_starts": "<u4",
    "index_keys": "<i8",
    "index_nodes": "<u4",
    "log_probs": "<f4",
    "back_offs": "<f4",
    "fails": "<u4",
    "extends": "|b1",
}
"""The arrays of the file, in order."""


def write_binary(path: Path, model: NGramModel) -> None:
    """Write a model; the file appears only when it is complete."""
    if path.suffix in (".gz", ".xz"):
        raise input_error(path, "output", "a name without .gz or .xz (it is mapped)", path.name)
    arrays = _arrays(model)
    header = {
        "counts": list(model.counts),
        "arrays": {name: len(array) for name, array in arrays.items()},
        "crc32": {name: _checksum(arrays[name], form) for name, form in TYPES.items()},
    }
    with atomic_output(path) as handle:
        handle.write(b"%s%d\n" % (MAGIC, VERSION))
        handle.write(json.dumps(header).encode("ascii") + b"\n")
        for name, type_name in TYPES.items():
            handle.write(bytes(-handle.tell() % ALIGNMENT))
            for block in _blocks(arrays[name], type_name):
                handle.write(block.data)


def is_binary(start: bytes) -> bool:
    """Whether a file that starts so is of this format, of any version."""
    return start.startswith(MAGIC)


def read_binary(path: Path) -> NGramModel:
    """Open a model."""
    if is_pipe(path):
        raise input_error(path, "file", "a file, which is mapped into memory", "a pipe")
    try:
        with path.open("rb") as handle:
            first = handle.readline(LONGEST_HEADER)
            second = handle.readline(LONGEST_HEADER)
            at = handle.tell()
            found = handle.seek(0, 2)
    except (OSError, ValueError) as error:
        raise input_error(path, "file", "a readable file", str(error)) from error
    if not is_binary(first) or first[len(MAGIC) :] != b"%d\n" % VERSION:
        expected = f"{(MAGIC + b'%d' % VERSION).decode()!r} (version {VERSION})"
        raise input_error(path, "format", expected, quoted(first.rstrip(b"\n")))
    counts, lengths, checksums = _header(path, second)
    arrays: dict[str, NDArray[Any]] = {}
    places: dict[str, int] = {}
    for name, type_name in TYPES.items():
        at += -at % ALIGNMENT
        places[name] = at
        at += lengths[name] * np.dtype(type_name).itemsize
    if found != at:
        state = "truncated" if found < at else "with something after its end"
        raise input_error(path, "size", f"{at:,} bytes", f"{found:,}: the file is {state}")
    mapped = np.memmap(path, np.uint8, "r")
    for name, place in places.items():
        data_type = np.dtype(TYPES[name])
        raw = np.asarray(mapped[place : place + lengths[name] * data_type.itemsize])
        arrays[name] = raw.view(data_type)
    model = _model(path, counts, arrays)
    checks: list[Callable[[], InputError | None]] = [
        partial(_wrong_checksum, path, name, arrays[name], saved)
        for name, saved in checksums.items()
    ]
    checks.append(partial(_wrong_numbers, path, model))
    for fault in in_threads(lambda check: check(), checks):
        if fault is not None:
            raise fault
    return model


def _arrays(model: NGramModel) -> dict[str, NDArray[Any]]:
    return {
        "words": model.vocabulary.text,
        "word_ends": model.vocabulary.ends,
        "index_starts": model.index.starts,
        "index_keys": model.index.keys,
        "index_nodes": model.index.nodes,
        "log_probs": model.log_probs,
        "back_offs": model.back_offs,
        "fails": model.fails,
        "extends": model.extends,
    }


def _blocks(array: NDArray[Any], type_name: str) -> Iterator[NDArray[Any]]:
    """The items of an array as they are in the file."""
    for start in range(0, len(array), WRITTEN_AT_ONCE):
        yield np.ascontiguousarray(array[start : start + WRITTEN_AT_ONCE], dtype=type_name)


def _checksum(array: NDArray[Any], type_name: str) -> int:
    crc = 0
    for block in _blocks(array, type_name):
        crc = zlib.crc32(block.data, crc)
    return crc


def _wrong_checksum(path: Path, name: str, array: NDArray[Any], saved: int) -> InputError | None:
    crc = _checksum(array, TYPES[name])
    if crc == saved:
        return None
    return input_error(path, name, f"the checksum {saved:08x}", f"{crc:08x}: {DAMAGED}")


def _wrong_numbers(path: Path, model: NGramModel) -> InputError | None:
    fault = range_fault(model)
    if fault is None:
        return None
    return input_error(path, "content", "the numbers of a model", f"{fault}: {DAMAGED}")


def _header(
    path: Path, line: bytes
) -> tuple[tuple[int, ...], Mapping[str, int], Mapping[str, int]]:
    """The counts of n-grams, the lengths of the arrays, all checked, and the checksums, if any."""
    try:
        content = json.loads(line)
        counts = tuple(content["counts"])
        lengths = content["arrays"]
        total, contexts = 1 + sum(counts), 1 + sum(counts[:-1])
        longer = total - 1 - counts[0]
        expected = {
            "words": lengths["words"],
            "word_ends": counts[0],
            "index_starts": max(1, longer) + 1,
            "index_keys": longer,
            "index_nodes": longer,
            "log_probs": total,
            "back_offs": contexts,
            "fails": total,
            "extends": contexts,
        }
        if lengths != expected or not all(type(n) is int and n >= 0 for n in counts):
            raise ValueError("lengths that do not fit together")
        if type(lengths["words"]) is not int or counts[0] < len(SPECIAL_WORDS):
            raise ValueError("no words")
        checksums = content.get("crc32", {})
        if content.keys() - {"crc32"} != {"counts", "arrays"}:
            raise ValueError("other keys")
        if checksums and (
            checksums.keys() != TYPES.keys() or not all(type(n) is int for n in checksums.values())
        ):
            raise ValueError("other checksums")
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise _damaged(path, f"{error} in {quoted(line)}") from error
    return counts, lengths, checksums


def _model(path: Path, counts: tuple[int, ...], arrays: Mapping[str, NDArray[Any]]) -> NGramModel:
    vocabulary = ModelVocabulary(arrays["words"], arrays["word_ends"])
    ends = vocabulary.ends
    if ends[-1] != len(vocabulary.text) or ends[0] < 0 or (np.diff(ends) < 0).any():
        raise _damaged(path, "words that end before they start")
    special = vocabulary.text[: ends[2]].tobytes()
    if special != b"".join(SPECIAL_WORDS):
        raise _damaged(path, f"the first words {quoted(special)}")
    index = Index(arrays["index_starts"], arrays["index_keys"], arrays["index_nodes"])
    if index.starts[-1] != len(index.keys):
        raise _damaged(path, "an index of another length")
    return NGramModel(
        vocabulary,
        counts,
        index,
        arrays["log_probs"],
        arrays["back_offs"],
        arrays["fails"],
        arrays["extends"],
    )


def _damaged(path: Path, found: str) -> InputError:
    return input_error(path, "header", "the description of a model", found)
