"""Lexicons by name (`lefff`, `lexique`, `german-nouns`) or by the path of a TSV file."""

from __future__ import annotations

from pathlib import Path

from crosspro.data_prep.errors import choices, input_error
from crosspro.data_prep.lexicon.lexicon import Lexicon, read_lexicon
from crosspro.data_prep.lexicon.packages import PACKAGES


def load_lexicon(name: str | Path) -> Lexicon:
    """The lexicon of an installed package, or of a file."""
    if str(name) in PACKAGES:
        package = PACKAGES[str(name)]
        return Lexicon.of(package.read(package.path()))
    if not Path(name).is_file():
        expected = f"{choices(PACKAGES)}, or a TSV file"
        raise input_error("settings", "lexicon", expected, f"no file {name}")
    return read_lexicon(name)
