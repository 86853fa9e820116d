"""Metrics of linked text: what source pronouns became, followed through word links.

APT and AutoPRF have the same data, warnings, records and examples; they differ in what they make of
the words that are linked to a pronoun.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from crosspro.data_prep.core.task import OTHER
from crosspro.evaluation.core.metric import Metric, Scored
from crosspro.evaluation.core.score import UNIT
from crosspro.evaluation.inputs.anchors import Anchor
from crosspro.evaluation.inputs.linked_text import text_digest
from crosspro.evaluation.inputs.mt_input import MtInput
from crosspro.evaluation.inputs.plain_text import sentence_units
from crosspro.evaluation.output.examples import Examples, ExampleVerdict, Mark, Rendering

Settings = TypeVar("Settings")
Item = TypeVar("Item")
ShownPronoun = tuple[Anchor, Mark, Sequence[Rendering]]
"""A pronoun, its place in the reference, and what became of it in each candidate."""


class LinkedMetric(Metric[Settings, MtInput, Item]):
    """A metric whose items are pronouns of the source with what is linked to them."""

    needs = "linked"
    scale = UNIT
    groups_in_csv = False

    @abstractmethod
    def shown(self, scored: Scored[MtInput, Item], numbers: Iterable[int]) -> list[ShownPronoun]:
        """The pronouns of these numbers as a page shows them."""

    def examples(self, scored: Scored[MtInput, Item], numbers: Sequence[int]) -> Examples:
        """Pronouns with what is linked to them; a line is kept once."""
        data = scored.data
        own: Any = self.verdict_kinds
        kinds = [ExampleVerdict(name, kind) for name, kind in own]
        examples = Examples(scored.systems, kinds, scored.size)
        known: dict[int, int] = {}
        for anchor, reference, renderings in self.shown(scored, numbers):
            line = anchor.sentence
            if line not in known:
                known[line] = examples.add_line(
                    line,
                    " ".join(data.source.words(line)),
                    [" ".join(data.reference.text.words(line))],
                    [" ".join(candidate.text.words(line)) for candidate in data.candidates],
                    data.document_of(line),
                )
            examples.add(anchor.pronoun, [known[line]], [[reference]], renderings)
        return examples


def linked_scored(
    data: MtInput,
    anchors: Sequence[Anchor],
    items: Sequence[Sequence[Item]],
    warnings: Iterable[str],
    **facts: Any,
) -> Scored[MtInput, Item]:
    """The pronouns of some text, with what each candidate made of them."""
    if not anchors:
        warnings = ["no pronoun of the lists was found: there is no score"]
    return Scored(
        data,
        tuple(candidate.name for candidate in data.candidates),
        tuple(items),
        sentence_units([anchor.sentence for anchor in anchors], data.documents),
        {
            "reference": data.reference.name,
            "text": text_digest(data.source, data.reference.text),
            **facts,
        },
        (*data.warnings, *warnings),
    )


def foreign_texts(
    data: MtInput, reference: Iterable[Sequence[str]], candidates: Iterable[Iterable[Sequence[str]]]
) -> Iterator[str]:
    """A warning for each text none of whose linked words is a pronoun of the lists."""
    texts = ((data.reference.name, reference), *zip(_names(data), candidates, strict=True))
    for name, labels in texts:
        if all(tuple(own) in ((), (OTHER,)) for own in labels):
            yield (
                f"{name}: no target pronoun of the lists {data.pronouns.name} is linked to a "
                "pronoun; are they the lists of this language pair?"
            )


def _names(data: MtInput) -> list[str]:
    return [candidate.name for candidate in data.candidates]


def linked_record(
    data: MtInput, anchor: Anchor, candidate: int, own: Mapping[str, Any]
) -> dict[str, Any]:
    """A pronoun, what a metric says of it, and its sentences; positions count from 0."""
    texts = {
        "source": data.source,
        "reference": data.reference.text,
        "candidate": data.candidates[candidate].text,
    }
    return {
        "sentence": anchor.sentence,
        "position": anchor.position,
        "source": anchor.word,
        "pronoun": anchor.pronoun,
        **own,
        "sentences": {name: " ".join(text.words(anchor.sentence)) for name, text in texts.items()},
    }
