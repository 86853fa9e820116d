"""Gaps for people to fill, as in the human evaluation of DiscoMT 2015 (000 §3).

Annotators see the source and a system's translation in which the pronoun is hidden, and write which
pronouns could stand there; nothing that a system wrote can then prime them. A *sheet* is what they
get, in an order that says nothing about systems. The *key* says what each gap hides, and whose it
is; APT's case goes with it, so that both can be compared (000 Table 5).

A gap hides one word of a system: a pronoun of the lists, or *other*. Annotators accept one or more
of these, or say that the translation is too bad. A gap that nobody has filled in is left out.

- Accuracy with *other*: of all gaps, those whose word people accept. *Other* is a word like the
  pronouns. Accuracy without it leaves out gaps in which a system has *other* or people accept
  nothing else.
- Precision of a pronoun: of the gaps in which a system has it, those in which it is accepted.
- Lenient recall: of the gaps in which it is accepted, those in which the system has it, where gaps
  that another accepted word fills do not count: there was no need for this one.
- F is the harmonic mean of the two; precision, recall and F of all pronouns together are of their
  summed counts, without *other*.

000 does not say which gaps accuracy without *other* leaves out, nor how lenient recall is; this is
the reading under which the three measures that it names differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from crosspro.data_prep.core.errors import (
    InputError,
    Problem,
    choices,
    input_error,
    is_whole_number,
    quoted,
)
from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.evaluation.core.evaluation import Evaluation, evaluate, every_pair
from crosspro.evaluation.core.metric import Metric, Part, Scored
from crosspro.evaluation.core.score import UNIT
from crosspro.evaluation.core.statistics import (
    Floats,
    Measure,
    ResampledUnits,
    Resampling,
    choose_units,
    harmonic_mean,
    quotient,
)
from crosspro.evaluation.core.tables import Cell, Table
from crosspro.evaluation.human.exchange import BETWEEN_LINES, csv_line
from crosspro.evaluation.inputs.anchors import target_pronoun
from crosspro.evaluation.inputs.case_names import CASES
from crosspro.evaluation.inputs.document_units import Documents
from crosspro.evaluation.inputs.linked_text import Text
from crosspro.evaluation.inputs.placed_verdict import BAD, CORRECT, INCORRECT
from crosspro.evaluation.inputs.pronoun_lists import PronounLists, normal_form
from crosspro.evaluation.inputs.sheets import FILLED_COLUMNS, GAP_COLUMNS
from crosspro.evaluation.inputs.table_rows import read_rows
from crosspro.evaluation.metrics.apt.cases import Occurrence
from crosspro.evaluation.output.tables import csv_text
from crosspro.evaluation.output.text import score_notes

GAP = "____"
SHEET_COLUMNS = (*GAP_COLUMNS, *FILLED_COLUMNS)
KEY_COLUMNS = ("example", "system", "document", "line", "position", "pronoun", "case", "output")


@dataclass(frozen=True)
class DrawnGaps:
    """A sheet and its key, as files with tabs, and how many examples they have."""

    sheet: bytes
    key: bytes
    examples: int


def draw_gaps(
    evaluation: Evaluation,
    documents: Documents | None,
    sample: int | None,
    context: int,
    seed: int,
) -> DrawnGaps:
    """The same pronouns of each candidate, all or a random sample of them, in random order.

    `context` is how many earlier lines of the document are shown.
    """
    generator = np.random.default_rng(seed)
    data, occurrences = evaluation.scored.data, evaluation.scored.items
    chosen = generator.permutation(evaluation.scored.size)[:sample].tolist()
    pairs = [(system, one) for system in range(len(occurrences)) for one in sorted(chosen)]
    sheet, key = [csv_line(SHEET_COLUMNS)], [csv_line(KEY_COLUMNS)]
    for number, at in enumerate(generator.permutation(len(pairs)).tolist(), start=1):
        system, one = pairs[at]
        occurrence = occurrences[system][one]
        anchor = occurrence.anchor
        lines = _around(anchor.sentence, context, documents)
        text = data.candidates[system].text
        hidden = hidden_positions(occurrence, data.pronouns)
        source = _shown(data.source, lines, {anchor.position: f"[[{anchor.word}]]"})
        translation = _shown(text, lines, dict.fromkeys(hidden, GAP))
        sheet.append(csv_line((str(number), source, translation, "", "")))
        words = text.words(anchor.sentence)
        key.append(
            csv_line(
                (
                    str(number),
                    evaluation.names[system],
                    "" if documents is None else _document(anchor.sentence, documents),
                    *map(str, (anchor.sentence, anchor.position)),
                    anchor.pronoun,
                    str(occurrence.case),
                    " ".join(words[position] for position in hidden),
                )
            )
        )
    return DrawnGaps(b"".join(sheet), b"".join(key), len(pairs))


def hidden_positions(occurrence: Occurrence, lists: PronounLists) -> tuple[int, ...]:
    """The words of the candidate that are hidden: its pronouns, else all that is linked."""
    side = occurrence.candidate
    pronouns = tuple(
        position
        for position, word in zip(side.positions, side.words, strict=True)
        if target_pronoun(normal_form(word), lists) is not None
    )
    return pronouns or side.positions


def _around(line: int, context: int, documents: Documents | None) -> range:
    first = max(0, line - context)
    if documents is not None:
        while documents.of_line[first] != documents.of_line[line]:
            first += 1
    return range(first, line + 1)


def _document(line: int, documents: Documents) -> str:
    return documents.names[int(documents.of_line[line])]


def _shown(text: Text, lines: Sequence[int], instead: dict[int, str]) -> str:
    """Some lines, in the last of which words are replaced."""
    shown = [text.words(line) for line in lines]
    for position, word in instead.items():
        shown[-1][position] = word
    return BETWEEN_LINES.join(" ".join(words) for words in shown)


# Filled-in sheets ---------------------------------------------------------------------------------

EXAMPLE, ACCEPTED = "example", "accepted"
_NEEDED = ("system", "output")
_BETWEEN = re.compile(r"[\s,;/|]+")
_BAD = re.compile(r"bad(?:[\s_-]+translation)?", re.IGNORECASE)

_Tell = Callable[[str, str], None]
"""Notes a problem with a field: what was expected there."""

Row = tuple[Path, int, dict[str, str]]
"""The file and the line of a row, and its cells by column."""


@dataclass(frozen=True, slots=True)
class FilledGap:
    """A gap of one system: its word as a label, and the labels that people accept.

    `place` is the line and the position of the source pronoun, where they are known, and `case` is
    that of APT. A translation that is too bad has no accepted label.
    """

    system: str
    word: str
    accepted: frozenset[str]
    bad: bool
    pronoun: str = ""
    document: str = ""
    place: tuple[int, int] | None = None
    case: int | None = None

    @property
    def right(self) -> bool:
        """Whether people accept the system's word."""
        return self.word in self.accepted

    @property
    def verdict(self) -> str:
        """What that makes it in 000 Table 5."""
        return BAD if self.bad else CORRECT if self.right else INCORRECT


@dataclass(frozen=True)
class FilledSheets:
    """The gaps that were filled in, and how many were not."""

    gaps: tuple[FilledGap, ...]
    empty: int


def read_filled_gaps(sheets: Sequence[Path], key: Path | None, lists: PronounLists) -> FilledSheets:
    """The gaps of some sheets with what their key says; every problem of every file is raised.

    Without a key the sheets themselves say whose gaps they are and what they hide.
    """
    problems: list[Problem] = []
    rows = [
        row
        for path in sheets
        for row in _rows(path, (EXAMPLE, ACCEPTED) if key else (ACCEPTED, *_NEEDED), problems)
    ]
    if key is not None:
        rows = _with_key(rows, list(_rows(key, (EXAMPLE, *_NEEDED), problems)), key, problems)
    reader = _Reader(lists, problems)
    found = [reader.gap(row) for row in rows]
    if problems:
        raise InputError(problems)
    gaps = tuple(one for one in found if one is not None)
    if not gaps:
        raise input_error(sheets[0], ACCEPTED, "at least one gap that is filled in", "none")
    _check_places(sheets[0], gaps)
    return FilledSheets(gaps, len(found) - len(gaps))


def _rows(path: Path, needed: Iterable[str], problems: list[Problem]) -> Iterable[Row]:
    try:
        found = list(read_rows(path))
    except InputError as error:
        problems += error.problems
        return []
    line, heading = found[0] if found else (1, [])
    missing = [name for name in needed if name not in heading]
    for name in missing:
        known = choices(heading) if heading else "a heading"
        problems.append(Problem(str(path), line, "column", f"{quoted(name)} among them", known))
    for name in dict.fromkeys(name for name in heading if name and heading.count(name) > 1):
        problems.append(Problem(str(path), line, "heading", "different names", quoted(name)))
        missing.append(name)
    rows = []
    for number, cells in found[1:]:
        if len(cells) != len(heading):
            expected = f"{len(heading)} as in the heading"
            problems.append(Problem(str(path), number, "cells", expected, str(len(cells))))
        elif not missing:
            rows.append((path, number, dict(zip(heading, cells, strict=True))))
    return rows


def _with_key(
    rows: Iterable[Row], keys: Iterable[Row], key: Path, problems: list[Problem]
) -> list[Row]:
    """Rows of sheets with what the key says of their examples, each of which is there once."""
    known: dict[str, Mapping[str, str]] = {}
    for path, line, cells in keys:
        if cells[EXAMPLE] in known:
            found = f"{quoted(cells[EXAMPLE])} again"
            problems.append(Problem(str(path), line, EXAMPLE, "each example once", found))
        known[cells[EXAMPLE]] = cells
    seen: dict[str, str] = {}
    joined = []
    for path, line, cells in rows:
        name = cells[EXAMPLE]
        if name not in known:
            expected = f"an example of {key}"
            problems.append(Problem(str(path), line, EXAMPLE, expected, quoted(name)))
            continue
        if cells[ACCEPTED] and name in seen:
            expected = f"each example filled in once; it is in {seen[name]}"
            problems.append(Problem(str(path), line, EXAMPLE, expected, quoted(name)))
        if cells[ACCEPTED]:
            seen.setdefault(name, f"{path}:{line}")
        joined.append((path, line, {**known[name], ACCEPTED: cells[ACCEPTED]}))
    return joined


class _Reader:
    """Turns rows into gaps and collects what is wrong with them."""

    def __init__(self, lists: PronounLists, problems: list[Problem]) -> None:
        self.lists = lists
        self.problems = problems
        names = dict.fromkeys(lists.label(word) for word in lists.target_pronouns)
        self.expected = f"{choices([*names, 'other'])}, or {BAD}"

    def gap(self, row: Row) -> FilledGap | None:
        """A gap, or nothing if nobody has filled it in."""
        path, line, cells = row

        def problem(field: str, expected: str) -> None:
            found = quoted(cells[field]) if cells.get(field) else "nothing"
            self.problems.append(Problem(str(path), line, field, expected, found))

        if not cells["system"]:
            problem("system", "a name")
        place = self._numbers(cells, problem)
        case = cells.get("case", "")
        if case and case not in map(str, CASES):
            problem("case", "a case from 1 to 6")
            case = ""
        written = cells[ACCEPTED]
        if not written:
            return None
        bad = _BAD.fullmatch(written) is not None
        accepted = frozenset() if bad else self._accepted(written, problem)
        return FilledGap(
            cells["system"],
            self.label(cells["output"]),
            accepted,
            bad,
            cells.get("pronoun", ""),
            cells.get("document", ""),
            place,
            int(case) if case else None,
        )

    def label(self, words: str) -> str:
        """The label of what a gap hides: the first pronoun of the lists, or *other*."""
        for word in words.split():
            pronoun = target_pronoun(normal_form(word), self.lists)
            if pronoun is not None:
                return self.lists.label(pronoun)
        return OTHER

    def _accepted(self, written: str, problem: _Tell) -> frozenset[str]:
        labels = set()
        for word in filter(None, _BETWEEN.split(written)):
            label = self.lists.labels.get(normal_form(word))
            if word.upper() in (OTHER, NONE):
                label = OTHER
            if label is None:
                problem(ACCEPTED, self.expected)
                break
            labels.add(label)
        return frozenset(labels)

    def _numbers(self, cells: Mapping[str, str], problem: _Tell) -> tuple[int, int] | None:
        written = [cells.get(name, "") for name in ("line", "position")]
        if not any(written):
            return None
        for name, text in zip(("line", "position"), written, strict=True):
            if not is_whole_number(text):
                problem(name, "a number from 0")
        return (int(written[0]), int(written[1])) if all(map(is_whole_number, written)) else None


def _check_places(path: Path, gaps: Iterable[FilledGap]) -> None:
    """Each pronoun is there once for each system."""
    seen: set[tuple[str, tuple[int, int]]] = set()
    problems = []
    for one in gaps:
        if one.place is None:
            continue
        if (one.system, one.place) in seen:
            found = f"{one.system}, line {one.place[0]}, position {one.place[1]} twice"
            problems.append(Problem(str(path), None, "pronoun", "each once for each system", found))
        seen.add((one.system, one.place))
    if problems:
        raise InputError(problems)


# Measures -----------------------------------------------------------------------------------------

_ALL, _RIGHT, _KEPT, _KEPT_RIGHT, _SAID, _HIT, _MISSED, _BAD_GAPS = range(8)


def _share(above: int, *below: int) -> Measure:
    def value(sums: Floats) -> Floats:
        return quotient(sums[:, above], sums[:, list(below)].sum(axis=1))

    return value


_PRECISION, _RECALL = _share(_HIT, _SAID), _share(_HIT, _HIT, _MISSED)


def _f(sums: Floats) -> Floats:
    precision, recall = _PRECISION(sums), _RECALL(sums)
    unknown = np.isnan(precision) | np.isnan(recall)
    return np.where(unknown, np.nan, harmonic_mean(precision, recall))


MEASURES: Mapping[str, Measure] = {
    "accuracy": _share(_RIGHT, _ALL),
    "accuracy_without_other": _share(_KEPT_RIGHT, _KEPT),
    "precision": _PRECISION,
    "lenient_recall": _RECALL,
    "f": _f,
}
"""Functions of summed counts; not a number where nothing was to be counted."""


@dataclass(frozen=True)
class GapSettings:
    """The pronouns that a gap may hide: the name of the lists and a digest of their content."""

    pronouns: str


class GapFilling(Metric[GapSettings, FilledSheets, FilledGap]):
    """What people accept in gaps, as a metric; the gaps of all systems are items of each."""

    name = "gap-filling"
    title = "Gaps that people filled in"
    measures: Mapping[str, str] = {
        "accuracy": "accuracy with other",
        "accuracy_without_other": "without other",
        "precision": "precision",
        "lenient_recall": "lenient recall",
        "f": "F",
    }
    headline = "accuracy"
    scale = UNIT
    system = "system"
    groups_in_csv = False

    def __init__(self, lists: PronounLists) -> None:
        super().__init__(GapSettings(f"{lists.name}-{lists.digest}"))
        self.labels = (*dict.fromkeys(lists.label(word) for word in lists.target_pronouns), OTHER)

    def items(self, data: FilledSheets) -> Scored[FilledSheets, FilledGap]:
        """All gaps in the order of the text; systems in the order of their names."""
        gaps = sorted(data.gaps, key=lambda one: (one.place is None, one.place or (0, 0)))
        names = tuple(sorted({one.system for one in gaps}))
        facts = {"empty": data.empty}
        return Scored(data, names, (gaps,) * len(names), _units(gaps), facts)

    def statistics(self, scored: Scored[FilledSheets, FilledGap], system: int) -> Floats:
        """The counts of each gap of a system; those of other systems count nothing."""
        name = scored.systems[system]
        rows = [_row(one) if one.system == name else [0] * 8 for one in scored.items[system]]
        return np.array(rows, dtype=np.float64)

    def score(self, sums: Floats) -> Mapping[str, Floats]:
        """The measures of summed counts."""
        return {name: measure(sums) for name, measure in MEASURES.items()}

    def counts(self, sums: Floats) -> Mapping[str, int]:
        """Gaps, and those whose translation is too bad."""
        return {"gaps": int(sums[_ALL]), "bad": int(sums[_BAD_GAPS])}

    def described(
        self,
        scored: Scored[FilledSheets, FilledGap],
        part: Part,
        measure: str,
        system: int,
    ) -> list[str]:
        """The lists, and how many gaps a system has."""
        gaps = len(self._own(scored, system))
        return ["metric:gap-filling", f"pronouns:{self.settings.pronouns}", f"gaps:{gaps}"]

    def notes(self, scored: Scored[FilledSheets, FilledGap]) -> tuple[str, ...]:
        """How many gaps are left out."""
        empty = scored.data.empty
        return (f"{empty:,} gaps that nobody has filled in are left out.",) if empty else ()

    def tables(self, evaluation: Evaluation) -> list[Table]:
        """All systems side by side, then the pronouns of each that occur."""
        rows: list[list[Cell]] = [
            [one.name, *map(str, one.total.counts.values()), *(one.scores[m] for m in MEASURES)]
            for one in evaluation.systems
        ]
        heading = ("system", "gaps", "bad", *self.measures.values())
        found = [Table(heading, rows, notes=score_notes(evaluation), place="scores")]
        heading = ("system's", "accepted", "missed", "precision", "lenient recall", "F")
        for one in evaluation.systems:
            pronouns = [
                (
                    "other" if own["pronoun"] == OTHER else own["pronoun"],
                    *(str(own[key]) for key in ("said", "hit", "missed")),
                    *(
                        "–" if own[key] is None else f"{own[key]:.4f}"
                        for key in ("precision", "lenient_recall", "f")
                    ),
                )
                for own in one.facts["pronouns"]
                if own["said"] or own["missed"]
            ]
            found.append(Table((one.name, *heading), pronouns))
        return found

    def of_system(self, scored: Scored[FilledSheets, FilledGap], system: int) -> Mapping[str, Any]:
        """The counts and measures of each pronoun."""
        own = self._own(scored, system)
        return {"pronouns": [_pronoun(label, own) for label in self.labels]}

    def details(
        self, scored: Scored[FilledSheets, FilledGap], system: int
    ) -> Iterator[Mapping[str, Any]]:
        """A record for each gap of a system."""
        for one in self._own(scored, system):
            yield {
                "document": one.document,
                "place": one.place or (),
                "pronoun": one.pronoun,
                "output": one.word,
                "accepted": sorted(one.accepted),
                "human": one.verdict,
            }

    def _own(self, scored: Scored[FilledSheets, FilledGap], system: int) -> list[FilledGap]:
        name = scored.systems[system]
        return [one for one in scored.items[system] if one.system == name]


def evaluate_gaps(sheets: FilledSheets, lists: PronounLists, plan: Resampling | None) -> Evaluation:
    """The measures of each system, in the order of their names.

    Systems are compared where their gaps are those of the same pronouns.
    """
    warnings = []

    def pairs(names: Sequence[str], values: Sequence[float]) -> list[tuple[int, int]]:
        places = [{one.place for one in sheets.gaps if one.system == name} for name in names]
        if any(None in own for own in places):
            return []
        found = every_pair(names, values)
        for one, other in found:
            if places[one] != places[other]:
                pair = f"{names[one]} and {names[other]}"
                warnings.append(f"{pair} have gaps of other pronouns: no comparison")
        return [(one, other) for one, other in found if places[one] == places[other]]

    evaluation = evaluate(GapFilling(lists), sheets, plan, pairs)
    return replace(evaluation, warnings=(*warnings, *evaluation.warnings))


def _row(one: FilledGap) -> list[float]:
    """What a gap adds to the counts that the measures are made of."""
    listed = one.word != OTHER
    kept = listed and one.accepted != {OTHER}
    missed = 0 if one.right else len(one.accepted - {OTHER})
    hit = one.right and listed
    return [1, one.right, kept, kept and one.right, listed, hit, missed, one.bad]


def _pronoun(label: str, gaps: Sequence[FilledGap]) -> dict[str, Any]:
    """A pronoun: gaps in which a system has it, those accepted, those that miss it; measures."""
    said = [one for one in gaps if one.word == label]
    hit = sum(one.right for one in said)
    missed = sum(label in one.accepted and not one.right for one in gaps)
    precision = hit / len(said) if said else None
    recall = hit / (hit + missed) if hit + missed else None
    f = None
    if precision is not None and recall is not None:
        total = precision + recall
        f = 2 * precision * recall / total if total else 0.0
    counts = {"pronoun": label, "said": len(said), "hit": hit, "missed": missed}
    return counts | {"precision": precision, "lenient_recall": recall, "f": f}


def _units(gaps: Sequence[FilledGap]) -> ResampledUnits:
    """Documents where all gaps have one, else source pronouns, else gaps."""
    documents = [one.document for one in gaps]
    places = [one.place for one in gaps]
    known = [f"{place[0]} {place[1]}" for place in places if place is not None]
    return choose_units(
        document=documents if all(documents) else None,
        pronoun=known if len(known) == len(gaps) else None,
        gap=np.arange(len(gaps)),
    )


JUDGED_COLUMNS = ("system", "document", "line", "position", "category", "case", "human")


def judged_csv(sheets: FilledSheets) -> str:
    """A row for each gap with its case and its verdict, for `crosspro correlate cases`."""
    rows = [
        (
            *(one.system, one.document),
            *(one.place or ("", "")),
            one.pronoun or "all",
            "" if one.case is None else one.case,
            one.verdict,
        )
        for one in sheets.gaps
    ]
    return csv_text([JUDGED_COLUMNS, *rows])
