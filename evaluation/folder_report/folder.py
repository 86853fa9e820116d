"""From a folder to its report: find the files, check them all, compute what can be computed.

A file that has a whole MT test (XML or JSONL of WMT) is read as if it were a folder of plain text.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from crosspro.data_prep.core.errors import (
    InputError,
    Problem,
    choices,
    printable,
    quoted,
)
from crosspro.data_prep.core.files import temporary_folder
from crosspro.data_prep.core.processes import Report, Step
from crosspro.data_prep.core.stored import Cache
from crosspro.evaluation.core.evaluation import against
from crosspro.evaluation.folder_report.compute import ReportSettings, compute_parts, judged_text
from crosspro.evaluation.folder_report.contents import ReadingRules, read_contents
from crosspro.evaluation.folder_report.files import (
    GivenFiles,
    ReportFiles,
    find_files,
    is_text,
)
from crosspro.evaluation.folder_report.results import FolderReport, file_record, make_report
from crosspro.evaluation.inputs.mt_tests import (
    Pair,
    check_is_test,
    read_mt_test,
    write_mt_test,
)
from crosspro.evaluation.metrics.pronoun_doubt.metric import PronounJudge

READING, SENTENCES = "reading", "aligning sentences"
JudgeOf = Callable[[str, str], PronounJudge | None]


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
    cache: Path | None = None,
) -> FolderReport:
    """The report on a folder, or on a file of WMT; raises `InputError` with all that is wrong.

    Systems are compared with the `baseline`, if one is named. `names` are those of the outputs, in
    the order of their files; the rest are called by these. `judge_of` finds what judges pronouns of
    two languages without a reference, if there is something. What takes long, links and judged
    pronouns, is kept in the folder `cache` and taken from it by the content of the texts.
    """
    progress(Step(READING))
    with opened_test(folder, pair) as test:
        problems: list[Problem] = []
        files = find_files(test.folder, given or GivenFiles(), test.pair, problems)
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

        contents = read_contents(test.folder, files, rules, problems, judge is not None, tell)
        with nullcontext() if cache is None else Cache(cache) as steps:
            if judge is not None:
                judged = judged_text(contents, judge, jobs, progress, steps)
                contents = replace(contents, judged=judged)
            parts = compute_parts(contents, settings, jobs, progress, steps)
        found = make_report(test.folder, files, contents, parts, baseline)
    if test.folder == folder:
        return found
    said = tuple(f"{folder.name}: left out: {one}" for one in test.left_out)
    return replace(
        found,
        folder=printable(folder.name),
        data=(file_record("MT test", folder, folder.parent), *found.data),
        warnings=(*map(printable, said), *found.warnings),
    )


@dataclass(frozen=True)
class OpenedTest:
    """A folder to report on, the languages if they are known, and what was left out of a file."""

    folder: Path
    pair: Pair | None
    left_out: tuple[str, ...] = ()


@contextmanager
def opened_test(path: Path, pair: Pair | None = None) -> Iterator[OpenedTest]:
    """A folder as it is, or what is in a file, for as long as it is needed.

    Problems with its parts are told by the name of the file.
    """
    check_is_test(path)
    if path.is_dir():
        yield OpenedTest(path, pair)
        return
    test = read_mt_test(path, pair)
    source, target = test.languages
    known = pair or ((source, target) if source and target else None)
    with temporary_folder(Path(tempfile.gettempdir()), "mt-test") as folder:
        write_mt_test(test, folder, path)
        try:
            yield OpenedTest(folder, known, test.left_out)
        except InputError as error:
            renamed = [
                replace(one, path=_renamed_path(one.path, folder, path)) for one in error.problems
            ]
            raise InputError(renamed, error.hint, error.total) from error


def _renamed_path(text: str, folder: Path, path: Path) -> str:
    return text.replace(str(folder), str(path))


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
