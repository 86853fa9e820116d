"""What of a system's output is looked at: the translation of the sentence with the pronoun.

An output may be that sentence alone, or a document: sentences joined by a separator (`<eos>`,
`<SEP>`), one part of which is the payload, or sentences with nothing between them, the last of
which is. Where separators are lost, a share of the output's length may stand for it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from crosspro.data_prep.annotate.tokenise import load_abbreviations

SEPARATORS = ("<eos>", "<sep>")

_CLOSING = "\"'”’»›)]"
_OPENING = "\"'“‘«‹([¿¡-–—"
_END = re.compile(rf"(?P<word>.*?)(?P<end>[.!?…]+)[{re.escape(_CLOSING)}]*")


@dataclass(frozen=True)
class PayloadRules:
    """Where the payload is: part `part` (1 the first, -1 the last), or the last sentences of it.

    With `share`, the payload is so many times the share of the output's words that the payload of
    the source has among the words of the source.
    """

    separators: tuple[str, ...] = SEPARATORS
    part: int = -1
    sentences: bool = False
    share: float | None = None

    @property
    def signature(self) -> str:
        """The rules in a few letters."""
        if self.share is not None:
            return f"payload:share-{self.share:g}"
        return f"payload:{'sentences-of-' if self.sentences else ''}part{self.part:+d}"


def split_parts(text: str, separators: Sequence[str]) -> list[str]:
    """The parts of an output, cut at each separator in upper or lower case."""
    if not separators:
        return [text.strip()]
    pattern = "|".join(re.escape(one) for one in separators if one)
    return [part.strip() for part in re.split(pattern, text, flags=re.IGNORECASE)]


def chosen_part(parts: Sequence[str], part: int) -> str | None:
    """The part that is counted from the front (1, 2, …) or from the end (-1, -2, …), if any."""
    place = part - 1 if part > 0 else part
    return parts[place] if -len(parts) <= place < len(parts) else None


def split_sentences(text: str, language: str) -> list[str]:
    """The sentences of a line: they end in `.`, `!`, `?` or `…` before a capital or a digit."""
    chunks = text.split()
    sentences: list[list[str]] = [[]]
    for chunk, following in pairwise([*chunks, ""]):
        sentences[-1].append(chunk)
        # A closing mark may stand apart: `Oui. » Elle dort.`
        last = next((one for one in reversed(sentences[-1]) if one.strip(_CLOSING)), "")
        if following and _ends(last, following, language):
            sentences.append([])
    return [" ".join(sentence) for sentence in sentences if sentence]


def _ends(chunk: str, following: str, language: str) -> bool:
    begin = following.lstrip(_OPENING)[:1]
    closing = following.strip(_CLOSING) == ""
    if closing or (begin and not begin.isupper() and not begin.isdigit()):
        return False
    found = _END.fullmatch(chunk)
    if found is None:
        return False
    if found["end"] != ".":
        return True
    word = found["word"].lstrip(_OPENING)
    rules = load_abbreviations(language)
    if word in rules or (word[:1].lower() + word[1:]) in rules:
        return False
    initial = len(word) == 1 and word.isupper()
    ordinal = language == "de" and re.fullmatch(r"\d{1,2}", word) is not None
    return not initial and not ordinal


def last_sentences(text: str, language: str, number: int) -> str:
    """The last sentences of a text, at most so many."""
    return " ".join(split_sentences(text, language)[-max(number, 1) :])


def last_share(text: str, source: Sequence[str], payload: str, factor: float) -> str:
    """The last words of an output: as large a share as the payload has of the source, times a
    factor, and at least one word."""
    words = text.split()
    size = sum(len(part.split()) for part in source)
    share = len(payload.split()) / size if size else 1.0
    number = min(len(words), max(1, math.ceil(len(words) * share * factor)))
    return " ".join(words[len(words) - number :])
