"""Cross-lingual pronoun prediction, and evaluation of pronoun translation.

The functions of this module are the public API; what the commands of `crosspro` do can be done with
them. They take names of tasks and paths of files, and return the records that reports are made of:

    import crosspro

    task = crosspro.load_task("en-fr")
    examples = crosspro.prepare(task, "corpus.en", "corpus.fr", doc_ids="corpus.doc-ids")
    crosspro.write_examples("train.data", examples)

    system = crosspro.load_system("runs/en-fr/turku_gru_2016/…")
    predicted = crosspro.predict(system, crosspro.read_examples("blind.data", task))
    crosspro.write_examples("submission.data", predicted)

    evaluation = crosspro.evaluate("gold.data", ["submission.data"], "en-fr")
    print(evaluation.results[0].scores["macro_recall"])

    pair = crosspro.predict_pair(system, "The house is old, but it stands.",
                                 "La maison est vieille, mais REPLACE tient debout.")
    print(pair.gaps[0].label, pair.gaps[0].probabilities)

    scores = crosspro.apt("source", "reference", ["candidate"], pronouns="en-fr")

Everything else is imported when a function is called, so that `import crosspro` takes no time.
Wrong input raises `InputError`, whose `problems` say where, what was expected and what was found.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from crosspro.baselines.ngram.language_model import LanguageModel
    from crosspro.data_prep.errors import CrossproError, InputError
    from crosspro.data_prep.example import Example, Gap
    from crosspro.data_prep.pairs.pipeline import PairPipeline
    from crosspro.data_prep.pairs.typed_text import GapMark
    from crosspro.data_prep.task import Task
    from crosspro.evaluation.apt.score import AptEvaluation, AptSettings
    from crosspro.evaluation.autoprf.score import AutoPrfEvaluation, AutoPrfSettings
    from crosspro.evaluation.contrastive.accuracy import ContrastiveEvaluation
    from crosspro.evaluation.contrastive.generative.payload import PayloadRules
    from crosspro.evaluation.contrastive.generative.score import GenerativeEvaluation
    from crosspro.evaluation.folder_report.results import FolderReport
    from crosspro.evaluation.mt_metrics.pronoun_f1 import PronounF1
    from crosspro.evaluation.mt_text.inputs import MtInput
    from crosspro.evaluation.mt_text.pronoun_lists import PronounLists
    from crosspro.evaluation.statistics.significance import Resampling
    from crosspro.evaluation.submissions.results import Evaluation
    from crosspro.prediction.pair_prediction import PairPrediction
    from crosspro.prediction.system import System

__version__ = "0.2.0"

__all__ = [
    "CrossproError",
    "Example",
    "Gap",
    "GapMark",
    "InputError",
    "System",
    "Task",
    "apt",
    "autoprf",
    "contrastive",
    "contrastive_generate",
    "demo",
    "evaluate",
    "fill",
    "limits",
    "load_language_model",
    "load_system",
    "load_task",
    "pair_pipeline",
    "predict",
    "predict_pair",
    "prepare",
    "pronoun_f1",
    "read_examples",
    "report",
    "write_examples",
]

_CLASSES = {
    "CrossproError": "crosspro.data_prep.errors",
    "Example": "crosspro.data_prep.example",
    "Gap": "crosspro.data_prep.example",
    "GapMark": "crosspro.data_prep.pairs.typed_text",
    "InputError": "crosspro.data_prep.errors",
    "System": "crosspro.prediction.system",
    "Task": "crosspro.data_prep.task",
}
"""Classes that users name in their own code, and where they are."""

AnyPath = str | Path
Paths = Iterable[AnyPath] | AnyPath
"""Several paths, or one."""


def __getattr__(name: str) -> Any:
    if name not in _CLASSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_CLASSES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_CLASSES})


def limits(**values: int) -> AbstractContextManager[None]:
    """Other limits of what is read, in a `with` block: `crosspro.limits(line_bytes=1 << 30)`.

    What is beyond a limit is refused with a message that names it: `--limit` of the commands.
    """
    from crosspro.data_prep.files.limits import changed_limits

    return changed_limits(values)


def load_task(name: AnyPath) -> Task:
    """The rules of a shared task by name (`en-fr`), or from a YAML file of your own."""
    from crosspro.data_prep.task import load_task

    return load_task(name)


def read_examples(path: AnyPath, task: Task | AnyPath, *, lenient: bool = False) -> list[Example]:
    """The examples of a five-column file, with the layers that lie beside it (X.doc-ids, …).

    `lenient` accepts what the released scorer accepts.
    """
    from crosspro.data_prep.layers import read_layered

    return list(read_layered(path, _task(task), lenient=lenient))


def write_examples(path: AnyPath, examples: Iterable[Example]) -> None:
    """Write a five-column file, compressed if its name ends in .gz or .xz."""
    from crosspro.data_prep.formats.shared_task import write_examples

    write_examples(path, examples)


def demo(task: Task | AnyPath, split: str, documents: int, seed: int = 1) -> list[Example]:
    """Documents of the generated demo corpus: `split` is train, dev or test."""
    from crosspro.data_prep.demo.corpus import demo_examples

    return demo_examples(_task(task), split, documents, seed)


def prepare(
    task: Task | AnyPath,
    source: AnyPath,
    target: AnyPath | None = None,
    *,
    doc_ids: AnyPath | None = None,
    links: AnyPath | None = None,
    annotator: str = "auto",
    source_annotator: str = "auto",
    rules: str = "2017",
    cache: AnyPath | None = None,
    jobs: int = 1,
) -> list[Example]:
    """Examples from parallel text: tokenised, aligned, annotated, gaps placed by a year's rules.

    `source` alone may be a file of both sides (TMX, .po). Finished steps are kept in `cache`, so
    that an interrupted call goes on where it stopped; without it they are made again.
    """
    from tempfile import TemporaryDirectory

    from crosspro.data_prep.align.backends import default_settings
    from crosspro.data_prep.bitext import read_bitext
    from crosspro.data_prep.cache import Cache
    from crosspro.data_prep.gaps.rules import RULES, changed_rules
    from crosspro.data_prep.prepare import PrepareSettings, prepare
    from crosspro.data_prep.tokenised import tokenised_bitext

    _one_of("rules", rules, RULES)
    task = _task(task)
    settings = PrepareSettings(
        rules=changed_rules(rules, ()),
        aligner=default_settings(task),
        annotator=annotator,
        source_annotator=source_annotator,
        links=_path(links),
        jobs=jobs,
    )
    texts = read_bitext(
        Path(source),
        _path(target),
        source_language=task.source_language,
        target_language=task.target_language,
        doc_ids=_path(doc_ids),
    )
    with TemporaryDirectory() as scratch:
        steps = Cache(Path(cache or scratch))
        bitext = tokenised_bitext(task, texts, steps.folder)
        examples, _ = prepare(task, bitext, settings, steps)
        return list(examples)


def load_system(run: AnyPath) -> System:
    """A trained system, ready to predict, from its run or an archive; no code in it is run."""
    from crosspro.prediction.system import load_system

    return load_system(run)


def predict(system: System, examples: Sequence[Example]) -> list[Example]:
    """The examples with the most probable class of each gap as its label.

    `system.predict(examples)` gives the probability of every class.
    """
    from crosspro.prediction.output import with_predictions

    return with_predictions(system, examples)


def pair_pipeline(
    task: Task | AnyPath,
    *,
    prior: AnyPath | None = None,
    align_with: tuple[AnyPath, AnyPath] | None = None,
    annotator: str = "auto",
    source_annotator: str = "auto",
) -> PairPipeline:
    """What turns raw sentence pairs into examples of a task; keep it, for models load once.

    Links are made from a prior (`crosspro align --save-prior`), or from a tokenised corpus
    (`align_with`), else from the short texts that come with the package.
    """
    from functools import partial

    from crosspro.data_prep.pairs.pair_links import (
        aligner_of_package,
        aligner_with_corpus,
        aligner_with_prior,
    )
    from crosspro.data_prep.pairs.pipeline import PairPipeline

    aligner = aligner_of_package
    if prior is not None:
        aligner = partial(aligner_with_prior, path=Path(prior))
    elif align_with is not None:
        source, target = map(Path, align_with)
        aligner = partial(aligner_with_corpus, source=source, target=target)
    return PairPipeline(_task(task), annotator, source_annotator, aligner)


def predict_pair(
    system: System,
    source: str,
    target: str,
    *,
    context: Iterable[tuple[str, str]] = (),
    gaps: Sequence[GapMark] | None = None,
    links: str | None = None,
    pipeline: PairPipeline | None = None,
) -> PairPrediction:
    """What a system predicts for a sentence and its translation, typed as any text.

    Gaps are written into the target as REPLACE (REPLACE_6 if the source token is known), or named
    in `gaps`; without either, the pronouns that the rules of the task find are hidden and
    predicted. `context` has the pairs before, in order. `links` (`0-0 1-2`) replaces the aligner.
    """
    from crosspro.data_prep.pairs.typed_text import SentencePair
    from crosspro.prediction.pair_prediction import predict_pair

    if pipeline is None:
        pipeline = pair_pipeline(system.task)
    elif pipeline.task != system.task:
        from crosspro.data_prep.errors import input_error

        raise input_error("arguments", "pipeline", system.task.name, pipeline.task.name)
    before = [SentencePair(*pair) for pair in context]
    return predict_pair(system, pipeline, SentencePair(source, target, links), before, gaps)


def load_language_model(path: AnyPath) -> LanguageModel:
    """An n-gram model as `crosspro lm train` writes it, or in ARPA form."""
    from crosspro.baselines.ngram.load import load_model

    return load_model(path)


def fill(
    examples: Sequence[Example],
    task: Task | AnyPath,
    model: LanguageModel,
    none_penalty: float = 0.0,
) -> list[Example]:
    """The examples with all gaps of a line filled together by a language model, as labels.

    The official baseline: `none_penalty` (log10) makes it dearer to leave a gap empty.
    """
    from crosspro.baselines.fill import GapFiller, task_fillers

    fillers = task_fillers(_task(task))
    fillings = GapFiller(model, fillers, none_penalty).fill(examples)
    return [
        example.with_labels([fillers.classes[choice] for choice in filling.choices])
        for example, filling in zip(examples, fillings, strict=True)
    ]


def evaluate(
    gold: AnyPath,
    submissions: Paths,
    task: Task | AnyPath,
    *,
    doc_ids: AnyPath | None = None,
    absent: Literal["skip", "zero"] = "skip",
    resamples: int = 1000,
    seed: int = 12345,
) -> Evaluation:
    """Scores of submissions, with intervals and paired tests (none with 0 resamples).

    A submission is a file, or the folder of a run, whose system predicts the gaps of gold.
    Documents are resampled where ids are given or lie beside gold (X.doc-ids beside X.data), else
    gaps. Classes absent from gold are skipped, as in the papers, or count as zero.
    """
    from dataclasses import replace

    from crosspro.data_prep.files.run_path import is_run
    from crosspro.data_prep.layers import layers_beside
    from crosspro.evaluation.submissions.order import order_warning
    from crosspro.evaluation.submissions.results import evaluate
    from crosspro.evaluation.submissions.submission import read_gold
    from crosspro.prediction.run_submissions import read_or_predict
    from crosspro.prediction.runs import names_of

    _one_of("absent", absent, ("skip", "zero"))
    plan, task, paths = _plan(resamples, seed), _task(task), _paths(submissions)
    layers = layers_beside(gold)
    layers = replace(layers, documents=_path(doc_ids) or layers.documents)
    labels = read_gold(Path(gold), task, layers.documents)
    found = read_or_predict(paths, task, labels, Path(gold), layers)
    read = [replace(one, name=name) for one, name in zip(found, names_of(paths), strict=True)]
    order = order_warning(Path(gold), [path for path in paths if not is_run(path)], task)
    evaluation = evaluate(task, labels, read, absent, plan)
    return replace(evaluation, warnings=(*([order] if order else []), *evaluation.warnings))


def apt(
    source: AnyPath,
    reference: AnyPath,
    candidates: Paths,
    pronouns: PronounLists | AnyPath,
    *,
    links_reference: AnyPath | None = None,
    links_candidates: Paths = (),
    doc_ids: AnyPath | None = None,
    settings: AptSettings | None = None,
    resamples: int = 1000,
    seed: int = 12345,
) -> AptEvaluation:
    """APT of MT output: how accurately source pronouns are translated. Missing links are made."""
    from dataclasses import replace

    from crosspro.evaluation.apt.score import AptSettings, evaluate_apt

    lists = _lists(pronouns)
    data = _mt_input(source, reference, candidates, links_reference, links_candidates, doc_ids)
    chosen = replace(settings or AptSettings(), links=data.links)
    texts = (data.source, data.reference, data.candidates)
    return evaluate_apt(*texts, lists, chosen, _plan(resamples, seed), data.documents)


def autoprf(
    source: AnyPath,
    reference: AnyPath,
    candidates: Paths,
    pronouns: PronounLists | AnyPath,
    *,
    links_reference: AnyPath | None = None,
    links_candidates: Paths = (),
    doc_ids: AnyPath | None = None,
    settings: AutoPrfSettings | None = None,
    resamples: int = 1000,
    seed: int = 12345,
) -> AutoPrfEvaluation:
    """AutoPRF of MT output: precision and recall of the words linked to source pronouns."""
    from dataclasses import replace

    from crosspro.evaluation.autoprf.score import AutoPrfSettings, evaluate_autoprf

    lists = _lists(pronouns)
    data = _mt_input(source, reference, candidates, links_reference, links_candidates, doc_ids)
    chosen = replace(settings or AutoPrfSettings(), links=data.links)
    texts = (data.source, data.reference, data.candidates)
    return evaluate_autoprf(*texts, lists, chosen, _plan(resamples, seed), data.documents)


def contrastive(
    test_set: AnyPath,
    scores: Paths,
    *,
    maximise: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
) -> ContrastiveEvaluation:
    """Accuracy on a contrastive set: files of scores, one line for each translation of the set.

    Lower scores are better, as those of the released scripts are, unless `maximise` says otherwise.
    """
    from crosspro.evaluation.contrastive.accuracy import evaluate_contrastive, read_scores
    from crosspro.evaluation.contrastive.formats import read_contrastive

    read = read_contrastive(Path(test_set))
    systems = read_scores(_paths(scores), read, maximise)
    return evaluate_contrastive(read, systems, _plan(resamples, seed))


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
) -> GenerativeEvaluation:
    """Accuracy on a context set of generated translations: is the expected form in them?

    Files of output have a line for each instance; a TSV of the generative ContraPro has its output
    in itself, and `outputs` may be empty. `rules` and `parts` say which part of a line is scored.
    """
    from crosspro.data_prep.errors import input_error
    from crosspro.evaluation.contrastive.generative.expected_sets import read_expected
    from crosspro.evaluation.contrastive.generative.outputs import read_outputs
    from crosspro.evaluation.contrastive.generative.payload import PayloadRules
    from crosspro.evaluation.contrastive.generative.score import evaluate_generative

    path, files, chosen = Path(test_set), _paths(outputs), rules or PayloadRules()
    read, rows = read_expected(path, language, separators=chosen.separators)
    if rows is None and not files:
        raise input_error("arguments", "outputs", "at least one file", "none")
    tsv = None if rows is None else (path, rows)
    systems = read_outputs(
        files, read, chosen, language, tsv=tsv, parts=_path(parts), lenient=lenient
    )
    return evaluate_generative(read, systems, language, chosen, _plan(resamples, seed))


def pronoun_f1(
    candidates: Paths,
    reference: AnyPath,
    language: str,
    *,
    doc_ids: AnyPath | None = None,
    ambiguous: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
) -> PronounF1:
    """Precision, recall and F1 of pronouns from plain text: no links, no parser.

    `ambiguous` also counts words that may be articles, verbs and so on.
    """
    from crosspro.evaluation.mt_metrics.pronoun_f1 import evaluate_pronouns
    from crosspro.evaluation.mt_metrics.score import read_mt_text

    text = read_mt_text(_paths(candidates), [Path(reference)], _path(doc_ids))
    return evaluate_pronouns(text, language, _plan(resamples, seed), ambiguous)


def report(
    folder: AnyPath,
    output: AnyPath | None = None,
    *,
    pair: str | None = None,
    pronouns: str | None = None,
    baseline: str | None = None,
    align: bool = True,
    tokenised: bool | None = None,
    lenient: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
    jobs: int = 1,
) -> FolderReport:
    """All scores of a folder of source, reference, outputs, documents and contrastive sets.

    Files are known by their names (docs/report.md). With `output`, report.html and report.json are
    written to that folder.
    """
    from crosspro.evaluation.folder_report.compute import ReportSettings
    from crosspro.evaluation.folder_report.contents import ReadingRules
    from crosspro.evaluation.folder_report.files import check_apart, read_pair
    from crosspro.evaluation.folder_report.folder import report_on
    from crosspro.evaluation.folder_report.page import write_report

    if output is not None:
        check_apart(Path(folder), Path(output))
    found = report_on(
        Path(folder),
        pair=None if pair is None else read_pair(pair),
        rules=ReadingRules(pronouns, make_links=align, tokenised=tokenised, lenient=lenient),
        settings=ReportSettings(_plan(resamples, seed)),
        baseline=baseline,
        jobs=jobs,
    )
    if output is not None:
        write_report(found, Path(output))
    return found


def _mt_input(
    source: AnyPath,
    reference: AnyPath,
    candidates: Paths,
    links_reference: AnyPath | None,
    links_candidates: Paths,
    doc_ids: AnyPath | None,
) -> MtInput:
    from crosspro.evaluation.mt_text.inputs import InputPaths, read_input

    paths = InputPaths(
        Path(source),
        Path(reference),
        tuple(_paths(candidates)),
        _path(links_reference),
        tuple(_paths(links_candidates)),
        _path(doc_ids),
    )
    return read_input(paths)


def _task(task: Task | AnyPath) -> Task:
    return load_task(task) if isinstance(task, AnyPath) else task


def _lists(pronouns: PronounLists | AnyPath) -> PronounLists:
    from crosspro.evaluation.mt_text.pronoun_lists import load_lists

    return load_lists(pronouns) if isinstance(pronouns, AnyPath) else pronouns


def _path(path: AnyPath | None) -> Path | None:
    return None if path is None else Path(path)


def _paths(paths: Paths) -> list[Path]:
    """Several paths; a single one is a list of one, and not of its characters."""
    return [Path(path) for path in ([paths] if isinstance(paths, AnyPath) else paths)]


def _one_of(name: str, value: object, known: Iterable[str]) -> None:
    from crosspro.data_prep.errors import choices, input_error

    if value not in list(known):
        raise input_error("arguments", name, choices(known), repr(value))


def _plan(resamples: int, seed: int) -> Resampling | None:
    from crosspro.data_prep.errors import InputError, Problem
    from crosspro.evaluation.statistics.significance import Resampling

    numbers = {"resamples": resamples, "seed": seed}
    wrong = {name: one for name, one in numbers.items() if type(one) is not int or one < 0}
    if wrong:
        expected = "a whole number from 0"
        raise InputError(
            Problem("arguments", None, name, expected, repr(one)) for name, one in wrong.items()
        )
    return Resampling(resamples, seed) if resamples else None
