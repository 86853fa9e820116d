"""The records of the shared task: an example is one line of a file, a gap one placeholder in it.

Annotation never changes the tokens: position `i` of an annotated sentence is position `i` of the
text, so that word links stay valid.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, Literal, Protocol, get_args

TAG_SEPARATOR = "|"
"""Between lemma and tag, as the shared task writes them."""

_NUMBERS = {"NNS": "Plur", "NNPS": "Plur", "NN1": "Sing", "NN2": "Plur"}
_PENN_NUMBERS = {"NN": "Sing", "NNP": "Sing"}
"""What the fine tags of English nouns say (Penn's, and C5 of HanTa); NN of German is of either."""

Progress = Callable[[int], None]
"""Called with the number of sentences that are newly done."""


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
        number = token.feature("Number") or _NUMBERS.get(token.xpos or "", "")
        if not number and self.scheme != "stts":
            number = _PENN_NUMBERS.get(token.xpos or "", "")
        return number

    @property
    def columns(self) -> TargetColumns:
        """Lemmas and tags, as the target of a lemmatised task has them."""
        lemmas = tuple([token.lemma for token in self.tokens])
        return lemmas, tuple([token.tag for token in self.tokens])

    def tagged_lemmas(self) -> tuple[str, ...]:
        """The tokens as the shared task writes them: `lemma|TAG`."""
        return tuple(joined_tag(token.lemma, token.tag) for token in self.tokens)


class Annotator(Protocol):
    """A tagger or parser, ready to annotate.

    `sequential` annotators read a file: they take all sentences of the text in order and once, and
    cannot be spread over processes.
    """

    sequential: bool

    def annotate(self, sentences: Sequence[Sequence[str]]) -> list[AnnotatedSentence]:
        """One annotated sentence for each sentence, with the same tokens."""

    def finish(self) -> None:
        """Called after the text: a file with more sentences than the text is an error."""


class AnyOrder:
    """An annotator that looks at one sentence at a time."""

    sequential = False

    def finish(self) -> None:
        """Nothing is left over."""


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

    @classmethod
    def of_tokens(
        cls,
        source: tuple[str, ...],
        target: Sequence[str],
        links: tuple[Link, ...],
        gaps: tuple[Gap, ...],
        document: str | None = None,
        tagged: bool = True,
        **layers: Any,
    ) -> Example:
        """An example of target tokens as in a file, `lemma|TAG` if it is `tagged`."""
        return cls(source, *target_columns(target, tagged), links, gaps, document, **layers)

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
        gaps = tuple(
            Gap(gap.position, gap.source_index, label)
            for gap, label in zip(self.gaps, labels, strict=True)
        )
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


_LINE = attrgetter("source", "target", "links", "document", "tagged")
_GAP = attrgetter("position", "source_index", "label", "word")
_TOKEN = attrgetter("form", "lemma", "tag", "upos", "xpos", "head", "deprel", "features")


def examples_digest(examples: Iterable[Example]) -> str:
    """A short name of lines, documents, parses and chains."""
    digest = hashlib.blake2b(digest_size=12)
    for example in examples:
        parts = (*_LINE(example), [*map(_GAP, example.gaps)])  # tuples are shown fast
        if example.source_parse or example.target_parse or example.chains:
            parses = map(_parse, (example.source_parse, example.target_parse))
            parts = (*parts, *parses, example.chains)
        digest.update(repr(parts).encode("utf-8", errors="surrogatepass") + b"\n")
    return digest.hexdigest()


def _parse(sentence: AnnotatedSentence | None) -> object:
    return sentence and (sentence.scheme, [*map(_TOKEN, sentence.tokens)])
