"""What a perfect system can reach on the demo corpus, by how much of the document it reads.

A perfect system knows the grammar. For a gap whose antecedent lies within its context it knows the
chances of each class exactly; for the others it knows how often each class goes with the evidence
of the sentence in the split that is scored, which is more than any training split can teach. For
accuracy it chooses the most likely class, for macro recall the class that is likely in proportion
to its frequency.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from crosspro.data_prep.core.task import Task
from crosspro.data_prep.demo.corpus import DemoSentence
from crosspro.data_prep.demo.scenes import Origin

CONTEXTS: dict[str, int] = {"sentence": 0, "previous sentence": 1, "document": 10**6}
"""How many sentences back a system reads."""


@dataclass(frozen=True)
class Ceiling:
    """The best values for a context, in per cent, and the share of gaps it decides."""

    context: str
    macro_recall: float
    accuracy: float
    decidable: float


def ceilings(task: Task, scored: Sequence[DemoSentence]) -> list[Ceiling]:
    """The ceiling of each context on a split; who reads more can do what was reached with less."""
    gaps = _gaps(scored)
    gold = Counter(label for _, label in gaps)
    return list(accumulate((_ceiling(task, gaps, gold, name) for name in CONTEXTS), _at_least))


def _at_least(shorter: Ceiling, longer: Ceiling) -> Ceiling:
    """The ceiling of the longer context, which in few gaps may come out lower by chance."""
    return replace(
        longer,
        macro_recall=max(shorter.macro_recall, longer.macro_recall),
        accuracy=max(shorter.accuracy, longer.accuracy),
    )


def _ceiling(
    task: Task, gaps: Sequence[tuple[Origin, str]], gold: Counter[str], context: str
) -> Ceiling:
    reach = CONTEXTS[context]
    beyond: dict[str, Counter[str]] = defaultdict(Counter)
    for origin, label in gaps:
        if origin.back > reach:
            beyond[_evidence(origin)][label] += 1
    right: Counter[str] = Counter()
    recalled: Counter[str] = Counter()
    for origin, label in gaps:
        chances = origin.candidates if origin.back <= reach else beyond[_evidence(origin)]
        right[label] += label == _best(task, chances, Counter())
        recalled[label] += label == _best(task, chances, gold)
    recalls = [100 * recalled[name] / number for name, number in gold.items()]
    decidable = sum(origin.back <= reach for origin, _ in gaps)
    return Ceiling(
        context,
        sum(recalls) / len(recalls),
        100 * sum(right.values()) / len(gaps),
        100 * decidable / len(gaps),
    )


def kinds(sentences: Sequence[DemoSentence]) -> Counter[tuple[str, int]]:
    """How many gaps there are of each kind and distance."""
    return Counter((origin.kind, origin.back) for origin, _ in _gaps(sentences))


def _gaps(sentences: Sequence[DemoSentence]) -> list[tuple[Origin, str]]:
    return [
        (origin, gap.label or "")
        for sentence in sentences
        for origin, gap in zip(sentence.origins, sentence.example.gaps, strict=True)
    ]


def _evidence(origin: Origin) -> str:
    return f"{origin.kind} {origin.evidence}"


def _best(task: Task, chances: Mapping[str, float], prior: Counter[str]) -> str:
    """The most likely class, relative to its prior if one is given."""
    return max(task.classes, key=lambda name: chances.get(name, 0) / (prior[name] or 1))
