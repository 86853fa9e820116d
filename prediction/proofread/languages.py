"""The bundled model that fits the languages of a translation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from crosspro.data_prep.core.errors import input_error
from crosspro.prediction.proofread.files import Translation
from crosspro.prediction.registry import bundled_models


def stated_languages(translation: Translation) -> tuple[set[str], set[str]]:
    """The languages of both sides that files state, or that their names say.

    Names end with languages (book.en.srt, de.po), or are in folders called so (en/talk).
    """
    languages = {language for name in bundled_models() for language in name.split("-")[:2]}
    source, target = translation.stated()
    if translation.source is not translation.target:
        source = source or _named(translation.source.name, languages)
    return source, target or _named(translation.target.name, languages)


def model_for(translation: Translation) -> str:
    source, target = stated_languages(translation)
    models = {name: name.split("-")[:2] for name in bundled_models()}
    fitting = [name for name, pair in models.items() if pair[0] in source and pair[1] in target]
    if len(fitting) == 1:
        return fitting[0]
    stated = " and ".join(", ".join(sorted(side)) or "no language" for side in (source, target))
    if fitting:
        stated = f"files for {', '.join(fitting)}"
    expected = "a model, or names that say the languages (book.en book.de), for one of "
    raise input_error(translation.target.name, "languages", expected + ", ".join(models), stated)


def _named(name: str, languages: Iterable[str]) -> set[str]:
    path = Path(name)
    parts = [*path.parts[:-1], *re.split(r"[._-]", path.name.lower())]
    return set([part for part in parts if part in languages][-1:])
