"""Scores of pronouns in MT output: against a reference, on contrastive sets, all of a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from crosspro.arguments import (
    AnyPath,
    Inputs,
    Text,
    Texts,
    check_choice,
    given_path,
    is_open_file,
    languages_or_none,
    names_of,
    resampling,
)

if TYPE_CHECKING:
    from crosspro.data_prep.core.errors import Problem
    from crosspro.evaluation.core.metric import Metric
    from crosspro.evaluation.core.statistics import Resampling
    from crosspro.evaluation.folder_report.results import FolderReport
    from crosspro.evaluation.inputs.plain_text import MTText
    from crosspro.evaluation.inputs.pronoun_lists import PronounLists
    from crosspro.evaluation.metrics.apt.settings import AptSettings
    from crosspro.evaluation.metrics.autoprf.settings import AutoPrfSettings
    from crosspro.evaluation.metrics.bleu.settings import BleuSettings
    from crosspro.evaluation.metrics.contrastive.formats import ContrastiveSet
    from crosspro.evaluation.metrics.expected_forms.metric import ExpectedFormsSettings
    from crosspro.evaluation.output.result import Result


def apt(
    source: Text,
    reference: Text,
    candidates: Texts,
    pronouns: PronounLists | AnyPath | None = None,
    *,
    source_language: str | None = None,
    target_language: str | None = None,
    links: Text | None = None,
    candidate_links: Texts | None = None,
    documents: Text | None = None,
    tokenised: bool | None = None,
    lenient: bool = False,
    settings: AptSettings | None = None,
    resamples: int = 1000,
    seed: int = 12345,
) -> Result:
    """APT: how accurately MT output translates source pronouns, as `crosspro apt`.

    Texts are lists of lines, paths or open files; `candidates` are those of systems by their names.
    The pronouns that count are those of both languages, or of `pronouns`: the name of lists or a
    .yaml file. `documents` has the document of each line. Missing links are made, and text without
    links is cut into words if it is not `tokenised`; None says to look.

    >>> import crosspro
    >>> source = ["The cup fell , but it is whole .", "They are late ."]
    >>> reference = ["La tasse est tombée , mais elle est entière .", "Ils sont en retard ."]
    >>> systems = {
    ...     "A": ["La tasse est tombée , mais elle est entière .", "Ils sont en retard ."],
    ...     "B": ["La tasse est tombée , mais il est entier .", "Elles sont en retard ."],
    ... }
    >>> result = crosspro.apt(
    ...     source, reference, systems, source_language="en", target_language="fr", resamples=0
    ... )
    >>> {name: scores["apt"].value for name, scores in result.scores.items()}
    {'A': 1.0, 'B': 0.0}
    """
    texts = source, reference, candidates, links, candidate_links, documents
    lists = pronouns, languages_or_none(source_language, target_language)
    return _linked("apt", settings, texts, lists, (tokenised, lenient), resampling(resamples, seed))


def autoprf(
    source: Text,
    reference: Text,
    candidates: Texts,
    pronouns: PronounLists | AnyPath | None = None,
    *,
    source_language: str | None = None,
    target_language: str | None = None,
    links: Text | None = None,
    candidate_links: Texts | None = None,
    documents: Text | None = None,
    tokenised: bool | None = None,
    lenient: bool = False,
    settings: AutoPrfSettings | None = None,
    resamples: int = 1000,
    seed: int = 12345,
) -> Result:
    """AutoPRF: precision and recall of the words linked to source pronouns.

    Arguments are those of `apt`.

    >>> import crosspro
    >>> result = crosspro.autoprf(
    ...     ["It rains .", "It sleeps ."],
    ...     ["Il pleut .", "Elle dort ."],
    ...     ["Il pleut .", "Il dort ."],
    ...     "en-fr",
    ...     links=["0-0 1-1 2-2", "0-0 1-1 2-2"],
    ...     candidate_links=["0-0 1-1 2-2", "0-0 1-1 2-2"],
    ...     resamples=0,
    ... )
    >>> result.scores["system"]["f1"].value
    0.5
    """
    texts = source, reference, candidates, links, candidate_links, documents
    lists, plan = (pronouns, languages_or_none(source_language, target_language)), (resamples, seed)
    return _linked("autoprf", settings, texts, lists, (tokenised, lenient), resampling(*plan))


def pronoun_f1(
    *,
    reference: Text,
    candidates: Texts,
    target_language: str | None = None,
    documents: Text | None = None,
    ambiguous: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
) -> Result:
    """Precision, recall and F1 of pronouns from plain text: no links, no parser.

    Without a `target_language` it is the one that a name of a file ends in; it may also be the path
    of a table of your own (`it.tsv`). `ambiguous` also counts words that may be articles, verbs and
    so on.

    >>> import crosspro
    >>> result = crosspro.pronoun_f1(
    ...     reference=["Elle dort.", "Il pleut."],
    ...     candidates={"A": ["Elle dort.", "Il pleut."], "B": ["Il dort.", "Il pleut."]},
    ...     target_language="fr",
    ...     resamples=0,
    ... )
    >>> print(result.scores["A"]["f1"], result.scores["B"]["f1"])
    100.00 50.00
    """
    from crosspro.evaluation.inputs.pronoun_forms import LANGUAGES, language_of, own_table
    from crosspro.evaluation.metrics import make_metric

    plan, inputs = resampling(resamples, seed), Inputs()
    own = target_language is not None and own_table(target_language) is not None
    if target_language is not None and not own:
        check_choice("target_language", target_language, LANGUAGES)
    references = [inputs.text("reference", reference)]
    language = target_language and language_of(target_language)
    text = _plain_text(inputs, candidates, references, documents, language)
    if not own:
        check_choice("target_language", text.language, LANGUAGES)
    table = target_language if own else text.language
    metric = make_metric("pronoun_f1", language=table, ambiguous=ambiguous)
    return _scored(metric, text, plan)


def bleu(
    *,
    references: Texts,
    candidates: Texts,
    documents: Text | None = None,
    settings: BleuSettings | None = None,
    resamples: int = 1000,
    seed: int = 12345,
) -> Result:
    """BLEU and chrF through sacrebleu, with intervals and tests by document: extra `mt`.

    `references` are the lines of one, or a list of several.

    >>> import crosspro
    >>> lines = ["Elle dort dans la maison."]
    >>> result = crosspro.bleu(references=lines, candidates=lines, resamples=0)
    >>> print(result.scores["system"]["bleu"])
    100.00
    """
    from crosspro.evaluation.metrics import metric_class

    plan, inputs = resampling(resamples, seed), Inputs()
    several = [one.path for one in inputs.several("references", references)]
    text = _plain_text(inputs, candidates, several, documents)
    kind = metric_class("bleu")
    return _scored(kind(settings or kind.settings_class()), text, plan)


def contrastive(
    test_set: AnyPath | IO[str] | IO[bytes] | Sequence[Any] | dict[str, Any],
    scores: Any,
    *,
    maximise: bool = False,
    allow_unknown: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
) -> Result:
    """Accuracy on a contrastive set, by scores of the reference and of each error.

    The set is the path of its JSON, or what `json.load` gives. Scores of a system are numbers, or a
    path: one for each translation of the set, in its order. Lower ones are better, as those of the
    released scripts are, unless `maximise` says otherwise.

    >>> import crosspro
    >>> instance = {
    ...     "src pronoun": "it",
    ...     "ref pronoun": "elle",
    ...     "src segment": "It sleeps.",
    ...     "ref segment": "Elle dort.",
    ...     "errors": [{"contrastive": "Il dort.", "replacement": "il"}],
    ... }
    >>> result = crosspro.contrastive([instance, instance], {"A": [1.5, 2.5, 3, 2]}, resamples=0)
    >>> result.scores["A"]["accuracy"].value
    50.0
    """
    from crosspro.evaluation.metrics import make_metric
    from crosspro.evaluation.metrics.contrastive.metric import ScoredSet, read_scores

    plan, inputs = resampling(resamples, seed), Inputs()
    given = inputs.several("scores", scores, _number)
    read = _contrastive_set(inputs, test_set, allow_unknown)
    with inputs:
        found = read_scores([one.path for one in given], read, maximise)
    names = names_of(given, [one.name for one in found])
    systems = [replace(one, name=name) for one, name in zip(found, names, strict=True)]
    return _scored(make_metric("contrastive"), ScoredSet(read, tuple(systems)), plan)


def contrastive_generate(
    test_set: AnyPath,
    outputs: Texts,
    target_language: str,
    *,
    settings: ExpectedFormsSettings | None = None,
    lenient: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
) -> Result:
    """Accuracy on a context set of generated translations: is the expected form in them?

    Output has a line for each instance. `settings` say which part of a line is scored, and how
    forms are found; with `lenient` an output without that part is wrong.
    """
    from crosspro.evaluation.metrics.expected_forms.expected_sets import read_expected
    from crosspro.evaluation.metrics.expected_forms.metric import (
        ExpectedForms,
        ExpectedFormsSettings,
        GeneratedSet,
    )
    from crosspro.evaluation.metrics.expected_forms.outputs import read_outputs

    plan, inputs = resampling(resamples, seed), Inputs()
    chosen = replace(settings or ExpectedFormsSettings(""), language=target_language)
    path = given_path("test_set", test_set, "the path of a file")
    given = inputs.several("outputs", outputs)
    with inputs:
        read = read_expected(path, target_language)
        files = [one.path for one in given]
        found = read_outputs(files, read, chosen.separators, chosen.part, lenient=lenient)
    names = names_of(given, [one.name for one in found])
    systems = [replace(one, name=name) for one, name in zip(found, names, strict=True)]
    return _scored(ExpectedForms(chosen), GeneratedSet(read, tuple(systems)), plan)


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
) -> FolderReport:
    """All scores of a folder of source, reference, outputs and documents.

    Files are known by their names (docs/guides/report.md). With `output`, report.html and
    report.json are written to that folder. `proofread` says whether a bundled model judges
    pronouns, too; None: if the outputs are not too long.
    """
    from crosspro.evaluation.folder_report.compute import ReportSettings
    from crosspro.evaluation.folder_report.contents import ReadingRules
    from crosspro.evaluation.folder_report.files import check_apart, read_pair
    from crosspro.evaluation.folder_report.folder import report_on
    from crosspro.evaluation.folder_report.page import write_report
    from crosspro.prediction.proofread.box_judge import judge_of

    folder = given_path("folder", folder, "the path of a folder")
    if output is not None:
        check_apart(folder, Path(output))
    found = report_on(
        folder,
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
    )
    if output is not None:
        write_report(found, Path(output))
    return found


def _scored(metric: Metric[Any, Any, Any], data: Any, plan: Resampling | None) -> Result:
    """What a metric says of some data."""
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.output.result import Result

    return Result.of(evaluate(metric, data, plan))


def _linked(
    name: str,
    settings: Any,
    texts: tuple[Any, ...],
    lists: tuple[PronounLists | AnyPath | None, tuple[str, str] | None],
    how: tuple[bool | None, bool],
    plan: Resampling | None,
) -> Result:
    """A metric of linked text, of the texts that `apt` and `autoprf` are given."""
    from crosspro.data_prep.core.errors import input_error
    from crosspro.evaluation.inputs.mt_input import InputPaths, read_input, told_languages
    from crosspro.evaluation.metrics import make_metric, metric_class

    source, reference, candidates, links, candidate_links, documents = texts
    if how[0] is not None and not isinstance(how[0], bool):
        raise input_error("arguments", "tokenised", "True, False or None", repr(how[0]))
    metric = make_metric(name) if settings is None else metric_class(name)(settings)
    inputs = Inputs()
    given = inputs.several("candidates", candidates)
    linked = inputs.several("candidate_links", candidate_links, _links) if candidate_links else []
    paths = InputPaths(
        inputs.text("source", source),
        inputs.text("reference", reference),
        tuple(one.path for one in given),
        inputs.text_or_none("links", links, _links),
        tuple(one.path for one in linked),
        inputs.documents(documents),
        tokenised=how[0],
        lenient=how[1],
    )
    with inputs:
        chosen, problems = _pronoun_lists(*lists, told_languages(paths))
        data = read_input(paths, chosen, problems=problems)
    names = names_of(given, [one.name for one in data.candidates])
    pairs = zip(data.candidates, names, strict=True)
    own = tuple(replace(one, name=name) for one, name in pairs)
    return _scored(metric, replace(data, candidates=own), plan)


def _pronoun_lists(
    given: PronounLists | AnyPath | None,
    languages: tuple[str, str] | None,
    told: tuple[str | None, str | None],
) -> tuple[PronounLists | None, list[Problem]]:
    """The lists that were given, or of the languages that are said, or that names of files tell."""
    from crosspro.evaluation.inputs.pronoun_lists import (
        PronounLists,
        lists_of_languages,
        lists_or_problems,
    )

    if isinstance(given, PronounLists):
        return given, []
    if given is not None:
        return lists_or_problems(given_path("pronouns", given, "lists, their name or a path"))
    if languages is None:
        return lists_of_languages(told, "pronouns, or source_language and target_language")
    return lists_of_languages(languages, "source_language and target_language")


def _plain_text(
    inputs: Inputs,
    candidates: Any,
    references: Sequence[Path],
    documents: Any,
    language: str | None = None,
) -> MTText:
    """The texts of metrics that need no links."""
    from crosspro.evaluation.inputs.plain_text import read_mt_text

    given = inputs.several("candidates", candidates)
    where = inputs.documents(documents)
    with inputs:
        text = read_mt_text([one.path for one in given], references, where, language)
    return replace(text, names=tuple(names_of(given, text.names)))


def _contrastive_set(inputs: Inputs, value: Any, allow_unknown: bool) -> ContrastiveSet:
    from crosspro.evaluation.metrics.contrastive.formats import contrastive_set, read_contrastive

    if not (isinstance(value, AnyPath) or is_open_file(value)):
        return contrastive_set(Path("test_set"), value, allow_unknown=allow_unknown)
    path = inputs.text("test_set", value)
    with inputs:
        return read_contrastive(path, allow_unknown=allow_unknown)


def _number(value: Any) -> str:
    """A score as a file has it."""
    return repr(float(value))


def _links(value: Any) -> str:
    """The links of a line as a file has them."""
    return " ".join(f"{int(source)}-{int(target)}" for source, target in value)
