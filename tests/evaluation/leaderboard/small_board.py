"""A small folder of records: three systems and an ensemble on en-de, an MT system and a metric."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from crosspro.data_prep.core.task import load_task
from crosspro.evaluation.core.score import Score
from crosspro.evaluation.leaderboard.evidence import (
    GoldLabels,
    measured_labels,
    write_gold,
    write_labels,
)
from crosspro.evaluation.leaderboard.record import (
    Board,
    MakingStep,
    MeasuredSet,
    Provenance,
    Record,
    TrainingText,
    write_record,
)

TASK = load_task("en-de")
GOLD = {
    "tst1": GoldLabels(("er", "sie", "es", "OTHER") * 12, (12, 12, 12, 12)),
    "tst2": GoldLabels(("er", "es", "sie") * 10, (10, 10, 10)),
    "news": GoldLabels(("er", "es") * 5, (5, 5), True),
}
SHARES = {"ours": 9, "theirs": 6, "weak": 3, "both": 10}
"""Of ten gaps so many are right."""


def labels_of(share: int, seeds: int) -> dict[str, dict[str, list[str]]]:
    """Labels of which so many of ten are right, each seed wrong elsewhere."""
    return {
        test: {
            str(seed): [
                label if (7 * place + 3 * seed) % 10 < share else "OTHER"
                for place, label in enumerate(one.labels)
            ]
            for seed in range(1, seeds + 1)
        }
        for test, one in GOLD.items()
    }


def write_small_board(results: Path, title: str = "") -> Path:
    """Write the records; every word that is free may be the same `title`."""
    write_gold("en-de", GOLD, results)
    for name, share in SHARES.items():
        seeds = 2 if name == "ours" else 1
        labels = labels_of(share, seeds)
        write_labels(f"en-de/{name}", labels, results)
        found = measured_labels(TASK, GOLD, labels, results)
        record = Record(
            name=f"en-de/{name}",
            board=Board.PREDICTION,
            title=title or f"{name} system",
            system=title or name,
            origin=Provenance.OWN if name in ("ours", "both") else Provenance.PAPERS,
            task="en-de",
            ensemble=name == "both",
            year=2016 if name == "theirs" else None,
            text=TrainingText(title or ("TED" if name == "weak" else "all"), "a" * 64, 5),
            seeds=tuple(range(1, seeds + 1)),
            commit="0123abc",
            configuration=(title or "task=en-de",),
            environment={title or "python": title or "3.11"},
            steps=(MakingStep(title or "run", ("crosspro", title or "train"), (title or "gpu",)),),
            members=("en-de/ours", "en-de/theirs") if name == "both" else (),
            sets=found.sets,
            scores=found.scores,
            classes=found.classes,
            digests=found.digests,
            notes=(title or "A note.",),
        )
        write_record(record, results)
    other = replace(
        record,
        board=Board.TRANSLATIONS,
        origin=Provenance.OTHERS,
        ensemble=False,
        members=(),
        text=None,
        seeds=(),
        sets={"wmt": MeasuredSet(9, 3, "b" * 64)},
        classes={},
    )
    for name, apt, doubt in (("mt/a", 61.5, 4.0), ("mt/b", 58.25, 2.5)):
        scores = {
            "apt": Score("apt", apt, "", apt - 3, apt + 3),
            "in_doubt": Score("in_doubt", doubt, "", doubt - 1, doubt + 1),
        }
        write_record(
            replace(
                other,
                name=name,
                title=title or name,
                task="wmt",
                scores={"wmt": scores},
                digests={"wmt apt": name},
            ),
            results,
        )
    scores = {"auc": Score("auc", 71.5, "", 65.0, 77.5)}
    write_record(
        replace(other, name="metrics/x", title=title or "metric x", board=Board.METRICS,
                task="marks", sets={"segments": MeasuredSet(9, 3, "b" * 64)},
                scores={"segments": scores}), results)  # fmt: skip
    return results
