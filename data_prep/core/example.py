"""The records of the shared task: an example is one line of a file, a gap one placeholder in it.

Annotation never changes the tokens: position `i` of an annotated sentence is position `i` of the
text, so that word links stay valid.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

TAG_SEPARATOR = "|"
"""Between lemma and tag, as the shared task writes them."""

_NUMBERS = {
    **dict.fromkeys(("NN", "NNP", "NN1"), "Sing"),
    **dict.fromkeys(("NNS", "NNPS", "NN2"), "Plur"),
}
"""What the fine tags of English nouns say (Penn's, and C5 of HanTa); NN of German is of either."""


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a sentence.

    `tag` belongs to the tagset of the task, `xpos` to that of the annotator. `head` is a position
    from 0; -1 for the root and without a parse, where `deprel` is empty. `features` are written as
    in CoNLL-U: `Case=Nom|Number=Sing`.
    """

    form: str
    lemma: str
    tag: str
    upos: str | None = None
    xpos: str | None = None
    head: int = -1
    deprel: str = ""
    features: str = ""

    def feature(self, name: str) -> str:
        """The value of a morphological feature, empty where it has none."""
        pairs = (pair.partition("=") for pair in self.features.split("|"))
        return next((value for key, _, value in pairs if key == name), "")


@dataclass(frozen=True, slots=True)
class AnnotatedSentence:
    """The tokens of a sentence; `scheme` names the set that their `xpos` tags belong to."""

    tokens: tuple[Token, ...]
    scheme: str = ""

    @property
    def forms(self) -> tuple[str, ...]:
        return tuple(token.form for token in self.tokens)

    @property
    def parsed(self) -> bool:
        """Whether the tokens carry dependency labels."""
        return any(token.deprel for token in self.tokens)

    def number(self, place: int) -> str:
        """The number of a word by its features, else by its fine tag; empty where neither says."""
        token = self.tokens[place]
        fine = "" if self.scheme == "stts" else _NUMBERS.get(token.xpos or "", "")
        return token.feature("Number") or fine

    @property
    def columns(self) -> TargetColumns:
        """Lemmas and tags, as the target of a lemmatised task has them."""
        lemmas = tuple([token.lemma for token in self.tokens])
        return lemmas, tuple([token.tag for token in self.tokens])

    def tagged_lemmas(self) -> tuple[str, ...]:
        """The tokens as the shared task writes them: `lemma|TAG`."""
        return tuple(joined_tag(token.lemma, token.tag) for token in self.tokens)


TargetColumns = tuple[tuple[str, ...], tuple[str | None, ...] | None]
"""The lemmas of a target and their tags, or its words and None; see `Example`."""

Link = tuple[int, int]
"""A word link: source position, target position, both from 0."""

Side = Literal["source", "target"]
SIDES: tuple[Side, ...] = get_args(Side)


@dataclass(frozen=True, slots=True)
class Mention:
    """The tokens `first` to `last` of a sentence, as part of a coreference chain."""

    chain: str
    side: Side
    first: int
    last: int

    @property
    def size(self) -> int:
        return self.last - self.first + 1

    def covers(self, side: Side, index: int) -> bool:
        return self.side == side and self.first <= index <= self.last


@dataclass(frozen=True, slots=True)
class Gap:
    """One REPLACE placeholder of the target sentence.

    `source_index` is the position of the source pronoun (of the verb, where subjects are null).
    `label` (a class or one of its forms) and `word` are columns 1 and 2 of the file, None in blind
    files.
    """

    position: int
    source_index: int
    label: str | None = None
    word: str | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """One line of a shared-task file.

    The target is `lemmas` with placeholders and their `tags`, which are None for placeholders. An
    inflected target has words in `lemmas`, and no `tags`. Links count positions in the target with
    placeholders. Parses and the mentions of coreference chains come from files beside that of the
    examples (`data_prep.annotate.layers`). A parse has as many tokens as its side.
    """

    source: tuple[str, ...]
    lemmas: tuple[str, ...]
    tags: tuple[str | None, ...] | None
    links: tuple[Link, ...]
    gaps: tuple[Gap, ...]
    document: str | None = None
    source_parse: AnnotatedSentence | None = None
    target_parse: AnnotatedSentence | None = None
    chains: tuple[Mention, ...] | None = None

    @property
    def tagged(self) -> bool:
        """Whether the target is lemmas with tags, not words."""
        return self.tags is not None

    @property
    def target(self) -> tuple[str, ...]:
        """The target tokens as in a file: `lemma|TAG`, or words."""
        if self.tags is None:
            return self.lemmas
        return tuple(map(joined_tag, self.lemmas, self.tags))

    def tag(self, place: int) -> str:
        """The tag of a target token; empty for placeholders and where the target is inflected."""
        return (self.tags[place] or "") if self.tags else ""

    def gold_lemma(self, gap: Gap) -> str | None:
        """The word of a gap as `lemmas` would have it, which is without its tag."""
        return split_tag(gap.word)[0] if gap.word and self.tagged else gap.word

    def with_target(self, tokens: Sequence[str]) -> Example:
        lemmas, tags = target_columns(tokens, self.tagged)
        return replace(self, lemmas=lemmas, tags=tags)

    def with_labels(self, labels: Iterable[str]) -> Example:
        """The same example with other labels, as in a submission; gold words are dropped."""
        pairs = zip(self.gaps, labels, strict=True)
        gaps = tuple(replace(gap, label=label, word=None) for gap, label in pairs)
        return replace(self, gaps=gaps)


def split_tag(token: str) -> tuple[str, str | None]:
    """Lemma and tag of `lemma|TAG`; the last bar separates, so a lemma may contain bars."""
    lemma, bar, tag = token.rpartition(TAG_SEPARATOR)
    return (lemma, tag) if bar else (token, None)


def joined_tag(lemma: str, tag: str | None) -> str:
    return lemma if tag is None else f"{lemma}{TAG_SEPARATOR}{tag}"


def target_columns(tokens: Sequence[str], tagged: bool) -> TargetColumns:
    """The lemmas of tokens as a file has them, and their tags if they are `tagged`."""
    if not tagged:
        return tuple(tokens), None
    lemmas, tags = zip(*map(split_tag, tokens), strict=True) if tokens else ((), ())
    return lemmas, tags
