"""Mutations of bytes: bits, bytes, lines, words, fields and numbers, and splices of two inputs.

All of them are functions of the content and a random generator, so that a seed gives the same
input again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

NUMBERS = (
    b"-1", b"0", b"1", b"00", b"01", b"+1", b"2147483648", b"-2147483649", b"4294967296",
    b"9223372036854775808", b"18446744073709551616", b"1e309", b"-1e309", b"1e-400", b"NaN", b"nan",
    b"inf", b"-inf", b"Infinity", b"0x10", b"1_000", b"1.5", b"-0.0", b".5", b"5.", b"1e5",
    b"\xd9\xa3", b"\xc2\xb2", b"9" * 400, b"9" * 5000, b"", b"999999999", b"1000000000",
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

_NUMBER = re.compile(rb"[-+]?\d+(?:\.\d+)?")
_WORD = re.compile(rb"[^\s]+")
_FIELD = re.compile(rb"[^\t\n,;|=:]+")

Mutation = Callable[[bytes, Random, Sequence[bytes]], bytes]


def _span(content: bytes, rng: Random, longest: int = 64) -> tuple[int, int]:
    start = rng.randint(0, len(content))
    size = min(len(content) - start, int(rng.expovariate(1 / 8)) + 1, longest)
    if rng.random() < 0.05:
        size = rng.randint(0, len(content) - start)
    return start, start + size


def flip_bit(content: bytes, rng: Random, words: Sequence[bytes]) -> bytes:
    """One bit the other way."""
    if not content:
        return b"\0"
    changed = bytearray(content)
    changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def set_bytes(content: bytes, rng: Random, words: Sequence[bytes]) -> bytes:
    """A few bytes replaced by others."""
    start, end = _span(content, rng, 8)
    return content[:start] + rng.randbytes(end - start) + content[end:]


def insert(content: bytes, rng: Random, words: Sequence[bytes]) -> bytes:
    """A hostile piece, a word of the format or noise somewhere."""
    at = rng.randint(0, len(content))
    piece = (
        rng.choice((*words, *PIECES)) if rng.random() < 0.8 else rng.randbytes(rng.randint(1, 9))
    )
    return content[:at] + piece + content[at:]


def delete(content: bytes, rng: Random, words: Sequence[bytes]) -> bytes:
    """A stretch left out."""
    start, end = _span(content, rng)
    return content[:start] + content[end:]


def duplicate(content: bytes, rng: Random, words: Sequence[bytes]) -> bytes:
    """A stretch written again, perhaps elsewhere and several times."""
    start, end = _span(content, rng)
    at = end if rng.random() < 0.5 else rng.randint(0, len(content))
    times = rng.choice((1, 1, 1, 2, 40))
    return content[:at] + content[start:end] * times + content[at:]


def truncate(content: bytes, rng: Random, words: Sequence[bytes]) -> bytes:
    """Only the beginning, or only the end."""
    at = rng.randint(0, len(content))
    return content[:at] if rng.random() < 0.7 else content[at:]


def lines(content: bytes, rng: Random, words: Sequence[bytes]) -> bytes:
    """Lines left out, doubled, exchanged, joined, or with another end."""
    found = content.split(b"\n")
    one, other = rng.randrange(len(found)), rng.randrange(len(found))
    way = rng.randrange(6)
    if way == 0:
        del found[one]
    elif way == 1:
        found.insert(other, found[one])
    elif way == 2:
        found[one], found[other] = found[other], found[one]
    elif way == 3:
        found[one] = b""
    elif way == 4:
        found[one] += b"\r"
    else:
        return b"\n".join(found[:one]) + b"\n".join(found[one:])
    return b"\n".join(found)


def _replaced(content: bytes, pattern: re.Pattern[bytes], value: bytes, rng: Random) -> bytes:
    # Only a window is searched: in a large file every place need not be known to choose one.
    at = rng.randint(0, max(len(content) - 1, 0))
    match = pattern.search(content, at) or pattern.search(content)
    if match is None:
        return content + value
    return content[: match.start()] + value + content[match.end() :]


def number(content: bytes, rng: Random, words: Sequence[bytes]) -> bytes:
    """A number turned into another, or into none."""
    value = rng.choice(NUMBERS) if rng.random() < 0.7 else str(rng.randint(-3, 40)).encode()
    return _replaced(content, _NUMBER, value, rng)


def word(content: bytes, rng: Random, words: Sequence[bytes]) -> bytes:
    """A word or a field turned into a hostile one, or one of the format."""
    pattern = _WORD if rng.random() < 0.5 else _FIELD
    return _replaced(content, pattern, rng.choice((*words, *PIECES)), rng)


def exchange(content: bytes, rng: Random, words: Sequence[bytes]) -> bytes:
    """Two fields in each other's place."""
    separator = rng.choice((b"\t", b" ", b"\n", b",", b":"))
    parts = content.split(separator)
    one, other = rng.randrange(len(parts)), rng.randrange(len(parts))
    parts[one], parts[other] = parts[other], parts[one]
    return separator.join(parts)


def splice(content: bytes, other: bytes, rng: Random) -> bytes:
    """The beginning of one input and the end of another."""
    if rng.random() < 0.5:
        return content[: rng.randint(0, len(content))] + other[rng.randint(0, len(other)) :]
    ours, theirs = content.split(b"\n"), other.split(b"\n")
    return b"\n".join(ours[: rng.randint(0, len(ours))] + theirs[rng.randint(0, len(theirs)) :])


MUTATIONS: tuple[Mutation, ...] = (
    flip_bit, set_bytes, insert, delete, duplicate, truncate, lines, number, word, exchange,
)  # fmt: skip


def mutate(content: bytes, other: bytes, rng: Random, words: Sequence[bytes] = ()) -> bytes:
    """One to three mutations, or a splice."""
    if rng.random() < 0.06:
        content = splice(content, other, rng)
        if rng.random() < 0.5:
            return content
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        content = rng.choice(MUTATIONS)(content, rng, words)
    return content
