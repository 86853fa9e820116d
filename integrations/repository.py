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
from crosspro.prediction.proofread.annotations import as_github
from crosspro.prediction.proofread.formats import read_translation, translation_format
from crosspro.prediction.proofread.languages import model_for
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
            if one not in seen and one.suffix in SUFFIXES and not hidden:
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
    """What a model says of a file; None if none reads it."""
    both = sides(path)
    if both is None:
        return None
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the files that are named, and tell what is doubtful in them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="files or folders")
    parser.add_argument("--format", choices=("text", "github"), default="text")
    parser.add_argument("--model", help="for files whose languages are not known by their names")
    parser.add_argument("--threshold", type=float, default=DOUBTFUL, metavar="CHANCE")
    given = parser.parse_args(arguments)
    files = status = 0
    for path in given.paths:
        if not path.exists():
            print(f"{printable(str(path))}: expected a file or a folder", file=sys.stderr)
            status = 2
    for path in translations(given.paths):
        try:
            found = read(path, given.model, given.threshold)
        except InputError as error:
            print(error, file=sys.stderr)
            status = 2
            continue
        if found is None:
            continue
        files += 1
        if given.format == "github":
            sys.stdout.write(as_github(found))
        elif found.doubtful:
            sys.stdout.write(as_text(found))
        if found.doubtful:
            status = max(status, 1)
    print(f"{files} translations read", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
