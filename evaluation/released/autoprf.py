"""AutoPRF exactly as the released Java tool prints it (Hardmeier & Federico 2010).

Texts are one run of tokens: an alignment that leads out of a target sentence reads into the next
one, and a source link beyond its sentence is dropped unless no sentence so far was as long, which
stops the tool. A pronoun type without any candidate link vanishes from the tables. Arithmetic is in
single precision, and 0/0 is printed as NaN.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from itertools import accumulate
from pathlib import Path

import numpy as np

from crosspro.data_prep.core.errors import CrossproError, InputError, Problem, input_error, quoted
from crosspro.data_prep.core.files import read_lines

PRONOUNS = ("it", "It", "they", "They")
SUFFIXES = ("", ".gz", ".xz")
_NUMBER = re.compile(r"[+-]?\d{1,10}")
_CELL = "{:4d}/{:4d}   "


@dataclass(frozen=True)
class ReleasedRun:
    """What the tool prints, and its exit status."""

    stdout: str
    stderr: str = ""
    status: int = 0


class _StoppedError(Exception):
    """The Java tool ends here, with the given words on standard error."""


@dataclass
class _Summary:
    """Counts of one document by pronoun."""

    name: str
    reference: Counter[str] = field(default_factory=Counter)
    candidate: Counter[str] = field(default_factory=Counter)
    matches: Counter[str] = field(default_factory=Counter)


class _Side:
    """A text as one run of tokens."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.sentences = [java_split(line) for line in lines]
        lengths = [len(words) for words in self.sentences]
        self.starts = [0, *accumulate(lengths)]
        self.longest = list(accumulate(lengths, max))
        """The longest sentence so far."""
        self.tokens = [word for words in self.sentences for word in words]

    def sentence(self, number: int) -> list[str]:
        if number >= len(self.sentences):
            raise _StoppedError(f"there is no sentence {number}")
        return list(self.sentences[number])

    def token(self, index: int) -> str:
        if index >= len(self.tokens):
            found = f"a text of {len(self.tokens)} tokens"
            raise _StoppedError(f"there is no token {index} in {found}")
        return self.tokens[index]

    def sentence_of(self, index: int) -> int:
        """The sentence of a token as Java's binary search finds it among equal starts."""
        low, high = 0, len(self.starts) - 1
        while low <= high:
            middle = (low + high) // 2
            if self.starts[middle] == index:
                return middle
            low, high = (middle + 1, high) if self.starts[middle] < index else (low, middle - 1)
        return low - 1


class _Corpus:
    """A source text, its translation, and the links between them as the tool loads them."""

    def __init__(self, files: dict[str, tuple[Path, bytes]], names: Sequence[str]) -> None:
        texts = [_decoded(files[name][1]) for name in names[:2]]
        path, raw = files[names[2]]
        written = _decoded(raw)
        lines = min(len(texts[0]), len(texts[1]), len(written))
        if max(len(texts[0]), len(texts[1])) > lines:
            raise _StoppedError(f"{path}: the files do not match (line: {lines + 1})")
        self.source, self.target = _Side(texts[0]), _Side(texts[1])
        links = list(_links(path, written[:lines]))
        for place, side, what in ((1, self.source, "source"), (2, self.target, "target")):
            for link in links:
                line, longest = link[0], side.longest[link[0]]
                if link[place] >= longest:
                    expected = f"{what} positions below {longest}, the longest line so far"
                    found = str(link[place])
                    raise _StoppedError(str(Problem(str(path), line + 1, "links", expected, found)))
        self.targets: defaultdict[int, list[int]] = defaultdict(list)
        for line, source, target in links:
            if source < len(self.source.sentences[line]):
                start = self.source.starts[line]
                self.targets[start + source].append(self.target.starts[line] + target)

    def linked(self, index: int) -> list[str]:
        """The target tokens linked to a source token, in the order of the file."""
        return [self.target.token(target) for target in self.targets.get(index, ())]


def run_released(
    reference: str,
    candidate: str,
    documents: str,
    verbosity: int = 0,
    languages: tuple[str, str] = ("en", "fr"),
) -> ReleasedRun:
    """Run the tool on two stems and a file of document starts."""
    printed: list[str] = []
    try:
        names = [_names(stem, languages) for stem in (reference, candidate)]
        files = _read_files([*names[0], *names[1], documents])
        ours, theirs = (_Corpus(files, own) for own in names)
        sizes = len(ours.source.tokens), len(theirs.source.tokens)
        if sizes[0] != sizes[1]:
            raise _StoppedError(
                f"Reference source size ({sizes[0]}) and candidate source size "
                f"({sizes[1]}) don't match."
            )
        summaries, boundaries = _documents(*files[documents], ours.source)
        for text in _evaluate(ours, theirs, summaries, boundaries, verbosity >= 2):
            printed.append(text)
    except (_StoppedError, CrossproError) as error:
        return ReleasedRun("".join(printed), f"{error}\n", 1)
    pronouns = sorted({p for s in summaries for p, n in s.candidate.items() if n})
    if verbosity >= 1:
        printed.append(_recall_table(summaries, pronouns))
    printed.append(_summary(summaries, pronouns))
    return ReleasedRun("".join(printed))


def java_split(line: str) -> list[str]:
    """Split at single spaces as Java does: empty strings at the end are dropped."""
    if " " not in line:
        return [line]
    parts = line.split(" ")
    while parts and not parts[-1]:
        parts.pop()
    return parts


def java_float(value: np.float32) -> str:
    """A number with four decimals as Java rounds it: half up, on its shortest decimal form."""
    if np.isnan(value):
        return "NaN"
    shown = Decimal(repr(float(value))).quantize(Decimal("0.0001"), rounding=ROUND_HALF_UP)
    return f"{shown:.4f}"


def _names(stem: str, languages: tuple[str, str]) -> list[str]:
    """The names of source, target and links."""
    source, target = languages
    return [f"{stem}.{source}", f"{stem}.{target}", f"{stem}.{source}-{target}.alig"]


def _read_files(names: Sequence[str]) -> dict[str, tuple[Path, bytes]]:
    """All files by name, or every one that cannot be read."""
    found = {}
    problems: list[Problem] = []
    for name in dict.fromkeys(names):
        try:
            path = _find(name)
            found[name] = path, _content(path)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return found


def _find(name: str) -> Path:
    """A file under its own name, or compressed."""
    for suffix in SUFFIXES:
        if Path(name + suffix).is_file():
            return Path(name + suffix)
    raise input_error(name, "file", "a readable file", "none")


def _content(path: Path) -> bytes:
    content = b"".join(read_lines(path))
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _decoded(content: bytes) -> list[str]:
    lines = content.decode("utf-8", errors="replace").split("\n")
    return lines if lines[-1] else lines[:-1]


def _links(path: Path, lines: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Line, source and target position of all links, in the order of the file."""
    for number, line in enumerate(lines):
        for written in java_split(line) if line else ():
            parts = written.split("-")
            while parts and not parts[-1]:
                parts.pop()
            if len(parts) != 2 or not all(map(_NUMBER.fullmatch, parts)):
                problem = Problem(str(path), number + 1, "links", "links s-t", quoted(written))
                raise _StoppedError(str(problem))
            yield number, int(parts[0]), int(parts[1])


def _documents(path: Path, content: bytes, source: _Side) -> tuple[list[_Summary], list[int]]:
    """An empty summary of each document, and the token at which each starts."""
    summaries: list[_Summary] = []
    boundaries = []
    for number, line in enumerate(_decoded(content)):
        start, *name = re.split(r"[ \t\n\x0b\f\r]", line, maxsplit=1)
        if not _NUMBER.fullmatch(start) or not 0 <= int(start) < len(source.starts):
            expected = f"a sentence from 0 to {len(source.starts) - 1}"
            raise _StoppedError(
                str(Problem(str(path), number + 1, "start", expected, quoted(start)))
            )
        boundaries.append(source.starts[int(start)])
        summaries.append(_Summary(name[0] if name else f"Document {number}"))
    return summaries, [*boundaries, len(source.tokens)]


def _evaluate(
    reference: _Corpus,
    candidate: _Corpus,
    summaries: list[_Summary],
    boundaries: list[int],
    show: bool,
) -> Iterator[str]:
    """Count into the summaries, and yield every example if it is to be shown."""
    document = 0
    shown = -1
    if reference.source.tokens and not summaries:
        raise _StoppedError("there is no document")
    for index, token in enumerate(reference.source.tokens):
        if token not in PRONOUNS:
            continue
        while index >= boundaries[document + 1]:
            document += 1
        summary = summaries[document]
        pronoun = token.lower()
        ours = reference.linked(index)
        theirs = candidate.linked(index)
        left = Counter(ours)
        summary.reference[pronoun] += len(ours)
        summary.candidate[pronoun] += len(theirs)
        summary.matches[pronoun] += sum((left & Counter(theirs)).values())
        if not show:
            continue
        sentence = reference.source.sentence_of(index)
        if sentence > shown:
            shown = sentence
            words = reference.source.sentence(sentence)
            place = index - reference.source.starts[sentence]
            if place < len(words):
                words[place] = f"*{words[place]}*"
            yield f"\n{' '.join(words)}\n"
            for corpus in (reference, candidate):
                yield " ".join(corpus.target.sentence(sentence)) + "\n"
        yield f"{pronoun} ||| {' | '.join(ours)} ||| {' | '.join(theirs)}\n"


def _recall_table(summaries: Sequence[_Summary], pronouns: Sequence[str]) -> str:
    lines = [
        "Pronoun translation recall per document:\n",
        " " * 20 + "".join(f"{pronoun:>9}   " for pronoun in pronouns) + "\n",
    ]
    for summary in summaries:
        cells = [
            _CELL.format(summary.matches[p], summary.reference[p])
            if summary.reference[p]
            else "   -/   -   "
            for p in pronouns
        ]
        lines.append(f"{summary.name:>18}  {''.join(cells)}{_recall([summary], pronouns)}\n")
    totals = [
        _CELL.format(sum(s.matches[p] for s in summaries), sum(s.reference[p] for s in summaries))
        for p in pronouns
    ]
    lines.append(" " * 20 + "".join(totals) + _recall(summaries, pronouns) + "\n\n")
    return "".join(lines)


def _recall(summaries: Sequence[_Summary], pronouns: Sequence[str]) -> str:
    matches = sum(s.matches[p] for s in summaries for p in pronouns)
    total = sum(s.reference[p] for s in summaries for p in pronouns)
    return _CELL.format(matches, total) + java_float(_ratio(matches, total))


def _summary(summaries: Sequence[_Summary], pronouns: Sequence[str]) -> str:
    counts = {
        pronoun: [
            sum(summary.matches[pronoun] for summary in summaries),
            sum(one.candidate[pronoun] for one in summaries),
            sum(one.reference[pronoun] for one in summaries),
        ]
        for pronoun in pronouns
    }
    lines = [
        "Precision and recall per input pronoun:\n\n",
        "            Precision            Recall              F1\n\n",
    ]
    lines += [f"{pronoun:>8}   {_scores(*own)}\n" for pronoun, own in counts.items()]
    total = [sum(column) for column in zip(*counts.values(), strict=True)] or [0, 0, 0]
    lines.append(f"\nTOTAL      {_scores(*total)}\n")
    return "".join(lines)


def _scores(matches: int, candidate: int, reference: int) -> str:
    precision, recall = _ratio(matches, candidate), _ratio(matches, reference)
    with np.errstate(invalid="ignore"):
        f1 = np.float32(2) * precision * recall / (precision + recall)
    return (
        f"{_CELL.format(matches, candidate)}{java_float(precision)}   "
        f"{_CELL.format(matches, reference)}{java_float(recall)}   {java_float(f1)}"
    )


def _ratio(part: int, whole: int) -> np.float32:
    with np.errstate(invalid="ignore"):
        return np.float32(np.float32(part) / np.float32(whole))
