"""The page of all boards: one file that needs no server and loads nothing.

Scores lie in it as they are. What a click opens, and the labels from which the page computes paired
tests, are packed for each task: deflated, and as base64. Labels are one byte a gap: the class, for
all seeds of all rows side by side, so that systems that agree pack well.
"""

from __future__ import annotations

import base64
import html
import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crosspro.data_prep.core.errors import counted
from crosspro.data_prep.core.task import load_task, task_names
from crosspro.evaluation.core.score import Scale, Score
from crosspro.evaluation.leaderboard.boards import (
    PLAN,
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
from crosspro.evaluation.leaderboard.markdown import (
    NOT_MEASURED,
    OTHER_TEST,
    OVERVIEW_HEADING,
    WHOSE,
    overview_note,
    p_shown,
    tests_notes,
    twins_notes,
)
from crosspro.evaluation.leaderboard.ranking import PairwiseTests
from crosspro.evaluation.leaderboard.record import POOLED, Record
from crosspro.evaluation.leaderboard.system_sums import LOWER_IS_BETTER
from crosspro.evaluation.metrics.submissions.submission import ClassIndices
from crosspro.evaluation.output.page import embedded_json, fill_page, score_bar
from crosspro.version import __version__

_TEMPLATE = Path(__file__).resolve().parent / "page.html"
_DIGITS = 4
_DIGEST = 16
"""So much of a digest is shown; the JSON output has all of it."""


def leaderboard_page(boards: Leaderboard) -> str:
    """The page, complete in itself."""
    groups = [*map(_task_group, boards.tasks), *map(_test_group, boards.translations)]
    groups += map(_test_group, boards.metrics)
    first = len(boards.tasks), len(boards.tasks) + len(boards.translations)
    tables: list[TaskTable | TestTable] = [*boards.tasks, *boards.translations, *boards.metrics]
    data = {
        "boards": [
            {"id": "prediction", "groups": list(range(first[0]))},
            {"id": "translations", "groups": list(range(first[0], first[1]))},
            {"id": "metrics", "groups": list(range(first[1], len(groups)))},
        ],
        "groups": groups,
        "titles": TITLES,
        "setTitles": SET_TITLES,
        "lower": sorted(LOWER_IS_BETTER),
        "whose": {str(key): value for key, value in WHOSE.items()},
        "pooled": POOLED,
        "samples": PLAN.resamples,
        "seed": PLAN.seed,
    }
    counts = [
        counted(sum(len(table.rows) for table in own), noun)
        for own, noun in (
            (boards.tasks, "result"),
            (boards.translations, "MT system"),
            (boards.metrics, "metric"),
        )
        if own
    ]
    parts = {
        "title": "Leaderboard",
        "subtitle": html.escape(f"{', '.join(counts)} · made by crosspro {__version__}"),
        "overview": _overview(boards.overview),
        "overview_note": html.escape(overview_note(boards.overview)),
        "not_measured": _not_measured(boards),
        "packed": "".join(_packed(number, table) for number, table in enumerate(tables)),
        "data": embedded_json(data),
    }
    return fill_page(_TEMPLATE, parts)


# The overview -------------------------------------------------------------------------------------


def _overview(rows: Sequence[OverviewRow]) -> str:
    shown = [one for row in rows for one in (row.single, row.ensemble, row.papers, row.published)]
    scores = [score for one in shown if one and (score := one.score(one.record.headline_set))]
    bounds = [
        bound
        for score in scores
        for bound in (score.value, score.low, score.high)
        if bound is not None
    ]
    scale = Scale(top=max(bounds, default=100), bottom=min(bounds, default=0), digits=1)
    head = "".join(
        f"<th scope=col{' class=l' if place == 0 else ''}>{title}</th>"
        for place, title in enumerate(OVERVIEW_HEADING)
    )
    body = "".join(_overview_row(row, scale) for row in rows)
    return f"<table class=cards><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _overview_row(row: OverviewRow, scale: Scale) -> str:
    cells = [_best(one, scale) for one in (row.single, row.ensemble, row.papers)]
    cells += [
        "none" if row.published is None else _best(row.published, scale) + _there(row),
        _overview_difference(row),
        ""
        if row.single is None
        else f"<code>crosspro reproduce <span>{html.escape(row.single.record.name)}</span></code>",
    ]
    inner = "".join(
        f'<td data-label="{title}"><div class="cell">{cell}</div></td>'
        for title, cell in zip(OVERVIEW_HEADING[1:], cells, strict=True)
    )
    return f"<tr><th class=l scope=row>{html.escape(row.task)}</th>{inner}</tr>"


def _best(row: BoardRow | None, scale: Scale) -> str:
    if row is None:
        return f'<span class="none">{NOT_MEASURED}</span>'
    record = row.record
    score = row.score(record.headline_set)
    if score is None:
        return f'<span class="none">{NOT_MEASURED}</span>'
    mark = OTHER_TEST if row.elsewhere else ""
    bounds = "" if score.low is None else f"<small>[{score.low:.1f}, {score.high:.1f}]</small>"
    title = html.escape(record.title)
    return (
        f"<strong>{score.value:.1f}{mark}</strong> {bounds}{score_bar(score, scale)}"
        f'<a href="#{html.escape(record.name)}">{title}</a>'
    )


def _there(row: OverviewRow) -> str:
    if row.there is None:
        return ""
    return f"<small>best single there {row.there.value:.1f}</small>"


def _overview_difference(row: OverviewRow) -> str:
    one = row.difference
    if one is None:
        return f'<span class="none">{NOT_MEASURED}</span>'
    kind = f"{row.kind}: " if row.kind else ""
    return (
        f"{kind}<strong>{one.value:+.1f}</strong> "
        f"<small>[{one.low:+.1f}, {one.high:+.1f}]</small>"
        f"<small class=p>p {html.escape(p_shown(one.corrected))}</small>"
    )


def _not_measured(boards: Leaderboard) -> str:
    if not boards.not_measured:
        return "<p>Every single system was measured on all six tasks.</p>"
    rows = "".join(
        f"<dt>{html.escape(system)}</dt><dd>{html.escape(', '.join(tasks))}</dd>"
        for system, tasks in boards.not_measured.items()
    )
    return f"<dl>{rows}</dl>"


# Tables, as the script reads them -----------------------------------------------------------------


def _task_group(table: TaskTable) -> dict[str, Any]:
    return {
        "name": table.task,
        "headline": table.headline,
        "sets": [*table.tests, *([POOLED] if table.headline == POOLED else [])],
        "measures": list(SHOWN),
        "reference": table.reference,
        "rows": [_row(row) for row in table.rows],
    }


def _test_group(table: TestTable) -> dict[str, Any]:
    sets = list(dict.fromkeys(test for test, _ in table.columns))
    return {
        "name": table.test,
        "headline": sets[0] if sets else "",
        "sets": sets,
        "measures": list(dict.fromkeys(measure for _, measure in table.columns)),
        "reference": table.best,
        "notes": [*tests_notes([table]), *twins_notes(table)],
        "rows": [_row(row) for row in table.rows],
    }


def _row(row: BoardRow) -> dict[str, Any]:
    record = row.record
    found = {
        "name": record.name,
        "title": record.title,
        "system": record.system,
        "whose": str(record.origin),
        "ensemble": record.ensemble,
        "year": record.year,
        "text": "" if record.text is None else record.text.name,
        "seeds": len(record.seeds),
        "elsewhere": row.elsewhere,
        "ranked": row.ranked,
        "scores": {
            test: {measure: _numbers(score) for measure, score in own.items()}
            for test, own in record.scores.items()
        },
        "difference": _difference(row.difference),
        "ranks": None if row.rank is None else list(row.rank),
    }
    return {key: value for key, value in found.items() if value not in (None, "", False)}


def _numbers(score: Score) -> list[float | None]:
    bounds = (score.value, score.low, score.high)
    return [None if one is None or one != one else round(one, _digits(score)) for one in bounds]


def _digits(score: Score) -> int:
    """Shares of one have more digits."""
    return _DIGITS + 2 * (abs(score.value) <= 1)


def _difference(one: RowDifference | None) -> list[float] | None:
    if one is None:
        return None
    return [*(round(value, _DIGITS) for value in (one.value, one.low, one.high)), *_p_values(one)]


def _p_values(one: RowDifference) -> list[float]:
    return [round(one.p, 6), round(one.corrected, 6)]


def _packed(number: int, table: TaskTable | TestTable) -> str:
    """What a click opens, and labels, as script elements that are no scripts."""
    details: dict[str, Any] = {
        "rows": {row.record.name: _details(row.record) for row in table.rows}
    }
    labels = b""
    if isinstance(table, TaskTable) and table.evidence:
        details["labels"], labels = _labels(table)
    if isinstance(table, TestTable) and table.tests is not None:
        details["pairs"] = _pairs(table.tests)
    text = json.dumps(details, ensure_ascii=False, separators=(",", ":")).encode()
    return "".join(
        f'<script type="text/plain" id="{name}-{number}">{_base64(content)}</script>\n'
        for name, content in (("details", text), ("labels", labels))
        if content
    )


def _pairs(tests: PairwiseTests) -> dict[str, Any]:
    """Each row less those after it: difference, interval, and p as it is and corrected."""
    matrices = (tests.value, tests.low, tests.high, tests.p, tests.corrected())
    numbers = np.stack(matrices, axis=-1).tolist()
    rows = [
        [[round(one, 4) for one in pair] for pair in own[place + 1 :]]
        for place, own in enumerate(numbers)
    ]
    return {"names": list(tests.names), "rows": rows}


def _base64(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content)).decode("ascii")


def _details(record: Record) -> dict[str, Any]:
    text = record.text
    found = {
        "classes": {
            test: {
                name: [
                    one.gold,
                    *(
                        None if value is None else round(value, 1)
                        for value in (one.predicted, one.recall, one.low, one.high, one.precision)
                    ),
                ]
                for name, one in own.items()
            }
            for test, own in record.classes.items()
        },
        "configuration": list(record.configuration),
        "environment": dict(record.environment),
        "steps": [[one.makes, list(one.command), list(one.needs)] for one in record.steps],
        "members": list(record.members),
        "digests": {name: one[:_DIGEST] for name, one in record.digests.items()},
        "seeds": list(record.seeds),
        "commit": record.commit,
        "text": None
        if text is None
        else [text.name, text.digest[:_DIGEST], text.gaps, list(text.rules)],
        "sets": {name: [one.items, one.documents] for name, one in record.sets.items()},
        "source": record.source,
        "notes": list(record.notes),
    }
    return {key: value for key, value in found.items() if value}


def _labels(table: TaskTable) -> tuple[dict[str, Any], bytes]:
    """Where the labels of each set and row lie, and all of them: gap by gap, row by row."""
    names = [row.record.name for row in table.rows if row.record.name in table.evidence]
    classes = load_task(table.task).classes if table.task in task_names() else ()
    sets: dict[str, Any] = {}
    parts = []
    for test, gold in table.gold.items():
        columns: dict[str, list[int]] = {}
        arrays: list[ClassIndices] = []
        for name in names:
            own = next((one for one in table.evidence[name] if one.name == test), None)
            if own is not None:
                columns[name] = [len(arrays), len(own.seeds)]
                arrays += [one.classes for one in own.seeds]
        if not arrays:
            continue
        index = {one: place for place, one in enumerate(classes)}
        truth = np.array([index[one] for one in gold.labels], dtype=np.int8)
        matrix = np.stack([truth, *arrays], axis=1).astype(np.uint8)
        sets[test] = {
            "gaps": len(truth),
            "columns": matrix.shape[1],
            "documents": list(gold.documents),
            "apart": gold.apart,
            "rows": columns,
        }
        parts.append(matrix.tobytes())
    return {"classes": list(classes), "sets": sets}, b"".join(parts)
