"""The printout of the released scorers, byte for byte.

WMT 2016 and DiscoMT 2017 share one layout. The scorer of DiscoMT 2015 prints it twice, for coarse
and for fine classes, and ends with macro F1. Both average over all classes of the task, whether or
not they occur in gold.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosspro.data_prep.core.task import Task
from crosspro.evaluation.metrics.submissions.metric import coarse_groups
from crosspro.evaluation.metrics.submissions.scores import (
    Counts,
    Values,
    accuracy,
    f1,
    hits,
    precision,
    recall,
    regroup,
)

_GAP = "\n" * 4
_GAP_2015 = "\n" * 5


def released_layout(task: Task, counts: Counts) -> str:
    """What the released scorer of the task prints for these confusion counts."""
    if task.official_score == "macro_f1":
        coarse = regroup(counts, coarse_groups(task))
        final = _mean(f1(counts))
        coarse_text = _evaluation(task.coarse_classes, coarse) + _GAP_2015
        fine_text = _evaluation(task.classes, counts) + _GAP_2015
        return (
            f"\n<<< I. COARSE EVALUATION >>>\n\n{coarse_text}"
            f"<<< II. FINE-GRAINED EVALUATION >>>\n\n{fine_text}"
            f"<<< III. OFFICIAL SCORE >>>\n\nMACRO-averaged fine-grained F1: {final:6.2f}%\n"
        )
    final = _mean(recall(counts))
    return (
        f"\n<<< I.  EVALUATION >>>\n\n{_evaluation(task.classes, counts)}{_GAP}"
        f"<<< II. OFFICIAL SCORE >>>\n\nMACRO-averaged R: {final:6.2f}%\n\n"
    )


def released_empty_layout(task: Task) -> str:
    """What it prints before it fails for files without any label."""
    old = task.official_score == "macro_f1"
    classes = task.coarse_classes if old else task.classes
    counts = np.zeros((len(classes), len(classes)), dtype=np.int64)
    heading = "<<< I. COARSE EVALUATION >>>" if old else "<<< I.  EVALUATION >>>"
    return f"\n{heading}\n\n{_matrix(classes, counts)}"


def released_encoding(task: Task) -> str:
    """The scorer of 2015 prints its one non-ASCII class, ça, in Latin-1."""
    return "latin-1" if task.official_score == "macro_f1" else "utf-8"


def _evaluation(classes: Sequence[str], counts: Counts) -> str:
    right, total = int(hits(counts).sum()), int(counts.sum())
    share = float(accuracy(counts))
    lines = [
        f"Accuracy (calculated for the above confusion matrix) = {right}/{total} = {share:5.2f}%",
        "",
        "Results for the individual labels:",
    ]
    predicted, gold, correct = counts.sum(axis=0), counts.sum(axis=1), hits(counts)
    per_class = zip(precision(counts), recall(counts), f1(counts), strict=True)
    for index, (p, r, f) in enumerate(per_class):
        c = correct[index]
        lines.append(
            f"{_centred(classes[index]):>10} :    P = {c:5d}/{predicted[index]:5d} = {p:6.2f}%"
            f"     R = {c:5d}/{gold[index]:5d} = {r:6.2f}%     F1 = {f:6.2f}%"
        )
    micro = f"{right:5d}/{total:5d} = {share:6.2f}%"
    lines += ["", "Micro-averaged result:"]
    lines.append(f"P = {micro}     R = {micro}     F1 = {share:6.2f}%")
    lines += ["", "MACRO-averaged result:"]
    lines.append(
        f"P = {_mean(precision(counts)):6.2f}%"
        f"\tR = {_mean(recall(counts)):6.2f}%"
        f"\tF1 = {_mean(f1(counts)):6.2f}%"
    )
    return _matrix(classes, counts) + "\n".join(lines)


def _matrix(classes: Sequence[str], counts: Counts) -> str:
    names = [_centred(name) for name in classes]
    rule = "       +" + "------" * len(classes) + "+"
    heading = " " * 7 + "".join(f" {name:>5}" for name in names) + " <-- classified as"
    lines = ["Confusion matrix:", heading, f"{rule} -SUM-"]
    for name, row in zip(names, counts, strict=True):
        lines.append(f" {name:>5} |" + "".join(f"{cell:5d} " for cell in row) + f"| {row.sum():5d}")
    sums = "".join(f"{cell:5d} " for cell in counts.sum(axis=0))
    lines += [rule, f" -SUM- {sums}", ""]
    return "\n".join(lines) + "\n"


def _mean(values: Values) -> float:
    """The average over all classes, summed in order as the scorer does, so that it rounds alike."""
    return float(sum(values.tolist()) / len(values))


def _centred(name: str) -> str:
    """A label with the trailing spaces that centre it in five columns; at least one if it fits."""
    missing = 5 - len(name)
    return name + " " * max(1, missing // 2) if missing > 0 else name
