"""How links are made: the names and numbers a user may choose."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from crosspro.data_prep.align.symmetrise import check_symmetrisation
from crosspro.data_prep.align.text import Sentences, too_unlike
from crosspro.data_prep.core.errors import InputError, Problem, choices
from crosspro.data_prep.core.files.limits import ALIGNED_WORDS
from crosspro.data_prep.core.task import Task

ALIGNERS = ("own", "eflomal", "file")
MODELS = ("hmm", "ibm1")
FORMS = ("prefix", "word")
BACK_OFFS = ("same", "ibm1")


@dataclass(frozen=True)
class AlignerSettings:
    """How links are made.

    `form` is what words are compared by: their first characters, lower-cased, which brings the
    forms of a word together, or the whole lower-cased word; texts of lemmas may be given instead.
    `iterations` are the passes over the text. `variational` is the concentration of the prior over
    translations in variational Bayes, and 0 is plain EM. `links` is the file of the aligner `file`.

    Segments with more than `max_length` words on a side, or more than `max_ratio` times the words
    of the other, are not learnt from. The HMM cannot link them: they get their links from the
    diagonal and the translations of the model (`back_off` same), or of an IBM 1 with a diagonal
    prior that is trained by itself (ibm1). The tasks did the latter (003 §3.3.1): what was too long
    or too unequal for GIZA++ was left to fast_align, which is such a model.

    Segments with more than `most_words` on a side are refused: time and memory grow with the square
    of it, and such a line is a text that was not cut into segments.
    """

    aligner: str = "own"
    model: str = "hmm"
    symmetrisation: str = "grow-diag-final-and"
    form: str = "prefix"
    prefix_length: int = 5
    iterations: int = 5
    variational: float = 3e-4
    null: float = 0.2
    max_length: int = 100
    max_ratio: float | None = None
    back_off: str = "same"
    links: str | None = None
    most_words: int = field(default_factory=ALIGNED_WORDS.most)

    def check(self) -> None:
        """Raise if a name is not known or a number makes no sense; all faults together."""
        found = [
            Problem("settings", None, key, choices(allowed), repr(value))
            for key, value, allowed in (
                ("aligner", self.aligner, ALIGNERS),
                ("model", self.model, MODELS),
                ("form", self.form, FORMS),
                ("back_off", self.back_off, BACK_OFFS),
            )
            if value not in allowed
        ]
        for key, right, expected in (
            ("prefix_length", self.prefix_length >= 1, "at least 1"),
            ("iterations", self.iterations >= 0, "at least 0"),
            ("variational", 0 <= self.variational < 1, "at least 0 and below 1"),
            ("null", 0 < self.null < 1, "between 0 and 1"),
            ("max_length", self.max_length >= 1, "at least 1"),
            ("most_words", self.most_words >= 1, "at least 1"),
            ("max_ratio", self.max_ratio is None or self.max_ratio >= 1, "at least 1, or none"),
            ("links", self.aligner != "file" or self.links, "a link file for the aligner file"),
        ):
            if not right:
                found.append(Problem("settings", None, key, expected, repr(getattr(self, key))))
        if found:
            raise InputError(found)
        check_symmetrisation(self.symmetrisation)


def default_settings(task: Task) -> AlignerSettings:
    """The task's model and symmetrisation; our HMM stands for GIZA++'s model 4 as well.

    The limits are those of GIZA++ and of the cleaning before it; beyond them the tasks backed off.
    """
    return AlignerSettings(
        symmetrisation=task.symmetrisation, max_length=100, max_ratio=9.0, back_off="ibm1"
    )


def beyond_limits(source: Sentences, target: Sentences, settings: AlignerSettings) -> int:
    """How many segments our own aligner links but does not learn from."""
    left, right = (np.fromiter(map(len, side), np.int64, len(side)) for side in (source, target))
    return int(too_unlike(left, right, settings.max_length, settings.max_ratio).sum())
