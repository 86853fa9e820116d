"""Self-labelled text: target pronouns of a task's classes are gaps whose label is known.

A text of the target language alone has labels for nothing but its own words, and so have pronouns
of parallel text that translate no source pronoun of the task. The word that stood in a gap is kept
with it, as the text has it: by its lemma where the task is lemmatised, while the label always comes
from the word itself. Lemmas that several classes share (French il, of il and ils) tell no label.

Gaps of the task itself have no label here unless that is asked for: whoever has learnt them by
heart has nothing left to learn from them later.

Where there are no tags, a lexicon tells determiners from pronouns: ce before a noun or an adjective
is none. It is learnt from the same text once all such words are hidden, as ce before a verb would
make a noun of that (`learnt_determiners`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from crosspro.data_prep.annotate.pronouns import pronoun_lemma
from crosspro.data_prep.core.example import Example, Gap, split_tag
from crosspro.data_prep.core.task import NONE, OTHER, Task
from crosspro.data_prep.core.token import TAG_SEPARATOR, AnnotatedSentence, Token
from crosspro.data_prep.formats.placeholder import as_word, placeholder
from crosspro.data_prep.lexicon.determiners import LANGUAGES, determiners
from crosspro.data_prep.lexicon.induce import induce
from crosspro.data_prep.lexicon.lexicon import NOUNS, Lexicon

_NO_PRONOUNS = frozenset(("DET", "KON", "CONJ", "ADP", "PRP"))
"""Tags of words that are spelled as pronouns and are none: ce livre, that he comes."""

_BLOCK = 50
"""Lines that are held out together, at most."""


@dataclass(frozen=True)
class SelfLabels:
    """Makes gaps of the pronouns of a task's target language.

    `lexicon` has the nouns and adjectives before which a word without a tag is a determiner;
    with `own_gaps` the gaps of prepared text keep their labels.
    """

    task: Task
    lexicon: Lexicon | None = None
    own_gaps: bool = False

    @cached_property
    def classes(self) -> Mapping[str, str]:
        """The class of each word that has one, but for OTHER."""
        forms = {name: words for name, words in self.task.forms.items() if name != OTHER}
        return {word: name for name, words in forms.items() for word in words}

    @cached_property
    def classes_of_lemmas(self) -> Mapping[str, str]:
        """The class of each lemma of such words, where all words with the lemma have the same."""
        found: dict[str, set[str]] = {}
        for word, name in self.classes.items():
            found.setdefault(self.as_shown(word), set()).add(name)
        return {lemma: names.pop() for lemma, names in found.items() if len(names) == 1}

    @cached_property
    def determiners(self) -> frozenset[str]:
        """The words with a class that may be determiners, as far as the lexicon can tell."""
        language = self.task.target_language
        if self.lexicon is None or language not in LANGUAGES:
            return frozenset()
        return frozenset(self.classes.keys() & determiners(language).keys())

    def as_shown(self, word: str) -> str:
        """A pronoun as the target of the task shows it."""
        if not self.task.tagged:
            return word
        return pronoun_lemma(word, "PRON", self.task.target_language) or word

    def of_text(
        self, sentences: Iterable[AnnotatedSentence], documents: Iterable[str | None]
    ) -> Iterator[Example]:
        """Examples of a text without a source."""
        known: dict[str, str] = {}  # one string for all occurrences of a word
        for sentence, document in zip(sentences, documents, strict=True):
            tokens = [self._token(token) for token in sentence.tokens]
            gaps = []
            for place, token in enumerate(sentence.tokens):
                following = sentence.tokens[place + 1 : place + 2]
                after = following[0].form if following else ""
                name = self._class(token.form.lower(), token.tag, after, self.classes)
                if name is not None:
                    shown = token.lemma if self.task.tagged else token.form
                    gaps.append(Gap(place, 0, name, shown))
                    tokens[place] = placeholder(0)
            target = tuple(known.setdefault(token, token) for token in tokens)
            yield Example((), target, (), tuple(gaps), document, self.task.tagged)

    def of_bitext(self, examples: Iterable[Example]) -> Iterator[Example]:
        """Prepared examples with further gaps; their own are hidden, too."""
        classes = self.classes_of_lemmas if self.task.tagged else self.classes
        known: dict[str, str] = {}
        for example in examples:
            target = list(example.target)
            gaps = {gap.position: self._gap(gap) for gap in example.gaps}
            for place, token in enumerate(target):
                word, tag = split_tag(token) if example.tagged else (token, "")
                after = "".join(example.target[place + 1 : place + 2])
                name = self._class(word.lower(), tag, after, classes)
                if name is not None and place not in gaps and example.source:
                    source = _source_of(place, example)
                    gaps[place] = Gap(place, source, name, word)
                    target[place] = placeholder(source)
            yield replace(
                example,
                source=tuple(known.setdefault(token, token) for token in example.source),
                target=tuple(known.setdefault(token, token) for token in target),
                gaps=tuple(gaps[place] for place in sorted(gaps)),
                links=(),
                source_parse=None,
                target_parse=None,
                chains=None,
            )

    def _token(self, token: Token) -> str:
        if not self.task.tagged:
            return as_word(token.form)
        return f"{as_word(token.lemma)}{TAG_SEPARATOR}{token.tag}"

    def _class(self, word: str, tag: str, after: str, classes: Mapping[str, str]) -> str | None:
        """The class of a word before another one."""
        name = classes.get(word)
        if name is None or tag in _NO_PRONOUNS:
            return None
        return None if not tag and self._is_determiner(word, after) else name

    def _is_determiner(self, word: str, after: str) -> bool:
        """Whether a word stands before a noun or an adjective; ce jour-là is ce jour."""
        if word not in self.determiners or self.lexicon is None:
            return False
        noun = after if self.lexicon.readings(after) else after.partition("-")[0]
        return self.lexicon.mostly(noun, (*NOUNS, "ADJ"))

    def _gap(self, gap: Gap) -> Gap:
        """A gap of a task, perhaps another one, with a class of this one, or without any."""
        word = gap.word if gap.word and gap.word != NONE else None
        if word and self.task.tagged:  # without its tag, as the words of other pronouns
            word = split_tag(word)[0]
        label = gap.label if self.own_gaps else None
        if label is not None and label not in self.task.class_index:
            label = self.task.class_of((word or "").lower())
        return replace(gap, label=label, word=self.as_shown(word) if word else None)


def learnt_determiners(labels: SelfLabels, labelled: Iterable[Example]) -> SelfLabels:
    """Labels that know determiners, from examples whose pronouns, and perhaps others, are hidden.

    Tags know them already, and so nothing is learnt for a lemmatised task.
    """
    language = labels.task.target_language
    if labels.task.tagged or language not in LANGUAGES:
        return labels
    return replace(labels, lexicon=induce((example.target for example in labelled), language))


def _source_of(place: int, example: Example) -> int:
    """The first source word linked to a target word, or to the linked one nearest to it."""
    if not example.links:
        return min(len(example.source) - 1, place * len(example.source) // len(example.target))
    nearest = min(example.links, key=lambda link: (abs(link[1] - place), -link[1], link[0]))
    return nearest[0]


def held_out(examples: Sequence[Example], share: float) -> tuple[list[Example], list[Example]]:
    """Examples to learn from and a share of them to choose by, in blocks of neighbouring ones.

    Novels are too long for whole ones to be held out.
    """
    every = max(2, round(1 / share))
    block = max(1, min(_BLOCK, len(examples) // every))
    train: list[Example] = []
    dev: list[Example] = []
    for start in range(0, len(examples), block):
        number = start // block
        (dev if number % every == every // 2 else train).extend(examples[start : start + block])
    return train, dev
