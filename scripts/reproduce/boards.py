"""Records of MT systems and of metrics, which the boards of translations are made from.

    python -m crosspro.scripts.reproduce.boards translations verdicts/wmt23.en-de \
        --corpora DATA --work WORK --without synthetic_ref --commit COMMIT
    python -m crosspro.scripts.reproduce.boards metrics --corpora DATA --work WORK --commit COMMIT

`translations` scores all systems of a test as `crosspro report` does: APT, F1 of pronouns, chrF,
and pronouns in doubt, with documents as units. A record has the sums of each document as evidence.
What a model judges takes longest and is kept in WORK: a run that was stopped goes on there.

`metrics` asks which metric notices pronouns. Segments of WMT 2023 that have a pronoun are ordered
by each of the metrics of that year, by `proofread`, and by their number of pronouns. AUC
says how often a segment with a pronoun that a professional rater marked comes before another. It is
measured on the documents that nothing was chosen on; `judge` of `reproduce.proofread` must have
written WORK/wmt23.jsonl.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from crosspro.data_prep.core.errors import counted, input_error
from crosspro.data_prep.core.files import make_folder, parse_json, read_bytes, write_text
from crosspro.data_prep.core.processes import Report, Step
from crosspro.evaluation.core.evaluation import Evaluation, evaluate
from crosspro.evaluation.core.statistics import Floats
from crosspro.evaluation.folder_report.compute import JUDGING, column_data
from crosspro.evaluation.folder_report.contents import ReadingRules, ReportContents, read_contents
from crosspro.evaluation.folder_report.files import GivenFiles, find_files
from crosspro.evaluation.folder_report.folder import READING, opened_test
from crosspro.evaluation.leaderboard.evidence import digest_of
from crosspro.evaluation.leaderboard.mt_evidence import (
    PLAN,
    WIDTHS,
    MarkedItems,
    MeasuredTest,
    SystemSums,
    measured_sums,
    measured_values,
    write_marks,
    write_sums,
    write_values,
)
from crosspro.evaluation.leaderboard.record import (
    FOLDER,
    Board,
    MakingStep,
    MeasuredSet,
    Provenance,
    Record,
    write_record,
)
from crosspro.evaluation.metrics.pronoun_doubt.metric import (
    JudgedText,
    PronounJudge,
    ProofreadPronoun,
)
from crosspro.prediction.proofread.box_judge import judge_of
from crosspro.prediction.proofread.doubts import DoubtKind
from crosspro.prediction.proofread.judge import load_judge
from crosspro.prediction.runs import versions
from crosspro.scripts.main import command_app, run
from crosspro.scripts.reproduce.proofread import (
    REFERENCE,
    TASK,
    WMT23,
    FoundPronoun,
    by_segment,
    found_pronouns,
    of_development,
    read_wmt23,
)
from crosspro.scripts.steps import StepDisplay

app = command_app()

Corpora = Annotated[Path, typer.Option(help="The folder of corpora.")]
Work = Annotated[Path, typer.Option(help="The folder of what is kept for later runs.")]
Results = Annotated[Path, typer.Option(help="The folder of records.")]
Commit = Annotated[str, typer.Option(help="The commit that this runs at.")]

COLUMNS = {"apt": "apt", "pronoun_f1": "pronoun_f1", "pronoun_doubt": "in_doubt", "chrf": "chrf"}
"""The columns of a report that are on the board, and what they are called there."""
VERDICTS, METRIC_SCORES = "verdicts/wmt23.en-de", "metrics.tsv.xz"
WORDS: Mapping[str, tuple[str, ...] | None] = {
    "pronouns": None,
    "it_they_them": ("it", "they", "them"),
}
"""The sets of items: segments with such source words."""
PROGRAM = ("python", "-m", "crosspro.scripts.reproduce.boards")
_YEAR = re.compile(r"wmt(\d\d)\b")


# MT systems ---------------------------------------------------------------------------------------


@app.command()
def translations(
    tests: Annotated[
        list[str],
        typer.Argument(metavar="TEST...", help="Folders or files of WMT below the corpora."),
    ],
    corpora: Corpora,
    work: Work,
    commit: Commit,
    without: Annotated[
        list[str] | None, typer.Option(help="An output that is no system (repeat).")
    ] = None,
    results: Results = FOLDER,
) -> None:
    """Record how well the MT systems of tests translate pronouns."""
    for test in tests:
        with StepDisplay() as display:
            found = sums_of_test(corpora / test, work, tuple(without or ()), display.report)
        name = _called(Path(test))
        command = [*PROGRAM, "translations", test, "--corpora", "{corpora}", "--work", "{work}"]
        for one in without or ():
            command += ["--without", one]
        command += ["--commit", commit, "--results", "{work}/results"]
        step = MakingStep(
            "the records of all systems of this test",
            tuple(command),
            (f"corpora:{test}", "package:sacrebleu"),
        )
        for system, evidence in found.items():
            record = Record(
                name=f"{name}/{_file_name(system)}",
                board=Board.TRANSLATIONS,
                title=system,
                system=system,
                origin=Provenance.OTHERS,
                task=name,
                year=_year(name),
                commit=commit,
                environment=versions(),
                steps=(step,),
                **_measured(measured_sums(evidence)),
            )
            write_sums(record.name, evidence, results)
            write_record(record, results)
        print(f"{results / name}: {counted(len(found), 'record')}")


def sums_of_test(
    path: Path, work: Path, without: Sequence[str], progress: Report
) -> dict[str, SystemSums]:
    """The sums of every system of a test, by system."""
    progress(Step(READING))
    name = _called(path)
    with opened_test(path) as test:
        problems: list[Any] = []
        files = find_files(test.folder, GivenFiles(), test.pair, problems)
        outputs = tuple(one for one in files.outputs if one.name not in without)
        files = replace(files, outputs=outputs)
        source, target = files.languages
        judge = judge_of(source or "", target or "")
        rules = ReadingRules(proofread=True)
        contents = read_contents(test.folder, files, rules, problems, judge is not None)
        if judge is not None:
            judged = kept_judgements(contents, judge, work / "doubts" / name, progress)
            contents = replace(contents, judged=judged)
        data = column_data(contents, 1, progress)
        measured = _measured_test(contents)
        sums: dict[str, dict[str, Floats]] = {}
        signatures: dict[str, dict[str, str]] = {}
        for column in contents.columns:
            if column.key not in COLUMNS:
                continue
            progress(Step(column.step))
            found = evaluate(column.make(), data[column.kind.needs, column.of], None)
            measure = COLUMNS[column.key]
            for system, rows, signature in _rows(found, measure):
                sums.setdefault(system, {})[measure] = rows
                signatures.setdefault(system, {})[measure] = signature
    return {
        system: SystemSums(name, measured, own, signatures[system]) for system, own in sums.items()
    }


def _rows(found: Evaluation, measure: str) -> Iterator[tuple[str, Floats, str]]:
    """Of each system its sums by document, and how they were made."""
    from crosspro.evaluation.core.score import make_signature

    metric, scored = found.metric, found.scored
    for place, system in enumerate(scored.systems):
        rows = scored.units.sums(metric.statistics(scored, place)[:, : WIDTHS[measure]])
        part = next(one for one in metric.parts(scored, place) if one.is_total)
        signature = make_signature(
            metric.described(scored, part, metric.headline, place),
            PLAN,
            scored.units.name,
            metric.other_programs(scored, metric.headline),
        )
        yield system, rows, signature


def _measured_test(contents: ReportContents) -> MeasuredSet:
    text, documents = contents.text, contents.documents
    if text is None:
        raise input_error("test", "outputs", "at least one", "none")
    names = () if documents is None else documents.names
    digest = digest_of("\n".join((*contents.source, *text.references[0], *names)))
    return MeasuredSet(text.lines, len(names) or None, digest)


def kept_judgements(
    contents: ReportContents, judge: PronounJudge, folder: Path, progress: Report
) -> JudgedText | None:
    """What the model says of the pronouns of all outputs, from the folder where it is kept."""
    text, numbers = contents.text, contents.documents
    if text is None:
        return None
    documents = None if numbers is None else [str(one) for one in numbers.of_line.tolist()]
    make_folder(folder)
    found, done, total = [], 0, text.lines * len(text.names)
    for system, lines in zip(text.names, text.candidates, strict=True):
        path = folder / f"{_file_name(system)}.json"
        text_digest = digest_of("\n".join((*contents.source, *lines)))
        wanted = [*judge.described, text_digest]
        kept = parse_json(read_bytes(path)) if path.is_file() else None
        if kept is None or kept["of"] != wanted:
            pronouns = judge.judged(contents.source, lines, documents)
            rows = [[one.line, one.source_word, one.wrong] for one in pronouns]
            kept = {"of": wanted, "pronouns": rows}
            write_text(path, json.dumps(kept))
        found.append(tuple(ProofreadPronoun(row[0], "", *row[1:]) for row in kept["pronouns"]))
        done += text.lines
        progress(Step(JUDGING, done=done, total=total))
    return JudgedText(text.names, tuple(found), text.lines, text.documents, judge.described)


# Metrics ------------------------------------------------------------------------------------------


@app.command()
def metrics(corpora: Corpora, work: Work, commit: Commit, results: Results = FOLDER) -> None:
    """Record which metrics of WMT 2023 notice pronouns that professional raters marked."""
    from crosspro.evaluation.inputs.rater_marks import read_segment_scores

    folder = corpora / VERDICTS
    found = [
        one
        for one in found_pronouns(work, WMT23, read_wmt23(folder))
        if one.kind is DoubtKind.WORD
        and one.output.system != REFERENCE
        and not of_development(one.output.document)
    ]
    items = {name: items_with(found, words) for name, words in WORDS.items()}
    marks = {name: marked_items(groups) for name, groups in items.items()}
    scores = read_segment_scores(folder / METRIC_SCORES)
    name = f"metrics.{_called(Path(VERDICTS))}"
    write_marks(name, marks, results)
    doubts: dict[str, tuple[Provenance, Callable[[Sequence[FoundPronoun]], float]]] = {
        "proofread": (Provenance.OWN, _worst()),
        "number-of-pronouns": (Provenance.OWN, lambda some: float(len(some))),
    }
    for metric, own in scores.items():
        if all((one.output.system, one.output.number) in own for one in found):
            doubts[metric] = Provenance.OTHERS, _low(own)
    command = [*PROGRAM, "metrics", "--corpora", "{corpora}", "--work", "{work}"]
    steps = (
        MakingStep(
            "what the model says of pronouns",
            (
                *("python", "-m", "crosspro.scripts.reproduce.proofread", "judge", "{work}"),
                *("--verdicts", "{corpora}/verdicts"),
            ),
            (f"corpora:{VERDICTS}",),
        ),
        MakingStep(
            "the records of all metrics",
            (*command, "--commit", commit, "--results", "{work}/results"),
            (f"corpora:{VERDICTS}",),
        ),
    )
    for metric, (origin, doubt) in doubts.items():
        values = {
            test: np.array([doubt(some) for some in groups]) for test, groups in items.items()
        }
        record = Record(
            name=f"{name}/{_file_name(metric)}",
            board=Board.METRICS,
            title=metric.replace("-", " ") if origin == Provenance.OWN else metric,
            system=metric,
            origin=origin,
            task=name,
            year=_year(VERDICTS),
            commit=commit,
            environment=versions(),
            steps=steps,
            **_measured(measured_values(marks, values)),
        )
        write_values(record.name, values, results)
        write_record(record, results)
    print(f"{results / name}: {counted(len(doubts), 'record')}")


def items_with(
    found: Sequence[FoundPronoun], words: Sequence[str] | None
) -> list[list[FoundPronoun]]:
    """The segments of systems that have such a pronoun, document by document."""
    own = [one for one in found if words is None or one.source_word.lower() in words]
    return sorted(by_segment(own), key=_place)


def _place(some: Sequence[FoundPronoun]) -> tuple[str, int, str]:
    output = some[0].output
    return output.document, output.number, output.system


def marked_items(groups: Sequence[Sequence[FoundPronoun]]) -> MarkedItems:
    """What raters say of segments: the most severe mark on one of its pronouns."""
    levels = [
        max(one.level(rater) for one in some for rater in one.output.raters) for some in groups
    ]
    documents = Counter(some[0].output.document for some in groups)
    segments = Counter(some[0].output.number for some in groups)
    sizes = tuple(documents.values()), tuple(segments.values())
    return MarkedItems(np.array(levels, dtype=np.int64), *sizes)


def _worst() -> Callable[[Sequence[FoundPronoun]], float]:
    judge = load_judge()

    def worst(some: Sequence[FoundPronoun]) -> float:
        return max(judge.wrong(one.kind, one.label, one.probabilities, TASK) for one in some)

    return worst


def _low(scores: Mapping[tuple[str, int], float]) -> Callable[[Sequence[FoundPronoun]], float]:
    return lambda some: -scores[some[0].output.system, some[0].output.number]


# Both ---------------------------------------------------------------------------------------------


def _measured(found: MeasuredTest) -> dict[str, Any]:
    return {"sets": found.sets, "scores": found.scores, "digests": found.digests}


def _called(path: Path) -> str:
    """What a test is called: its folder, or its file without what its name ends in."""
    return re.sub(r"\.(xml|jsonl)(\.(gz|xz))?$", "", path.name)


def _year(name: str) -> int | None:
    found = _YEAR.search(name)
    return 2000 + int(found[1]) if found else None


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.+-]+", "_", name)


if __name__ == "__main__":
    run(app)
