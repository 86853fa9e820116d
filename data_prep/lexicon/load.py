"""Lexicons by name (`lefff`, `lexique`, `german-nouns`), by the path of a TSV file, or at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from crosspro.data_prep.errors import CrossproError, InputError, choices, input_error
from crosspro.data_prep.example import Example
from crosspro.data_prep.gaps.gold_words import with_gold_words
from crosspro.data_prep.lexicon.determiners import LANGUAGES
from crosspro.data_prep.lexicon.induce import induce
from crosspro.data_prep.lexicon.lexicon import Lexicon, read_lexicon
from crosspro.data_prep.lexicon.packages import PACKAGES
from crosspro.data_prep.task import Task

AT_HAND = "auto"
"""The name of the lexicon that there is without anything being installed for it."""
_FIRST = {"fr": "lefff", "de": "german-nouns"}
_DEMO_DOCUMENTS = 500


@dataclass(frozen=True)
class FoundLexicon:
    """A lexicon, where it comes from, and whether it is one that people have made."""

    lexicon: Lexicon
    origin: str
    installed: bool


def lexicon_at_hand(task: Task, train: Sequence[Example]) -> FoundLexicon | None:
    """The target nouns of a task: those of an installed package, else induced from text.

    That is the training text where it is inflected, and the short texts that come with the package,
    since lemmas show no gender. There is none for a language without gender, or not known here.
    """
    language = task.target_language
    package = _FIRST.get(language)
    if package is not None and PACKAGES[package].installed():
        return FoundLexicon(load_lexicon(package), package, True)
    if language not in LANGUAGES:
        return None
    from crosspro.data_prep.pairs.pair_links import own_texts  # which needs the aligner

    _, shipped = own_texts(task, _DEMO_DOCUMENTS)
    own = () if task.tagged else (with_gold_words(example).target for example in train)
    origin = "short texts of the package" if task.tagged else "the training text and short texts"
    return FoundLexicon(induce(chain(shipped, own), language), f"induced from {origin}", False)


def load_lexicon(name: str | Path) -> Lexicon:
    """The lexicon of an installed package, or of a file."""
    if str(name) in PACKAGES:
        package = PACKAGES[str(name)]
        return Lexicon.of(package.read(package.path()))
    if not Path(name).is_file():
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
