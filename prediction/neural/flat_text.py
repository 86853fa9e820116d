"""The text of all examples end to end: tokens of both sides, and a row for each gap.

Vocabularies, arrays and the name of the cache are all made from this, so that each token is looked
at once, and what depends on a token's type is worked out once a type.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from crosspro.data_prep.example import Example, Gap, split_tag
from crosspro.data_prep.formats.shared_task import PLACEHOLDER

GAP_WORD = "<gap>"


@dataclass
class FlatText:
    """Lists that grow with each example; positions count from the beginning of the text."""

    lowercase: bool
    tagged: bool = True
    source: list[str] = field(default_factory=list)
    source_tag: list[str] = field(default_factory=list)
    source_label: list[str] = field(default_factory=list)
    target: list[str] = field(default_factory=list)
    source_starts: list[int] = field(default_factory=lambda: [0])
    target_starts: list[int] = field(default_factory=lambda: [0])
    first_of_document: list[int] = field(default_factory=list)
    sentence: list[int] = field(default_factory=list)
    target_position: list[int] = field(default_factory=list)
    source_position: list[int] = field(default_factory=list)
    head_position: list[int] = field(default_factory=list)
    aligned: list[str] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)

    def word(self, name: str, token: str) -> str:
        """What a field makes of a token: its lemma, its tag, or both; or the word of the source."""
        if name in ("source", "pronoun"):
            return token.lower() if self.lowercase else token
        if name in ("source_tag", "source_label"):
            return token
        if token.startswith(PLACEHOLDER):  # a gap, whichever source index it names
            return f"{GAP_WORD}|{GAP_WORD}" if name == "lemma_tag" else GAP_WORD
        lemma, tag = split_tag(token) if self.tagged else (token, "")
        return {"lemma": lemma, "tag": tag, "lemma_tag": f"{lemma}|{tag}"}[name]

    def tokens(self, name: str) -> list[str]:
        """The tokens that a field is made from."""
        if name in ("lemma", "tag", "lemma_tag"):
            return self.target
        found: list[str] = getattr(self, "aligned" if name == "pronoun" else name)
        return found

    def counts(self, name: str) -> Counter[str]:
        """How often each word of a field occurs."""
        counted: Counter[str] = Counter()
        for token, number in Counter(self.tokens(name)).items():
            counted[self.word(name, token)] += number
        return counted

    @cached_property
    def digest(self) -> str:
        """A short name of the content, for when the text is complete."""
        digest = hashlib.blake2b(digest_size=12)
        for part in (self.source, self.source_tag, self.source_label, self.target, self.aligned):
            digest.update("\n".join(part).encode("utf-8", errors="surrogatepass") + b"\0")
        numbers = (
            self.source_starts,
            self.target_starts,
            self.first_of_document,
            self.sentence,
            self.target_position,
            self.source_position,
            self.head_position,
            self.labels,
        )
        digest.update(repr(numbers).encode("utf-8"))
        return digest.hexdigest()


def flatten(examples: Sequence[Example], lowercase: bool) -> FlatText:
    """All examples one behind the other."""
    text = FlatText(lowercase, tagged=bool(examples) and examples[0].tagged)
    previous: str | None = None
    for number, example in enumerate(examples):
        source_start, target_start = len(text.source), len(text.target)
        text.source += example.source
        text.target += example.target
        text.source_starts.append(len(text.source))
        text.target_starts.append(len(text.target))
        if example.source_parse is None:
            text.source_tag += [""] * len(example.source)
            text.source_label += [""] * len(example.source)
        else:
            text.source_tag += [token.tag for token in example.source_parse.tokens]
            text.source_label += [token.deprel for token in example.source_parse.tokens]
        same = number > 0 and example.document is not None and example.document == previous
        text.first_of_document.append(text.first_of_document[-1] if same else number)
        previous = example.document
        for gap in example.gaps:
            text.sentence.append(number)
            text.target_position.append(target_start + gap.position)
            text.source_position.append(source_start + gap.source_index)
            text.head_position.append(source_start + _head(example, gap))
            text.aligned.append(_aligned_words(example, gap))
            text.labels.append(gap.label)
    return text


def _head(example: Example, gap: Gap) -> int:
    """The head of the source pronoun; the pronoun itself where none is known."""
    if example.source_parse is None:
        return gap.source_index
    head = example.source_parse.tokens[gap.source_index].head
    return head if head >= 0 else gap.source_index


def _aligned_words(example: Example, gap: Gap) -> str:
    """The source words linked to the gap, joined; the source pronoun itself if there are none."""
    linked = sorted({s for s, t in example.links if t == gap.position})
    return " ".join(example.source[index] for index in linked or [gap.source_index])
