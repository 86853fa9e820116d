"""Lexicons by name (`lefff`, `lexique`, `german-nouns`), by the path of a TSV file, or learnt.

A system's setting may also be `induced`, a lexicon that is learnt from the side's own training text
where that is inflected, and `auto`: the package of the side's language where one is installed, else
an induced lexicon, else none. A mapping of languages to such settings has none for other languages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import CrossproError, InputError, choices, input_error
from crosspro.data_prep.core.example import Example, Side
from crosspro.data_prep.core.files.textfile import is_file
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.lexicon.determiners import LANGUAGES
from crosspro.data_prep.lexicon.english_nouns import english_words
from crosspro.data_prep.lexicon.induce import induce
from crosspro.data_prep.lexicon.lexicon import Lexicon, read_lexicon
from crosspro.data_prep.lexicon.packages import PACKAGES

AUTO, INDUCED = "auto", "induced"
_OF_LANGUAGE = {"fr": ("lefff", "lexique"), "de": ("german-nouns",)}
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
            f"a lexicon that is installed ({', '.join(PACKAGES)}), a TSV file (crosspro lexicon), "
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
        installed = (package for package in _OF_LANGUAGE.get(language, ()) if _installed(package))
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
