"""Finding the words of a text in another tokenisation of it (002 §5.2).

Both texts are reduced to their characters: case, spaces, escapes and the styles of quotation marks
and dashes do not count. difflib aligns equal words, then the characters between them; a token is
where most of its characters are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate

_ESCAPES = {
    "&apos;": "'", "&quot;": '"', "&lt;": "<", "&gt;": ">", "&bar;": "|", "&#124;": "|",
    "&#91;": "[", "&#93;": "]", "&amp;": "&",
}  # fmt: skip
_ESCAPE = re.compile("|".join(_ESCAPES))
_BRACKETS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}"}
_SPELLINGS = str.maketrans(
    dict.fromkeys("’‘‚‛´`ʼ′", "'")
    | dict.fromkeys("“”„‟«»‹›″", '"')
    | dict.fromkeys("–—―‐‑−", "-")
    | {"\u00ad": "", "\u200b": "", "\ufeff": ""}
)


def characters(token: str) -> str:
    """A token without case, escapes and typography."""
    token = _ESCAPE.sub(lambda match: _ESCAPES[match[0]], token)
    token = _BRACKETS.get(token.lower(), token)
    text = unicodedata.normalize("NFKC", token.translate(_SPELLINGS)).casefold()
    text = "".join(text.translate(_SPELLINGS).split())
    return text.replace("''", '"').replace("--", "-")


def locate(tokens: Sequence[str], others: Sequence[str]) -> list[tuple[int, ...]]:
    """The positions of each token among the tokens of another tokenisation.

    A token that was split has several positions. A token of which no more than half is there in
    one piece has none: single letters are found anywhere.
    """
    pieces, other_pieces = [list(map(characters, side)) for side in (tokens, others)]
    starts = [0, *accumulate(map(len, pieces))]
    owners = [number for number, piece in enumerate(other_pieces) for _ in piece]
    positions: list[tuple[int, ...]] = [()] * len(pieces)
    token_of = [number for number, piece in enumerate(pieces) for _ in piece]
    for start, other, size in _equal_characters(pieces, other_pieces):
        end = start + size
        for number in dict.fromkeys(token_of[start:end]):
            first, last = max(start, starts[number]), min(end, starts[number + 1])
            if 2 * (last - first) > len(pieces[number]):
                shift = other - start
                positions[number] = tuple(sorted(set(owners[first + shift : last + shift])))
    return positions


def _equal_characters(
    pieces: Sequence[str], other_pieces: Sequence[str]
) -> Iterator[tuple[int, int, int]]:
    """Stretches of equal characters: their starts in both texts, and their lengths."""
    text, other = "".join(pieces), "".join(other_pieces)
    if text == other:
        yield 0, 0, len(text)
        return
    starts, other_starts = ([0, *accumulate(map(len, side))] for side in (pieces, other_pieces))
    for tag, *ends in SequenceMatcher(None, pieces, other_pieces, autojunk=False).get_opcodes():
        start, end = (starts[at] for at in ends[:2])
        other_start, other_end = (other_starts[at] for at in ends[2:])
        if tag == "equal":
            yield start, other_start, end - start
        elif tag == "replace":
            between = text[start:end], other[other_start:other_end]
            for block in SequenceMatcher(None, *between, autojunk=False).get_matching_blocks():
                yield start + block.a, other_start + block.b, block.size
