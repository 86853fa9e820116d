"""Questions for annotators about the tokens of a suite, as review files, and what follows.

A *review file* is a tab-separated table with a row for each question: the texts (the words in
question in [[double brackets]]), the words of references and output, and columns for a verdict.
A verdict of a store has the same row, with its annotator and its kind.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem, choices, quoted
from crosspro.data_prep.core.files import atomic_output, read_text_lines
from crosspro.evaluation.correlation.disagreement import BAD, CORRECT, INCORRECT, PlacedVerdict
from crosspro.evaluation.human.verdicts import (
    ANTECEDENT_VERDICTS,
    KINDS,
    PRONOUN_VERDICTS,
    Item,
    ItemKey,
    Judgements,
    Kind,
    Verdict,
)
from crosspro.evaluation.inputs.sheets import ITEM_COLUMNS, VERDICT_COLUMNS, tsv_line
from crosspro.evaluation.protest.match import (
    TokenResult,
    marked_texts,
    reference_words,
    review_items,
)
from crosspro.evaluation.protest.suite import Suite

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
_SYSTEMS = ", "
_ITEM = re.compile(r"(.+)/([0-9a-f]{12})")


@dataclass(frozen=True, slots=True)
class Question:
    """A translation of a token, and the systems that have it; it is judged once."""

    result: TokenResult
    systems: tuple[str, ...]

    @property
    def item(self) -> Item:
        """What verdicts are stored under."""
        result = self.result
        words = result.pronoun, result.head
        return Item(*result.key, _SYSTEMS.join(self.systems), *words)

    @property
    def name(self) -> str:
        """Token and digest; never taken for a number by a spreadsheet."""
        return "/".join(self.result.key)


def questions_of(results: Iterable[TokenResult]) -> dict[ItemKey, Question]:
    """All questions by the keys of their items, in the order of the results."""
    items = review_items(results)
    return {key: Question(item.result, item.systems) for key, item in items.items()}


def to_judge(
    results: Iterable[TokenResult], judgements: Judgements, matches: bool = False
) -> list[Question]:
    """The mismatches, and on demand the matches, on which there is no verdict yet."""
    return [
        question
        for key, question in questions_of(results).items()
        if (matches or question.result.outcome == "mismatch") and key not in judgements
    ]


# Review files -------------------------------------------------------------------------------------


def write_review(path: str | Path, questions: Iterable[Question]) -> int:
    """Write a review file to be filled in, and return how many questions it has."""
    rows = [[*_row(question), *[""] * len(VERDICT_COLUMNS)] for question in questions]
    with atomic_output(Path(path)) as handle:
        handle.writelines(map(tsv_line, [COLUMNS, *rows]))
    return len(rows)


def verdict_table(
    questions: Mapping[ItemKey, Question], verdicts: Iterable[Verdict]
) -> Iterator[bytes]:
    """The lines of a review file with a row for each verdict on the questions."""
    yield tsv_line(COLUMNS)
    for verdict in verdicts:
        question = questions.get(verdict.item.key)
        if question is not None:
            values = verdict.pronoun, verdict.antecedent or "", verdict.remark
            cells = (*values, verdict.annotator, verdict.kind)
            yield tsv_line([*_row(question), *map(_not_a_formula, cells)])


def _row(question: Question) -> list[str]:
    result, item = question.result, question.item
    cells = (
        item.system,
        result.token.category,
        *marked_texts(result),
        *reference_words(result.token),
    )
    words = item.pronoun, item.head, result.why
    return [question.name, *map(_not_a_formula, (*cells, *words))]


def _not_a_formula(text: str) -> str:
    """A space keeps a spreadsheet from taking a text for a formula."""
    return f" {text}" if text.startswith(("=", "+", "-", "@")) else text


def read_review(
    path: str | Path, suite: Suite, annotator: str | None, kind: Kind = "verdict"
) -> list[Verdict]:
    """The verdicts of a filled-in review file; rows without one are passed over.

    `annotator` and `kind` are for rows that name none themselves. Every problem is raised.
    """
    verdicts: list[Verdict] = []
    problems: list[Problem] = []
    rows = csv.reader(read_text_lines(Path(path)), delimiter="\t", strict=True)
    try:
        for number, cells in enumerate(rows, start=1):
            if len(cells) > len(COLUMNS) or (number == 1 and tuple(cells) != COLUMNS):
                expected, found = " ".join(COLUMNS), quoted(" ".join(cells))
                problems.append(Problem(str(path), rows.line_num, "columns", expected, found))
                break
            row = dict(zip_longest(COLUMNS, map(str.strip, cells), fillvalue=""))
            if number == 1 or not any(row[name] for name in VERDICT_COLUMNS):
                continue
            faults: list[tuple[str, str, str]] = []
            verdict = read_verdict(suite, row, annotator, kind, faults)
            problems += [Problem(str(path), rows.line_num, *fault) for fault in faults]
            verdicts += [] if verdict is None else [verdict]
    except csv.Error as error:
        problems.append(Problem(str(path), rows.line_num, "columns", "a table", str(error)))
    if problems:
        raise InputError(problems)
    return verdicts


def read_verdict(
    suite: Suite,
    row: Mapping[str, str],
    annotator: str | None,
    kind: Kind,
    faults: list[tuple[str, str, str]],
) -> Verdict | None:
    """The verdict of a row; what is wrong is added to `faults` as field, expected, found."""
    before = len(faults)
    item = _ITEM.fullmatch(row["item"])
    name = None if item is None else item[1]
    if item is None or name not in suite.anaphoric:
        faults.append(("item", "TOKEN/DIGEST with a token of the suite", quoted(row["item"])))
        return None
    pronoun = next((v for v in PRONOUN_VERDICTS if v == row["pronoun"].lower()), None)
    if pronoun is None:
        faults.append(("pronoun", choices(PRONOUN_VERDICTS), quoted(row["pronoun"])))
    written = row["antecedent"].lower()
    antecedent = next((value for value in ANTECEDENT_VERDICTS if value == written), None)
    anaphoric = suite.anaphoric[item[1]] and pronoun != "bad"
    if anaphoric and antecedent is None:
        faults.append(("antecedent", choices(ANTECEDENT_VERDICTS), quoted(row["antecedent"])))
    elif written and not suite.anaphoric[item[1]]:
        faults.append(("antecedent", "nothing: it is not anaphoric", quoted(row["antecedent"])))
    author = row["annotator"] or annotator or ""
    if not author or not author.isprintable():
        faults.append(("annotator", "a name (--judge)", quoted(author)))
    stated = row["kind"] or kind
    known = next((value for value in KINDS if value == stated), None)
    if known is None:
        faults.append(("kind", choices(KINDS), quoted(stated)))
    if len(faults) > before or pronoun is None or known is None:
        return None
    seen = Item(item[1], item[2], row["system"], row["output_pronoun"], row["output_head"])
    return Verdict(seen, author, pronoun, antecedent if anaphoric else None, row["remark"], known)


# What follows from verdicts -----------------------------------------------------------------------


def placed_verdicts(
    results: Iterable[TokenResult], judgements: Judgements
) -> Iterator[PlacedVerdict]:
    """Human verdicts by place, for comparison with metrics (001 §6); a match is no verdict."""
    names = {"right": CORRECT, "wrong": INCORRECT, "bad": BAD}
    for result in results:
        judgement = judgements.get(result.key)
        yield PlacedVerdict(
            result.output.name,
            result.token.place.line,
            result.suite.position(result.token),
            result.token.category,
            "" if judgement is None else names.get(judgement.pronoun, ""),
            result.token.name,
            result.token.document,
        )
