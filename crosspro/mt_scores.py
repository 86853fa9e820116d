"""Scores of pronouns in MT output: against a reference, on contrastive sets, all of a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosspro.arguments import AnyPath, Paths, all_paths, path_or_none, resampling

if TYPE_CHECKING:
    from crosspro.evaluation.core.evaluation import Evaluation
    from crosspro.evaluation.core.statistics import Resampling
    from crosspro.evaluation.folder_report.results import FolderReport
    from crosspro.evaluation.inputs.pronoun_lists import PronounLists
    from crosspro.evaluation.metrics.apt.settings import AptSettings
    from crosspro.evaluation.metrics.autoprf.settings import AutoPrfSettings
    from crosspro.evaluation.metrics.expected_forms.outputs import PayloadRules


def apt(
    source: AnyPath,
    reference: AnyPath,
    candidates: Paths,
    pronouns: PronounLists | AnyPath,
    *,
    links: AnyPath | None = None,
    candidate_links: Paths = (),
    doc_ids: AnyPath | None = None,
    tokenised: bool | None = None,
    settings: AptSettings | None = None,
    resamples: int = 1000,
    seed: int = 12345,
) -> Evaluation:
    """APT of MT output: how accurately source pronouns are translated. Missing links are made.

    Text without links is cut into words if it is not `tokenised`; None says to look.
    """
    files = (source, reference, candidates, pronouns, links, candidate_links, doc_ids, tokenised)
    return _linked("apt", settings, files, resampling(resamples, seed))


def autoprf(
    source: AnyPath,
    reference: AnyPath,
    candidates: Paths,
    pronouns: PronounLists | AnyPath,
    *,
    links: AnyPath | None = None,
    candidate_links: Paths = (),
    doc_ids: AnyPath | None = None,
    tokenised: bool | None = None,
    settings: AutoPrfSettings | None = None,
    resamples: int = 1000,
    seed: int = 12345,
) -> Evaluation:
    """AutoPRF of MT output: precision and recall of the words linked to source pronouns.

    Text without links is cut into words if it is not `tokenised`; None says to look.
    """
    files = (source, reference, candidates, pronouns, links, candidate_links, doc_ids, tokenised)
    return _linked("autoprf", settings, files, resampling(resamples, seed))


def pronoun_f1(
    candidates: Paths,
    reference: AnyPath,
    language: str,
    *,
    doc_ids: AnyPath | None = None,
    ambiguous: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
) -> Evaluation:
    """Precision, recall and F1 of pronouns from plain text: no links, no parser.

    `ambiguous` also counts words that may be articles, verbs and so on.
    """
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.inputs.plain_text import read_mt_text
    from crosspro.evaluation.metrics import make_metric

    text = read_mt_text(all_paths(candidates), [Path(reference)], path_or_none(doc_ids))
    metric = make_metric("pronoun_f1", language=language, ambiguous=ambiguous)
    return evaluate(metric, text, resampling(resamples, seed))


def contrastive(
    test_set: AnyPath,
    scores: Paths,
    *,
    maximise: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
) -> Evaluation:
    """Accuracy on a contrastive set: files of scores, one line for each translation of the set.

    Lower scores are better, as those of the released scripts are, unless `maximise` says otherwise.
    """
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.metrics import make_metric
    from crosspro.evaluation.metrics.contrastive.formats import read_contrastive
    from crosspro.evaluation.metrics.contrastive.metric import ScoredSet, read_scores

    read = read_contrastive(Path(test_set))
    data = ScoredSet(read, tuple(read_scores(all_paths(scores), read, maximise)))
    return evaluate(make_metric("contrastive"), data, resampling(resamples, seed))


def contrastive_generate(
    test_set: AnyPath,
    outputs: Paths,
    language: str,
    *,
    parts: AnyPath | None = None,
    rules: PayloadRules | None = None,
    lenient: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
) -> Evaluation:
    """Accuracy on a context set of generated translations: is the expected form in them?

    Files of output have a line for each instance; a TSV of the generative ContraPro has its output
    in itself, and `outputs` may be empty. `rules` and `parts` say which part of a line is scored.
    """
    from crosspro.data_prep.core.errors import input_error
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.metrics import make_metric
    from crosspro.evaluation.metrics.expected_forms.expected_sets import read_expected
    from crosspro.evaluation.metrics.expected_forms.metric import GeneratedSet
    from crosspro.evaluation.metrics.expected_forms.outputs import PayloadRules, read_outputs

    path, files, chosen = Path(test_set), all_paths(outputs), rules or PayloadRules()
    read, rows = read_expected(path, language, separators=chosen.separators)
    if rows is None and not files:
        raise input_error("arguments", "outputs", "at least one file", "none")
    tsv = None if rows is None else (path, rows)
    systems = read_outputs(
        files, read, chosen, language, tsv=tsv, parts=path_or_none(parts), lenient=lenient
    )
    metric = make_metric("expected_forms", language=language, rules=chosen)
    return evaluate(metric, GeneratedSet(read, tuple(systems)), resampling(resamples, seed))


def report(
    folder: AnyPath,
    output: AnyPath | None = None,
    *,
    pair: str | None = None,
    pronouns: str | None = None,
    baseline: str | None = None,
    align: bool = True,
    proofread: bool | None = None,
    tokenised: bool | None = None,
    lenient: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
    jobs: int = 1,
) -> FolderReport:
    """All scores of a folder of source, reference, outputs, documents and contrastive sets.

    Files are known by their names (docs/guides/report.md). With `output`, report.html and
    report.json are written to that folder. `proofread` says whether a model of the box judges
    pronouns, too; None: if the outputs are not too long.
    """
    from crosspro.evaluation.folder_report.compute import ReportSettings
    from crosspro.evaluation.folder_report.contents import ReadingRules
    from crosspro.evaluation.folder_report.files import check_apart, read_pair
    from crosspro.evaluation.folder_report.folder import report_on
    from crosspro.evaluation.folder_report.page import write_report
    from crosspro.prediction.proofread.box_judge import judge_of

    if output is not None:
        check_apart(Path(folder), Path(output))
    found = report_on(
        Path(folder),
        pair=None if pair is None else read_pair(pair),
        rules=ReadingRules(
            pronouns,
            make_links=align,
            tokenised=tokenised,
            lenient=lenient,
            proofread=proofread,
        ),
        settings=ReportSettings(resampling(resamples, seed)),
        baseline=baseline,
        judge_of=judge_of,
        jobs=jobs,
    )
    if output is not None:
        write_report(found, Path(output))
    return found


def _linked(
    name: str, settings: Any, files: tuple[Any, ...], plan: Resampling | None
) -> Evaluation:
    """A metric of linked text, of the files that `apt` and `autoprf` are given."""
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.inputs.mt_input import InputPaths, read_input
    from crosspro.evaluation.inputs.pronoun_lists import load_lists
    from crosspro.evaluation.metrics import make_metric, metric_class

    source, reference, candidates, pronouns, links, candidate_links, doc_ids, tokenised = files
    paths = InputPaths(
        Path(source),
        Path(reference),
        tuple(all_paths(candidates)),
        path_or_none(links),
        tuple(all_paths(candidate_links)),
        path_or_none(doc_ids),
        tokenised=tokenised,
    )
    lists = load_lists(pronouns) if isinstance(pronouns, AnyPath) else pronouns
    metric = make_metric(name) if settings is None else metric_class(name)(settings)
    return evaluate(metric, read_input(paths, lists), plan)
