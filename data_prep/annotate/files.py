"""Annotation that somebody has made already: CoNLL-U files, and files of `token|lemma|tag`.

The file must hold the sentences of the text, in order and with the same words. A CoNLL-U file may
agree with the text in its syntactic words (`de le`) or in the written ones (`du`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from crosspro.data_prep.annotate.tags import REMEMBERED, XPOS_SCHEMES, Assembler, presentable
from crosspro.data_prep.core.errors import InputError, Problem, input_error, quoted
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


class ConlluFile:
    """Lemmas, tags and parse from a CoNLL-U file.

    `Tag=` in the last column, as our own files have it, goes before UPOS and XPOS.
    """

    sequential = True

    def __init__(self, path: str, language: str, tagset: str) -> None:
        self.path = Path(path)
        self.language = language
        self.tagset = tagset
        self._assemblers: dict[str, Assembler] = {}
        self._assembler(XPOS_SCHEMES.get(language, "ud"))  # bad settings are told at once
        self._sentences = read_conllu(self.path)

    def annotate(self, sentences: Sequence[Sequence[str]]) -> list[AnnotatedSentence]:
        """The next sentences of the file."""
        return [self._sentence(sentence) for sentence in sentences]

    def finish(self) -> None:
        """The file must be at its end."""
        for extra in self._sentences:
            found = quoted(" ".join(extra.forms))
            raise input_error(self.path, "sentence", "the end of the text", found, extra.line)

    def _assembler(self, scheme: str) -> Assembler:
        if scheme not in self._assemblers:
            self._assemblers[scheme] = Assembler(self.language, self.tagset, scheme)
        return self._assemblers[scheme]

    def _sentence(self, forms: Sequence[str]) -> AnnotatedSentence:
        if not forms:
            return AnnotatedSentence(())
        found = next(self._sentences, None)
        if found is None:
            raise input_error(self.path, "sentence", quoted(" ".join(forms)), "the end of the file")
        words = self._matching_words(found, forms)
        scheme = comment_value(found.comments, SCHEME_COMMENT)
        assembler = self._assembler(scheme or XPOS_SCHEMES.get(self.language, "ud"))
        tokens = tuple(
            _token(assembler, form, word) for form, word in zip(forms, words, strict=True)
        )
        return AnnotatedSentence(tokens, assembler.scheme)

    def _matching_words(
        self, found: ConlluSentence, forms: Sequence[str]
    ) -> tuple[ConlluWord, ...]:
        wanted = [presentable(form) for form in forms]
        for words in (found.written(), found.words):
            if [presentable(word.form) for word in words] == wanted:
                return words
        raise input_error(
            self.path,
            "sentence",
            f"the words of the text, {quoted(' '.join(forms), 200)}",
            quoted(" ".join(word.form for word in found.written()), 200),
            found.line,
        )


@lru_cache(REMEMBERED)  # most words occur again
def _token(assembler: Assembler, form: str, word: ConlluWord) -> Token:
    made = assembler.token(
        form,
        "" if word.lemma == "_" and form != "_" else word.lemma,
        None if word.xpos == "_" else word.xpos,
        None if word.upos == "_" else word.upos,
        head=-1 if word.head is None else word.head - 1,
        deprel="" if word.deprel == "_" else word.deprel,
        features="" if word.feats == "_" else word.feats,
    )
    given = [pair[4:] for pair in word.misc.split("|") if pair.startswith("Tag=")]
    if not given:
        return made
    return replace(made, lemma=word.lemma, tag=given[0])


def conllu_words(sentence: AnnotatedSentence) -> tuple[ConlluWord, ...]:
    """The words of an annotated sentence as lines of CoNLL-U, with the task's tag as `Tag=`."""
    return tuple(
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


def conllu_sentence(sentence: AnnotatedSentence) -> ConlluSentence:
    """An annotated sentence as CoNLL-U."""
    scheme = (f"# {SCHEME_COMMENT} = {sentence.scheme}",) if sentence.scheme else ()
    return ConlluSentence(conllu_words(sentence), comments=scheme)


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
            raise input_error(
                self.path,
                "line",
                f"{len(forms)} tokens, {quoted(' '.join(forms))}",
                f"{len(items)}: {quoted(line)}",
                number,
            )
        tokens: list[Token] = []
        problems: list[Problem] = []
        for form, item in zip(forms, items, strict=True):
            start = f"{form}{TAG_SEPARATOR}"
            lemma, bar, tag = item.removeprefix(start).rpartition(TAG_SEPARATOR)
            if not item.startswith(start) or not bar or not lemma or not tag:
                problems.append(
                    Problem(str(self.path), number, "token", f"{form}|lemma|tag", quoted(item))
                )
            tokens.append(Token(form, lemma, tag))
        if problems:
            raise InputError(problems)
        return AnnotatedSentence(tuple(tokens), "")


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
