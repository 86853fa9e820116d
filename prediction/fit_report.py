"""How a training went, for those who write runs down; the simplest systems have no report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from crosspro.data_prep.core.example import Side
from crosspro.data_prep.lexicon.load import SideLexicon

FEW_STEPS = 100
LOG_FILE = "crosspro.log_file"
"""The logger of what goes to the log file of a run alone, and not to the terminal."""


@dataclass(frozen=True)
class FitReport:
    """Epochs count from 0; `score` is that of the chosen one on dev, by `monitor`.

    `steps` are those of the optimiser, in all epochs.

    A training ends after all its epochs, or after enough of them without a better score.
    """

    monitor: str
    score: float
    chosen_epoch: int
    epochs: int
    steps: int
    stopped_by: Literal["max_epochs", "patience"]

    def told(self) -> str:
        """What a user should know: which epoch was taken, and why the training ended."""
        last = self.epochs - 1
        ended = "after all epochs"
        if self.stopped_by == "patience":
            ended = f"since {last - self.chosen_epoch} epochs had no better score"
        return (
            f"best dev {self.monitor} {self.score:.2f}, of epoch {self.chosen_epoch}; training "
            f"ended with epoch {last} ({self.steps:,} steps) {ended}"
        )

    def warning(self) -> str | None:
        """What speaks against having trained long enough; None if nothing does."""
        if self.epochs > 1 and self.chosen_epoch == 0:
            found = "ended before the dev score moved: no epoch was better than the first"
        elif self.steps < FEW_STEPS:
            found = f"had {self.steps:,} steps in all, too few to learn much"
        elif self.epochs > 1 and self.chosen_epoch == self.epochs - 1:
            return "the last epoch was the best: a larger trainer.max_epochs may help"
        else:
            return None
        return (
            f"warning: training {found}; a larger trainer.patience or trainer.max_epochs, or "
            "smaller batches (system.training.min_steps, batch_size) may help"
        )


@dataclass(frozen=True)
class FineTunedReport(FitReport):
    """A training on all data that went on with in-domain data: the figures of what was kept.

    `stages` has both, `kept` says which of them was better on dev.
    """

    stages: Sequence[FitReport]
    kept: Literal["all", "in_domain"]

    def told(self) -> str:
        """What a user should know: both stages, and which was kept."""
        first, second = self.stages
        better = "kept, since it is better" if self.kept == "in_domain" else "not kept: no better"
        return f"{first.told()}\nin-domain data: {second.told()}; {better} on dev"

    def warning(self) -> str | None:
        """What speaks against the training on all data; in-domain data may need few steps."""
        return self.stages[0].warning()


@dataclass(frozen=True)
class LexiconUsed:
    """The name or the file of the lexicon of a side's words; None where there is none to be had."""

    side: Side
    language: str
    name: str | None

    def warning(self) -> str | None:
        """That nothing tells gender and number by the word; None if something does."""
        if self.name is not None:
            return None
        return (
            f"warning: gender and number of {self.side} words ({self.language}) are not known by "
            "the word: no lexicon of the language is installed (make extras EXTRAS=lexicon), and "
            "lemmas teach none"
        )


def lexicons_used(lexicons: Iterable[SideLexicon]) -> tuple[LexiconUsed, ...]:
    """The lexicons that settings ask for, found or not."""
    return tuple(
        LexiconUsed(lexicon.side, lexicon.language, lexicon.name)
        for lexicon in lexicons
        if lexicon.name is not None or lexicon.missing
    )


def _lexicons_told(lexicons: Sequence[LexiconUsed]) -> list[str]:
    told = ", ".join(
        f"{lexicon.name or 'nothing'} for {lexicon.side} words" for lexicon in lexicons
    )
    return [f"gender and number: {told}"] if told else []


@dataclass(frozen=True)
class FeatureReport:
    """What a feature system learnt from: gaps and features.

    `left_out` are the features that the data does not allow, with what they lack; `without_chains`
    those that say something else, as the training data has no coreference chains, and what.
    `lexicons` are those of the sides for which one was asked.
    """

    gaps: int
    features: int
    left_out: Mapping[str, str]
    without_chains: Mapping[str, str] = field(default_factory=dict)
    lexicons: Sequence[LexiconUsed] = ()

    def told(self) -> str:
        """What a user should know: the sizes, and where genders come from."""
        size = f"{self.features:,} features of {self.gaps:,} gaps"
        return "; ".join([size, *_lexicons_told(self.lexicons)])

    def warning(self) -> str | None:
        """Which features there were not, or not as meant; None if there were all."""
        lines = [f"left out {name}: expected {need}" for name, need in self.left_out.items()]
        lines += filter(None, (lexicon.warning() for lexicon in self.lexicons))
        if self.without_chains:
            lines.append(
                "warning: no coreference chains (X.chains.tsv) beside the training data, so that "
                + "; ".join(f"{name} is {says}" for name, says in self.without_chains.items())
            )
        return "\n".join(lines) or None


@dataclass(frozen=True)
class ItLabelReport:
    """What says of each *it* what it is, whether that was learnt, and its cross-validated F1."""

    labelled_by: str
    learnt: bool
    f1: Mapping[str, float] | None = None

    def told(self) -> str:
        """What a user should know: where the labels come from, and how good they are."""
        text = f"every it is labelled by {self.labelled_by}"
        if self.f1 is None:
            return text
        scores = ", ".join(f"{label} {value:.1f}" for label, value in self.f1.items())
        return f"{text}; F1 by cross-validation over documents: {scores}"

    def warning(self) -> str | None:
        """That nothing was learnt where the published system has a classifier; None if it was."""
        if self.learnt:
            return None
        return (
            "warning: the published system learnt the labels of it; here system.it_data names no "
            "annotated text to learn them from"
        )


@dataclass(frozen=True)
class LexiconReport:
    """What tells a system gender and number of the words of each side that it looks them up of."""

    lexicons: Sequence[LexiconUsed]

    def told(self) -> str:
        """What a user should know: the lexicons."""
        return "".join(_lexicons_told(self.lexicons)) or "gender and number: of a parse, if any"

    def warning(self) -> str | None:
        """Which side has none; None if all have one."""
        return "\n".join(filter(None, (lexicon.warning() for lexicon in self.lexicons))) or None


@dataclass(frozen=True)
class PenaltyReport:
    """The NONE penalty that had the best `monitor` on dev, and the scores of all of them."""

    monitor: str
    score: float
    penalty: float
    grid: Mapping[float, float]

    def told(self) -> str:
        """What a user should know: the penalty, and what others would have given."""
        scores = ", ".join(f"{penalty:g}: {score:.2f}" for penalty, score in self.grid.items())
        return f"NONE penalty {self.penalty:g}; dev {self.monitor} by penalty: {scores}"

    def warning(self) -> str | None:
        """That the penalty makes no difference on dev; None if it does."""
        if len(set(self.grid.values())) > 1:
            return None
        return "warning: the NONE penalty makes no difference on dev, so that 0 is taken"


Report = FitReport | FeatureReport | ItLabelReport | LexiconReport | PenaltyReport


def member_label(name: str, system: str) -> str:
    """How a member of an ensemble is shown; those of older files have no name."""
    return f"{name} ({system})" if name not in ("", system) else system


@dataclass(frozen=True)
class MemberReport:
    """A part of an ensemble: its member's name, its system, its weight and how its training went.

    `score` is that of the part alone, by the ensemble's monitor.
    """

    name: str
    system: str
    weight: float
    score: float | None
    fit: Report | EnsembleReport | None

    @property
    def label(self) -> str:
        """The name of the member, and its system if that says more."""
        return member_label(self.name, self.system)


@dataclass(frozen=True)
class EnsembleReport:
    """Parts and their weights, and how far rare classes are favoured (`tau`; None: not chosen).

    The `monitor` chose them on dev; it is None where nothing was chosen and all weights are equal.
    """

    monitor: str | None
    score: float | None
    members: Sequence[MemberReport]
    tau: float | None = None

    def told(self) -> str:
        """What a user should know: the weight of each part."""
        chosen = f"chosen by dev {self.monitor}" if self.monitor else "equal"
        weights = ", ".join(f"{m.label} {m.weight:.2f}" for m in self.members)
        prior = "" if self.tau is None else f"; tau {self.tau:.1f}"
        return f"weights, {chosen}: {weights}{prior}"

    def warning(self) -> str | None:
        """What speaks against having trained the parts long enough; None if nothing does."""
        parts = ((member.label, member.fit) for member in self.members)
        found = ((name, fit.warning()) for name, fit in parts if fit is not None)
        lines = ((name, line) for name, text in found if text for line in text.splitlines())
        return "\n".join(f"{name}: {line}" for name, line in lines) or None


def chosen_by(report: Report | EnsembleReport | None) -> str | None:
    """What decided on dev which system came out, to stand beside its scores; None if nothing did.

    For a network that is an epoch, for an ensemble its weights.
    """
    if isinstance(report, FitReport):
        stage = ""
        if isinstance(report, FineTunedReport):
            stage = " of in-domain data" if report.kept == "in_domain" else " of all data"
        what = f"epoch {report.chosen_epoch}{stage}"
    elif isinstance(report, PenaltyReport):
        what = f"NONE penalty {report.penalty:g}"
    elif isinstance(report, EnsembleReport) and report.monitor:
        what = "weights"
    else:
        return None
    return f"{what}, chosen by dev {report.monitor} {report.score:.2f}"
