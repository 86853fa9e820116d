"""Results in Markdown files: tables made from records, and figures in prose that link to theirs.

A table stands between `<!-- results: pair:en-de rows=8 -->` and `<!-- end of results -->`; what is
between them is made anew. `rows:en-de/a,en-de/b` has the named records of a task, each less the
first. A figure in prose is a link to its record: every number in the text of
`[76.1](results/en-de/x.json)` must be one of that record at the digits shown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import isnan
from pathlib import Path

from crosspro.data_prep.core.errors import (
    InputError,
    Problem,
    choices,
    counted,
    input_error,
    quoted,
)
from crosspro.data_prep.core.files import bad_byte, read_bytes
from crosspro.data_prep.core.task import load_task
from crosspro.evaluation.core.score import Score
from crosspro.evaluation.core.statistics import holm
from crosspro.evaluation.leaderboard.boards import (
    MAIN_TASKS,
    PLAN,
    RANKED_BY,
    SET_TITLES,
    SHOWN,
    TITLES,
    BoardRow,
    Leaderboard,
    OverviewRow,
    RowDifference,
    TaskTable,
    TestTable,
)
from crosspro.evaluation.leaderboard.evidence import FREQUENT, LabelledSet, table_differences
from crosspro.evaluation.leaderboard.ranking import SIGNIFICANT, RankRange
from crosspro.evaluation.leaderboard.record import (
    FOLDER,
    Provenance,
    Record,
    record_file,
)
from crosspro.evaluation.leaderboard.speed import read_speed, speed_block
from crosspro.evaluation.leaderboard.system_sums import MEASURES, WITHOUT_REFERENCE
from crosspro.evaluation.output.tables import Row, markdown_table

NOT_MEASURED = "not measured"
END = "<!-- end of results -->"
_BEGIN = re.compile(r"<!-- results: (?P<block>\S+)(?: rows=(?P<rows>[1-9]\d{0,3}))? -->")
_BLOCK = re.compile(rf"(<!-- results: [^\n]*? -->)\n(.*?)({re.escape(END)})", re.DOTALL)
_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[((?:[^\[\]\n]|\[[^\[\]\n]*\])*)\]\(([^()\s]+\.json)\)")
_NUMBER = re.compile(r"(?<![\w.])[-+−]?\d+(?:,\d{3})*(?:\.\d+)?(?![\w.]*\w)")
OTHER_TEST = "†"
"""What marks figures on a test set that is not public."""
OVERVIEW_HEADING = (
    "task",
    "best single system",
    "best ensemble",
    "best of the papers, trained here",
    "best published",
    "ours less the papers",
    "command",
)
_BOTH = (RANKED_BY, "accuracy")
"""What rows are compared by."""
WHOSE = {
    Provenance.OWN: "ours",
    Provenance.PAPERS: "of the papers, trained here",
    Provenance.PUBLISHED: "published",
    Provenance.OTHERS: "others",
}


# Blocks -------------------------------------------------------------------------------------------


def fill_blocks(path: Path, boards: Leaderboard, results: Path = FOLDER) -> str:
    """The text of a Markdown file with its blocks made anew.

    Raises `InputError` for blocks that are unknown or have no end.
    """
    text = _text(path)
    problems: list[Problem] = []
    links, makers = _links(path, results), block_makers(boards)
    makers["speed"] = lambda *_: speed_block(read_speed(results))
    examples = [match.span() for match in _FENCE.finditer(text)]

    def made(match: re.Match[str]) -> str:
        if any(start <= match.start() < end for start, end in examples):
            return match[0]
        begin = _BEGIN.fullmatch(match[1])
        line = text.count("\n", 0, match.start()) + 1
        block = "" if begin is None else begin["block"]
        maker = makers.get(block) or _rows_maker(boards, block)
        if begin is None or maker is None:
            problems.append(
                Problem(str(path), line, "results", f"a block of {choices(makers)}", match[1][:60])
            )
            return match[0]
        limit = None if begin["rows"] is None else int(begin["rows"])
        return f"{match[1]}\n{maker(links, limit)}{match[3]}"

    filled = _BLOCK.sub(made, text)
    outside = _FENCE.sub("", text)
    if outside.count("<!-- results: ") != len(_BLOCK.findall(outside)):
        ends = f"{text.count(END)} of them"
        problems.append(Problem(str(path), None, "results", f"{END} after each block", ends))
    if problems:
        raise InputError(problems)
    return filled


Links = Callable[[Record], str]
"""A record's title, as a link where the record has a file."""
Maker = Callable[[Links, int | None], str]


def block_makers(boards: Leaderboard) -> dict[str, Maker]:
    """What makes each block, by its name."""
    tables = {**dict.fromkeys(MAIN_TASKS), **{one.task: one for one in boards.tasks}}
    pairs: dict[str, Maker] = {
        f"pair:{task}": partial(pair_block, table) for task, table in tables.items()
    }
    return {
        "six-rows": lambda links, _: overview_block(boards.overview, links),
        **pairs,
        "shipped": lambda links, _: shipped_block(boards, links),
        "translations": lambda links, most: tests_block(boards.translations, links, most),
        "metrics": lambda links, most: tests_block(boards.metrics, links, most),
        "not-measured": lambda links, _: not_measured_block(boards),
    }


def _links(path: Path, results: Path) -> Links:
    def linked(record: Record) -> str:
        title = _escaped(record.title)
        if record.origin == Provenance.PUBLISHED:
            return title
        return f"[{title}]({relative_link(path, record_file(record.name, results))})"

    return linked


def relative_link(path: Path, target: Path) -> str:
    """Where a file is for a link of another."""
    return Path(os.path.relpath(target.resolve(), path.resolve().parent)).as_posix()


def _escaped(text: str) -> str:
    """Words of records as Markdown shows them; they cannot end a block or a link."""
    return re.sub(r"([\\`*_\[\]<>&#!~$])", r"\\\1", " ".join(text.split()))


def overview_block(rows: Sequence[OverviewRow], links: Links) -> str:
    """The table of the best of each task."""
    heading, body = overview_cells(rows, links)
    return f"{markdown_table(heading, body, 1)}\n{overview_note(rows)}\n"


def overview_cells(rows: Sequence[OverviewRow], links: Links) -> tuple[Row, list[Row]]:
    """The heading and the rows of that table."""
    body: list[Row] = [
        (
            row.task,
            _best(row.single, links),
            _best(row.ensemble, links),
            _best(row.papers, links),
            _published(row, links),
            _overview_difference(row),
            "" if row.single is None else f"`crosspro reproduce {row.single.record.name}`",
        )
        for row in rows
    ]
    return OVERVIEW_HEADING, body


def overview_note(rows: Sequence[OverviewRow]) -> str:
    """What stands under the overview."""
    note = (
        "Macro recall with 95% intervals by document, means over seeds; the best by macro recall "
        "on all test sets of a task together. Differences are of our best to the best "
        "of the papers, trained here, ensembles or single systems: approximate randomisation by "
        "document, "
        f"{PLAN.resamples:,} samples, p corrected for the rows (Holm)."
    )
    if any(row.published is not None and row.published.elsewhere for row in rows):
        note += (
            f" {OTHER_TEST} measured on the official test set, which is not public and not among "
            "ours: no difference to it is tested."
        )
    return note


def _best(row: BoardRow | None, links: Links) -> str:
    if row is None:
        return NOT_MEASURED
    score = row.score(row.record.headline_set)
    return f"{_shown(score)} {links(row.record)}"


def _published(best: OverviewRow, links: Links) -> str:
    row = best.published
    if row is None:
        return "none"
    score = row.score(row.record.headline_set)
    mark = OTHER_TEST if row.elsewhere else ""
    there = best.there
    ours = "" if there is None else f" (best single there {_shown(there)})"
    return f"{_shown(score)}{mark} {links(row.record)}{ours}"


def _overview_difference(row: OverviewRow) -> str:
    kind = f"{row.kind}: " if row.kind else ""
    return f"{kind}{_difference(row.difference)}" if row.difference else NOT_MEASURED


def _difference(one: RowDifference | None) -> str:
    if one is None:
        return "not tested"
    return f"{one.value:+.1f} [{one.low:+.1f}, {one.high:+.1f}], p {p_shown(one.corrected)}"


def p_shown(p: float) -> str:
    """A p value at as many digits as it has."""
    return f"{p:.2g}" if p >= 0.001 else "< 0.001"


def _shown(score: Score | None, interval: bool = True) -> str:
    if score is None:
        return "–"
    if score.low is None or score.high is None or not interval:
        return f"{score.value:.1f}"
    return f"{score.value:.1f} [{score.low:.1f}, {score.high:.1f}]"


def pair_block(table: TaskTable | None, links: Links, most: int | None) -> str:
    """The table of a task: its best rows, the reference, and the best published figure."""
    if table is None or not table.measured:
        return f"{NOT_MEASURED.capitalize()}.\n"
    tests = [test for test in table.tests if test != table.headline and _compares(test, table)]
    heading = (
        "system",
        "whose",
        "text",
        "seeds",
        *(f"{test}" for test in tests),
        *(
            f"{TITLES[one]}" + (f" ({_named(table.headline)})" if one == RANKED_BY else "")
            for one in SHOWN
            if one != "macro_f1"
        ),
        "less the reference",
    )
    rows = list(table.measured)
    shown = rows[:most]
    shown += [row for row in rows if row.record.name == table.reference and row not in shown]
    shown += table.published[: None if most is None else 1]
    body = [_pair_row(row, table, tests, links) for row in shown]
    notes = [_pair_note(table)]
    left = len(rows) - sum(row.record.origin != Provenance.PUBLISHED for row in shown)
    if left:
        notes.append(f"{counted(left, 'row')} more on the page.")
    return f"{markdown_table(heading, body, 3)}\n{' '.join(notes)}\n"


def _compares(test: str, table: TaskTable) -> bool:
    """Whether a column of a test set ranks rows, or has two figures at least."""
    return test in table.ranking or sum(test in row.record.scores for row in table.measured) > 1


def _named(test: str) -> str:
    return SET_TITLES.get(test, test)


def _pair_row(
    row: BoardRow, table: TaskTable, tests: Sequence[str], links: Links
) -> tuple[str, ...]:
    record = row.record
    title = links(record)
    whose = WHOSE[record.origin] + (", ensemble" if record.ensemble else "")
    if record.origin == Provenance.PUBLISHED:
        scores = [_shown(row.score(record.headline_set, one)) for one in SHOWN if one != "macro_f1"]
        scores[0] += OTHER_TEST if row.elsewhere else ""
        return (
            title,
            whose,
            "",
            "",
            *("" for _ in tests),
            *scores,
            "",
        )
    difference = "reference" if record.name == table.reference else _difference(row.difference)
    return (
        title if row.ranked else f"{title} (other test sets)",
        whose,
        "" if record.text is None else _escaped(record.text.name),
        str(len(record.seeds)),
        *(_shown(row.score(test), interval=False) for test in tests),
        *(_shown(row.score(table.headline, one)) for one in SHOWN if one != "macro_f1"),
        difference,
    )


def _pair_note(table: TaskTable) -> str:
    gaps = "" if table.items is None else f"{table.items:,} gaps; "
    note = (
        f"{gaps}columns of single test sets are macro recall; frequent classes have {FREQUENT} "
        "gaps or more in gold; p corrected for the rows of the table (Holm)."
    )
    if any(row.elsewhere for row in table.published):
        note += f" {OTHER_TEST} on the official test set, which is not public."
    return note


def _rows_maker(boards: Leaderboard, block: str) -> Maker | None:
    """What makes `rows:NAME,NAME…`; None where that is no list of records of one task."""
    kind, _, listed = block.partition(":")
    names = listed.split(",")
    for table in boards.tasks if kind == "rows" else ():
        tested = {name: one for name in names if (one := table.tested(name))}
        if len(tested) == len(names):
            return lambda links, _: rows_block(table, tested, links)
    return None


def rows_block(table: TaskTable, tested: Mapping[str, LabelledSet], links: Links) -> str:
    """Records of a task, each less the first.

    Differences are corrected for their number in the table (Holm).
    """
    first, *others = tested.values()
    found = table_differences(others, first, load_task(table.task), PLAN)
    corrected = iter(holm([one.p_randomisation for own in found for one in own]))
    body = []
    for name, compared in zip(tested, [[], *found], strict=True):
        row = table.row(name)
        told = [
            f"{one.difference:+.1f} [{one.low:+.1f}, {one.high:+.1f}], p {p_shown(next(corrected))}"
            for one in compared
        ]
        scores = [_shown(row.score(table.headline, one)) for one in _BOTH]
        body.append((links(row.record), str(len(row.record.seeds)), *scores, *(told or ["", ""])))
    titles = [TITLES[one] for one in _BOTH]
    heading = ("system", "seeds", *titles, *(f"{one}, less the first" for one in titles))
    note = f"{table.task}, {table.items or 0:,} gaps, 95% intervals by document, p corrected (Holm)"
    return f"{markdown_table(heading, body, 1)}\n{note}.\n"


def shipped_block(boards: Leaderboard, links: Links) -> str:
    """The table of the models that come with the package."""
    heading = ("task", "gaps", "shipped", "accuracy", "best of the papers on the same text",
               "accuracy", "less the papers")  # fmt: skip
    body = []
    for row in boards.shipped:
        table = boards.table(row.task)
        own, gaps = row.single, None if table is None else table.items
        body.append(
            (
                row.task,
                "" if gaps is None else f"{gaps:,}",
                _best(own, links),
                _accuracy(own),
                _best(row.papers, links),
                _accuracy(row.papers),
                NOT_MEASURED if own is None else _overview_difference(row),
            )
        )
    if not body:
        return f"{NOT_MEASURED.capitalize()}.\n"
    note = (
        "Macro recall and accuracy with 95% intervals by document; differences of macro recall, p "
        "corrected for the rows (Holm)."
    )
    return f"{markdown_table(heading, body, 1)}\n{note}\n"


def _accuracy(row: BoardRow | None) -> str:
    return "" if row is None else _shown(row.score(row.record.headline_set, "accuracy"))


def tests_block(tables: Sequence[TestTable], links: Links, most: int | None) -> str:
    """A table for each test of MT systems, or of metrics."""
    if not tables:
        return f"{NOT_MEASURED.capitalize()}.\n"
    parts = []
    for table in tables:
        heading = (
            table.test,
            "rank",
            *(column_title(table, *one) for one in table.columns),
            "less the best",
        )
        rows = table.rows if most is None else table.rows[:most]
        body = [
            (
                links(row.record),
                rank_shown(row.rank),
                *(_measured(row.score(*one)) for one in table.columns),
                "best" if row.record.name == table.best else _difference(row.difference),
            )
            for row in rows
        ]
        left = len(table.rows) - len(rows)
        notes = [f"{counted(left, 'row')} more on the page."] if left else []
        notes += map(_escaped, twins_notes(table))
        more = "".join(f"\n{note}\n" for note in notes)
        parts.append(f"{markdown_table(heading, body, 1)}{more}")
    return "\n".join([*parts, f"{' '.join(tests_notes(tables))}\n"])


def column_title(table: TestTable, test: str, measure: str) -> str:
    """A measure as readers know it, with the test set where there are several."""
    title = TITLES.get(measure, measure)
    several = len({name for name, _ in table.columns}) > 1
    return f"{title} ({_named(test)})" if several else title


def rank_shown(rank: RankRange | None) -> str:
    """A range of ranks, or the only one."""
    if rank is None:
        return "–"
    return str(rank.first) if rank.first == rank.last else f"{rank.first}–{rank.last}"


def twins_notes(table: TestTable) -> list[str]:
    """Which rows of a table are the same, as their digests say."""
    return [
        f"{', '.join(one.title for one in others)} and {last.title} are the same: "
        "all that was measured of them has equal digests."
        for *others, last in table.twins
    ]


def tests_notes(tables: Sequence[TestTable]) -> list[str]:
    """What stands under tables of tests: what ranks, how rows are compared, what measures need."""
    shown = {measure: None for table in tables for _, measure in table.columns}
    notes = ["95% intervals by document."]
    ranked_by = dict.fromkeys(
        column_title(table, *table.columns[0]) for table in tables if table.tests
    )
    if ranked_by:
        notes += [
            f"Rows are ranked by {', '.join(ranked_by)}.",
            "A rank goes from one more than the rows that are significantly better to the number "
            "of rows less those that are significantly worse.",
            f"Every row is compared with every other: approximate randomisation by document, "
            f"{PLAN.resamples:,} samples, p < {SIGNIFICANT} corrected for the comparisons of a "
            "row (Holm).",
        ]
    needing = [TITLES[one] for one in MEASURES if one in shown and one not in WITHOUT_REFERENCE]
    if needing:
        verb = "needs" if len(needing) == 1 else "need"
        notes.append(f"{' and '.join([', '.join(needing[:-1]), needing[-1]][len(needing) < 2 :])} "
                     f"{verb} a reference.")  # fmt: skip
    if "in_doubt" in shown:
        notes.append("In doubt: lower is better, and no reference is needed.")
    return notes


def _measured(score: Score | None) -> str:
    """A score of any scale: shares below 1 have three digits."""
    if score is None or isnan(score.value):
        return "–"
    known = [one for one in (score.value, score.low, score.high) if one is not None]
    digits = 3 if all(abs(one) <= 1 for one in known) else 1
    value = f"{score.value:.{digits}f}"
    if score.low is None or score.high is None:
        return value
    return f"{value} [{score.low:.{digits}f}, {score.high:.{digits}f}]"


def not_measured_block(boards: Leaderboard) -> str:
    """The systems that were not measured on all tasks."""
    if not boards.not_measured:
        return "Every single system was measured on all six tasks.\n"
    lines = []
    for task in MAIN_TASKS:
        lacking = [one for one, tasks in boards.not_measured.items() if task in tasks]
        if lacking:
            lines.append(f"- {task}: {', '.join(map(_escaped, lacking))}\n")
    return "".join(lines)


# Figures in prose ---------------------------------------------------------------------------------


def check_figures(
    path: Path, text: str, records: Mapping[str, Record], results: Path = FOLDER
) -> list[Problem]:
    """What is wrong with the figures of a Markdown file that link to records.

    Links of generated blocks and of examples in code are not looked at.
    """
    return list(_problems(path, text, records, results))


def _problems(
    path: Path, text: str, records: Mapping[str, Record], results: Path
) -> Iterator[Problem]:
    blocks = [match.span() for form in (_BLOCK, _FENCE) for match in form.finditer(text)]
    top = results.resolve()
    for match in _LINK.finditer(text):
        if any(start <= match.start() < end for start, end in blocks):
            continue
        target = Path(os.path.normpath(path.resolve().parent / match[2]))
        if not target.is_relative_to(top):
            continue
        line = text.count("\n", 0, match.start()) + 1
        name = target.relative_to(top).with_suffix("").as_posix()
        if name not in records:
            yield Problem(str(path), line, match[2], "a record", "none of this name")
            continue
        known = list(numbers_of(records[name]))
        for shown in _NUMBER.findall(match[1]):
            if not any(_rounds_to(value, shown) for value in known):
                yield Problem(
                    str(path), line, quoted(match[1]), f"numbers of {name}", quoted(shown)
                )


def numbers_of(record: Record) -> Iterator[float]:
    """All that is measured in a record: scores, bounds, classes, and sizes."""
    for own in record.scores.values():
        for score in own.values():
            yield from (one for one in (score.value, score.low, score.high) if one is not None)
    for classes in record.classes.values():
        for one in classes.values():
            found = (one.gold, one.predicted, one.recall, one.low, one.high, one.precision)
            yield from (float(value) for value in found if value is not None)
    for measured in record.sets.values():
        yield float(measured.items)
        if measured.documents is not None:
            yield float(measured.documents)
    yield float(sum(one.items for one in record.sets.values()))
    yield float(len(record.seeds))
    if record.text is not None:
        yield float(record.text.gaps)


def _rounds_to(value: float, shown: str) -> bool:
    plain = shown.replace(",", "").replace("−", "-").removeprefix("+")
    digits = len(plain.partition(".")[2])
    half = 0.5 * 10.0**-digits
    return abs(value - float(plain)) <= half + 1e-9


def _text(path: Path) -> str:
    try:
        return read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise input_error(path, "file", "UTF-8", bad_byte(error)) from error
