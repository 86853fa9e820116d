"""Aligners by name behind one function: our own, or eflomal.

Links of the user's own come from a file (`links.py`), so any other aligner can be used as well.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from data_prep.align.links import read_links
from data_prep.align.model import Parameters
from data_prep.align.pairs import make_form, paired_text
from data_prep.align.prior import Prior, prior_of
from data_prep.align.symmetrise import symmetrise
from data_prep.align.train import Passes, decode, train
from data_prep.errors import CrossproError, choices, input_error
from data_prep.example import Link
from data_prep.task import Task

ALIGNERS = ("own", "eflomal")
MODELS = ("ibm1", "hmm")
FORMS = ("prefix", "word")
Sentences = Sequence[Sequence[str]]
Progress = Callable[[str], None]


@dataclass(frozen=True)
class AlignerSettings:
    """How links are made.

    `form` is what words are compared by: their first characters (`prefix`), which brings inflected
    forms together, or all of them. Texts of lemmas can be given instead of words. `variational` is
    the concentration of the prior over translations in variational Bayes; 0 is plain EM.
    """

    aligner: str = "own"
    model: str = "hmm"
    symmetrisation: str = "grow-diag-final-and"
    form: str = "prefix"
    prefix_length: int = 5
    variational: float = 0.0
    max_length: int = 100

    def check(self) -> None:
        """Raise if a name is not known."""
        for key, value, allowed in (
            ("aligner", self.aligner, ALIGNERS),
            ("model", self.model, MODELS),
            ("form", self.form, FORMS),
        ):
            if value not in allowed:
                raise input_error("settings", key, choices(allowed), repr(value))
        symmetrise((), (), self.symmetrisation)


def default_settings(task: Task) -> AlignerSettings:
    """The task's model and symmetrisation; our HMM stands for GIZA++'s model 4 as well."""
    return AlignerSettings(symmetrisation=task.symmetrisation)


def align_corpus(
    source: Sentences,
    target: Sentences,
    settings: AlignerSettings,
    prior: Prior | None = None,
    progress: Progress = lambda text: None,
) -> list[tuple[Link, ...]]:
    """The links of every segment, in order."""
    return align_with_prior(source, target, settings, prior, progress)[0]


def align_with_prior(
    source: Sentences,
    target: Sentences,
    settings: AlignerSettings,
    prior: Prior | None = None,
    progress: Progress = lambda text: None,
) -> tuple[list[tuple[Link, ...]], Prior | None]:
    """The links, and what was learnt from the text (our own aligner only)."""
    settings.check()
    if settings.aligner == "eflomal":
        return _eflomal(source, target, settings), None
    passes = Passes(longest=settings.max_length)
    if settings.model == "ibm1":
        passes = Passes(hmm=0, null_weight=1.0, longest=settings.max_length)
    progress("numbering words and pairs")
    words = (prior.source_words, prior.target_words) if prior else (None, None)
    text = paired_text(source, target, make_form(settings.form, settings.prefix_length), *words)
    known = prior.counts_for(text) if prior else None
    parameters = Parameters(dirichlet=settings.variational)
    directions, counts = train(text, parameters, passes, known, progress)
    progress("reading off links")
    directed = decode(directions, passes, len(source))
    links = [symmetrise(forward, back, settings.symmetrisation) for forward, back in directed]
    return links, prior_of(text, counts, known)


def _eflomal(
    source: Sentences, target: Sentences, settings: AlignerSettings
) -> list[tuple[Link, ...]]:
    try:
        import eflomal
    except ImportError as error:
        raise CrossproError(
            "aligner: expected the package eflomal, found nothing: pip install 'crosspro[eflomal]'"
        ) from error
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = folder / "forward", folder / "backward"
        left = [" ".join(sentence).lower() for sentence in source]
        right = [" ".join(sentence).lower() for sentence in target]
        eflomal.Aligner().align(
            left, right, links_filename_fwd=str(files[0]), links_filename_rev=str(files[1])
        )
        directed = zip(read_links(files[0]), read_links(files[1]), strict=True)
        return [symmetrise(forward, back, settings.symmetrisation) for forward, back in directed]
