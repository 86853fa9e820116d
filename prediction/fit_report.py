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
    figures = {
        "monitor": monitor,
        "score": score,
        "chosen_epoch": chosen_epoch,
        "epochs": epochs,
        "steps": steps,
        "stopped_by": stopped_by,
    }
    summary = (
        f"best dev {monitor} {score:.2f}, of epoch {chosen_epoch}; training ended by {stopped_by} "
        f"({epochs} epochs, {steps:,} steps)"
    )
    warnings: tuple[str, ...] = ()
    if steps < FEW_STEPS or (epochs > 1 and chosen_epoch in (0, epochs - 1)):
        warning = (
            "warning: few steps, or the first or the last epoch was the best: a larger "
            "trainer.max_epochs or trainer.patience, or a larger system.training.min_steps may help"
        )
        warnings = (warning,)
    return FitReport(summary, figures, warnings)


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
