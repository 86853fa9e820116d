"""Several metrics of the same texts, in one table: what `crosspro score` prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import choices, counted, input_error, quoted
from crosspro.evaluation.evaluation import Evaluation, Score, evaluate
from crosspro.evaluation.links import Links, link_texts
from crosspro.evaluation.metrics import make_metric
from crosspro.evaluation.metrics.pronoun_doubt import PronounJudge
from crosspro.evaluation.pronouns import LANGUAGES, PronounLists, lists_names
from crosspro.evaluation.report.page import TEMPLATES, render_page, shown_numbers
from crosspro.evaluation.report.records import (
    csv_number,
    csv_text,
    detail_records,
    json_text,
    record,
)
from crosspro.evaluation.report.tables import (
    DIFFERENCES,
    PLAIN,
    Cell,
    Style,
    Table,
    difference_table,
    evaluation_tables,
    score_cell,
    tables_text,
    text_report,
)
from crosspro.evaluation.resampling import USUAL, Resampling
from crosspro.evaluation.texts import Texts
from crosspro.version import __version__

TEXT_METRICS = ("apt", "autoprf", "pronoun-f1", "bleu", "chrf", "doubt")
"""The metrics of MT output, in the order of their columns."""
LINKED = ("apt", "autoprf")
SACREBLEU = ("bleu", "chrf")
MOST_EXAMPLES = 2000
"""A page with so many pronouns is still quick."""
Settings = Mapping[str, Mapping[str, Any]]
"""Settings of each metric by name."""
JudgeOf = Callable[[str, str], PronounJudge | None]


def check_metrics(names: Iterable[str]) -> None:
    """Refuse what is no metric, or lacks its package, before any work is done."""
    for name in names:
        if name not in TEXT_METRICS:
            raise input_error("metrics", "name", choices(TEXT_METRICS), quoted(name))
        if name in SACREBLEU:
            make_metric(name)


def usual_metrics(texts: Texts, lists: object = None) -> list[str]:
    """The metrics for which there are texts, lists of the languages, and the packages."""
    source, target = texts.languages
    pair = bool(lists) or f"{source}-{target}" in lists_names()
    available = {
        "apt": bool(texts.source and texts.reference and pair),
        "autoprf": bool(texts.source and texts.reference and pair),
        "pronoun-f1": bool(texts.reference) and target in LANGUAGES,
        **dict.fromkeys(SACREBLEU, bool(texts.reference and find_spec("sacrebleu"))),
    }
    names = [name for name, there in available.items() if there]
    if not names:
        expected = "a reference, and languages whose pronouns are known"
        raise input_error("metrics", "texts", expected, "neither")
    return names


@dataclass(frozen=True, repr=False)
class ScoreReport:
    """The scores of several metrics; `report["apt"]` is the evaluation by one of them.

    `str` is the table of the command, `repr` one line.
    """

    evaluations: Mapping[str, Evaluation]
    texts: Texts

    def __getitem__(self, metric: str) -> Evaluation:
        return self.evaluations[metric]

    @property
    def scores(self) -> dict[str, dict[str, Score]]:
        """The headline score of each metric, by candidate and metric."""
        return {
            name: {
                metric: evaluation.scores[name][evaluation.headline]
                for metric, evaluation in self.evaluations.items()
            }
            for name in self.texts.candidates
        }

    @property
    def warnings(self) -> list[str]:
        """The warnings of all metrics, each once."""
        metrics = self.evaluations.values()
        return list(dict.fromkeys(text for metric in metrics for text in metric.warnings))

    @property
    def signatures(self) -> list[str]:
        return [evaluation.signature for evaluation in self.evaluations.values()]

    @property
    def title(self) -> str:
        """How much was scored."""
        candidates = counted(len(self.texts.candidates), "candidate")
        size = f"{candidates}, {counted(self.texts.size, 'line')}"
        documents = self.texts.document_of_line
        return size if documents is None else f"{size}, {counted(documents[-1] + 1, 'document')}"

    def tables(self) -> list[Table]:
        """Scores, with candidates in rows and metrics in columns, and paired differences."""
        evaluations = list(self.evaluations.values())
        rows: list[list[Cell | str]] = [[name] for name in self.texts.candidates]
        for evaluation in evaluations:
            digits = evaluation.metric.display.digits
            for row, measures in zip(rows, evaluation.scores.values(), strict=True):
                row.append(score_cell(measures[evaluation.headline], digits))
        headings = [_column_title(evaluation) for evaluation in evaluations]
        units = {each.items.units.name for each in evaluations if each.resampling}
        by = f" [95% interval by {' or '.join(sorted(units))}]" if units else ""
        notes = [f"per cent{by}"]
        for evaluation in evaluations:
            if evaluation.metric.display.lower_is_better:
                notes.append(f"{_column_title(evaluation)}: lower is better")
            notes += evaluation.items.notes
        differences = difference_table(evaluations)
        scores = Table(["candidate", *headings], rows, "Scores", notes=notes)
        return [scores, *([differences] if differences else [])]

    def text(self, style: Style = PLAIN) -> str:
        """One metric as it shows itself, or all in one table."""
        if len(self.evaluations) == 1:
            return text_report(next(iter(self.evaluations.values())), style)
        return tables_text(self.title, self.tables(), self.signatures, style)

    def json(self) -> str:
        return json_text(
            {
                "crosspro": __version__,
                "lines": self.texts.size,
                "languages": list(self.texts.languages),
                "warnings": self.warnings,
                "metrics": {name: record(metric) for name, metric in self.evaluations.items()},
            }
        )

    def csv(self) -> str:
        """A row for each candidate, with the score and interval of each metric."""
        columns = [f"{name}{end}" for name in self.evaluations for end in ("", "_low", "_high")]
        rows: list[list[object]] = [["candidate", *columns]]
        for name, scores in self.scores.items():
            values = [value for score in scores.values() for value in astuple(score)]
            rows.append([name, *map(csv_number, values)])
        return csv_text(rows)

    def details(self) -> str:
        """A record of every item of every candidate, by metric, as JSON."""
        return json_text({name: detail_records(each) for name, each in self.evaluations.items()})

    def html(self, most_examples: int = MOST_EXAMPLES) -> str:
        """A page: scores, pronouns (wrong ones first) in their lines, groups of each metric."""
        followed = next((each for name, each in self.evaluations.items() if name in LINKED), None)
        groups = [table for each in self.evaluations.values() for table in _page_tables(each)]
        cases = [table for table in groups if table.title == "APT: Cases"]
        examples, cut_note = None, ""
        if followed is not None and followed.items.size:
            numbers = shown_numbers(followed, most_examples)
            examples = followed.metric.examples(followed.items, numbers)
            if len(numbers) < followed.items.size:
                cut_note = f"{len(numbers):,} of {followed.items.size:,} pronouns are shown."
        return render_page(
            TEMPLATES / "score.html",
            title="Scores of translations",
            subtitle=self.title,
            warnings=self.warnings,
            sections=[*self.tables(), *cases],
            groups=[table for table in groups if table not in cases],
            examples=examples,
            cut_note=cut_note,
            signatures=self.signatures,
        )

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def __repr__(self) -> str:
        metrics, candidates = ", ".join(self.evaluations), ", ".join(self.texts.candidates)
        return f"<scores of {candidates} by {metrics}>"


def _page_tables(evaluation: Evaluation) -> list[Table]:
    """The tables of a metric that say more than the table of all metrics."""
    tables = evaluation_tables(evaluation)
    if len(evaluation.measures) == 1:
        tables = [table for table in tables if table.title and table.title != DIFFERENCES]
    title = _column_title(evaluation)
    return [replace(table, title=f"{title}: {table.title}".rstrip(": ")) for table in tables]


def _column_title(evaluation: Evaluation) -> str:
    return evaluation.metric.display.column_title(evaluation.headline)


def score_texts(
    texts: Texts,
    metrics: Sequence[str] = (),
    settings: Settings | None = None,
    *,
    pronouns: PronounLists | str | None = None,
    links: Links | None = None,
    candidate_links: Mapping[str, Links] | None = None,
    prior: str | Path | None = None,
    tokenised: bool | None = None,
    resampling: Resampling | None = USUAL,
    baseline: str | None = None,
    judge_of: JudgeOf | None = None,
) -> ScoreReport:
    """Score texts by several metrics: those that are named, or all for which there is enough.

    `settings` are those of each metric by name. Links that are not given are made. `judge_of` finds
    what judges pronouns of two languages without a reference.
    """
    check_metrics(metrics)
    names = list(dict.fromkeys(metrics or usual_metrics(texts, pronouns)))
    chosen = {name: dict((settings or {}).get(name, {})) for name in names}
    if unknown := sorted((settings or {}).keys() - chosen.keys()):
        raise input_error("settings", unknown[0], choices(names), "no such metric here")
    if baseline is not None and baseline not in texts.candidates:
        raise input_error("baseline", "name", choices(texts.candidates), quoted(baseline))
    linked = [name for name in names if name in LINKED]
    for name in linked:
        chosen[name].setdefault("pronouns", pronouns)
    if "doubt" in names:
        texts.require("doubt", "source", "source_language", "target_language")
        judge = judge_of(*texts.languages) if judge_of else None
        if judge is None:
            expected = "languages of a bundled model"
            raise input_error("metrics", "doubt", expected, "-".join(texts.languages))
        chosen["doubt"]["judge"] = judge
    metrics_by_name = {name: make_metric(name, **values) for name, values in chosen.items()}
    if linked:
        if chosen.get("apt", {}).get("tokens") is not None:
            tokenised = True  # positions count words between spaces
        texts = link_texts(texts, links, candidate_links, prior=prior, tokenised=tokenised)
    evaluations = {
        name: evaluate(metric, texts, resampling, baseline)
        for name, metric in metrics_by_name.items()
    }
    return ScoreReport(evaluations, texts)
