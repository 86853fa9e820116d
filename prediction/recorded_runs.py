"""Runs as they are recorded: which of them share a record, what they learnt from, what they say.

Runs that differ in their seed alone share a record. Those that a run was made from (the members of
an ensemble, a pre-training, a teacher) are looked for where `run.json` says they are, else beside
the run: folders are moved, and then keep their names. What they learnt from, it learnt from.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem, quoted
from crosspro.data_prep.core.files import is_archive, is_plain_name
from crosspro.evaluation.leaderboard.evidence import digest_of
from crosspro.evaluation.leaderboard.record import TrainingText
from crosspro.prediction.model_archive import from_box
from crosspro.prediction.registry import BEYOND_THE_PAPERS
from crosspro.prediction.runs import FILE, Run, find_run

_COLUMNS = ("task", "system", "experiment", "seed", "data", "data.dir")
_ON_THE_WAY = ("checkpoint_epochs", "encoded_dir", "progress_bar")
NO_CHANGE = frozenset((*_COLUMNS, *(f"trainer.{name}" for name in _ON_THE_WAY)))
"""Arguments of a run that do not tell one record from another: its name, what is different for each
task, and what was kept where while it ran."""
MADE_FROM = ("system.init_from", "system.distillation.teacher")
"""Arguments of a run that name another run."""
ENSEMBLE = "ensemble"
RECIPE = "recipe"
"""The setting that pre-trainings alone have."""
FOLDERS = re.compile(r"(?<![\w}/.])(?:/[\w.+-]+)*/(?=[\w.+-])")
"""The folders of a path from the root."""
_YEAR = re.compile(r"(?<!\d)20(?:15|16|17)(?!\d)")


@dataclass(frozen=True)
class RecordedRun:
    """A run with what its folder (or archive) says, and the runs that it was made from.

    `variant` is a variant that came out of the same fit, `others` are members, or what stands under
    `MADE_FROM`, by the paths that `run.json` has.
    """

    path: Path
    variant: str
    run: Run
    others: Mapping[str, RecordedRun]

    @property
    def is_ensemble(self) -> bool:
        """Whether it only joins other runs."""
        return self.run.system == ENSEMBLE and "members" in self.run.configuration.settings

    @property
    def is_plain(self) -> bool:
        """Whether a training made it, and its folder is there."""
        return not (self.is_ensemble or is_archive(self.path))

    @property
    def is_pretraining(self) -> bool:
        """Whether it only makes weights to begin from."""
        return RECIPE in self.run.configuration.settings

    @property
    def members(self) -> tuple[RecordedRun, ...]:
        """The runs that it joins."""
        return tuple(self.others.values()) if self.is_ensemble else ()

    @property
    def depth(self) -> int:
        """How many ensembles stand within each other."""
        return 1 + max((one.depth for one in self.members), default=0)

    @property
    def seeds(self) -> tuple[int, ...]:
        """Its seed, or those of its members."""
        if self.run.seed is not None:
            return (self.run.seed,)
        return tuple(chain.from_iterable(one.seeds for one in self.members))

    @property
    def is_own(self) -> bool:
        """Whether it is a system of ours, or has one."""
        return self.run.system in BEYOND_THE_PAPERS or any(one.is_own for one in self.members)

    @property
    def changes(self) -> frozenset[str]:
        """Its settings that are not those of every run of its system, without folders and seeds."""
        kept = []
        for change in self.run.configuration.overrides:
            name, _, value = change.lstrip("+~").partition("=")
            if name in MADE_FROM:
                kept.append(f"{name}={_without_seed(Path(value).name)}")
            elif name not in NO_CHANGE:
                kept.append(f"{name}={FOLDERS.sub('', value)}")
        return frozenset(kept)

    @property
    def row(self) -> tuple[object, ...]:
        """What runs of one record share."""
        settings = self.run.configuration.settings
        asked = ""
        if self.is_ensemble:
            asked = json.dumps({**settings, "members": ""}, sort_keys=True, default=str)
        elif self.is_pretraining:
            asked = str(settings[RECIPE])
        joined = tuple(one.row for one in self.others.values())
        base = (self.run.task, self.configured, self.variant, asked)
        return (*base, tuple(sorted(self.changes)), joined, learnt_files(self))

    @property
    def configured(self) -> str:
        """The experiment that it is a run of, if any, else its system."""
        return self.run.configuration.choices.get("experiment") or self.run.system

    @property
    def title(self) -> str:
        """What it is called: an experiment of the papers, else its system, or what it joins."""
        if self.is_ensemble:
            counted = Counter(part.title for part in self.leaves())
            parts = [f"{number} × {one}" if number > 1 else one for one, number in counted.items()]
            chosen = self.run.configuration.settings.get("choose")
            tuned = chosen or ("weights" if self.run.configuration.settings.get("tune") else "")
            return " + ".join(parts) + (f", {tuned} tuned" if tuned else "")
        if is_archive(self.path):
            return self.path.name
        called = self.configured if _YEAR.search(self.configured) else self.run.system
        return f"{called}:{self.variant}" if self.variant else called

    @property
    def year(self) -> int | None:
        """The year that its name says."""
        found = _YEAR.search(self.configured) or _YEAR.search(self.run.system)
        return int(found[0]) if found else None

    @property
    def stem(self) -> str:
        """The name of its folder without a seed at the end."""
        name = self.path.stem if is_archive(self.path) else self.path.name
        return _without_seed(name)

    def leaves(self) -> Iterator[RecordedRun]:
        """Itself, or of an ensemble the members that are none."""
        if not self.is_ensemble:
            yield self
        for one in self.members:
            yield from one.leaves()

    def every(self) -> Iterator[RecordedRun]:
        """All runs that it was made from, the first ones first, and itself."""
        for one in self.others.values():
            yield from one.every()
        yield self


def _without_seed(name: str) -> str:
    return re.sub(r"\.\d+$", "", name)


def read_recorded(text: str) -> RecordedRun:
    """RUN, RUN:VARIANT, or a model of the box; raises `InputError` with all that is missing."""
    folder, _, variant = text.partition(":")
    path = from_box(Path(folder)) if is_plain_name(Path(folder)) else Path(folder)
    run = find_run(path)
    if run is None:
        problem = Problem(str(path), None, FILE, "what the run says of itself", "no such file")
        raise InputError([problem])
    problems = []
    if run.status != "complete":
        problems.append(Problem(str(path / FILE), None, "status", "complete", run.status))
    others = {}
    for name, place in _made_from(run) if not is_archive(path) else ():
        found = next((one for one in _places(place, path) if (one / FILE).is_file()), None)
        if found is None:
            expected = f"the run {quoted(place)}, there or beside {path}"
            problems.append(Problem(str(path / FILE), None, name, expected, "none"))
            continue
        try:
            others[place] = read_recorded(str(found))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return RecordedRun(path, variant, run, others)


def _made_from(run: Run) -> Iterator[tuple[str, str]]:
    for place in run.configuration.settings.get("members", ()):
        yield "members", str(place)
    for change in run.configuration.overrides:
        name, _, value = change.lstrip("+").partition("=")
        if name in MADE_FROM and value not in ("", "null"):
            yield name, value


def _places(place: str, beside: Path) -> tuple[Path, Path]:
    return Path(place), beside.parent / Path(place).name


def by_record(runs: Sequence[RecordedRun]) -> list[list[RecordedRun]]:
    """Runs that differ in their seed alone, together; ensembles behind their members."""
    rows: dict[tuple[object, ...], list[RecordedRun]] = {}
    for one in sorted(runs, key=lambda one: one.depth):
        rows.setdefault(one.row, []).append(one)
    problems = []
    for own in rows.values():
        seeds = [one.seeds for one in own]
        if len(set(seeds)) < len(seeds):
            several = ", ".join(str(one.path) for one in own)
            problems.append(Problem("runs", None, "seed", "one run of each seed", several))
    if problems:
        raise InputError(problems)
    return [sorted(own, key=lambda one: one.seeds) for own in rows.values()]


# What a run learnt from ---------------------------------------------------------------------------


def learnt_files(run: RecordedRun) -> tuple[tuple[str, str, int], ...]:
    """Name, digest and gaps of each file that a run learnt from, those of its parts among them."""
    found = {
        (one.name, one.digest, one.gaps)
        for part in run.every()
        for one in part.run.data
        if one.split == "train"
    }
    return tuple(sorted(found))


def training_text(runs: Sequence[RecordedRun]) -> TrainingText | None:
    """The text that runs of one record learnt from; None where they do not say it."""
    files = sorted(set(chain.from_iterable(map(learnt_files, runs))))
    if not files:
        return None
    gaps = max(_own_gaps(part) for run in runs for part in run.every())
    return TrainingText(_text_name(files), files_digest(files), gaps, _rules(runs[0]))


def files_digest(files: Sequence[tuple[str, str, int]]) -> str:
    """A digest of files by their names and digests."""
    return digest_of("".join(f"{name} {digest}\n" for name, digest, _ in files))


def _own_gaps(run: RecordedRun) -> int:
    """The gaps of the task that a run learnt from; a pre-training asks for other pronouns."""
    if run.is_pretraining:
        return 0
    return sum(one.gaps for one in run.run.data if one.split == "train")


def _text_name(files: Sequence[tuple[str, str, int]]) -> str:
    """TED alone, or all; and further text that is no data of a task."""
    own = [name for name, *_ in files if name.startswith("train")]
    more = sorted({name.partition(".")[0] for name, *_ in files if not name.startswith("train")})
    ted = own and all(name.startswith("train.ted") for name in own)
    return " and ".join(["TED" if ted else "all", *more])


def _rules(run: RecordedRun) -> tuple[str, ...]:
    """The rules of its gaps: those of the task's last year; none are known of tasks for use."""
    for part in run.every():
        task = part.run.configuration.settings.get("task")
        years = task.get("years") if isinstance(task, Mapping) else None
        if years:
            return (str(max(years)),)
    return ()
