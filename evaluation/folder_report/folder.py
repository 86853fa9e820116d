"""From a folder to its report: find the files, check them all, compute what can be computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from crosspro.data_prep.core.errors import Problem, choices, input_error, quoted
from crosspro.data_prep.core.processes import Report, Step
from crosspro.evaluation.core.evaluation import against
from crosspro.evaluation.folder_report.compute import ReportSettings, compute_parts, judged_text
from crosspro.evaluation.folder_report.contents import ReadingRules, read_contents
from crosspro.evaluation.folder_report.files import (
    GivenFiles,
    ReportFiles,
    find_files,
    is_text,
)
from crosspro.evaluation.folder_report.results import FolderReport, make_report
from crosspro.evaluation.metrics.pronoun_doubt.metric import PronounJudge

READING, SENTENCES = "reading", "aligning sentences"
JudgeOf = Callable[[str, str], PronounJudge | None]
SMALL = 20_000
"""Work on so few lines, of all outputs together, is done before another process has begun."""


def report_on(
    folder: Path,
    given: GivenFiles | None = None,
    pair: tuple[str, str] | None = None,
    rules: ReadingRules | None = None,
    settings: ReportSettings | None = None,
    *,
    baseline: str | None = None,
    names: Sequence[str] = (),
    judge_of: JudgeOf = lambda source, target: None,
    jobs: int = 1,
    progress: Report = lambda step: None,
) -> FolderReport:
    """The report on a folder; raises `InputError` with all that is wrong with its files.

    Systems are compared with the `baseline`, if one is named. `names` are those of the outputs, in
    the order of their files; the rest are called by these. `judge_of` finds what judges pronouns of
    two languages without a reference, if there is something.
    """
    if not folder.is_dir():
        raise input_error(folder, "folder", "a folder", "a file" if folder.exists() else "nothing")
    progress(Step(READING))
    problems: list[Problem] = []
    files = find_files(folder, given or GivenFiles(), pair, problems)
    files = _renamed(files, names, problems)
    settings = settings or ReportSettings()
    if baseline is not None:
        _check_baseline(files, baseline, problems)
        settings = replace(settings, pairs=partial(against, baseline))
    source, target = files.languages
    judge = judge_of(source, target) if source and target else None
    rules = rules or ReadingRules()

    def tell(text: str) -> None:
        progress(Step(SENTENCES, text))

    contents = read_contents(folder, files, rules, problems, judge is not None, tell)
    if judge is not None:
        contents = replace(contents, judged=judged_text(contents, judge, jobs, progress))
    text = contents.text
    small = text is None or text.lines * len(text.names) < SMALL
    parts = compute_parts(contents, settings, 1 if small else jobs, progress)
    return make_report(folder, files, contents, parts, baseline)


def _renamed(files: ReportFiles, names: Sequence[str], problems: list[Problem]) -> ReportFiles:
    if not names:
        return files
    own = [output.name for output in files.outputs]
    called = [*names, *own[len(names) :]]
    usable = len(set(called)) == len(called) and all(one.strip() and is_text(one) for one in called)
    if len(names) > len(own) or not usable:
        expected = f"at most {len(own)} names, each another"
        problems.append(Problem("--name", None, "names", expected, ", ".join(map(quoted, called))))
        return files
    pairs = zip(files.outputs, called, strict=True)
    return replace(files, outputs=tuple(replace(one, name=name) for one, name in pairs))


def _check_baseline(files: ReportFiles, baseline: str, problems: list[Problem]) -> None:
    known = [output.name for output in files.outputs]
    for test_set in files.sets:
        known += [one.name for one in (*test_set.scores, *test_set.outputs)]
    if baseline not in known:
        expected = choices(dict.fromkeys(known)) if known else "a system"
        problems.append(Problem("--baseline", None, "name", expected, quoted(baseline)))
