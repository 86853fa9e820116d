"""What annotation adds to text: a lemma and a coarse tag for each token, and a parse where known.

Every backend gives the same records, and none of them changes the tokens: position `i` of an
annotated sentence is position `i` of the text, so that word links stay valid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

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

    `tag` belongs to the tagset of the task, `xpos` is the tag as the backend gave it (its set is
    the sentence's `scheme`). `head` is a position from 0; -1 for the root and where no parse is
    known, and then `deprel` is empty. `features` are written as in CoNLL-U: `Case=Nom|Number=Sing`.
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
        for pair in self.features.split("|"):
            key, _, value = pair.partition("=")
            if key == name:
                return value
        return ""


@dataclass(frozen=True, slots=True)
class AnnotatedSentence:
    """The tokens of a sentence; `scheme` names the set that their `xpos` tags belong to."""

    tokens: tuple[Token, ...]
    scheme: str = ""

    @property
    def forms(self) -> tuple[str, ...]:
        """The words, exactly as they were given."""
        return tuple(token.form for token in self.tokens)

    @property
    def parsed(self) -> bool:
        """Whether the tokens carry dependency labels."""
        return any(token.deprel for token in self.tokens)

    def number(self, place: int) -> str:
        """The number of a word by its features, else by its fine tag; empty where neither says."""
        token = self.tokens[place]
        found = token.feature("Number") or _NUMBERS.get(token.xpos or "", "")
        if not found and self.scheme != "stts":
            found = _PENN_NUMBERS.get(token.xpos or "", "")
        return found

    def tagged_lemmas(self) -> tuple[str, ...]:
        """The tokens as the shared task writes them: `lemma|TAG`."""
        return tuple(f"{token.lemma}{TAG_SEPARATOR}{token.tag}" for token in self.tokens)


class Annotator(Protocol):
    """A backend, ready to annotate.

    `sequential` is true for backends that read their annotation from a file: they must be given all
    sentences of the text, in order and once, and cannot be spread over processes.
    """

    sequential: bool

    def annotate(self, sentences: Sequence[Sequence[str]]) -> list[AnnotatedSentence]:
        """One annotated sentence for each sentence, with the same tokens."""

    def finish(self) -> None:
        """Called when the text has ended: a file with more sentences than the text is an error."""


class AnyOrder:
    """The part that all backends share which look at one sentence at a time."""

    sequential = False

    def finish(self) -> None:
        """Nothing is left over."""


def count_tokens(sentences: Iterable[AnnotatedSentence]) -> int:
    """How many tokens the sentences have together."""
    return sum(len(sentence.tokens) for sentence in sentences)
