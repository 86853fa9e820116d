"""Which experiment of conf/experiment each published row is, and which rows are ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch

from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.errors import choices, input_error
from crosspro.evaluation.published.results import PublishedResult, published_results

TEAMS = {
    "TurkuNLP": "turku",
    "UHELSINKI": "helsinki",
    "UU-Cap": "uu_cap",
    "UU-Hardmeier": "hardmeier",
    "UU-Stymne": "stymne",
    "UU-Stymne16": "stymne",
}
"""The names of teams in conf/experiment that are not theirs in small letters."""
LM_ALONE = "uppsala_2016_contrastive"
"""UPPSALA's contrastive submission for en-fr was its primary one for other pairs (003 §5.8)."""
BASELINE, BASELINE_0, TUNED_BASELINE = "baseline", "baseline0", "baseline-tuned"
INFLECTED_TASK = "en-fr-2015"
TASKS = ("en-fr", "en-de", "de-en", "es-en", "fr-en", INFLECTED_TASK)
OURS = {"document_encoder": ("system=document_encoder", "trainer.precision=bf16-mixed")}
"""Our rows for every task, and their settings."""


@dataclass(frozen=True)
class Submission:
    """A row to make: its name in `results/`, its task, and the settings of its training.

    A year of None is that of our own rows.
    """

    year: int | None
    task: str
    title: str
    kind: str
    settings: tuple[str, ...]

    @property
    def pair(self) -> str:
        """The language pair."""
        return self.task.removesuffix(f"-{self.year}")

    @property
    def name(self) -> str:
        """The name of the row."""
        return f"{self.year or 'ours'}/{self.pair}/{self.title}"

    @property
    def experiment(self) -> str:
        """The experiment, or the system, that it is."""
        return self.settings[0].partition("=")[2]


def experiment_of(result: PublishedResult) -> str | None:
    """The name in conf/experiment of a published submission; None for one that is only a file."""
    if result.kind in ("baseline", "released"):
        return BASELINE if result.kind == "baseline" else None
    team = result.submission.rpartition("-")[0]
    if (result.year, team, result.kind) == (2016, "UPPSALA", "primary") and result.pair != "en-fr":
        return LM_ALONE
    stem = f"{TEAMS.get(team, team.lower())}_{result.year}"
    names = (f"{stem}_{result.kind}_{result.pair}", f"{stem}_{result.kind}", stem)
    for name in names:
        if (CONF_DIR / "experiment" / f"{name}.yaml").is_file():
            return name
    raise input_error("conf/experiment", "file", choices(names), "none")


def planned_submissions(
    tasks: Sequence[str] = (), years: Sequence[int] = (), systems: Sequence[str] = ()
) -> list[Submission]:
    """All rows of these tasks, years and submissions (patterns); empty means any."""
    rows: dict[Submission, None] = {}
    for result in published_results():
        experiment = experiment_of(result)
        if experiment is None:
            continue
        setting = (f"experiment={experiment}",)
        row = Submission(result.year, result.pair, result.submission, result.kind, setting)
        rows[row] = None
        if result.pair == "en-fr":
            title = experiment
            if experiment == BASELINE:
                title = BASELINE_0 if result.submission == BASELINE_0 else TUNED_BASELINE
            rows[Submission(2015, INFLECTED_TASK, title, result.kind, setting)] = None
    for task in TASKS:
        for title, settings in OURS.items():
            rows[Submission(None, task, title, "ours", settings)] = None
    chosen = [
        row
        for row in rows
        if (not tasks or row.task in tasks)
        and (not years or row.year in years)
        and (
            not systems
            or any(fnmatch(name, like) for like in systems for name in (row.title, row.name))
        )
    ]
    if not chosen:
        actual = " ".join(map(str, (*tasks, *years, *systems)))
        raise input_error("settings", "--systems", "published submissions", f"none for {actual}")
    return chosen
