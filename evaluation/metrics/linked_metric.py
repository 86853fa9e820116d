"""Metrics of linked text: what source pronouns became, followed through word links.

APT and AutoPRF have the same pronouns, warnings and records; they differ in what they make of the
words that are linked to a pronoun.
"""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Annotated, Any, Protocol, TypeVar

from pydantic import BeforeValidator

from crosspro.data_prep.core.errors import counted
from crosspro.evaluation.links import LinkedTranslation
from crosspro.evaluation.metric import Items, Metric
from crosspro.evaluation.pronouns import Anchor, PronounLists, find_anchors, lists_of, load_lists
from crosspro.evaluation.report.examples import Examples, Mark, Rendering
from crosspro.evaluation.resampling import Units
from crosspro.evaluation.texts import Texts

Value = TypeVar("Value")
Listed = Annotated[
    Value, BeforeValidator(lambda value: value.split(",") if isinstance(value, str) else value)
]
"""A setting of several values, which a command line writes with commas."""


class PronounSettings(Protocol):
    """Settings of a metric that follows pronouns."""

    @property
    def pronouns(self) -> PronounLists | str | None:
        """Lists, their name or file; those of the languages of the texts if there are none."""


class LinkedPronoun(Protocol):
    """An item: a source pronoun, and what became of it in the reference and in a candidate."""

    @property
    def anchor(self) -> Anchor:
        """The source pronoun."""

    @property
    def cell(self) -> tuple[str, str]:
        """What is compared, in words."""

    @property
    def places(self) -> tuple[Sequence[int], Sequence[int]]:
        """The positions of these words."""

    @property
    def repaired(self) -> tuple[bool, bool]:
        """Whether the positions (reference, candidate) come from a repair instead of a link."""


Settings = TypeVar("Settings", bound=PronounSettings)
Item = TypeVar("Item", bound=LinkedPronoun)


class LinkedMetric(Metric[Settings, Texts, Item]):
    """A metric whose items are source pronouns with the words that are linked to them."""

    needs = ("source", "reference", "links")

    def lists(self, texts: Texts) -> PronounLists:
        chosen = self.settings.pronouns
        if chosen is None:
            texts.require(self.name, "source_language", "target_language")
            return lists_of(texts.languages)
        return chosen if isinstance(chosen, PronounLists) else load_lists(chosen)

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
        elif lists.target_pronouns:
            warnings += foreign_texts(data, anchors, lists)
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

    def record(
        self, items: Items[Texts, Item], candidate: int, number: int, **values: Any
    ) -> dict[str, Any]:
        """A pronoun, what a metric says of it, and its sentences; positions count from 0."""
        anchor = items.values[candidate][number].anchor
        words = items.data.linked
        texts = {
            "source": words.source,
            "reference": words.reference.words,
            "translation": words.candidates[items.candidates[candidate]].words,
        }
        return {
            "sentence": anchor.line,
            "position": anchor.position,
            "source": anchor.word,
            "pronoun": anchor.pronoun,
            **values,
            "sentences": {name: " ".join(text[anchor.line]) for name, text in texts.items()},
        }

    def examples(self, items: Items[Texts, Item], numbers: Sequence[int]) -> Examples:
        texts, words = items.data, items.data.linked
        examples = Examples(items.candidates, self.display.verdicts, items.size)
        verdicts = [self.verdicts(items, place) for place in range(len(items.candidates))]
        line_numbers: dict[int, int] = {}
        for number in numbers:
            values = [candidate[number] for candidate in items.values]
            anchor = values[0].anchor
            line = anchor.line
            if line not in line_numbers:
                line_numbers[line] = examples.add_line(
                    line,
                    " ".join(words.source[line]),
                    [" ".join(words.reference.words[line])],
                    [" ".join(candidate.words[line]) for candidate in words.candidates.values()],
                    texts.documents[line] if texts.documents else "",
                )

            def mark(value: Item, side: int) -> Mark:
                position, target = (value.anchor.position,), value.places[side]
                return Mark(0, position, target, repaired=value.repaired[side])

            renderings = [
                Rendering(verdicts[place][number], *value.cell, [mark(value, 1)])
                for place, value in enumerate(values)
            ]
            lines = [line_numbers[line]]
            examples.add(anchor.pronoun, lines, [[mark(values[0], 0)]], renderings)
        return examples


def text_digest(texts: Texts) -> str:
    """A short name for source and reference, for signatures."""
    content = hashlib.sha256()
    for lines in (texts.linked.source, texts.linked.reference.words):
        content.update("\n".join(map(" ".join, lines)).encode() + b"\n\n")
    return content.hexdigest()[:8]


def linked_words(
    anchors: Iterable[Anchor], texts: Texts, translation: LinkedTranslation
) -> list[tuple[str, ...]]:
    words = texts.linked
    linked = []
    for anchor in anchors:
        sentence = words.sentence(translation, anchor.line)
        linked.append(tuple(sentence.target[place] for place in sentence.targets(anchor.position)))
    return linked


def foreign_texts(texts: Texts, anchors: Collection[Anchor], lists: PronounLists) -> Iterable[str]:
    """A warning for each text none of whose linked words is a pronoun of the lists."""
    translations: Mapping[str, LinkedTranslation] = {
        "reference": texts.linked.reference,
        **texts.linked.candidates,
    }
    for name, translation in translations.items():
        linked = linked_words(anchors, texts, translation)
        if not any(lists.target_pronoun(word.lower()) for words in linked for word in words):
            yield (
                f"{name}: no target pronoun of the lists {lists.name} is linked to a pronoun; "
                "are they the lists of this language pair?"
            )
