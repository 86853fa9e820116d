"""How a training went: sentences for people, and figures for `run.json`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from crosspro.data_prep.lexicon.load import SideLexicon

FEW_STEPS = 100
LOG_FILE = "crosspro.log_file"
"""The logger of lines that go to the log file of a run and not to the terminal."""

StoppedBy = Literal["max_epochs", "patience", "max_minutes"]


@dataclass(frozen=True)
class FitReport:
    """`figures` go into `run.json`, `summary` and `warnings` to the log."""

    summary: str
    figures: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def epoch_report(
    monitor: str,
    score: float,
    chosen_epoch: int,
    epochs: int,
    steps: int,
    stopped_by: StoppedBy,
) -> FitReport:
    """A training in epochs, which count from 0; `steps` are those of the optimiser in all epochs.

    `score` is that of the chosen epoch on dev.
    """
    ended = {
        "max_epochs": "after all epochs",
        "max_minutes": "after its minutes",
        "patience": f"after {epochs - 1 - chosen_epoch} epochs without a better score",
    }[stopped_by]
    figures = {
        "monitor": monitor,
        "score": score,
        "chosen_epoch": chosen_epoch,
        "epochs": epochs,
        "steps": steps,
        "stopped_by": stopped_by,
    }
    longer = (
        "; a larger trainer.patience or trainer.max_epochs, or smaller batches "
        "(system.training.min_steps, batch_size) may help"
    )
    warnings: tuple[str, ...] = ()
    if epochs > 1 and chosen_epoch == 0:
        warnings = (f"warning: the first epoch was the best{longer}",)
    elif steps < FEW_STEPS:
        warnings = (f"warning: training had only {steps:,} steps{longer}",)
    elif epochs > 1 and chosen_epoch == epochs - 1:
        warnings = ("warning: the last epoch was the best: a larger trainer.max_epochs may help",)
    summary = (
        f"best dev {monitor} {score:.2f}, of epoch {chosen_epoch}; training ended {ended} "
        f"({epochs} epochs, {steps:,} steps)"
    )
    return FitReport(summary, figures, warnings)


def fine_tuned_report(first: FitReport, second: FitReport) -> FitReport:
    """A training on all data that went on with in-domain data; of equal stages the first is kept.

    The figures are those of the stage that was kept.
    """
    better = second.figures["score"] > first.figures["score"]
    kept = second if better else first
    figures = {
        **kept.figures,
        "stages": [first.figures, second.figures],
        "kept": "in_domain" if better else "all",
    }
    outcome = "kept" if better else "not kept: no better on dev"
    summary = f"{first.summary}\nin-domain data: {second.summary}; {outcome}"
    return FitReport(summary, figures, first.warnings)  # in-domain data may need few steps


def lexicon_report(lexicons: Iterable[SideLexicon]) -> FitReport:
    wanted = [lexicon for lexicon in lexicons if lexicon.name is not None or lexicon.missing]
    names = [f"{lexicon.name or 'nothing'} for {lexicon.side} words" for lexicon in wanted]
    return FitReport(
        f"gender and number: {', '.join(names) or 'of a parse, if any'}",
        {"lexicons": [{"side": lexicon.side, "name": lexicon.name} for lexicon in wanted]},
        tuple(
            f"warning: no lexicon of {lexicon.language} is installed (make extras EXTRAS=lexicon), "
            f"so gender and number of {lexicon.side} words are unknown"
            for lexicon in wanted
            if lexicon.name is None
        ),
    )
