"""Sentences of a text, cut by rules.

A sentence ends at a full stop, a question or an exclamation mark (closing quotation marks and
brackets belong to it) before a blank and something that can begin a sentence: a capital, a number,
an opening mark. A full stop does not end one behind an abbreviation of the language (the lists of
the tokeniser), a single capital or an acronym, nor behind a German ordinal. In text without
capitals every such mark ends a sentence. Full-width marks need no blank. Tokenised text, with
blanks before its marks, is cut at the same places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from crosspro.data_prep.annotate.tokenise import load_abbreviations

_CLOSING = "\"'”’»›)]}"
_OPENING = "\"'“‘„‚«‹([{¿¡-–—"
_ENDS = re.compile(
    rf"(?P<mark>[.!?…]+)(?P<close>[{re.escape(_CLOSING)}“‘]*)(?P<blank>\s+)|(?P<wide>[。！？]+[」』”’）]*)"
)
_WORD_BEFORE = re.compile(r"([^\s\"'“”„‘’«»()\[\]]+)\s*$")
_ORDINAL = re.compile(r"\d{1,2}|[IVXLC]+")
_QUOTES = '"'
_CAPITALS = 300
"""Text with fewer than one capital in so many letters has none that say anything."""


def split_sentences(text: str, language: str, *, caseless: bool = False) -> list[str]:
    """The sentences of a text, without blanks around them; none of a text without any words.

    `caseless` text has no capitals to tell where a sentence begins.
    """
    sentences = []
    start = 0
    for end in _ends(text, language.lower()[:2], caseless):
        sentences.append(text[start:end].strip())
        start = end
    sentences.append(text[start:].strip())
    return [sentence for sentence in sentences if sentence]


def is_caseless(lines: Iterable[str]) -> bool:
    """Whether hardly a letter of a text is a capital; in any text with capitals 1 in 50 is one."""
    letters = capitals = 0
    for line in lines:
        letters += sum(map(str.isalpha, line))
        capitals += sum(map(str.isupper, line))
    return capitals * _CAPITALS < letters


def sentences_of_lines(lines: Sequence[str], language: str) -> list[list[str]]:
    """The sentences of each line of a text."""
    caseless = is_caseless(lines)
    return [split_sentences(line, language, caseless=caseless) for line in lines]


def _ends(text: str, language: str, caseless: bool) -> Iterator[int]:
    """Where sentences end, but for the last."""
    start = 0
    for match in _ENDS.finditer(text):
        if match["wide"]:
            start = match.end()
            yield start
            continue
        end = _behind_marks(text, start, match)
        following = text[end:].lstrip()[:40]
        if not following:
            return
        if not (caseless or _can_begin(following)):
            continue
        if match["mark"] == "." and not match["close"]:
            before = _WORD_BEFORE.search(text, start, match.start())
            attached = before is not None and before.end() == before.end(1)
            if before and attached and _keeps_period(before[1], following, language):
                continue
        yield end
        start = end


def _behind_marks(text: str, start: int, match: re.Match[str]) -> int:
    """The end of a sentence with quotation marks behind it that stand by themselves.

    A straight mark between blanks closes what an earlier one of the sentence has opened.
    """
    end = match.end()
    if text[end : end + 1] in _QUOTES and text[end + 1 : end + 2].isspace():
        if text.count(text[end], start, end) % 2:
            return end + 1
    elif text[end : end + 1] in ("”", "»", ")", "]") and text[end + 1 : end + 2].isspace():
        return end + 1
    return end


def _can_begin(following: str) -> bool:
    """Whether a sentence can begin so: with a capital or a number, perhaps behind marks."""
    first = following.lstrip(_OPENING + " ")[:1]
    if not first:
        return False
    return not first.islower() and (first.isalnum() or following[0] in _OPENING or first in "#@$€£")


def _keeps_period(word: str, following: str, language: str) -> bool:
    """Whether a full stop is part of the word before it rather than the end of a sentence."""
    rules = load_abbreviations(language)
    rule = rules.get(word) or rules.get(word[:1].lower() + word[1:])
    if rule is not None:
        return rule != "number" or following[:1].isdigit()
    if len(word) == 1 and word.isupper():
        return True
    if "." in word:
        return all(len(part) <= 2 and part.isalpha() for part in word.split("."))
    return language == "de" and _ORDINAL.fullmatch(word) is not None
