"""Sheets on which people check source pronouns: are they subjects, and what translates them?

003 §3.3.3 checked by hand what the subject filter had kept and removed, 000 §2.3 the links of a
hundred pronouns, 003 §3.3.1 the precision and recall of such links. A sheet has a row for each
pronoun, which is marked in the source, and the words linked to it in the target. People fill in
two columns:

- `subject`: yes or no.
- `words`: yes where the marked words are right; else the words of the target that translate the
  pronoun, `il#2` for the second *il*; `-` where nothing does.

Rows that are not filled in say nothing. A sheet that comes back corrects the data that are made of
the same text, and tells how often the program was wrong, by whatever links and filter it has now.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from crosspro.data_prep.annotate.tokenise import TokenisedBitext
from crosspro.data_prep.core.errors import InputError, Problem, input_error, quoted
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.gaps.extract import source_pronouns
from crosspro.data_prep.gaps.segments import KEPT, REMOVED, Correction, HandCheck, PronounDecision
from crosspro.evaluation.inputs.sheets import (
    CHECK_COLUMNS,
    CHECKED_COLUMNS,
    marked_words,
    named_cells,
    read_rows,
    tsv_line,
)
from crosspro.evaluation.report.tables import PLAIN, Style
from crosspro.evaluation.resampling import wilson_interval

COLUMNS = (*CHECK_COLUMNS, "source", "target", "filter", "rule", "linked", *CHECKED_COLUMNS)

_YES, _NO, _NOTHING = "yes", "no", "-"
_ANSWERS = {**dict.fromkeys((_YES, "y", "1"), True), **dict.fromkeys((_NO, "n", "0"), False)}
_NUMBER = "#"


def sheet_text(decisions: Iterable[PronounDecision]) -> bytes:
    """A sheet for people, with tabs; lines and positions count from 0."""
    rows = [tsv_line(COLUMNS)]
    for decision in decisions:
        linked = " ".join(map(str, decision.linked)) or _NOTHING
        cells = (
            *map(str, (decision.line, decision.position)),
            decision.source[decision.position],
            marked_words(decision.source, (decision.position,)),
            marked_words(decision.target, decision.linked),
            *(decision.filter, decision.rule, linked, "", "", ""),
        )
        rows.append(tsv_line(cells))
    return b"".join(rows)


# A sheet that comes back ------------------------------------------------------------------------


def read_sheet(path: Path, task: Task, bitext: TokenisedBitext) -> dict[int, dict[int, Correction]]:
    """What people say of pronouns of a text; raises every fault, and if it is another text."""
    rows = read_rows(path)
    line, heading = next(rows, (1, []))
    if missing := [name for name in COLUMNS if name not in heading]:
        expected = f"the columns of a sheet ({', '.join(COLUMNS)})"
        raise input_error(path, "heading", expected, f"no {', '.join(missing)}", line)
    problems: list[Problem] = []
    found: dict[int, dict[int, Correction]] = {}
    for number, cells in named_cells(path, heading, rows, problems):
        reading = _SheetRow(str(path), number, cells)
        correction = reading.correction(task, bitext)
        problems += reading.problems
        if correction is None:
            continue
        own = found.setdefault(reading.line, {})
        if reading.position in own:
            expected, again = "each pronoun once", f"{reading.line} {reading.position} again"
            problems.append(Problem(str(path), number, "line and position", expected, again))
        own[reading.position] = correction
    if problems:
        raise InputError(problems)
    if not found:
        raise input_error(path, "file", "at least one row that is filled in", "none")
    return found


class _SheetRow:
    """The cells of a row, what people say there, and what is wrong with it."""

    def __init__(self, path: str, number: int, cells: Mapping[str, str]) -> None:
        self.path = path
        self.number = number
        self.cells = cells
        self.problems: list[Problem] = []
        self.line = self.position = 0

    def problem(self, field: str, expected: str) -> None:
        found = quoted(self.cells[field]) if self.cells[field] else "nothing"
        self.problems.append(Problem(self.path, self.number, field, expected, found))

    def correction(self, task: Task, bitext: TokenisedBitext) -> Correction | None:
        """What the row says; None if it is not filled in, or if something is wrong."""
        if not self.cells["subject"] and not self.cells["words"]:
            return None
        self.line = self._whole("line", len(bitext))
        if self.problems:
            return None
        source, target = bitext.source[self.line], bitext.target[self.line]
        self.position = self._whole("position", len(source))
        if not self.problems:
            self._check_text(task, source, target)
        if self.problems:
            return None
        subject, words = self._subject(), self._words(target)
        return None if self.problems else Correction(subject, words)

    def _whole(self, field: str, size: int) -> int:
        cell = self.cells[field]
        if not (cell.isascii() and cell.isdigit() and int(cell) < size):
            self.problem(field, f"a number below {size:,}, as in this text")
            return 0
        return int(cell)

    def _check_text(self, task: Task, source: Sequence[str], target: Sequence[str]) -> None:
        if self.position not in source_pronouns(source, task):
            self.problem("position", f"a source pronoun in line {self.line} of this text")
        for field, words in (("source", source), ("target", target)):
            if _plain(self.cells[field]) != _plain(" ".join(words)):
                self.problem(field, f"line {self.line} of this text: {quoted(' '.join(words))}")

    def _subject(self) -> bool | None:
        cell = self.cells["subject"].lower()
        if cell and cell not in _ANSWERS:
            self.problem("subject", "yes, no, or nothing")
        return _ANSWERS.get(cell)

    def _words(self, target: Sequence[str]) -> tuple[int, ...] | None:
        cell = self.cells["words"]
        if not cell:
            return None
        if cell == _NOTHING:
            return ()
        if _ANSWERS.get(cell.lower()) and cell not in target:
            return self._linked(len(target))
        places = {_place(word, target) for word in cell.split()}
        if None in places:
            expected = (
                "yes, words of the target (il#2: the second il of several), - where nothing "
                "translates the pronoun, or nothing"
            )
            self.problem("words", expected)
        return tuple(sorted(place for place in places if place is not None))

    def _linked(self, size: int) -> tuple[int, ...]:
        """The words that were marked when the sheet was written."""
        cell = self.cells["linked"]
        places = [] if cell == _NOTHING else cell.split()
        if not all(place.isascii() and place.isdigit() and int(place) < size for place in places):
            self.problem("linked", f"numbers below {size}, or -, as the sheet was written")
            return ()
        return tuple(map(int, places))


def _plain(text: str) -> str:
    return " ".join(text.replace("[[", "").replace("]]", "").split())


def _place(word: str, target: Sequence[str]) -> int | None:
    """Where a word stands, if that is clear: once, or the one that is numbered."""
    for same in (str, str.lower):
        places = [place for place, one in enumerate(target) if same(one) == same(word)]
        if len(places) == 1:
            return places[0]
    form, _, number = word.rpartition(_NUMBER)
    places = [place for place, one in enumerate(target) if one.lower() == form.lower()]
    if number.isascii() and number.isdigit() and 0 < int(number) <= len(places):
        return places[int(number) - 1]
    return None


# How often the program was wrong ------------------------------------------------------------------


@dataclass(frozen=True)
class ErrorRate:
    """Decisions that were checked, those that were wrong, and how many there are in the text."""

    name: str
    checked: int
    wrong: int
    in_text: int | None = None

    @property
    def rate(self) -> float | None:
        """The share that is wrong, if any was checked."""
        return self.wrong / self.checked if self.checked else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval of that share (Wilson's)."""
        return wilson_interval(self.wrong, self.checked) if self.checked else None


@dataclass(frozen=True)
class CheckedPronouns:
    """How often the filter and the links were wrong, of what people have checked.

    `recall` of the filter is an estimate for the whole text: errors among removed pronouns count as
    often as pronouns were removed. Pronouns without a link that have a translation are `missing`.
    """

    filter: tuple[ErrorRate, ...]
    rules: tuple[ErrorRate, ...]
    recall: float | None
    links: tuple[ErrorRate, ...]
    link_precision: float | None
    link_recall: float | None

    @property
    def record(self) -> dict[str, object]:
        """Everything, for the report of `prepare`."""
        return {
            "filter": [_rate_record(one) for one in self.filter],
            "rules": [_rate_record(rule) for rule in self.rules],
            "filter_precision": _right(self.filter, KEPT),
            "filter_recall": self.recall,
            "links": [_rate_record(link) for link in self.links],
            "link_precision": self.link_precision,
            "link_recall": self.link_recall,
        }


def _rate_record(one: ErrorRate) -> dict[str, object]:
    return {**asdict(one), "rate": one.rate, "interval": one.interval}


def _right(rates: Sequence[ErrorRate], name: str) -> float | None:
    (rate,) = (one.rate for one in rates if one.name == name)
    return None if rate is None else 1 - rate


def checked_pronouns(check: HandCheck) -> CheckedPronouns:
    """Compare what was decided with what people say."""
    corrections = check.corrections
    answered = [(one, corrections[one.line][one.position]) for one in check.checked]
    filtered = [
        (one, (one.filter == KEPT) != said.subject)
        for one, said in answered
        if one.filter in (KEPT, REMOVED) and said.subject is not None
    ]
    rates = tuple(
        _rate(name, [wrong for one, wrong in filtered if one.filter == name], check.totals[name])
        for name in (KEPT, REMOVED)
    )
    rules = sorted({(one.filter, one.rule) for one, _ in filtered}, reverse=True)
    by_rule = tuple(
        _rate(
            f"{name}: {rule}", [w for one, w in filtered if (one.filter, one.rule) == (name, rule)]
        )
        for name, rule in rules
    )
    linked = [
        (set(one.linked), set(said.words)) for one, said in answered if said.words is not None
    ]
    found, wanted = (sum(len(pair[side]) for pair in linked) for side in (0, 1))
    both = sum(len(ours & theirs) for ours, theirs in linked)
    return CheckedPronouns(
        rates,
        by_rule,
        _filter_recall(rates),
        (
            _rate("missing", [not ours and bool(theirs) for ours, theirs in linked]),
            _rate("wrong", [bool(ours) and ours != theirs for ours, theirs in linked]),
        ),
        both / found if found else None,
        both / wanted if wanted else None,
    )


def _rate(name: str, wrong: Sequence[bool], in_text: int | None = None) -> ErrorRate:
    return ErrorRate(name, len(wrong), sum(wrong), in_text)


def _filter_recall(rates: Sequence[ErrorRate]) -> float | None:
    kept, removed = rates
    if kept.rate is None or (removed.rate is None and removed.in_text):
        return None
    right = (kept.in_text or 0) * (1 - kept.rate)
    lost = (removed.in_text or 0) * (removed.rate or 0)
    return right / (right + lost) if right + lost else None


def checked_text(found: CheckedPronouns, style: Style = PLAIN) -> str:
    """What people found, for a terminal."""
    parts = []
    if any(one.checked for one in found.filter):
        heading = ("subject filter", "in the text", "checked", "wrong", "% [95%]")
        parts.append(style.table(heading, [_shown(one) for one in found.filter]))
        parts.append(style.table(("by rule", *heading[2:]), [_shown(rule) for rule in found.rules]))
        precision = _percent(_right(found.filter, KEPT))
        parts.append(f"precision {precision}, recall {_percent(found.recall)} (estimated)\n")
    if found.links[0].checked:
        of_links = ("links of pronouns", "checked", "so many", "% [95%]")
        parts.append(style.table(of_links, [_shown(link) for link in found.links]))
        both = (_percent(one) for one in (found.link_precision, found.link_recall))
        parts.append("link precision {}, link recall {}\n".format(*both))
    return "\n".join(parts)


def _shown(one: ErrorRate) -> tuple[str, ...]:
    share = _percent(one.rate)
    if one.interval is not None:
        low, high = one.interval
        share += f" [{100 * low:.1f}, {100 * high:.1f}]"
    total = () if one.in_text is None else (f"{one.in_text:,}",)
    return one.name, *total, str(one.checked), str(one.wrong), share


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"
