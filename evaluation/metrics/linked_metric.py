"""Metrics of linked text: what source pronouns became, followed through word links.

APT and AutoPRF have the same pronouns, warnings and records; they differ in what they make of the
words that are linked to a pronoun.
"""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator

from crosspro.data_prep.core.errors import counted, input_error
from crosspro.evaluation.link_repair import Repair
from crosspro.evaluation.metric import Items, Metric
from crosspro.evaluation.pronouns import Anchor, PronounLists, find_anchors, load_lists
from crosspro.evaluation.report.examples import Examples, Mark, Rendering
from crosspro.evaluation.resampling import Units
from crosspro.evaluation.texts import Texts

Value = TypeVar("Value")
Listed = Annotated[
    Value, BeforeValidator(lambda value: value.split(",") if isinstance(value, str) else value)
]
"""A setting of several values, which a command line writes with commas."""


@dataclass(frozen=True, slots=True)
class Side:
    """What a pronoun became in the reference or in a candidate: positions and their words.

    `labels` are those of the lists, identical pronouns under one name, or OTHER; there are none
    where nothing is linked.
    """

    positions: tuple[int, ...]
    words: tuple[str, ...]
    labels: tuple[str, ...] = ()
    repair: Repair = Repair.KEPT

    @property
    def moved(self) -> bool:
        """Whether the positions come from a repair instead of a link."""
        return self.repair is Repair.MOVED

    def mark(self, anchor: Anchor) -> Mark:
        return Mark(0, (anchor.position,), self.positions, repaired=self.moved)


@dataclass(frozen=True, slots=True)
class LinkedPronoun:
    """An item: a source pronoun with both sides; `cell` has the compared word of each."""

    anchor: Anchor
    reference: Side
    translation: Side
    cell: tuple[str, str]


Item = TypeVar("Item", bound=LinkedPronoun)


class LinkedMetric(Metric[Any, Texts, Item]):
    """A metric whose items are source pronouns with the words that are linked to them.

    Its settings have `pronouns`: lists, their name or file; None for those of the languages.
    """

    def lists(self, texts: Texts) -> PronounLists:
        chosen = self.settings.pronouns
        if chosen is None:
            texts.require(self.name, "source_language", "target_language")
            return load_lists("-".join(texts.languages))
        lists = chosen if isinstance(chosen, PronounLists) else load_lists(chosen)
        of_lists = lists.source_language, lists.target_language
        if all(of_lists) and all(texts.languages) and of_lists != texts.languages:
            expected = f"lists for {'-'.join(texts.languages)}"
            raise input_error("pronouns", "languages", expected, lists.name)
        return lists

    def anchors(self, texts: Texts, lists: PronounLists) -> list[Anchor]:
        return find_anchors(texts.linked.source, lists)

    @abstractmethod
    def compare(
        self, texts: Texts, anchors: Sequence[Anchor], lists: PronounLists
    ) -> list[list[Item]]:
        """What each candidate makes of the pronouns."""

    def items(self, data: Texts) -> Items[Texts, Item]:
        lists = self.lists(data)
        anchors = self.anchors(data, lists)
        values = self.compare(data, anchors, lists)
        lines = [anchor.line for anchor in anchors]
        documents = data.document_of_line
        units = Units.choose(
            document=None if documents is None else [documents[line] for line in lines],
            sentence=lines,
        )
        facts = {
            "text": text_digest(data),
            "lists": lists.signature,
            "links": data.linked.signature,
        }
        warnings = list(data.warnings)
        if not anchors:
            warnings.append("no pronoun of the lists was found: there is no score")
        size = counted(len(anchors), "pronoun")
        return Items(
            data, tuple(data.candidates), tuple(values), units, size, facts, tuple(warnings)
        )

    def signature(self, items: Items[Texts, Item]) -> Sequence[str]:
        facts = items.facts
        return [
            f"text:{facts['text']}",
            f"pronouns:{facts['lists']}",
            f"occurrences:{items.size}",
            f"links:{facts['links']}",
        ]

    def details(self, items: Items[Texts, Item], candidate: int) -> Iterable[dict[str, Any]]:
        """The fields of each item, and its sentences; positions count from 0."""
        words = items.data.linked
        texts = {
            "source": words.source,
            "reference": words.reference.words,
            "translation": words.candidates[items.candidates[candidate]].words,
        }
        for item in items.values[candidate]:
            line = item.anchor.line
            fields = asdict(item)
            anchor = fields.pop("anchor")
            yield {
                "sentence": line,
                "position": anchor["position"],
                "source": anchor["word"],
                "pronoun": anchor["pronoun"],
                **fields,
                "sentences": {name: " ".join(text[line]) for name, text in texts.items()},
            }

    def examples(self, items: Items[Texts, Item], numbers: Sequence[int]) -> Examples:
        texts, words = items.data, items.data.linked
        examples = Examples(items.candidates, self.display.verdicts, items.size)
        verdicts = [self.verdicts(items, place) for place in range(len(items.candidates))]
        line_numbers: dict[int, int] = {}
        for number in numbers:
            pronouns = [candidate[number] for candidate in items.values]
            anchor = pronouns[0].anchor
            line = anchor.line
            if line not in line_numbers:
                line_numbers[line] = examples.add_line(
                    line,
                    " ".join(words.source[line]),
                    [" ".join(words.reference.words[line])],
                    [" ".join(candidate.words[line]) for candidate in words.candidates.values()],
                    texts.documents[line] if texts.documents else "",
                )
            renderings = [
                Rendering(verdicts[place][number], *item.cell, [item.translation.mark(anchor)])
                for place, item in enumerate(pronouns)
            ]
            references = [[pronouns[0].reference.mark(anchor)]]
            examples.add(anchor.pronoun, [line_numbers[line]], references, renderings)
        return examples


def text_digest(texts: Texts) -> str:
    """A short name for source and reference, for signatures."""
    content = hashlib.sha256()
    for lines in (texts.linked.source, texts.linked.reference.words):
        content.update("\n".join(map(" ".join, lines)).encode() + b"\n\n")
    return content.hexdigest()[:8]
