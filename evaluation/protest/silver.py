"""Silver alternatives: right translations that are in no reference, verified by annotators.

For anaphoric tokens an alternative is a pair of pronoun and head (002 §8.2). Scores that use them
are not comparable with published ones (002 §6).
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.files import write_text
from crosspro.evaluation.people.verdicts import Judgement
from crosspro.evaluation.protest.suite import Suite, Words
from crosspro.evaluation.report.records import csv_text
from crosspro.evaluation.rows import read_rows

COLUMNS = ("token", "pronoun", "head", "remark")


@dataclass(frozen=True, slots=True)
class Alternative:
    """A right translation: the words of the pronoun, and of the head for anaphoric tokens."""

    pronoun: Words
    head: Words = ()
    remark: str = ""


Silver = dict[str, list[Alternative]]
"""The alternatives of each token."""


def read_silver(path: Path, suite: Suite) -> Silver:
    """The alternatives in a TSV file: token, pronoun, head, and a remark that may be missing."""
    anaphoric = suite.anaphoric
    silver: Silver = defaultdict(list)
    for number, row in read_rows(path, COLUMNS, padded=True):
        name, pronoun, head, remark = (row[column] for column in COLUMNS)
        if name not in anaphoric:
            raise input_error(path, "token", "a token of the suite", quoted(name), number)
        if not pronoun.split():
            raise input_error(path, "pronoun", "at least one word", "none", number)
        if bool(head.split()) != anaphoric[name]:
            expected = "the head of the antecedent" if anaphoric[name] else "no head"
            raise input_error(path, "head", expected, quoted(head), number)
        silver[name].append(Alternative(tuple(pronoun.split()), tuple(head.split()), remark))
    return dict(silver)


def write_silver(path: Path, silver: Mapping[str, Iterable[Alternative]]) -> None:
    rows = [
        (name, " ".join(pair.pronoun), " ".join(pair.head), pair.remark)
        for name, alternatives in silver.items()
        for pair in alternatives
    ]
    write_text(path, csv_text([COLUMNS, *rows], "\t"))


def signature_of(rows: Iterable[tuple[object, ...]]) -> str:
    """The number of some rows and a digest of them, whatever their order; `none` without any."""
    ordered = sorted(rows)
    if not ordered:
        return "none"
    return f"{len(ordered)}.{hashlib.sha256(repr(ordered).encode()).hexdigest()[:8]}"


def silver_from(
    judgements: Iterable[Judgement], earlier: Mapping[str, Sequence[Alternative]] | None = None
) -> Silver:
    """Translations that annotators accept, beside earlier ones (002 §8.2).

    An anaphoric token gives a pair, and only if both halves are right.
    """
    silver = {name: list(alternatives) for name, alternatives in (earlier or {}).items()}
    for judgement in judgements:
        item = judgement.item
        if judgement.pronoun != "right" or judgement.antecedent not in (None, "right"):
            continue
        pronoun = tuple(item.pronoun.split())
        head = tuple(item.head.split()) if judgement.antecedent else ()
        if not pronoun or (judgement.antecedent and not head):
            continue
        earlier_pairs = {(pair.pronoun, pair.head) for pair in silver.get(item.token, ())}
        if (pronoun, head) not in earlier_pairs:
            accepted = Alternative(pronoun, head, f"from {item.system}")
            silver.setdefault(item.token, []).append(accepted)
    return silver
