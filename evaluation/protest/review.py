"""Review files: what people have to judge, as a table they fill in, and their verdicts read back.

A tab-separated file that spreadsheets open: a row for each mismatch (or for each token), with the
texts (the words in question in [[double brackets]]), what the reference has and what the system
has, and empty columns for the verdicts on pronoun and antecedent (right, wrong, unclear), for tags
and for a remark.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from crosspro.data_prep.core.errors import KEPT_AT_MOST, InputError, Problem, not_read, quoted
from crosspro.data_prep.core.files import atomic_output, read_text_lines
from crosspro.data_prep.core.guard import is_filled_in
from crosspro.evaluation.inputs.sheets import ITEM_COLUMNS, VERDICT_COLUMNS
from crosspro.evaluation.protest.language import TargetWords
from crosspro.evaluation.protest.score import TokenResult, verified_alternative
from crosspro.evaluation.protest.silver import Alternative
from crosspro.evaluation.protest.suite import Suite, Words
from crosspro.evaluation.protest.verdicts import (
    AnnotatorVerdict,
    Item,
    Judgement,
    Value,
    check_value,
)

COLUMNS = (
    *ITEM_COLUMNS,
    "category",
    "source",
    "reference",
    "output",
    "reference_pronoun",
    "reference_head",
    "output_pronoun",
    "output_head",
    "why",
    *VERDICT_COLUMNS,
)
BETWEEN_LINES = " / "
_SEAL = "-"


def to_judge(
    results: Iterable[TokenResult],
    judgements: Mapping[tuple[str, str, str], Judgement],
    matches: bool = False,
) -> list[TokenResult]:
    """The mismatches, and on demand the matches, on which there is no verdict yet."""
    return [
        result
        for result in results
        if (matches or result.outcome == "mismatch") and item_key(result) not in judgements
    ]


def item_key(result: TokenResult) -> tuple[str, str, str]:
    """What names a result in a store of verdicts."""
    return result.token.name, result.system, result.digest


def write_review(path: str | Path, results: Iterable[TokenResult], lists: TargetWords) -> int:
    """Write the rows of some results; how many there are.

    Rows that somebody has filled in stay if the file is there already: only others are replaced.
    """
    path = Path(path)
    kept = _filled_in(path)
    known = {(cells[0], cells[1], cells[2].partition(_SEAL)[0]) for cells in kept}
    new = [result for result in results if item_key(result) not in known]
    with atomic_output(path, merged=bool(kept)) as handle:
        for cells in (COLUMNS, *kept):
            handle.write(csv_line(cells))
        for result in new:
            handle.write(csv_line(_row(result, lists)))
    return len(new)


def _filled_in(path: Path) -> list[list[str]]:
    """The rows of a file in which somebody has written; raises if it cannot be read as a table."""
    if not is_filled_in(path):
        return []
    problems: list[Problem] = []
    rows = []
    for item in _csv_rows(path):
        if isinstance(item, Problem):
            problems.append(item)
            continue
        number, cells = item
        if number == 1 and tuple(cells) != COLUMNS:
            return []
        if len(cells) != len(COLUMNS) and any(map(str.strip, cells)):
            expected = f"{len(COLUMNS)} separated by tabs, to keep the verdicts of the file"
            problems.append(Problem(str(path), number, "columns", expected, str(len(cells))))
        elif number > 1 and any(map(str.strip, cells[-len(VERDICT_COLUMNS) :])):
            rows.append(cells)
    if problems:
        raise InputError(problems)
    return rows


def csv_line(cells: Iterable[str]) -> bytes:
    """A row in the form that spreadsheets read and write: cells with quotation marks are quoted."""
    buffer = io.StringIO()
    csv.writer(buffer, delimiter="\t", lineterminator="\n").writerow(cells)
    return buffer.getvalue().encode("utf-8")


def _csv_rows(path: Path) -> Iterator[tuple[int, list[str]] | Problem]:
    """The rows of such a file with their lines, or why it cannot be read to its end."""
    rows = csv.reader(read_text_lines(path), delimiter="\t", strict=True)
    try:
        for cells in rows:
            yield rows.line_num, [cell.rstrip("\r") for cell in cells]
    except csv.Error as error:
        yield Problem(str(path), rows.line_num, "columns", "closed quotation marks", str(error))


def _row(result: TokenResult, lists: TargetWords) -> list[str]:
    token = result.token
    found = verified_alternative(result, lists)
    references = [one for one in token.references if one.pronoun]
    pronoun, head = " ".join(found.pronoun), " ".join(found.head)
    return [
        token.name,
        result.system,
        sealed_digest(*item_key(result), pronoun, head),
        token.category,
        source_text(result),
        reference_text(result, 0),
        output_text(result),
        " | ".join(" ".join(one.pronoun) for one in references),
        " | ".join(" ".join(one.head) for one in references),
        pronoun,
        head,
        result.why,
        "",
        "",
        "",
        "",
    ]


def sealed_digest(token: str, system: str, digest: str, pronoun: str, head: str) -> str:
    """The digest with a check sum of what a verdict is stored under, which nobody may change."""
    content = "\t".join((token, system, digest, pronoun, head))
    return f"{digest}{_SEAL}{hashlib.sha256(content.encode('utf-8')).hexdigest()[:8]}"


def source_text(result: TokenResult) -> str:
    """The source lines of a result in the suite's words, pronoun and head marked."""
    token = result.token
    marks = {token.place.line: set(token.place.at)}
    if token.antecedent is not None:
        marks.setdefault(token.antecedent.line, set()).update(token.antecedent.at)
    return _marked([(line.line, line.source) for line in result.context], marks)


def reference_text(result: TokenResult, number: int) -> str:
    """The lines of a reference, the words for pronoun and head marked."""
    token = result.token
    words = token.references[number]
    marks = {token.place.line: set(words.pronoun_at)}
    if token.antecedent is not None:
        marks.setdefault(token.antecedent.line, set()).update(words.head_at)
    return _marked([(line.line, line.references[number]) for line in result.context], marks)


def output_text(result: TokenResult) -> str:
    """The lines of the output, the words for pronoun and head marked."""
    marks = {result.pronoun.line: set(result.pronoun.output_at)}
    if result.head is not None:
        marks.setdefault(result.head.line, set()).update(result.head.output_at)
    return _marked([(line.line, line.output) for line in result.context], marks)


def _marked(lines: Iterable[tuple[int, Words]], marks: Mapping[int, set[int]]) -> str:
    return BETWEEN_LINES.join(
        " ".join(
            f"[[{word}]]" if at in marks.get(number, ()) else word for at, word in enumerate(words)
        )
        for number, words in lines
    )


def read_review(path: str | Path, suite: Suite, annotator: str) -> list[AnnotatorVerdict]:
    """The verdicts of a filled-in review file; rows without one are passed over."""
    return read_filled_in(path, {token.name: token.anaphoric for token in suite.tokens}, annotator)


def read_filled_in(
    path: str | Path, anaphoric: Mapping[str, bool], annotator: str
) -> list[AnnotatorVerdict]:
    """The same for any tokens, of which is known whether they have an antecedent."""
    problems: list[Problem] = []
    found: list[AnnotatorVerdict] = []
    seen: set[tuple[str, str, str]] = set()
    rows = _csv_rows(Path(path))
    for item in rows:
        if len(problems) >= KEPT_AT_MOST:
            raise InputError(problems, not_read(1 + sum(1 for _ in rows)))
        if isinstance(item, Problem):
            problems.append(item)
            break
        number, cells = item
        line = " ".join(cells)
        if number == 1:
            if tuple(cells) != COLUMNS:
                problems.append(Problem(str(path), 1, "columns", " ".join(COLUMNS), quoted(line)))
                break
            continue
        if not line.strip():
            continue
        if len(cells) != len(COLUMNS):
            expected = f"{len(COLUMNS)} separated by tabs"
            written = f"{len(cells)}: {quoted(line)}"
            problems.append(Problem(str(path), number, "columns", expected, written))
            continue
        row = dict(zip(COLUMNS, cells, strict=True))
        if row["token"] not in anaphoric:
            expected = "a token of the suite"
            problems.append(Problem(str(path), number, "token", expected, quoted(row["token"])))
            continue
        verdict = _verdict(str(path), number, row, anaphoric[row["token"]], annotator)
        if isinstance(verdict, list):
            problems += verdict
        elif verdict is not None:
            if verdict.item.key in seen:
                expected = "one verdict on each token and output"
                problems.append(
                    Problem(str(path), number, "token", expected, f"a second one on {row['token']}")
                )
            seen.add(verdict.item.key)
            found.append(verdict)
    if problems:
        raise InputError(problems)
    return found


def _verdict(
    path: str, number: int, row: Mapping[str, str], anaphoric: bool, annotator: str
) -> AnnotatorVerdict | list[Problem] | None:
    written = [row[key].strip() for key in ("pronoun", "antecedent", "tags", "remark")]
    if not any(written):
        return None
    problems = []
    digest = row["digest"].partition(_SEAL)[0]
    words = row["output_pronoun"], row["output_head"]
    if row["digest"] != sealed_digest(row["token"], row["system"], digest, *words):
        expected = "token, system, digest and words as they were exported"
        problems.append(Problem(path, number, "digest", expected, quoted(row["digest"])))
    values: list[Value | None] = []
    for key, needed in (("pronoun", True), ("antecedent", anaphoric)):
        if not needed:
            if row[key].strip():
                expected = f"nothing: {row['category']} has no antecedent"
                problems.append(Problem(path, number, key, expected, quoted(row[key])))
            values.append(None)
            continue
        value = check_value(path, number, key, row[key])
        if isinstance(value, Problem):
            problems.append(value)
        else:
            values.append(value)
    if problems or values[0] is None:
        return problems
    item = Item(row["token"], row["system"], digest, *words, anaphoric)
    tags = tuple(written[2].replace(",", " ").split())
    return AnnotatorVerdict(item, annotator, values[0], values[1], tags, written[3])


def silver_from(
    judgements: Iterable[Judgement], known: Mapping[str, Sequence[Alternative]] | None = None
) -> dict[str, list[Alternative]]:
    """The translations that people found right, as silver alternatives beside known ones.

    An anaphoric token gives a pair, and only if both halves are right. What somebody proposes in
    place of a pronoun is an alternative, too.
    """
    found = {name: list(some) for name, some in (known or {}).items()}
    for one in judgements:
        item, head = one.item, tuple(one.item.head.split())
        if item.anaphoric and (one.antecedent != "right" or not head):
            continue
        right: list[Alternative] = []
        if one.pronoun == "right":
            words = tuple(item.pronoun.split()) if one.corrected is None else one.corrected.words
            right.append(Alternative(words, head, f"from {item.system}"))
        for proposed, annotator in one.alternatives:
            right.append(Alternative(tuple(proposed.split()), head, f"proposed by {annotator}"))
        for alternative in right:
            others = found.get(item.token, [])
            known_pairs = {(other.pronoun, other.head) for other in others}
            if alternative.pronoun and (alternative.pronoun, head) not in known_pairs:
                found.setdefault(item.token, []).append(alternative)
    return found
