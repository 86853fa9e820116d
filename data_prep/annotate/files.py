"""Annotation that exists already: CoNLL-U, TreeTagger's output, and files of `token|lemma|tag`.

The file must hold the sentences of the text, in order and with the same words. A CoNLL-U file may
agree with the text in its syntactic words (`de le`) or in the written ones (`du`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from crosspro.data_prep.annotate.tags import (
    REMEMBERED,
    TREETAGGER_SCHEMES,
    XPOS_SCHEMES,
    Assembler,
    presentable,
)
from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.core.example import TAG_SEPARATOR, AnnotatedSentence, Token
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.formats.conllu import (
    ConlluSentence,
    ConlluWord,
    comment_value,
    format_sentence,
    read_conllu,
)

SCHEME_COMMENT = "xpos_scheme"
"""Comment of our own CoNLL-U files that names the set of the XPOS tags."""
AUXILIARIES = ("être", "avoir", "be", "have", "sein", "haben", "werden")


class ConlluFile:
    """Lemmas, tags and parse from a CoNLL-U file.

    `Tag=` in the last column, as our own files have it, goes before UPOS and XPOS.
    """

    sequential = True

    def __init__(self, path: str, language: str, tagset: str) -> None:
        self.path = Path(path)
        self.scheme = XPOS_SCHEMES.get(language, "ud")
        self._assembler = lru_cache(lambda scheme: Assembler(language, tagset, scheme))
        self._assembler(self.scheme)  # bad settings raise at once
        self._sentences = read_conllu(self.path)

    def annotate(self, sentences: Sequence[Sequence[str]]) -> list[AnnotatedSentence]:
        """The next sentences of the file."""
        return [self._sentence(sentence) for sentence in sentences]

    def finish(self) -> None:
        """The file must be at its end."""
        for extra in self._sentences:
            found = quoted(" ".join(extra.forms))
            raise input_error(self.path, "sentence", "the end of the text", found, extra.line)

    def _sentence(self, forms: Sequence[str]) -> AnnotatedSentence:
        if not forms:
            return AnnotatedSentence(())
        sentence = next(self._sentences, None)
        if sentence is None:
            raise input_error(self.path, "sentence", quoted(" ".join(forms)), "the end of the file")
        words = self._matching_words(sentence, forms)
        assembler = self._assembler(comment_value(sentence.comments, SCHEME_COMMENT) or self.scheme)
        tokens = tuple(
            _conllu_token(assembler, form, word) for form, word in zip(forms, words, strict=True)
        )
        return AnnotatedSentence(tokens, assembler.scheme)

    def _matching_words(
        self, sentence: ConlluSentence, forms: Sequence[str]
    ) -> tuple[ConlluWord, ...]:
        shown = [presentable(form) for form in forms]
        written = sentence.written()
        for words in (written, sentence.words):
            if [presentable(word.form) for word in words] == shown:
                return words
        expected = f"the words of the text, {quoted(' '.join(forms), 200)}"
        found = quoted(" ".join(word.form for word in written), 200)
        raise input_error(self.path, "sentence", expected, found, sentence.line)


@lru_cache(REMEMBERED)  # most words occur again
def _conllu_token(assembler: Assembler, form: str, word: ConlluWord) -> Token:
    token = assembler.token(
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


def conllu_sentence(sentence: AnnotatedSentence) -> ConlluSentence:
    """An annotated sentence as CoNLL-U, with the task's tag as `Tag=`."""
    words = tuple(
        ConlluWord(
            presentable(token.form),
            "_".join(token.lemma.split()) or "_",
            token.upos if token.upos and token.upos != "SPACE" else "_",
            token.xpos or "_",
            token.features or "_",
            token.head + 1 if token.deprel else None,
            token.deprel or "_",
            "_",
            f"Tag={token.tag}",
        )
        for token in sentence.tokens
    )
    scheme = (f"# {SCHEME_COMMENT} = {sentence.scheme}",) if sentence.scheme else ()
    return ConlluSentence(words, comments=scheme)


class TokensFile:
    """Lemmas and tags from a file with `token|lemma|tag` for each word, one sentence a line."""

    sequential = True

    def __init__(self, path: str, language: str, tagset: str) -> None:
        self.path = Path(path)
        self._lines: Iterator[tuple[int, str]] = enumerate(read_text_lines(self.path), start=1)

    def annotate(self, sentences: Sequence[Sequence[str]]) -> list[AnnotatedSentence]:
        """The next lines of the file."""
        return [self._sentence(sentence) for sentence in sentences]

    def finish(self) -> None:
        """The file must be at its end."""
        for number, line in self._lines:
            raise input_error(self.path, "line", "the end of the text", quoted(line), number)

    def _sentence(self, forms: Sequence[str]) -> AnnotatedSentence:
        number, line = next(self._lines, (None, None))
        if line is None:
            raise input_error(self.path, "line", quoted(" ".join(forms)), "the end of the file")
        items = line.rstrip("\r").split(" ") if line.strip() else []
        if len(items) != len(forms):
            expected = f"{len(forms)} tokens, {quoted(' '.join(forms))}"
            found = f"{len(items)}: {quoted(line)}"
            raise input_error(self.path, "line", expected, found, number)
        tokens: list[Token] = []
        for form, item in zip(forms, items, strict=True):
            start = f"{form}{TAG_SEPARATOR}"
            lemma, _, tag = item.removeprefix(start).rpartition(TAG_SEPARATOR)
            if not item.startswith(start) or not lemma or not tag:
                raise input_error(self.path, "token", f"{form}|lemma|tag", quoted(item), number)
            tokens.append(Token(form, lemma, tag))
        return AnnotatedSentence(tuple(tokens), "")


class TreeTaggerOutput:
    """What TreeTagger, which the papers used, wrote for this text: `word TAB tag TAB lemma`.

    Empty lines and SGML tags are passed over.
    """

    sequential = True

    def __init__(self, path: str, language: str, tagset: str) -> None:
        self.path = Path(path)
        if language not in TREETAGGER_SCHEMES and tagset != "none":
            expected = f"a language that is {choices(TREETAGGER_SCHEMES)}"
            raise input_error("settings", "annotator treetagger", expected, quoted(language))
        self.assembler = Assembler(language, tagset, TREETAGGER_SCHEMES.get(language, "ud"))
        self._rows = self._read()

    def annotate(self, sentences: Sequence[Sequence[str]]) -> list[AnnotatedSentence]:
        """The next sentences; the file must have the same words."""
        return [
            AnnotatedSentence(tuple(map(self._token, sentence)), self.assembler.scheme)
            for sentence in sentences
        ]

    def finish(self) -> None:
        """The file must be at its end."""
        for number, columns in self._rows:
            raise input_error(self.path, "word", "the end of the text", quoted(columns[0]), number)

    def _read(self) -> Iterator[tuple[int, list[str]]]:
        for number, line in enumerate(read_text_lines(self.path), start=1):
            columns = line.rstrip("\r").split("\t")
            if len(columns) == 1 and (not line.strip() or line.startswith("<")):
                continue
            if len(columns) != 3:
                expected = "word, tag and lemma separated by tabs"
                raise input_error(self.path, "columns", expected, quoted(line), number)
            yield number, columns

    def _token(self, form: str) -> Token:
        number, columns = next(self._rows, (None, None))
        if columns is None:
            raise input_error(self.path, "word", quoted(form), "the end of the file")
        word, tag, lemma = columns
        if word not in (form, presentable(form)):
            raise input_error(self.path, "word", quoted(form), quoted(word), number)
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


def tokens_line(sentence: AnnotatedSentence) -> str:
    """An annotated sentence as a line of `token|lemma|tag`."""
    return " ".join(
        TAG_SEPARATOR.join((token.form, token.lemma, token.tag)) for token in sentence.tokens
    )


LAYOUTS: dict[str, Callable[[AnnotatedSentence], str]] = {
    "tokens": lambda sentence: f"{tokens_line(sentence)}\n",
    "lemmas": lambda sentence: f"{' '.join(sentence.tagged_lemmas())}\n",
    "conllu": lambda sentence: format_sentence(conllu_sentence(sentence)),
}
"""How an annotated sentence is written: its line, or its lines."""
