"""The printout of the official scorers, byte for byte.

WMT 2016 and DiscoMT 2017 share one layout. The scorer of DiscoMT 2015 prints it twice, for coarse
and for fine classes, and ends with macro F1 and a line of file name, macro F1 and accuracy. All
average over every class of the task, whether or not it occurs in gold.
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


def official_printout(task: Task, counts: Counts, name: str) -> bytes:
    """What the official scorer of the task prints for these confusion counts.

    `name` is the submission's file, which only the scorer of 2015 prints. Without any label the
    scorers print an empty matrix before they fail.
    """
    is_2015 = task.official_score == "macro_f1"
    if not counts.any():
        classes = task.coarse_classes if is_2015 else task.classes
        heading = "<<< I. COARSE EVALUATION >>>" if is_2015 else "<<< I.  EVALUATION >>>"
        text = f"\n{heading}\n\n{_matrix(classes, np.zeros((len(classes),) * 2, dtype=np.int64))}"
    elif is_2015:
        coarse = regroup(counts, coarse_groups(task))
        score = _mean(f1(counts))
        text = (
            "\n<<< I. COARSE EVALUATION >>>\n\n"
            f"{_evaluation(task.coarse_classes, coarse)}\n\n\n\n\n"
            f"<<< II. FINE-GRAINED EVALUATION >>>\n\n{_evaluation(task.classes, counts)}\n\n\n\n\n"
            f"<<< III. OFFICIAL SCORE >>>\n\nMACRO-averaged fine-grained F1: {score:6.2f}%\n"
            f"{name}\t{score:.15g}\t{float(accuracy(counts)):.15g}\n"
        )
    else:
        text = (
            f"\n<<< I.  EVALUATION >>>\n\n{_evaluation(task.classes, counts)}\n\n\n\n"
            f"<<< II. OFFICIAL SCORE >>>\n\nMACRO-averaged R: {_mean(recall(counts)):6.2f}%\n\n"
        )
    # The scorer of 2015 prints its one non-ASCII class, ça, in Latin-1.
    return text.encode("latin-1" if is_2015 else "utf-8", errors="xmlcharrefreplace")


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
    macro = (_mean(values(counts)) for values in (precision, recall, f1))
    lines += [
        *("", "Micro-averaged result:"),
        f"P = {micro}     R = {micro}     F1 = {share:6.2f}%",
        *("", "MACRO-averaged result:"),
        "P = {:6.2f}%\tR = {:6.2f}%\tF1 = {:6.2f}%".format(*macro),
    ]
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
