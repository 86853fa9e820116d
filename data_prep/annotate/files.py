"""Annotation that exists already: CoNLL-U and TreeTagger's output.

The file must hold the sentences of the text, in order and with the same words. A CoNLL-U file may
agree with the text in its syntactic words (`de le`) or in the written ones (`du`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Generic, TypeVar

from crosspro.data_prep.annotate.tags import (
    REMEMBERED,
    TREETAGGER_SCHEMES,
    XPOS_SCHEMES,
    Assembler,
    presentable,
)
from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.core.example import AnnotatedSentence, Token
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.formats.conllu import (
    SCHEME_COMMENT,
    ConlluSentence,
    ConlluWord,
    read_conllu,
)

AUXILIARIES = ("être", "avoir", "be", "have", "sein", "haben", "werden")
Item = TypeVar("Item")


class AnnotationFile(ABC, Generic[Item]):
    """A file whose items (sentences or words) annotate a text from its beginning."""

    def __init__(self, path: Path, field: str, items: Iterable[tuple[int, Item]]) -> None:
        self.path, self.field = path, field
        self.items: Iterator[tuple[int, Item]] = iter(items)

    def annotate(self, sentences: Sequence[Sequence[str]]) -> list[AnnotatedSentence]:
        """The next sentences of the text, which must be those of the file."""
        return [self.sentence(sentence) for sentence in sentences]

    @abstractmethod
    def sentence(self, forms: Sequence[str]) -> AnnotatedSentence:
        """The next sentence."""

    def next_item(self, text: str) -> tuple[int, Item]:
        """The next item with its line, which annotates this text."""
        item = next(self.items, None)
        if item is None:
            raise input_error(self.path, self.field, quoted(text), "the end of the file")
        return item

    def finish(self) -> None:
        """The file must be at its end."""
        for line, _ in self.items:
            raise input_error(self.path, self.field, "the end of the text", "more", line)


class ConlluFile(AnnotationFile[ConlluSentence]):
    """Lemmas, tags and parse from a CoNLL-U file.

    `Tag=` in the last column, as our own files have it, goes before UPOS and XPOS.
    """

    def __init__(self, path: str, language: str, tagset: str) -> None:
        items = ((sentence.line, sentence) for sentence in read_conllu(path))
        super().__init__(Path(path), "sentence", items)
        self.scheme = XPOS_SCHEMES.get(language, "ud")
        self.assembler = lru_cache(lambda scheme: Assembler(language, tagset, scheme))
        self.assembler(self.scheme)  # bad settings raise at once
        self.token = lru_cache(REMEMBERED)(self._token)

    def sentence(self, forms: Sequence[str]) -> AnnotatedSentence:
        if not forms:
            return AnnotatedSentence(())
        line, sentence = self.next_item(" ".join(forms))
        scheme = sentence.scheme or self.scheme
        shown = [presentable(form) for form in forms]
        for words in (sentence.written(), sentence.words):
            if [presentable(word.form) for word in words] == shown:
                tokens = (self.token(scheme, *pair) for pair in zip(forms, words, strict=True))
                return AnnotatedSentence(tuple(tokens), scheme)
        expected = f"the words of the text, {quoted(' '.join(forms), 200)}"
        actual = quoted(" ".join(word.form for word in sentence.written()), 200)
        raise input_error(self.path, self.field, expected, actual, line)

    def _token(self, scheme: str, form: str, word: ConlluWord) -> Token:
        token = self.assembler(scheme).token(
            form,
            "" if word.lemma == "_" and form != "_" else word.lemma,
            None if word.xpos == "_" else word.xpos,
            None if word.upos == "_" else word.upos,
            head=-1 if word.head is None else word.head - 1,
            deprel="" if word.deprel == "_" else word.deprel,
            features="" if word.feats == "_" else word.feats,
        )
        tags = [pair[4:] for pair in word.misc.split("|") if pair.startswith("Tag=")]
        return replace(token, lemma=word.lemma, tag=tags[0]) if tags else token


def conllu_text(sentence: AnnotatedSentence) -> str:
    """A sentence as CoNLL-U, with the task's tag as `Tag=`; nothing if it has no words."""
    rows = [f"# {SCHEME_COMMENT} = {sentence.scheme}"] if sentence.scheme else []
    for number, token in enumerate(sentence.tokens, start=1):
        columns = (
            str(number),
            presentable(token.form),
            "_".join(token.lemma.split()) or "_",
            token.upos if token.upos and token.upos != "SPACE" else "_",
            token.xpos or "_",
            token.features or "_",
            str(token.head + 1) if token.deprel else "_",
            token.deprel or "_",
            "_",
            f"Tag={token.tag}",
        )
        rows.append("\t".join(columns))
    return "\n".join(rows) + "\n\n" if sentence.tokens else ""


class TreeTaggerOutput(AnnotationFile[str]):
    """What TreeTagger, which the papers used, wrote for this text: `word TAB tag TAB lemma`.

    Empty lines and SGML tags are passed over.
    """

    def __init__(self, path: str, language: str, tagset: str) -> None:
        lines = enumerate(read_text_lines(Path(path)), start=1)
        rows = ((n, line) for n, line in lines if "\t" in line or line.strip()[:1] not in ("", "<"))
        super().__init__(Path(path), "word", rows)
        if language not in TREETAGGER_SCHEMES and tagset != "none":
            expected = f"a language that is {choices(TREETAGGER_SCHEMES)}"
            raise input_error("settings", "annotator treetagger", expected, quoted(language))
        self.assembler = Assembler(language, tagset, TREETAGGER_SCHEMES.get(language, "ud"))

    def sentence(self, forms: Sequence[str]) -> AnnotatedSentence:
        return AnnotatedSentence(tuple(map(self.token, forms)), self.assembler.scheme)

    def token(self, form: str) -> Token:
        number, line = self.next_item(form)
        columns = line.rstrip("\r").split("\t")
        if len(columns) != 3:
            expected = "word, tag and lemma separated by tabs"
            raise input_error(self.path, "columns", expected, quoted(line), number)
        word, tag, lemma = columns
        if word not in (form, presentable(form)):
            raise input_error(self.path, self.field, quoted(form), quoted(word), number)
        if self.assembler.fine is not None and not self.assembler.fine.knows(tag):
            expected = f"a tag of TreeTagger for {self.assembler.language}"
            raise input_error(self.path, "tag", expected, quoted(tag), number)
        return self.assembler.token(form, treetagger_lemma(form, lemma), tag)


def treetagger_lemma(form: str, lemma: str) -> str:
    """TreeTagger's lemma column as one lemma.

    An unknown lemma is the word itself; of several lemmas (`suivre|être`) an auxiliary is taken if
    there is one, else the first.
    """
    if lemma in ("<unknown>", "@card@", "@ord@", ""):
        return form
    alternatives = lemma.split("|") if form != lemma else [lemma]
    auxiliaries = (alternative for alternative in alternatives if alternative in AUXILIARIES)
    return next(auxiliaries, alternatives[0] or form)
