"""What a long work needs, checked in its first seconds."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

from crosspro.data_prep.core.errors import TRAINING, CrossproError, Problem
from crosspro.data_prep.lexicon.load import PACKAGES


def missing_training_packages() -> Iterator[Problem]:
    """Packages of the extra `train` that are not installed."""
    for package in sorted(TRAINING):
        if find_spec(package) is None:
            expected = f"{package} (pip install 'crosspro[train]')"
            yield Problem("settings", None, "package", expected, "none")


def missing_lexicons(names: Iterable[str]) -> Iterator[Problem]:
    """Lexicons whose packages are not installed; others are learnt or files."""
    for name in sorted({*names} & PACKAGES.keys()):
        try:
            PACKAGES[name].path()
        except CrossproError:
            expected = f"{PACKAGES[name].package} (make extras EXTRAS=lexicon)"
            yield Problem("settings", None, "lexicon", expected, "none")


def missing_disk_space(folder: Path, megabytes: int) -> Iterator[Problem]:
    """Too little free space where a folder is or will be."""
    absolute = folder.absolute()
    place = next(path for path in (absolute, *absolute.parents) if path.exists())
    free = shutil.disk_usage(place).free // 10**6
    if free < megabytes:
        yield Problem(str(folder), None, "disk", f"{megabytes:,} MB free", f"{free:,} MB")
