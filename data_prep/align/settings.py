"""How links are made: the names and numbers a user may choose."""

from __future__ import annotations

from dataclasses import dataclass

from crosspro.data_prep.align.symmetrise import check_symmetrisation
from crosspro.data_prep.errors import InputError, Problem, choices
from crosspro.data_prep.task import Task

ALIGNERS = ("own", "eflomal", "file")
MODELS = ("hmm", "ibm1")
FORMS = ("prefix", "word")


@dataclass(frozen=True)
class AlignerSettings:
    """How links are made.

    `form` is what words are compared by: their first characters, lower-cased, which brings the
    forms of a word together, or the whole lower-cased word; texts of lemmas may be given instead.
    `iterations` are the passes over the text. `variational` is the concentration of the prior over
    translations in variational Bayes, and 0 is plain EM. Segments with more than `max_length` words
    on a side are not learnt from and get their links from IBM 1, as in 003 §3.3.1. `links` is the
    file for the aligner `file`.
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
    links: str | None = None

    def check(self) -> None:
        """Raise if a name is not known or a number makes no sense; all faults together."""
        found = [
            Problem("settings", None, key, choices(allowed), repr(value))
            for key, value, allowed in (
                ("aligner", self.aligner, ALIGNERS),
                ("model", self.model, MODELS),
                ("form", self.form, FORMS),
            )
            if value not in allowed
        ]
        for key, right, expected in (
            ("prefix_length", self.prefix_length >= 1, "at least 1"),
            ("iterations", self.iterations >= 0, "at least 0"),
            ("variational", 0 <= self.variational < 1, "at least 0 and below 1"),
            ("null", 0 < self.null < 1, "between 0 and 1"),
            ("max_length", self.max_length >= 1, "at least 1"),
            ("links", self.aligner != "file" or self.links, "a link file for the aligner file"),
        ):
            if not right:
                found.append(Problem("settings", None, key, expected, repr(getattr(self, key))))
        if found:
            raise InputError(found)
        check_symmetrisation(self.symmetrisation)


def default_settings(task: Task) -> AlignerSettings:
    """The task's model and symmetrisation; our HMM stands for GIZA++'s model 4 as well."""
    return AlignerSettings(symmetrisation=task.symmetrisation)
