"""TreeTagger, which the papers used: its program, or output that it has written already.

The program gets one word a line; sentences are kept apart by SGML tags, which it passes through.
Its output is `word TAB tag TAB lemma`. An unknown lemma is the word itself; of several lemmas
(`suivre|être`) an auxiliary is taken if there is one, else the first.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from crosspro.data_prep.annotate.tags import TREETAGGER_SCHEMES, Assembler, presentable
from crosspro.data_prep.core.errors import (
    CrossproError,
    InputError,
    Problem,
    choices,
    input_error,
    quoted,
)
from crosspro.data_prep.core.example import AnnotatedSentence, AnyOrder, Token
from crosspro.data_prep.core.files import read_text_lines

OPTIONS = ("-token", "-lemma", "-sgml")
PARAMETER_FILES = {"en": "english", "de": "german", "fr": "french"}
AUXILIARIES = ("être", "avoir", "be", "have", "sein", "haben", "werden")
_END = "<s/>"


def treetagger_assembler(language: str, tagset: str) -> Assembler:
    """What makes tokens of the tags of TreeTagger's parameter file for a language."""
    if language not in TREETAGGER_SCHEMES and tagset != "none":
        raise input_error(
            "settings",
            "annotator treetagger",
            f"a language that is {choices(TREETAGGER_SCHEMES)}",
            quoted(language),
        )
    return Assembler(language, tagset, TREETAGGER_SCHEMES.get(language, "ud"))


def lemma_of(form: str, lemma: str) -> str:
    """TreeTagger's lemma column as one lemma."""
    if lemma in ("<unknown>", "@card@", "@ord@", ""):
        return form
    alternatives = lemma.split("|") if form != lemma else [lemma]
    return next(
        (alternative for alternative in alternatives if alternative in AUXILIARIES),
        alternatives[0] or form,
    )


class TreeTaggerProgram(AnyOrder):
    """Runs TreeTagger on each batch.

    `command` is its folder (with bin/ and lib/), or the command with all arguments, parameter file
    included: `/opt/tt/bin/tree-tagger /opt/tt/lib/french.par`.
    """

    def __init__(self, command: str, language: str, tagset: str) -> None:
        self.assembler = treetagger_assembler(language, tagset)
        self.command = _command(command, language)

    def annotate(self, sentences: Sequence[Sequence[str]]) -> list[AnnotatedSentence]:
        """Lemmas and tags."""
        lines: list[str] = []
        for sentence in sentences:
            lines += [_not_sgml(presentable(form)) for form in sentence]
            lines.append(_END)
        output = self._run("".join(f"{line}\n" for line in lines))
        found = iter(output.splitlines())
        return [self._sentence(sentence, found) for sentence in sentences]

    def _run(self, text: str) -> str:
        try:
            result = subprocess.run(  # noqa: S603 - the user's own program, no shell
                self.command, input=text.encode("utf-8"), capture_output=True, check=False
            )
        except OSError as error:
            raise CrossproError(f"annotator: {self.command[0]}: {error.strerror}") from error
        if result.returncode:
            said = result.stderr.decode("utf-8", errors="replace").strip()
            raise CrossproError(
                f"annotator: {shlex.join(self.command)}: exit status {result.returncode}: {said}"
            )
        try:
            return result.stdout.decode("utf-8")
        except UnicodeDecodeError as error:
            raise CrossproError(
                f"annotator: {shlex.join(self.command)}: expected output in UTF-8, found another "
                "encoding: use a UTF-8 parameter file"
            ) from error

    def _sentence(self, forms: Sequence[str], lines: Iterator[str]) -> AnnotatedSentence:
        tokens: list[Token] = []
        for line in lines:
            if line.strip() == _END:
                break
            columns = line.split("\t")
            if len(tokens) == len(forms) or len(columns) != 3:
                raise self._disagrees(forms, line)
            form = forms[len(tokens)]
            tokens.append(self.assembler.token(form, lemma_of(form, columns[2]), columns[1]))
        if len(tokens) != len(forms):
            raise self._disagrees(forms, "the end of the sentence")
        return AnnotatedSentence(tuple(tokens), self.assembler.scheme)

    def _disagrees(self, forms: Sequence[str], line: str) -> CrossproError:
        return CrossproError(
            f"annotator: {shlex.join(self.command)}: expected word, tag and lemma for each word of "
            f"{quoted(' '.join(forms))}, found {quoted(line)}; use the program tree-tagger itself, "
            "not a script that splits words"
        )


def _command(written: str, language: str) -> list[str]:
    """The command to run, with the options that the protocol needs."""
    folder = Path(written)
    if folder.is_dir():
        names = [f"{PARAMETER_FILES.get(language, language)}{end}.par" for end in ("-utf8", "")]
        parameters = [folder / "lib" / name for name in names if (folder / "lib" / name).is_file()]
        if not parameters:
            expected = f"lib/{names[1]} in the folder of TreeTagger"
            raise input_error(written, "annotator", expected, "nothing")
        return [str(folder / "bin" / "tree-tagger"), *OPTIONS, str(parameters[0])]
    words = shlex.split(written)
    if len(words) < 2:
        raise input_error(
            "settings",
            "annotator",
            "treetagger:FOLDER or treetagger:PROGRAM … PARAMETERS.par",
            quoted(f"treetagger:{written}"),
        )
    if shutil.which(words[0]) is None:
        raise input_error("settings", "annotator", "a program", quoted(words[0]))
    missing = [option for option in OPTIONS if option not in words]
    return [*words[:-1], *missing, words[-1]]


def _not_sgml(word: str) -> str:
    """A word that starts with `<` would be taken for a tag and left out."""
    return f"‹{word[1:]}" if word.startswith("<") else word


class TreeTaggerOutput:
    """Reads what TreeTagger wrote for this very text; empty lines and SGML tags are passed over."""

    sequential = True

    def __init__(self, path: str, language: str, tagset: str) -> None:
        self.path = Path(path)
        self.assembler = treetagger_assembler(language, tagset)
        self._rows = self._read()

    def annotate(self, sentences: Sequence[Sequence[str]]) -> list[AnnotatedSentence]:
        """The next sentences; the file must have the same words."""
        return [self._sentence(sentence) for sentence in sentences]

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
                raise self._bad_line(number, line)
            yield number, columns

    def _bad_line(self, number: int, line: str) -> InputError:
        return input_error(
            self.path, "columns", "word, tag and lemma separated by tabs", quoted(line), number
        )

    def _sentence(self, forms: Sequence[str]) -> AnnotatedSentence:
        tokens = []
        for form in forms:
            number, columns = next(self._rows, (None, None))
            if columns is None:
                raise input_error(self.path, "word", quoted(form), "the end of the file")
            problems = list(self._problems(form, columns, number))
            if problems:
                raise InputError(problems)
            tokens.append(self.assembler.token(form, lemma_of(form, columns[2]), columns[1]))
        return AnnotatedSentence(tuple(tokens), self.assembler.scheme)

    def _problems(self, form: str, columns: Sequence[str], number: int | None) -> Iterable[Problem]:
        word, tag, _ = columns
        if word != form and word != presentable(form):
            yield Problem(str(self.path), number, "word", quoted(form), quoted(word))
        fine = self.assembler.fine
        if fine is not None and not fine.knows(tag):
            language = self.assembler.language
            yield Problem(
                str(self.path), number, "tag", f"a tag of TreeTagger for {language}", quoted(tag)
            )
