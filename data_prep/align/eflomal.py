"""Links by eflomal (Östling and Tiedemann 2016), if its package is there.

Words are handed over as numbers, so that forms are the same as for our own aligner and no token can
be split by a blank inside it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from crosspro.data_prep.align.settings import AlignerSettings
from crosspro.data_prep.align.text import Forms, Sentences, make_form
from crosspro.data_prep.align.train import Progress
from crosspro.data_prep.core.errors import CrossproError, how_to_install
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.formats.links import read_links


def eflomal_links(
    source: Sentences, target: Sentences, settings: AlignerSettings, progress: Progress
) -> list[tuple[tuple[Link, ...], tuple[Link, ...]]]:
    """The links of both directions of every segment."""
    try:
        from eflomal import Aligner
    except ImportError as error:
        raise CrossproError(
            f"aligner: expected the package eflomal, found nothing: {how_to_install('eflomal')}"
        ) from error
    progress("eflomal", 0, 1)
    form = make_form(settings.form, settings.prefix_length)
    words = list(zip(source, target, strict=True))
    filled = [number for number, (s, t) in enumerate(words) if s and t]
    result: list[tuple[tuple[Link, ...], tuple[Link, ...]]] = [((), ())] * len(source)
    if not filled:
        return result
    with tempfile.TemporaryDirectory() as name:
        files = Path(name) / "forward", Path(name) / "backward"
        Aligner(null_prior=settings.null).align(
            list(_numbered((words[number][0] for number in filled), form)),
            list(_numbered((words[number][1] for number in filled), form)),
            links_filename_fwd=str(files[0]),
            links_filename_rev=str(files[1]),
        )
        directions = (read_links(file) for file in files)
        for number, forward, backward in zip(filled, *directions, strict=True):
            result[number] = forward, backward
    progress("eflomal", 1, 1)
    return result


def _numbered(sentences: Iterable[Sequence[str]], form: Forms) -> Iterator[str]:
    numbers: dict[str, int] = {}
    for sentence in sentences:
        yield " ".join(str(numbers.setdefault(form(word), len(numbers))) for word in sentence)
