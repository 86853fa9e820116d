"""Which bundled model reads a translation: by the languages that names and files state."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, input_error
from crosspro.data_prep.core.files import is_file, read_bytes
from crosspro.prediction.proofread.formats import translation_format
from crosspro.prediction.registry import bundled_models

_LOOKED_AT = 1 << 16
_STATED = {
    "po": (re.compile(r'"X-Source-Language: *([\w-]+)'), re.compile(r'"Language: *([\w-]+)')),
    "xliff": (
        re.compile(r"\s(?:source-language|srcLang)\s*=\s*[\"']([\w-]+)"),
        re.compile(r"\s(?:target-language|trgLang)\s*=\s*[\"']([\w-]+)"),
    ),
    "tmx": (
        re.compile(r"\ssrclang\s*=\s*[\"']([\w-]+)"),
        re.compile(
            r"<tuv\b[^>]*?\slang\s*=\s*[\"']([\w-]+)|<tuv\b[^>]*?xml:lang\s*=\s*[\"']([\w-]+)"
        ),
    ),
}


def model_for(source: Path, target: Path | None) -> Path:
    """The name of the only bundled model that fits what is known of the languages.

    Names of files end with languages (book.en.srt, book.fr), or folders are called so; catalogues,
    XLIFF and memories state theirs. A catalogue that does not is translated from English.
    """
    pairs = {name: name.split("-")[:2] for name in bundled_models()}
    if target is None and not is_file(source):
        fitting = [
            name for name, pair in pairs.items() if all(_beside(source, one) for one in pair)
        ]
        stated = "neither"
    elif target is None and translation_format(source) not in _STATED:
        expected = "TRANSLATION, or a PO, XLIFF or TMX file"
        raise input_error(source, "translation", expected, "one file")
    else:
        sides = languages_stated(source, target)
        fitting = [
            name
            for name, pair in pairs.items()
            if all(one in side for one, side in zip(pair, sides, strict=True))
        ]
        stated = " and ".join(", ".join(sorted(side)) or "no language" for side in sides)
    if len(fitting) == 1:
        return Path(fitting[0])
    if fitting:
        stated = f"files for {', '.join(fitting)}"
    where = source if target is None else target
    expected = "--model, or names that say the languages (book.en book.de), for one of "
    raise input_error(where, "languages", expected + ", ".join(pairs), stated)


def named_otherwise(source: Path, target: Path | None, languages: tuple[str, str]) -> str | None:
    """The bundled model that two files are for by their names, if they are not in `languages`.

    Files may have been exchanged, or the model; but a folder may be called like a language, too.
    """
    if target is None:
        return None
    try:
        name = model_for(source, target).name
    except InputError:
        return None
    return None if tuple(name.split("-")[:2]) == languages else name


def languages_stated(source: Path, target: Path | None) -> tuple[set[str], set[str]]:
    """The languages of both sides; empty where neither files nor model names say any."""
    known = {language for name in bundled_models() for language in name.split("-")[:2]}
    kind = translation_format(source)
    if target is not None or kind not in _STATED:
        other = source if target is None else target
        return _named(source, known), _named(other, known)
    content = read_bytes(source, _LOOKED_AT).decode("utf-8", "replace").replace("\0", "")
    first, second = (
        {
            tag.lower().replace("_", "-").partition("-")[0]
            for found in pattern.finditer(content)
            for tag in found.groups()
            if tag
        }
        for pattern in _STATED[kind]
    )
    if kind == "po":
        return first or {"en"}, second or _named(source, known)
    return first, second - (first if kind == "tmx" else set())


def _named(path: Path, known: Iterable[str]) -> set[str]:
    """The language that the end of a name says (book.en.srt, de.po), or else a folder (en/talk)."""
    parts = [*path.parts[:-1], *re.split(r"[._-]", path.name.lower())]
    return set([part for part in parts if part in known][-1:])


def _beside(path: Path, language: str) -> bool:
    names = (f"{path.name}.{language}{suffix}" for suffix in ("", ".gz", ".xz", ".srt", ".vtt"))
    return any((path.parent / name).is_file() for name in names)
