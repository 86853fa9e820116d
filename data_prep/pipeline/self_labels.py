"""Self-labelled text: target pronouns of a task's classes are gaps whose label is known.

A text of the target language alone has labels for nothing but its own words, and so have pronouns
of parallel text that translate no source pronoun of the task. The word that stood in a gap is kept
with it, as the text has it: by its lemma where the task is lemmatised, while the label always comes
from the word itself. Lemmas that several classes share (French il, of il and ils) tell no label.

Gaps of the task itself have no label here: whoever has learnt them by heart has nothing left to
learn from them later.

Where there are no tags, a lexicon tells determiners from pronouns: ce before a noun or an adjective
is none. It is learnt from the same text once all such words are hidden, as ce before a verb would
make a noun of that (`learnt_determiners`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from sys import intern

from crosspro.data_prep.annotate.layers import read_layered
from crosspro.data_prep.annotate.tags import pronoun_lemma
from crosspro.data_prep.annotate.tokenise import tokenise_lines
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import AnnotatedSentence, Example, Gap
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.core.task import NONE, OTHER, Task
from crosspro.data_prep.formats.shared_task import as_word, placeholder, read_doc_ids
from crosspro.data_prep.lexicon.induce import LANGUAGES, determiners, induce
from crosspro.data_prep.lexicon.lexicon import NOUNS, Lexicon
from crosspro.data_prep.pipeline.sets.overlap import without_unseen
from crosspro.data_prep.words.lists import word_lists

_NO_PRONOUNS = frozenset(("DET", "KON", "CONJ", "ADP", "PRP"))
"""Tags of words that are spelled as pronouns and are none: ce livre, that he comes."""

_BEGINNING = ".!?:;…\"'„“”»«-–—("
"""Before what begins with a capital in any case, these may stand."""

_BLOCK = 50
"""Lines that are held out together, at most."""


@dataclass(frozen=True)
class SelfLabels:
    """Makes gaps of the pronouns of a task's target language.

    `lexicon` has the nouns and adjectives before which a word without a tag is a determiner.
    """

    task: Task
    lexicon: Lexicon | None = None

    @cached_property
    def classes(self) -> Mapping[str, str]:
        """The class of each word that has one, but for OTHER."""
        forms = {name: words for name, words in self.task.forms.items() if name != OTHER}
        linked = self.task.linked
        return {word: name for name in forms for word in forms[name] if word not in linked}

    @cached_property
    def polite(self) -> frozenset[str]:
        """Words that are forms of address where a capital inside a sentence shows it (Sie)."""
        return frozenset(word_lists("gaps", self.task.target_language).get("polite", ()))

    @cached_property
    def classes_of_lemmas(self) -> Mapping[str, str]:
        """The class of each lemma of such words, where all words with the lemma have the same."""
        by_lemma: dict[str, set[str]] = {}
        for word, name in self.classes.items():
            by_lemma.setdefault(self.as_shown(word), set()).add(name)
        return {lemma: names.pop() for lemma, names in by_lemma.items() if len(names) == 1}

    def as_shown(self, word: str) -> str:
        """A pronoun as the target of the task shows it."""
        if not self.task.tagged:
            return word
        return pronoun_lemma(word, "PRON", self.task.target_language) or word

    def of_tagged_text(
        self, sentences: Iterable[AnnotatedSentence], documents: Iterable[str | None]
    ) -> Iterator[Example]:
        """Lemmatised examples of a text without a source.

        Labels come from the forms, which are no part of an example.
        """
        for sentence, document in zip(sentences, documents, strict=True):
            lemmas = tuple([intern(as_word(token.lemma)) for token in sentence.tokens])
            tags = tuple([token.tag for token in sentence.tokens])
            labels = (
                self._class(sentence.forms, place, tag, self.classes)
                for place, tag in enumerate(tags)
            )
            gaps = [
                Gap(place, 0, label, sentence.tokens[place].lemma)
                for place, label in enumerate(labels)
                if label is not None
            ]
            yield _hidden(Example((), lemmas, tags, (), (), document), gaps)

    def of_bitext(self, examples: Iterable[Example]) -> Iterator[Example]:
        """Examples with further gaps; their own are hidden, too, and have no label."""
        classes = self.classes_of_lemmas if self.task.tagged else self.classes
        for example in examples:
            gaps = {gap.position: self._unlabelled(example, gap) for gap in example.gaps}
            for place, word in enumerate(example.lemmas):
                if place not in gaps:
                    label = self._class(example.lemmas, place, example.tag(place), classes)
                    if label is not None:
                        gaps[place] = Gap(place, _source_of(place, example), label, word)
            yield _hidden(example, [gaps[place] for place in sorted(gaps)])

    def _class(
        self, words: Sequence[str], place: int, tag: str, classes: Mapping[str, str]
    ) -> str | None:
        """The class of a word of a line."""
        word = words[place].lower()
        if word not in classes or tag in _NO_PRONOUNS:
            return None
        capital = place > 0 and words[place] != word
        if capital and word in self.polite and words[place - 1][-1] not in _BEGINNING:
            return None
        after = "".join(words[place + 1 : place + 2])
        return None if not tag and self._is_determiner(word, after) else classes[word]

    def _is_determiner(self, word: str, after: str) -> bool:
        """Whether a word stands before a noun or an adjective; ce jour-là is ce jour."""
        if self.lexicon is None or word not in determiners(self.task.target_language):
            return False
        noun = after if self.lexicon.readings(after) else after.partition("-")[0]
        return self.lexicon.mostly(noun, (*NOUNS, "ADJ"))

    def _unlabelled(self, example: Example, gap: Gap) -> Gap:
        word = None if gap.word == NONE else example.gold_lemma(gap)
        return replace(gap, label=None, word=self.as_shown(word) if word else None)


def _hidden(example: Example, gaps: Sequence[Gap]) -> Example:
    """An example whose words in the places of these gaps are hidden, without links and layers."""
    lemmas, tags = list(example.lemmas), list(example.tags or ())
    for gap in gaps:
        lemmas[gap.position] = placeholder(gap.source_index)
        if tags:
            tags[gap.position] = None
    columns = tuple(lemmas), tuple(tags) if example.tagged else None
    return Example(example.source, *columns, (), tuple(gaps), example.document)


def learnt_determiners(labels: SelfLabels, examples: Sequence[Example]) -> SelfLabels:
    """Labels that know determiners, from examples with their pronouns, and perhaps others, hidden.

    Tags know them already, and so nothing is learnt for a lemmatised task.
    """
    language = labels.task.target_language
    if labels.task.tagged or language not in LANGUAGES:
        return labels
    hidden = (example.lemmas for example in labels.of_bitext(examples))
    return replace(labels, lexicon=induce(hidden, language))


def _source_of(place: int, example: Example) -> int:
    """The first source word linked to a target word, or to the linked one nearest to it."""
    if not example.source:
        return 0
    if not example.links:
        return min(len(example.source) - 1, place * len(example.source) // len(example.lemmas))
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
    for number, start in enumerate(range(0, len(examples), block)):
        (dev if number % every == every // 2 else train).extend(examples[start : start + block])
    return train, dev


@dataclass(frozen=True)
class TargetText:
    """A text of a target language in tokens, and the document of each line."""

    path: Path
    doc_ids: Path | None
    sentences: Sequence[Sequence[str]]
    documents: Sequence[str | None]

    def lines(self) -> Iterator[Example]:
        """The lines of an inflected text with all their words."""
        for words, document in zip(self.sentences, self.documents, strict=True):
            yield Example((), tuple(map(intern, map(as_word, words))), None, (), (), document)


def read_target_text(path: Path, doc_ids: Path | None, language: str) -> TargetText:
    sentences = list(tokenise_lines(list(read_text_lines(path)), language))
    ids = [None] * len(sentences) if doc_ids is None else list(read_doc_ids(doc_ids))
    if doc_ids is not None and len(ids) != len(sentences):
        raise input_error(doc_ids, "doc-ids", f"{len(sentences)} lines", str(len(ids)))
    return TargetText(path, doc_ids, sentences, ids)


def self_labelled(
    labels: SelfLabels,
    data: Sequence[Path],
    texts: Sequence[TargetText],
    annotate: Callable[[TargetText], Iterator[AnnotatedSentence]],
    unseen: set[bytes],
    share: float,
    report: Callable[[Path, Sequence[Example], int], None],
) -> tuple[list[Example], list[Example]]:
    """The lines to learn from for the task of the labels, and a share of them to choose by.

    `report` gets the lines of each file, and how many more are left out, as they are `unseen`.
    """
    tagged = labels.task.tagged
    files = [(path, list(map(_lean, read_layered(path, labels.task)))) for path in data]
    for text in texts:
        every = labels.of_tagged_text(annotate(text), text.documents) if tagged else text.lines()
        files.append((text.path, list(every)))
    kept = [without_unseen(lines, unseen) for _, lines in files]
    labels = learnt_determiners(labels, list(chain.from_iterable(kept)))
    train: list[Example] = []
    dev: list[Example] = []
    for number, ((path, lines), seen) in enumerate(zip(files, kept, strict=True)):
        is_labelled = tagged and number >= len(data)
        labelled = seen if is_labelled else list(labels.of_bitext(seen))
        for part, more in zip((train, dev), held_out(labelled, share), strict=True):
            part += more
        report(path, labelled, len(lines) - len(seen))
    return train, dev


def _lean(example: Example) -> Example:
    """An example without layers, in words that memory holds once."""
    source, lemmas = tuple(map(intern, example.source)), tuple(map(intern, example.lemmas))
    return Example(source, lemmas, example.tags, example.links, example.gaps, example.document)
