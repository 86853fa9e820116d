"""PROTEST as a metric: what is right by itself, what people say, and what is still to be judged.

The default is the semi-automatic procedure that 001 §7 recommends: what matches a reference counts
as right unless people say otherwise (001 found 8% of the matches wrong), everything else is right
or wrong only if people say so, and what nobody has judged yet is neither. The score is therefore a
range while there is something to judge. The automatic score knows nothing of people.

The first table is that of 002 Table 3: automatic matches by category, systems side by side. Then
comes, for each system, what 001 §7 asks for: how much was decided automatically, how much by people
and how, and what is still to be judged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from crosspro.data_prep.core.errors import counted
from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.evaluation.core.evaluation import Evaluation, GroupScores, SystemResult
from crosspro.evaluation.core.metric import Metric, Part, Scored
from crosspro.evaluation.core.score import Scale, Score
from crosspro.evaluation.core.statistics import Floats, choose_units, ratio
from crosspro.evaluation.core.tables import Cell, Count, Matrix, Table, make_matrices, without_rare
from crosspro.evaluation.human.verdicts import Judgement, Judgements
from crosspro.evaluation.output.examples import (
    Examples,
    ExampleVerdict,
    Kind,
    Mark,
    MarkKind,
    Rendering,
)
from crosspro.evaluation.output.text import score_notes
from crosspro.evaluation.protest.categories import BY_NAME, CATEGORIES
from crosspro.evaluation.protest.language import TargetWords
from crosspro.evaluation.protest.marks import MarkedWords, Words
from crosspro.evaluation.protest.match import (
    Outcome,
    ScoredSystems,
    TokenResult,
    project,
    pronoun_in,
    silver_signature,
)
from crosspro.evaluation.protest.review import reference_words, seen_with, texts_of
from crosspro.evaluation.protest.suite import SuiteToken

Status = Literal["automatic", "silver", "right", "wrong", "unclear", "conflict", "open"]
STATUSES: dict[Status, tuple[str, Kind]] = {
    "automatic": ("automatic", "right"),
    "silver": ("silver", "right"),
    "right": ("people: right", "right"),
    "wrong": ("wrong", "wrong"),
    "unclear": ("unclear", "open"),
    "conflict": ("conflict", "open"),
    "open": ("to judge", "open"),
}
"""What is known of a token: how it is written, and what it means."""
UNDECIDED: tuple[Status, ...] = ("conflict", "open")
AUTOMATIC, SEMI_AUTOMATIC = "automatic", "semi-automatic"
CATEGORY = "category"
_NUMBERS = {status: number for number, status in enumerate(STATUSES)}


@dataclass(frozen=True)
class JudgedToken:
    """A result with what people said about it, if they did, and what follows."""

    result: TokenResult
    judgement: Judgement | None
    status: Status


@dataclass(frozen=True, slots=True)
class ProtestSettings:
    """What people must have found right, and how tokens were looked for.

    `source` is whose tokenisation of the source links belong to: the suite's or the systems' own.
    """

    needs: Literal["pronoun", "both"] = "pronoun"
    repair: bool = False
    source: Literal["suite", "own"] = "suite"


JudgedTokens = Scored[ScoredSystems, JudgedToken]


class Protest(Metric[ProtestSettings, ScoredSystems, JudgedToken]):
    """The share of tokens that match a reference, and of those that are right as far as known."""

    name = "protest"
    settings_class = ProtestSettings
    title = "Pronoun test suite (PROTEST)"
    measures: Mapping[str, str] = {AUTOMATIC: AUTOMATIC, SEMI_AUTOMATIC: SEMI_AUTOMATIC}
    headline = AUTOMATIC
    scale = Scale(digits=1, factor=100)
    system = "system"
    groups_in_csv = False
    hidden_breakdowns = (CATEGORY,)
    examples_note = "Of the reference only the links of pronoun and head are known."
    verdict_kinds = tuple(STATUSES.values())

    def items(self, data: ScoredSystems) -> JudgedTokens:
        """The tokens of the suite, with what is known about them in each system."""
        tokens, judgements = data.suite.tokens, data.judgements
        judged = []
        for own in data.results.values():
            said = ((one, judgements.get(one.item.key)) for one in own)
            judged.append([JudgedToken(*pair, self.status(*pair)) for pair in said])
        warnings = []
        for name, own in data.results.items():
            if other := _other_outputs(name, own, judgements):
                warnings.append(
                    f"{name}: {other} verdicts are about another output and do not count"
                )
        pairs = zip(data.results, judged, strict=True)
        waiting = [name for name, own in pairs if any(one.status in UNDECIDED for one in own)]
        if len(judged) > 1 and judgements and waiting:
            warnings.append(
                f"{', '.join(waiting)}: not all is judged, and what is not counts as not right in "
                "the semi-automatic comparison"
            )
        return Scored(
            data,
            tuple(data.results),
            tuple(judged),
            choose_units(document=[token.document for token in tokens], token=range(len(tokens))),
            {"suite": data.suite.digest, "references": len(data.suite.references)},
            tuple(warnings),
        )

    def status(self, result: TokenResult, judgement: Judgement | None) -> Status:
        """What is known about a result: what people said, else whether it matches."""
        if judgement is None:
            unjudged: dict[Outcome, Status] = {"match": "automatic", "silver": "silver"}
            return unjudged.get(result.outcome, "open")
        values = [judgement.pronoun]
        if self.settings.needs == "both" and judgement.antecedent is not None:
            values.append(judgement.antecedent)
        for value in ("conflict", "wrong", "unclear"):
            if value in values:
                return value
        return "unclear" if "bad" in values else "right"

    def verdicts(self, scored: JudgedTokens, system: int) -> Sequence[int]:
        """The status of each token."""
        return [_NUMBERS[item.status] for item in scored.items[system]]

    def statistics(self, scored: JudgedTokens, system: int) -> Floats:
        """Whether a token matches, whether it is right; 1; its status."""
        rows = np.zeros((scored.size, 3 + len(STATUSES)))
        rows[:, 0] = [item.result.outcome == "match" for item in scored.items[system]]
        rows[:, 2] = 1
        statuses = np.array(self.verdicts(scored, system), dtype=np.int64)
        rows[np.arange(scored.size), 3 + statuses] = 1
        right = [3 + n for n, (_, kind) in enumerate(STATUSES.values()) if kind == "right"]
        rows[:, 1] = rows[:, right].sum(axis=1)
        return rows

    def score(self, sums: Floats) -> Mapping[str, Floats]:
        """The shares of tokens that match, and that are right."""
        return {AUTOMATIC: ratio(sums[:, [0, 2]]), SEMI_AUTOMATIC: ratio(sums[:, [1, 2]])}

    def parts(self, scored: JudgedTokens, system: int) -> Iterable[Part]:
        """Everything, and the categories of which the suite has tokens, which have an interval if
        they are in several units; each measure is resampled by itself."""
        tokens = np.array([token.category for token in scored.data.suite.tokens])
        groups: list[dict[str, Any]] = [{}]
        for category in CATEGORIES:
            if (chosen := tokens == category.name).any():
                groups.append({"breakdown": CATEGORY, "group": category.name, "chosen": chosen})
        for group in groups:
            units = scored.units.among(group["chosen"]) if group else scored.units
            for column, measure in enumerate(self.measures):

                def share(sums: Floats, measure: str = measure) -> Mapping[str, Floats]:
                    return {measure: ratio(sums)}

                yield Part(**group, columns=(column, 2), score=share, resampled=units.count > 1)

    def counts(self, sums: Floats) -> Mapping[str, int]:
        """Tokens, those that match, and those of each status."""
        tokens, matches = int(sums[2]), int(sums[0])
        statuses = zip(STATUSES, sums[3:], strict=True)
        return {"tokens": tokens, "matches": matches, **{name: int(n) for name, n in statuses}}

    def described(self, scored: JudgedTokens, part: Part, measure: str, system: int) -> list[str]:
        """The suite, lists, links and, where people count, silver alternatives and verdicts."""
        data, own = scored.data, self.settings
        said = [
            f"protest-{measure}",
            f"suite:{scored.facts['suite']}",
            f"tokens:{scored.size}",
            f"references:{scored.facts['references']}",
            f"lists:{data.lists.signature}",
            "match:overlap,no-case,elision",
            f"repair:{'yes' if own.repair else 'no'}",
            f"links:{data.links}",
            f"source:{own.source}",
        ]
        if measure == SEMI_AUTOMATIC:
            said.append(f"silver:{silver_signature(data.silver)}")
            said.append(f"verdicts:{_verdict_signature(data.judgements)}")
            said.append(f"needs:{own.needs}")
        return said

    def of_system(self, scored: JudgedTokens, system: int) -> Mapping[str, Any]:
        """What the semi-automatic score becomes if all that is undecided turns out right."""
        found = [item.status for item in scored.items[system]]
        size = max(1, scored.size)
        right = sum(STATUSES[status][1] == "right" for status in found)
        return {"at_most": right / size + sum(status in UNDECIDED for status in found) / size}

    def details(self, scored: JudgedTokens, system: int) -> Iterator[Mapping[str, Any]]:
        """Each token with the words and the texts in question."""
        for item in scored.items[system]:
            result = item.result
            pronoun, head = reference_words(result)
            source, reference, output = texts_of(result)
            yield {
                "token": result.token.name,
                "category": result.token.category,
                "status": item.status,
                "why": result.why,
                "reference_pronoun": pronoun,
                "reference_head": head,
                "output_pronoun": " ".join(result.words),
                "output_head": " ".join(result.head_words),
                "source": source,
                "reference": reference,
                "output": output,
            }

    # Tables -------------------------------------------------------------------------------------

    def heading(self, scored: JudgedTokens) -> str:
        """How many tokens, and of which suite."""
        suite = scored.data.suite
        languages = f"{suite.source_language}-{suite.target_language}"
        return f"{counted(scored.size, 'pronoun')} of suite {scored.facts['suite']}, {languages}"

    def tables(self, evaluation: Evaluation) -> Sequence[Table]:
        """Matches by category, what became of the tokens of each system, and a summary."""
        systems = evaluation.systems
        found = [self._matches(evaluation)]
        note = "The shade is the share of the category."
        for number, one in enumerate(systems):
            heading, rows = self._statuses(one, number)
            found.append(Table(heading, rows, place="scores", only="text"))
            found.append(Table(heading, rows, "Categories", notes=(note,), only="page"))
        if len(systems) > 1:
            found.append(self._summary(systems))
        notes = score_notes(evaluation)
        return [*found, Table((), (), notes=notes, place="scores", only="text")]

    def _matches(self, evaluation: Evaluation) -> Table:
        """002 Table 3, turned round."""
        systems = evaluation.systems
        rows = []
        for category in CATEGORIES:
            own = [_category(one, category.name) for one in systems]
            rows.append([category.label, *_row_of_counts(own)])
        rows.append(["all", *_row_of_counts([one.total for one in systems])])
        scores = [system.scores[AUTOMATIC] for system in systems]
        rows.append(["accuracy %", "", *(self.scale.number(score.value) for score in scores)])
        if scores[0].low is not None:
            rows.append(["95% interval", "", *map(self._interval, scores)])
        heading = ("automatic matches", "tokens", *evaluation.names)
        return Table(heading, rows, place="scores", only="text")

    def _statuses(
        self, system: SystemResult, number: int
    ) -> tuple[Sequence[str], list[list[Cell]]]:
        """What became of each category of a system, and its scores.

        Statuses that nothing has are left out.
        """
        total = system.total.counts
        shown = [status for status in STATUSES if total[status] or status == "automatic"]
        rows: list[list[Cell]] = []
        for place, category in [*enumerate(CATEGORIES), (None, None)]:
            group = system.total if category is None else _category(system, category.name)
            counts = {} if group is None else group.counts
            size = counts.get("tokens", 0)
            filters = {"candidate": number, **({} if place is None else {"group": place})}
            cells = [
                Count(
                    counts.get(one, 0), {**filters, "verdict": _NUMBERS[one]}, _share(counts, one)
                )
                for one in shown
            ]
            title = "all" if category is None else category.label
            rows.append([title, str(size), *cells, *self._shares(group)])
        names = (STATUSES[status][0] for status in shown)
        return (system.name, "tokens", *names, "automatic % [95%]", "right % [95%]"), rows

    def _shares(self, group: GroupScores | None) -> tuple[str, str]:
        """Automatic and semi-automatic shares with intervals."""
        if group is None:
            return "", ""
        automatic, right = group.scores[AUTOMATIC], group.scores[SEMI_AUTOMATIC]
        return automatic.shown(self.scale), f"{self._range(group)} {self._interval(right)}".rstrip()

    def _summary(self, systems: Sequence[SystemResult]) -> Table:
        """Systems under each other: the semi-automatic score as far as it is known."""
        rows = [
            [
                system.name,
                *(str(system.total.counts[status]) for status in STATUSES),
                self._range(system.total),
                self._interval(system.scores[SEMI_AUTOMATIC]),
            ]
            for system in systems
        ]
        names = (name for name, _ in STATUSES.values())
        heading = ("automatic and people", *names, "right %", "95% interval")
        return Table(heading, rows, place="scores", only="text")

    def _range(self, group: GroupScores) -> str:
        """The semi-automatic score; what is undecided makes a range."""
        value = group.scores[SEMI_AUTOMATIC].value
        undecided = sum(group.counts[status] for status in UNDECIDED)
        shown = self.scale.number(value)
        if not undecided:
            return shown
        return f"{shown} to {self.scale.number(value + undecided / group.counts['tokens'])}"

    def _interval(self, score: Score) -> str:
        if score.low is None or score.high is None:
            return ""
        return f"[{self.scale.number(score.low)}, {self.scale.number(score.high)}]"

    # The page -----------------------------------------------------------------------------------

    def matrices(self, scored: JudgedTokens) -> Sequence[Matrix]:
        """Pronouns of references against those of outputs."""
        return make_matrices(_cells(scored))

    def examples(self, scored: JudgedTokens, numbers: Sequence[int]) -> Examples:
        """Tokens with their context and what became of them in each system."""
        suite = scored.data.suite
        cells = _cells(scored)
        verdicts = [ExampleVerdict(*one) for one in STATUSES.values()]
        labels = [category.label for category in CATEGORIES]
        examples = Examples(scored.systems, verdicts, scored.size, CATEGORY, labels)
        lines: dict[int, int] = {}
        for number in numbers:
            own = [items[number] for items in scored.items]
            token = suite.tokens[number]
            shown = suite.context(token)
            for line in shown:
                if line not in lines:
                    lines[line] = examples.add_line(
                        line,
                        " ".join(suite.source[line]),
                        [" ".join(reference[line]) for reference in suite.references],
                        [" ".join(one.result.output.output[line]) for one in own],
                        token.document,
                    )
            examples.add(
                suite.form(token).lower(),
                [lines[line] for line in shown],
                [_reference_marks(token, place, shown) for place in range(len(token.references))],
                [
                    Rendering(
                        _NUMBERS[one.status],
                        *cells[place][number],
                        _marks(one.result, shown),
                        _note(one),
                    )
                    for place, one in enumerate(own)
                ],
                token.name,
                BY_NAME[token.category].label,
            )
        return examples


def _other_outputs(name: str, results: Sequence[TokenResult], judgements: Judgements) -> int:
    """Judgements about a system of this name whose output was another."""
    current = {result.item.key for result in results}
    return sum(
        key not in current and seen_with(name, judgement) for key, judgement in judgements.items()
    )


def _verdict_signature(judgements: Judgements) -> str:
    """How many judged items there are, and a short name of what people said about them."""
    if not judgements:
        return "none"
    rows = sorted((*key, one.pronoun, one.antecedent or "") for key, one in judgements.items())
    return f"{len(rows)}.{hashlib.sha256(repr(rows).encode()).hexdigest()[:8]}"


def _category(system: SystemResult, name: str) -> GroupScores | None:
    return next((group for group in system.groups if group.group == name), None)


def _row_of_counts(groups: Sequence[GroupScores | None]) -> list[str]:
    """The tokens of a category, and those that match in each system."""
    counts = [{} if group is None else group.counts for group in groups]
    matches = (count.get("matches", 0) for count in counts)
    return [str(counts[0].get("tokens", 0)), *map(str, matches)]


def _share(counts: Mapping[str, int], status: str) -> float:
    return counts.get(status, 0) / max(counts.get("tokens", 0), 1)


def _cells(scored: JudgedTokens) -> list[list[tuple[str, str]]]:
    """The pronouns of a reference and of the output; the reference is the one that matched."""
    lists = scored.data.lists
    pairs = []
    for items in scored.items:
        own = []
        for item in items:
            result, token = item.result, item.result.token
            if result.reference is not None:
                ours = token.references[result.reference].pronoun
            else:
                ours = next((own.pronoun for own in token.references if own.pronoun), ())
            own.append((_label(ours, token, lists), _label(result.words, token, lists)))
        pairs.append(own)
    return without_rare(pairs)


def _label(words: Words, token: SuiteToken, lists: TargetWords) -> str:
    """The first pronoun among words, elided forms in full where only one is possible."""
    found = (pronoun_in(word, lists, token.slot) for word in words)
    form = next((form for form in found if form is not None), None)
    if form is None:
        return OTHER if words else NONE
    full = lists.full_forms(form)
    return full[0] if len(full) == 1 else form


def _reference_marks(token: SuiteToken, reference: int, shown: Sequence[int]) -> list[Mark]:
    words = token.references[reference]
    marks = [Mark(shown.index(token.place.line), token.place.at, words.pronoun_at)]
    if token.antecedent is not None and token.antecedent.line in shown:
        line = shown.index(token.antecedent.line)
        marks.append(Mark(line, token.antecedent.at, words.head_at, "head"))
    return marks


def _marks(result: TokenResult, shown: Sequence[int]) -> list[Mark]:
    found = []
    kinds: tuple[tuple[MarkedWords | None, MarkKind], ...] = (
        (result.pronoun, "pronoun"),
        (result.head, "head"),
    )
    for marks, kind in kinds:
        if marks is not None and marks.line in shown:
            linked = project(marks.source, result.output.links[marks.line])
            repaired = not set(marks.candidate) <= set(linked)
            line = shown.index(marks.line)
            found.append(Mark(line, marks.source, marks.candidate, kind, repaired))
    return found


def _note(judged: JudgedToken) -> str:
    """Why a token did not match, and what people said about it."""
    parts = [] if judged.result.outcome == "match" else [judged.result.why]
    if judged.judgement is not None:
        said = judged.judgement
        parts += [", ".join(said.annotators), *said.remarks]
    return "; ".join(part for part in parts if part)
