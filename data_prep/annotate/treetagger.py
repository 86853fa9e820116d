"""What TreeTagger, which the papers used, wrote for a text: `word TAB tag TAB lemma`.

An unknown lemma is the word itself; of several lemmas (`suivre|être`) an auxiliary is taken if
there is one, else the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from crosspro.data_prep.annotate.tags import TREETAGGER_SCHEMES, Assembler, presentable
from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.core.example import AnnotatedSentence, Token
from crosspro.data_prep.core.files import read_text_lines

AUXILIARIES = ("être", "avoir", "be", "have", "sein", "haben", "werden")


def lemma_of(form: str, lemma: str) -> str:
    """TreeTagger's lemma column as one lemma."""
    if lemma in ("<unknown>", "@card@", "@ord@", ""):
        return form
    alternatives = lemma.split("|") if form != lemma else [lemma]
    auxiliaries = (alternative for alternative in alternatives if alternative in AUXILIARIES)
    return next(auxiliaries, alternatives[0] or form)


class TreeTaggerOutput:
    """Reads what TreeTagger wrote for this very text; empty lines and SGML tags are passed over."""

    sequential = True

    def __init__(self, path: str, language: str, tagset: str) -> None:
        self.path = Path(path)
        if language not in TREETAGGER_SCHEMES and tagset != "none":
            expected = f"a language that is {choices(TREETAGGER_SCHEMES)}"
            raise input_error("settings", "annotator treetagger", expected, quoted(language))
        scheme = TREETAGGER_SCHEMES.get(language, "ud")
        self.assembler = Assembler(language, tagset, scheme)
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
        return self.assembler.token(form, lemma_of(form, lemma), tag)
