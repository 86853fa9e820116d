"""Proofread the translations of a repository, as pre-commit and a GitHub action do.

    python -m crosspro.integrations.repository --format github locale/de.po talk.de.srt

Catalogues (.po), XLIFF and memories (.tmx) have both languages in one file; of subtitles
`talk.de.srt` the source lies beside them, `talk.en.srt`. What no model of the package reads is
passed over with a note. The exit status is 1 where a pronoun is doubtful, and 2 where a file cannot
be read.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, printable
from crosspro.integrations import loaded
from crosspro.prediction.model_archive import box_models
from crosspro.prediction.proofread.annotations import as_github, github_error
from crosspro.prediction.proofread.formats import read_translation, translation_format
from crosspro.prediction.proofread.languages import languages_stated, model_for
from crosspro.prediction.proofread.output import DOUBTFUL, Proofreading, as_text, proofreading

BILINGUAL = ("po", "xliff", "tmx")
SUFFIXES = (".po", ".xliff", ".xlf", ".tmx", ".srt", ".vtt")
_SUBTITLES = re.compile(r"(?P<stem>.*)[._-](?P<language>[a-z]{2})(?P<suffix>\.(?:srt|vtt))")


def translations(paths: Iterable[Path]) -> Iterator[Path]:
    """The files of translations among paths and below folders, hidden ones left out."""
    seen = set()
    for path in paths:
        below = sorted(path.rglob("*")) if path.is_dir() else [path]
        for one in below:
            hidden = any(part.startswith(".") for part in one.relative_to(path).parts)
            if one not in seen and one.suffix in SUFFIXES and not hidden and one.is_file():
                seen.add(one)
                yield one


def sides(path: Path) -> tuple[Path, Path | None] | None:
    """The source of a translation and itself, or the file of both; None for a source."""
    if translation_format(path) in BILINGUAL:
        return path, None
    named = _SUBTITLES.fullmatch(path.name)
    pairs = (name.split("-")[:2] for name in box_models())
    for source, target in pairs if named else ():
        if named and named["language"] == target:
            start, end = named.span("language")
            other = path.with_name(path.name[:start] + source + path.name[end:])
            # Of two files in languages with models both ways, the English one is the source.
            if other.is_file() and (source == "en" or target != "en"):
                return other, path
    return None


def read(path: Path, model: str | None, threshold: float) -> Proofreading | None:
    """What a model says of a file: the given one if it can be for its languages, or else that of
    the box; None if none reads it."""
    both = sides(path)
    if both is None:
        return None
    if model is not None:
        task = loaded(model).task
        languages = task.source_language, task.target_language
        stated = languages_stated(*both)
        if any(said and one not in said for one, said in zip(languages, stated, strict=True)):
            model = None
    if model is None:
        try:
            model = model_for(*both).name
        except InputError as error:
            print(f"passed over: {error}", file=sys.stderr)
            return None
    predictor = loaded(model)
    languages = predictor.task.source_language, predictor.task.target_language
    text = read_translation(*both, languages=languages)
    return proofreading(predictor, "", text, threshold)


def chance(text: str) -> float:
    """A threshold."""
    if not 0 <= float(text) <= 1:
        raise ValueError
    return float(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the files that are named, and tell what is doubtful in them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="files or folders")
    parser.add_argument("--format", choices=("text", "github"), default="text")
    parser.add_argument("--model", help="for files in its languages, or that do not say theirs")
    parser.add_argument("--threshold", type=chance, default=DOUBTFUL, metavar="CHANCE")
    given = parser.parse_args(arguments)
    github = given.format == "github"
    missing = [path for path in given.paths if not path.exists()]
    wrong = [f"{printable(str(path))}: expected a file or a folder" for path in missing]
    files = doubtful = 0
    for path in translations(given.paths):
        try:
            found = read(path, given.model, given.threshold)
        except InputError as error:
            wrong.append(str(error))
            continue
        if found is not None:
            files += 1
            doubtful += len(found.doubtful)
            if found.doubtful:
                _write(as_github(found) if github else as_text(found))
    for text in dict.fromkeys(wrong):
        if github:  # also lest a name be taken for a command
            _write(github_error(text))
        else:
            print(text, file=sys.stderr)
    print(f"{files} translations read", file=sys.stderr)
    return 2 if wrong else min(doubtful, 1)


def _write(text: str) -> None:
    """Whatever the encoding of the output is, and with names that are not UTF-8."""
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main())
