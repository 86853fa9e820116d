"""Tokenisation in the style of Moses, without escaping.

The official files were tokenised so: `don 't`, `we 're` in English; `c' est`, `aujourd' hui` in
French; hyphens kept; numbers with their commas and periods kept; a final period split off unless
the word is an abbreviation or a lower-case word follows. A line is cut at spaces into chunks, and
each chunk is tokenised by itself (so results can be remembered), except that a final period looks
at the next chunk. Text that is tokenised already is split at spaces only: `looks_tokenised` tells.

Where Moses is plainly wrong this differs: web and e-mail addresses stay whole, `d'1,5` gives
`d' 1,5`, `--` is split from words, `-Il` (a speaker's dash) gives `- Il`, a period after a web
address or a German number at the end of a line is split off, `geht's` gives `geht 's`.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice, pairwise
from typing import Literal, NamedTuple

from crosspro.data_prep.words.lists import table_rows, words_file

PeriodRule = Literal["keep", "lower", "number", "inside"]
"""When a final period stays with its word: always; before a lower-case word; before a number;
unless the line ends."""
_RULES: dict[str, PeriodRule] = {"always": "keep", "number": "number", "inside": "inside"}
"""The rules of `conf/words/abbreviations`."""

_APOSTROPHES: dict[str, Literal["last", "first"]] = {
    **dict.fromkeys(["en", "de"], "last"),
    **dict.fromkeys(["fr", "it", "ca", "ga"], "first"),
}
"""Whether an apostrophe between letters belongs to the last part or the first; else to neither."""
_ELISIONS = {"fr": r"[cçdjlmnst]|(?:jus|lors|puis|quoi|quel|pres)?qu|aujourd|entr"}
_CLITICS = {"en": r"'(?:[stmd]|re|ve|ll)", "de": r"'(?:s|n|ne|nen)"}
_NEVER = r"(?!)"

_SEARCHED = 60
"""Characters that are searched for the next token after one that is written otherwise."""
_REMEMBERED = 300_000
"""Chunks that a tokeniser remembers; a few hundred MB of text have about as many."""
SAMPLE = 2000
"""Lines that decide whether a file is already tokenised."""

_NORMALISED = {
    **dict.fromkeys("’‘‚‛´`ʼ′", "'"),
    **dict.fromkeys("“”„‟«»‹›″", '"'),
    **dict.fromkeys("–‐‑", "-"),
    "…": "...",
}
_WINDOWS = {chr(c): bytes([c]).decode("cp1252", "ignore") for c in range(0x80, 0xA0)}
"""Windows-1252 text taken for Latin-1, a frequent fault: œ and quotation marks are controls."""
_REPLACED = str.maketrans(
    _NORMALISED | {old: _NORMALISED.get(new, new) for old, new in _WINDOWS.items()}
)
_TYPOGRAPHIC = re.compile(f"[{''.join(_NORMALISED)}\x80-\x9f—―]|''")
_LONG_DASHES = re.compile("[—―\x97]+")
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1b\x7f\xad\u200b\u200e\u200f\u2060\ufeff]")
_ADDRESS = r"(?:(?:https?|ftp)://|www\.)"
_PLURAL_OF_NUMBER = re.compile(r"(?<=\d)'s\b")
_ENDS = {".", "!", "?", "...", ":", '"'}
_ATTACHED = re.compile(r"\w\w(?:,(?=\s)|\.(?=\s*$))")
_DETACHED = re.compile(r"(?:^|\s)[,.](?=\s|$)")
_SPACES = re.compile(r"\s*")
_FIRST_MARK = "\u0300"

Sentences = Sequence[Sequence[str]]


def normalise_punctuation(text: str) -> str:
    """Typographic quotation marks, apostrophes, dashes and ellipses as in the official files.

    Nothing is moved: Moses also exchanges periods and quotation marks, which the organisers' files
    show, but which is no part of the text.
    """
    if not _TYPOGRAPHIC.search(text):
        return text
    text = _LONG_DASHES.sub(lambda dashes: f" {'-' * len(dashes[0])} ", text)
    return text.translate(_REPLACED).replace("''", '"')


def tokenise(text: str, language: str) -> list[str]:
    """The tokens of a line of text."""
    return _tokeniser(language)(text)


@lru_cache(maxsize=16)
def _tokeniser(language: str) -> Tokeniser:
    return Tokeniser(language)


def tokenise_lines(
    lines: Iterable[str], language: str, *, tokenised: bool | None = None
) -> Iterator[list[str]]:
    """The tokens of each line; text that is (or looks) tokenised is only split at spaces."""
    rest = iter(lines)
    first: list[str] = []
    if tokenised is None:
        first = list(islice(rest, SAMPLE))
        tokenised = looks_tokenised(first)
    return map(_split if tokenised else Tokeniser(language), chain(first, rest))


def _split(line: str) -> list[str]:
    """Tokens at spaces; equal tokens are one object, so that large texts fit into memory."""
    return list(map(sys.intern, line.split()))


def looks_tokenised(lines: Iterable[str]) -> bool:
    """Whether commas and final periods stand apart from words in nearly all of these lines.

    Other marks are no evidence: French has spaces before `;`, `:`, `?` and `!` anyway.
    """
    attached = detached = 0
    for line in lines:
        attached += len(_ATTACHED.findall(line))
        detached += len(_DETACHED.findall(line))
    return detached > 9 * attached


def token_places(text: str, tokens: Iterable[str]) -> list[tuple[int, int] | None]:
    """The characters of a text that each of its tokens is; None where a token is made otherwise.

    Behind such a token the next word is looked for a little further on.
    """
    letters: str = text
    places: Sequence[int] = range(len(text))
    if _TYPOGRAPHIC.search(text):
        shown = {character: normalise_punctuation(character) for character in set(text)}
        letters = "".join(shown[character] for character in text)
        places = [place for place, character in enumerate(text) for _ in shown[character]]
    spans: list[tuple[int, int] | None] = []
    end = 0
    for token in tokens:
        blanks = _SPACES.match(letters, end)
        start = blanks.end() if blanks else end
        if not letters.startswith(token, start):
            word = re.compile(rf"(?<!\w){re.escape(token)}(?!\w)") if token.isalnum() else None
            match = word.search(letters, end, end + _SEARCHED) if word else None
            if match is None:
                spans.append(None)
                continue
            start = match.start()
        end = start + len(token)
        spans.append((places[start], places[end - 1] + 1))
    return spans


class _Chunk(NamedTuple):
    """The tokens of a chunk, as far as they do not depend on its neighbours.

    `rule` decides about the final period of the last token. After a letter a chunk that is a
    `clitic` is one token.
    """

    tokens: tuple[str, ...]
    rule: PeriodRule = "keep"
    clitic: bool = False


class Tokeniser:
    """Tokenises the lines of one language, and remembers the chunks it has seen.

    Typographic marks are first written as in the official files, so that `c’est` gives the `c'`
    that the tasks know. A language without a list of abbreviations has the general rules.
    """

    def __init__(self, language: str) -> None:
        self.language = language.lower().partition("-")[0].partition("_")[0]
        path = words_file("abbreviations", self.language)
        rows = table_rows(path, 2) if path else ()
        self.abbreviations = {word: _RULES[name] for word, name in rows}
        self.apostrophes = _APOSTROPHES.get(self.language)
        self.elisions = re.compile(_ELISIONS.get(self.language, _NEVER), re.IGNORECASE)
        self.clitics = re.compile(_CLITICS.get(self.language, _NEVER), re.IGNORECASE)
        self._remembered = lru_cache(_REMEMBERED)(self._analyse)

    def __call__(self, text: str) -> list[str]:
        """The tokens of a line."""
        chunks = normalise_punctuation(_INVISIBLE.sub("", text)).split()
        tokens: list[str] = []
        for chunk, following in zip(chunks, [*chunks[1:], ""], strict=False):
            if chunk[0] == "-" and chunk[1:2].isupper() and (not tokens or tokens[-1] in _ENDS):
                tokens.append("-")
                chunk = chunk[1:]
            analysed, rule, clitic = self._remembered(chunk)
            if clitic and tokens and _is_letter(tokens[-1][-1]):
                tokens.append(chunk)
            elif rule == "keep":
                tokens += analysed
            else:
                tokens += analysed[:-1]
                tokens += _period(analysed[-1], rule, following[:1], chunks[0][0].islower())
        return tokens

    def _analyse(self, chunk: str) -> _Chunk:
        if chunk.isalnum():
            return _Chunk((chunk,))
        pieces: list[str] = []
        for piece in _pattern(any(map(_is_mark, chunk))).findall(chunk):
            pieces += self._at_apostrophes(piece) if "'" in piece else [piece]
        tokens: list[str] = []
        for piece, following in pairwise(pieces):
            tokens += _period(piece, self._rule(piece), following[0], False)
        last = pieces[-1]
        clitic = self.clitics.fullmatch(chunk) is not None
        return _Chunk((*tokens, last), self._rule(last), clitic)

    def _at_apostrophes(self, piece: str) -> list[str]:
        if re.match(_ADDRESS, piece):
            return [piece]
        parts: list[str] = []
        start = 0
        for place in (place for place, character in enumerate(piece) if character == "'"):
            left = place > 0 and _is_letter(piece[place - 1])
            right = place + 1 < len(piece) and _is_letter(piece[place + 1])
            elided = left and (right or self.elisions.fullmatch(piece, start, place))
            if self.apostrophes == "last" and (
                (left and right) or _PLURAL_OF_NUMBER.match(piece, place)
            ):
                parts.append(piece[start:place])
                start = place
            elif self.apostrophes == "first" and elided:
                parts.append(piece[start : place + 1])
                start = place + 1
            else:
                parts += (piece[start:place], piece[place])
                start = place + 1
        return [part for part in (*parts, piece[start:]) if part]

    def _rule(self, piece: str) -> PeriodRule:
        """When the final period of a piece belongs to it."""
        if not piece.endswith(".") or len(piece) == 1 or piece.endswith(".."):
            return "keep"
        word = piece[:-1]
        if word in self.abbreviations:
            return self.abbreviations[word]
        if len(word) == 1 and word.isupper():
            return "keep"
        if word[0].isupper() and (lower := word[0].lower() + word[1:]) in self.abbreviations:
            return self.abbreviations[lower]
        if "." in word and any(map(str.isalpha, word)):
            parts = word.replace("-", "").split(".")
            acronym = word.isupper() or min(map(len, parts)) == 1
            if acronym and all(part.isalpha() and len(part) <= 4 for part in parts):
                return "keep"
        if self.language == "de" and re.fullmatch(r"\d{1,2}|[IVXLC]+", word):
            return "inside"
        return "lower"


def _period(piece: str, rule: PeriodRule, following: str, caseless: bool) -> tuple[str, ...]:
    """A piece with its final period or beside it, given the first character of what follows.

    In a line that begins with a lower-case letter, lower case says nothing about sentences.
    """
    if rule == "inside":
        stays = following.isalnum()
    else:
        stays = (
            rule == "keep"
            or (rule == "number" and following.isdigit())
            or (following.islower() and not caseless)
        )
    return (piece,) if stays else (piece[:-1], ".")


@lru_cache(maxsize=2)
def _pattern(marked: bool) -> re.Pattern[str]:
    """How a chunk falls into words and other marks, with combining marks or without.

    To prepare the former takes longer than to tokenise a sentence.
    """
    letter = rf"(?:[^\W_]|[{_marks()}])" if marked else r"[^\W_]"
    sign = rf"(?<!\.)\.(?!\.)|(?<!-)-(?!-)|'(?!{_ADDRESS})"
    joint = rf"(?<={letter})_+(?={letter})|(?<=\d),(?=\d)"
    word = rf"(?:{letter}|{sign})(?:{letter}|{sign}|{joint})*"
    web = rf"{_ADDRESS}[^\s<>\"]*[^\s<>\".,;:!?')\]}}]"
    mail = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    return re.compile(rf"{web}|{mail}|\.\.+|--+|{word}|\S")


def _marks() -> str:
    """All combining marks of the basic plane, for a character class: parts of words."""
    return "".join(filter(_is_mark, map(chr, range(ord(_FIRST_MARK), 0xFFFF))))


def _is_mark(character: str) -> bool:
    return character >= _FIRST_MARK and unicodedata.category(character).startswith("M")


def _is_letter(character: str) -> bool:
    return character.isalpha() or _is_mark(character)
