"""Finding the words of a text again when somebody else has tokenised it (002 §5.2).

Both texts are reduced to their characters: case, spaces, sub-word marks, escapes and the styles of
quotation marks and dashes are no part of the text. The shortest edit script between the two
(Myers 1986), which is found quickly because the texts are nearly equal, says which characters are
the same; a word is where most of its characters are.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterable, Sequence

LARGEST_EDIT = 2500
"""Texts that differ in more characters than this, or in a quarter of them, are not the same."""

_ESCAPES = {
    "&apos;": "'",
    "&quot;": '"',
    "&lt;": "<",
    "&gt;": ">",
    "&bar;": "|",
    "&#124;": "|",
    "&#91;": "[",
    "&#93;": "]",
    "&amp;": "&",
}
_ESCAPE = re.compile("|".join(_ESCAPES))
_BRACKETS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}"}
_SPELLINGS = str.maketrans(
    dict.fromkeys("’‘‚‛´`ʼ′", "'")
    | dict.fromkeys("“”„‟«»‹›″", '"')
    | dict.fromkeys("–—―‐‑−", "-")
    | {"▁": "", "￭": "", "\u00ad": "", "\u200b": "", "\ufeff": ""}
)


def characters(token: str) -> str:
    """What of a token is text: without case, sub-word marks, escapes and typography."""
    if len(token) > 2:  # sub-words in the styles of subword-nmt and of Moses
        token = token.removesuffix("@@").removeprefix("@@")
        if token.startswith("@") and token.endswith("@") and len(token) == 3:
            token = token[1:-1]
    if "&" in token:
        token = _ESCAPE.sub(lambda found: _ESCAPES[found[0]], token)
    token = _BRACKETS.get(token.lower(), token)
    text = unicodedata.normalize("NFKC", token.translate(_SPELLINGS)).casefold()
    text = "".join(text.translate(_SPELLINGS).split())
    return text.replace("''", '"').replace("--", "-")


def locate(tokens: Sequence[str], others: Sequence[str]) -> list[tuple[int, ...]] | None:
    """Where each token is among the tokens of another tokenisation of the same text.

    A token that has become several is at several places. One of which most is not there in one
    piece is nowhere (an empty tuple). None: the texts are not the same.
    """
    text, owners = _stream(tokens)
    other, places = _stream(others)
    matches = same_characters(text, other)
    if matches is None:
        return None
    found: list[list[tuple[int, int]]] = [[] for _ in tokens]
    for mine, theirs in matches:
        found[owners[mine]].append((mine, theirs))
    located = []
    for token, pairs in zip(tokens, found, strict=True):
        run = _longest_run(pairs)
        most = 2 * len(run) > len(characters(token))
        located.append(tuple(sorted({places[theirs] for _, theirs in run})) if most else ())
    return located


def _longest_run(pairs: Sequence[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    """The most characters in one piece: single letters of a short word are found anywhere."""
    best = start = 0
    longest = 0
    for index, (mine, theirs) in enumerate(pairs):
        if index and (mine - 1, theirs - 1) != pairs[index - 1]:
            start = index
        if index + 1 - start > longest:
            best, longest = start, index + 1 - start
    return pairs[best : best + longest]


def _stream(tokens: Iterable[str]) -> tuple[str, list[int]]:
    pieces = [characters(token) for token in tokens]
    owners = [number for number, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), owners


def same_characters(first: str, second: str) -> list[tuple[int, int]] | None:
    """Pairs of positions of equal characters in a shortest edit script; None if it is too long."""
    start = 0
    shorter = min(len(first), len(second))
    while start < shorter and first[start] == second[start]:
        start += 1
    end = 0
    while end < shorter - start and first[-1 - end] == second[-1 - end]:
        end += 1
    middle = _edit_script(first[start : len(first) - end], second[start : len(second) - end])
    if middle is None:
        return None
    pairs = [(position, position) for position in range(start)]
    pairs += [(start + one, start + other) for one, other in middle]
    one, other = len(first) - end, len(second) - end
    return pairs + [(one + step, other + step) for step in range(end)]


def _edit_script(first: str, second: str) -> list[tuple[int, int]] | None:
    """Myers' greedy algorithm: how far one gets with each number of edits, on each diagonal."""
    limit = min(LARGEST_EDIT, max(200, (len(first) + len(second)) // 8))
    limit = min(limit, len(first) + len(second))
    middle = limit + 1
    reached = array("l", [0]) * (2 * limit + 3)
    history: list[array[int]] = []
    for edits in range(limit + 1):
        history.append(reached[middle - edits - 1 : middle + edits + 2])
        for diagonal in range(-edits, edits + 1, 2):
            below, above = reached[middle + diagonal - 1], reached[middle + diagonal + 1]
            down = diagonal == -edits or (diagonal != edits and below < above)
            place = above if down else below + 1
            other = place - diagonal
            while place < len(first) and other < len(second) and first[place] == second[other]:
                place += 1
                other += 1
            reached[middle + diagonal] = place
            if place >= len(first) and other >= len(second):
                return _backwards(history, len(first), len(second))
    return None


def _backwards(history: list[array[int]], place: int, other: int) -> list[tuple[int, int]]:
    """The equal characters on the way that was found, from its end to its beginning."""
    pairs: list[tuple[int, int]] = []
    for edits in range(len(history) - 1, -1, -1):
        reached, middle = history[edits], edits + 1
        diagonal = place - other
        below, above = reached[middle + diagonal - 1], reached[middle + diagonal + 1]
        down = diagonal == -edits or (diagonal != edits and below < above)
        before = diagonal + 1 if down else diagonal - 1
        start = reached[middle + before] if edits else 0
        begun = start - before if edits else 0
        while place > start and other > begun:
            place -= 1
            other -= 1
            pairs.append((place, other))
        place, other = start, begun
    return pairs[::-1]
