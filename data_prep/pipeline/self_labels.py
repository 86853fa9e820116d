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

The files that a pre-training learns from: the task of each, and its lines with their labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from sys import intern

from crosspro.data_prep.annotate.corpus import (
    AnnotationSettings,
    annotate_shards,
)
from crosspro.data_prep.annotate.layers import layers_beside, read_layered
from crosspro.data_prep.annotate.tags import pronoun_lemma
from crosspro.data_prep.annotate.tokenise import tokenise_lines
from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.example import (
    AnnotatedSentence,
    Example,
    Gap,
    split_tag,
)
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.core.processes import Report
from crosspro.data_prep.core.task import NONE, OTHER, Task, load_task
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
        tagged = self.task.tagged
        for sentence, document in zip(sentences, documents, strict=True):
            shown = [token.lemma if tagged else token.form for token in sentence.tokens]
            tags: list[str | None] = [token.tag for token in sentence.tokens]
            lemmas = list(map(intern, map(as_word, shown)))
            gaps = []
            for place, word in enumerate(shown):
                name = self._class(sentence.forms, place, tags[place] or "", self.classes)
                if name is not None:
                    gaps.append(Gap(place, 0, name, word))
                    lemmas[place], tags[place] = placeholder(0), None
            columns = tuple(lemmas), tuple(tags) if tagged else None
            yield Example((), *columns, (), tuple(gaps), document)

    def of_bitext(self, examples: Iterable[Example]) -> Iterator[Example]:
        """Prepared examples with further gaps; their own are hidden, too."""
        for example in examples:
            yield with_gaps(example, self.gaps_of(example))

    def gaps_of(self, example: Example) -> tuple[Gap, ...]:
        """All gaps of a prepared example; the source of one without is its beginning."""
        classes = self.classes_of_lemmas if self.task.tagged else self.classes
        gaps = {gap.position: self._gap(gap) for gap in example.gaps}
        for place, word in enumerate(example.lemmas):
            if word.lower() not in classes or place in gaps:
                continue
            name = self._class(example.lemmas, place, example.tag(place), classes)
            if name is not None:
                gaps[place] = Gap(place, _source_of(place, example), name, word)
        return tuple(gaps[place] for place in sorted(gaps))

    def _class(
        self, words: Sequence[str], place: int, tag: str, classes: Mapping[str, str]
    ) -> str | None:
        """The class of a word of a line."""
        word = words[place].lower()
        name = classes.get(word)
        if name is None or tag in _NO_PRONOUNS:
            return None
        capital = place > 0 and words[place] != word
        if capital and word in self.polite and words[place - 1][-1] not in _BEGINNING:
            return None
        after = "".join(words[place + 1 : place + 2])
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


def with_gaps(example: Example, gaps: tuple[Gap, ...]) -> Example:
    """An example whose words in the places of these gaps are hidden, without links and layers."""
    lemmas, tags = list(example.lemmas), list(example.tags or ())
    for gap in gaps:
        lemmas[gap.position] = placeholder(gap.source_index)
        if tags:
            tags[gap.position] = None
    hidden = tuple(tags) if example.tagged else None
    return Example(example.source, tuple(lemmas), hidden, (), gaps, example.document)


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


# Files of a pre-training -------------------------------------------------------------------------


@dataclass(frozen=True)
class TaskFile:
    """A file, by its `name` as the user wrote it, read by the rules of `task`.

    `beside` are the files that are read with it.
    """

    name: str
    path: Path
    task: Task
    beside: tuple[Path, ...] = ()


@dataclass(frozen=True)
class TargetText:
    """A text of a target language in tokens, and the document of each line."""

    file: TaskFile
    sentences: Sequence[Sequence[str]]
    documents: Sequence[str | None]


def task_file(path: Path, task: Task, option: str) -> TaskFile:
    """The file of an option; TASK:FILE is of another task with the same target."""
    name, colon, file = str(path).partition(":")
    if colon and not path.is_file():
        other = load_task(name)
        if (other.target_language, other.target) != (task.target_language, task.target):
            expected = f"a task with a {task.target} target in {task.target_language}"
            raise input_error("settings", option, expected, quoted(name))
        path, task, name = Path(file), other, str(path)
    else:
        name = str(path)
    return TaskFile(name, path, task, tuple(layers_beside(path).files().values()))


def read_target_text(file: TaskFile, doc_ids: Path | None) -> TargetText:
    """A text in tokens."""
    lines = list(read_text_lines(file.path))
    sentences = list(tokenise_lines(lines, file.task.target_language))
    ids: list[str | None] = list(read_doc_ids(doc_ids)) if doc_ids else [None] * len(sentences)
    if len(ids) != len(sentences):
        raise input_error(doc_ids or file.path, "doc-ids", f"{len(sentences)} lines", str(len(ids)))
    return TargetText(replace(file, beside=(doc_ids,) if doc_ids else ()), sentences, ids)


def annotated_text(
    text: TargetText, task: Task, annotator: str, jobs: int, cache: Path, report: Report
) -> Iterator[AnnotatedSentence]:
    """The sentences with lemmas and tags; results are kept in `cache`."""
    language = task.target_language
    annotation = AnnotationSettings(annotator, language, task.tagset, parse=False)

    return annotate_shards(annotation, text.sentences, cache, report, jobs=jobs)


def self_labelled(
    labels: SelfLabels,
    data: Sequence[TaskFile],
    texts: Sequence[TargetText],
    annotate: Callable[[TargetText], Iterator[AnnotatedSentence]],
    unseen: set[bytes],
    share: float,
    tell: Callable[[TaskFile, Sequence[Example], int], None],
) -> tuple[list[Example], list[Example]]:
    """The lines to learn from for the task of the labels, and a share of them to choose by.

    `tell` gets the lines of each file, and how many more are left out, as they are `unseen`.
    """
    tagged = labels.task.tagged
    lines_of: list[tuple[TaskFile, list[Example]]] = []
    for file in data:
        lines_of.append((file, [_lean(line) for line in read_layered(file.path, file.task)]))
    for text in texts:
        # Of a tagged text the label comes from the form, which is no part of an example.
        whole = None if tagged else _whole_lines(text)
        examples = whole or labels.of_text(annotate(text), text.documents)
        lines_of.append((text.file, list(examples)))
    kept = [without_unseen(lines, unseen) for _, lines in lines_of]
    labels = learnt_determiners(labels, list(chain.from_iterable(kept)))
    train: list[Example] = []
    dev: list[Example] = []
    for number, ((file, lines), shown) in enumerate(zip(lines_of, kept, strict=True)):
        is_labelled = tagged and number >= len(data)
        labelled = shown if is_labelled else list(labels.of_bitext(shown))
        for part, more in zip((train, dev), held_out(labelled, share), strict=True):
            part += more
        tell(file, labelled, len(lines) - len(shown))
    return train, dev


def _lean(example: Example) -> Example:
    """An example without layers, in words that memory holds once."""
    source, lemmas = tuple(map(intern, example.source)), tuple(map(intern, example.lemmas))
    return Example(source, lemmas, example.tags, example.links, example.gaps, example.document)


def _whole_lines(text: TargetText) -> Iterator[Example]:
    """The lines of an inflected text with all their words."""
    for sentence, document in zip(text.sentences, text.documents, strict=True):
        yield Example((), tuple(map(intern, map(as_word, sentence))), None, (), (), document)
