"""Finding the words of a text in another tokenisation of it (002 §5.2).

Both texts are reduced to their characters: case, spaces, sub-word marks, escapes and the styles of
quotation marks and dashes do not count. difflib aligns equal words, then the characters between
them; a token is where most of its characters are.
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
    | {"▁": "", "￭": "", "\u00ad": "", "\u200b": "", "\ufeff": ""}
)


def characters(token: str) -> str:
    """A token without case, sub-word marks, escapes and typography."""
    if len(token) > 2:  # sub-words in the styles of subword-nmt and of Moses
        token = token.removesuffix("@@").removeprefix("@@")
        if token.startswith("@") and token.endswith("@") and len(token) == 3:
            token = token[1:-1]
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
    ours, theirs = [list(map(characters, side)) for side in (tokens, others)]
    starts = [0, *accumulate(map(len, ours))]
    owners = [number for number, piece in enumerate(theirs) for _ in piece]
    longest = [0] * len(ours)
    found: list[tuple[int, ...]] = [()] * len(ours)
    owner_of_ours = [number for number, piece in enumerate(ours) for _ in piece]
    for start, other, size in _equal_characters(ours, theirs):
        end = start + size
        for number in dict.fromkeys(owner_of_ours[start:end]):
            first, last = max(start, starts[number]), min(end, starts[number + 1])
            run = last - first
            if 2 * run > len(ours[number]) and run > longest[number]:
                longest[number] = run
                shift = other - start
                found[number] = tuple(sorted(set(owners[first + shift : last + shift])))
    return found


def _equal_characters(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Stretches of equal characters: their starts in both texts, and their lengths."""
    text, other = "".join(ours), "".join(theirs)
    if text == other:
        yield 0, 0, len(text)
        return
    starts, other_starts = ([0, *accumulate(map(len, side))] for side in (ours, theirs))
    for tag, *ends in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        start, end = (starts[at] for at in ends[:2])
        other_start, other_end = (other_starts[at] for at in ends[2:])
        if tag == "equal":
            yield start, other_start, end - start
        elif tag == "replace":
            pieces = SequenceMatcher(
                None, text[start:end], other[other_start:other_end], autojunk=False
            )
            for block in pieces.get_matching_blocks():
                yield start + block.a, other_start + block.b, block.size
