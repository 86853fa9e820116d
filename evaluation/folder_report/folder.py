"""From a folder to its report: find the files, check them all, compute what can be computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from crosspro.data_prep.core.errors import Problem, choices, input_error, quoted
from crosspro.data_prep.core.processes import Report, Step
from crosspro.evaluation.core.evaluation import against
from crosspro.evaluation.folder_report.compute import ReportSettings, compute_parts, judged_text
from crosspro.evaluation.folder_report.contents import ReadingRules, read_contents
from crosspro.evaluation.folder_report.files import ReportFiles, find_files
from crosspro.evaluation.folder_report.results import FolderReport, make_report
from crosspro.evaluation.metrics.pronoun_doubt.metric import PronounJudge

READING = "reading"
JudgeOf = Callable[[str, str], PronounJudge | None]


def report_on(
    folder: Path,
    pair: tuple[str, str] | None = None,
    rules: ReadingRules | None = None,
    settings: ReportSettings | None = None,
    *,
    baseline: str | None = None,
    judge_of: JudgeOf = lambda source, target: None,
    progress: Report = lambda step: None,
) -> FolderReport:
    """The report on a folder; raises `InputError` with all that is wrong.

    Systems are compared with the `baseline`, if one is named. `judge_of` finds what judges pronouns
    of two languages without a reference, if there is something.
    """
    progress(Step(READING))
    check_is_folder(folder)
    problems: list[Problem] = []
    files = find_files(folder, pair, problems)
    settings = settings or ReportSettings()
    if baseline is not None:
        _check_baseline(files, baseline, problems)
        settings = replace(settings, pairs=partial(against, baseline))
    source, target = files.languages
    judge = judge_of(source, target) if source and target else None
    contents = read_contents(folder, files, rules or ReadingRules(), problems, judge is not None)
    if judge is not None:
        contents = replace(contents, judged=judged_text(contents, judge, progress))
    parts = compute_parts(contents, settings, progress)
    return make_report(folder, files, contents, parts, baseline)


def check_is_folder(path: Path) -> None:
    """Raise if a path is no folder."""
    if not path.is_dir():
        raise input_error(path, "folder", "a folder", "a file" if path.exists() else "nothing")


def _check_baseline(files: ReportFiles, baseline: str, problems: list[Problem]) -> None:
    known = [output.name for output in files.outputs]
    if baseline not in known:
        expected = choices(dict.fromkeys(known)) if known else "a system"
        problems.append(Problem("--baseline", None, "name", expected, quoted(baseline)))
