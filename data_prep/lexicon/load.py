"""Lexicons by name (`lefff`, `lexique`, `german-nouns`) or by the path of a TSV file."""

from __future__ import annotations

from pathlib import Path

from crosspro.data_prep.errors import CrossproError, InputError, choices, input_error
from crosspro.data_prep.files.textfile import is_file
from crosspro.data_prep.lexicon.lexicon import Lexicon, read_lexicon
from crosspro.data_prep.lexicon.packages import PACKAGES


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
