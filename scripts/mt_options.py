"""Options of the commands that judge MT output, and which of them go together."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer
from typer.core import TyperCommand

from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.scripts.html_options import MOST_EXAMPLES, Html, MaxExamples, check_html
from crosspro.scripts.options import (
    DocIds,
    LayoutOption,
    Names,
    Output,
    Resamples,
    Seed,
    Signatures,
    TableLayout,
    given_options,
    named,
    style_of,
    unpacked_prior,
    write_output,
)

if TYPE_CHECKING:
    from crosspro.evaluation.core.evaluation import Evaluation
    from crosspro.evaluation.core.statistics import Resampling
    from crosspro.evaluation.inputs.mt_input import InputPaths, MtInput
    from crosspro.evaluation.inputs.plain_text import MTText
    from crosspro.evaluation.inputs.pronoun_lists import PronounLists
    from crosspro.evaluation.inputs.sentence_segments import PriorOf

Source = Annotated[
    Path | None, typer.Option(help="Source text, one segment a line (all files also .gz, .xz).")
]
Reference = Annotated[Path | None, typer.Option(help="Reference translation.")]
Candidates = Annotated[
    list[Path] | None,
    typer.Option("--candidate", metavar="FILE…", help="MT output; several are compared."),
]
Links = Annotated[
    Path | None,
    typer.Option("--links", help="Links source-reference, `s-t s-t …` on each line."),
]
CandidateLinks = Annotated[
    list[Path] | None,
    typer.Option(
        "--candidate-links", metavar="FILE…", help="Links source-candidate, one file a candidate."
    ),
]
Pronouns = Annotated[
    str, typer.Option(metavar="LISTS", help="Pronoun lists such as en-fr, or a .yaml file.")
]
PronounsOfFiles = Annotated[
    str | None,
    typer.Option(
        "--pronouns",
        metavar="LISTS",
        help="Pronoun lists such as en-fr, or a .yaml file; else by names (X.en, X.fr).",
    ),
]
Tokenised = Annotated[
    bool | None,
    typer.Option(help="Whether the text is tokenised; if not said, it is looked at."),
]
DocStarts = Annotated[
    Path | None, typer.Option("--doc-starts", help="Instead: first segment of each document.")
]
AlignWithOption = Annotated[
    tuple[Path, Path] | None,
    typer.Option("--align-with", help="Without links: a corpus to align together with."),
]
AlignPrior = Annotated[
    Path | None,
    typer.Option(
        "--prior",
        help="Without links: what `crosspro align --save-prior` has learnt, or a model of the box.",
        callback=unpacked_prior,
    ),
]
Symmetrisation = Annotated[
    str | None,
    typer.Option(
        "--symmetrisation",
        help="Without links: how both directions are merged; grow-diag-final, as in the paper.",
    ),
]
AlignSentences = Annotated[
    bool,
    typer.Option(
        "--align-sentences",
        help="Texts need not be line by line: align their sentences first, within documents.",
    ),
]
Lenient = Annotated[
    bool, typer.Option("--lenient", help="Drop links that lead nowhere and blank last lines.")
]


Detail = Annotated[Path | None, typer.Option(help="Write every occurrence here: .tsv or .json.")]

_VARIADIC = ("--candidate", "--candidate-links")


class VariadicCommand(TyperCommand):
    """A command in which `--candidate A B` means `--candidate A --candidate B`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Spread the values before they are parsed; arguments come first, or last."""
        first = next((n for n, one in enumerate(args) if one.startswith("-")), len(args))
        needed = sum(
            param.param_type_name == "argument" and param.required for param in self.params
        )
        end = len(args) - max(0, needed - first)
        return super().parse_args(ctx, [*spread(args[:end], _VARIADIC), *args[end:]])


def spread(arguments: Sequence[str], options: Iterable[str]) -> Iterable[str]:
    """Repeat an option before each of its values."""
    names = tuple(options)
    current: str | None = None
    values = 0
    for argument in arguments:
        if argument.startswith("-") and argument != "-":
            current, values = (argument if argument in names else None), 0
            yield argument
        elif current is None or values == 0:
            values += 1
            yield argument
        else:
            yield current
            yield argument


def required(**options: object) -> None:
    """Raise if an option that this way of calling needs is missing."""
    missing = [f"--{name.replace('_', '-')}" for name, value in options.items() if not value]
    if missing:
        raise typer.BadParameter(f"missing {', '.join(missing)}")


def lists_of_files(
    name: str | None, paths: InputPaths
) -> tuple[PronounLists | None, list[Problem]]:
    """Pronoun lists by name, else those of the languages that the names of the files end in."""
    from crosspro.evaluation.inputs.mt_input import told_languages
    from crosspro.evaluation.inputs.pronoun_lists import lists_of_languages, lists_or_problems

    if name is not None:
        return lists_or_problems(name)
    return lists_of_languages(told_languages(paths), "--pronouns")


def priors(given: Path | None = None) -> PriorOf:
    """What finds the words by which sentences are aligned: a given prior, else one of the box."""
    from crosspro.data_prep.align.prior import load_prior
    from crosspro.prediction.proofread.box_judge import box_prior

    return box_prior if given is None else lambda source, target: load_prior(given)


def _tell_text(name: str) -> None:
    tell(f"aligning sentences: {name}")


def refuse_others(context: typer.Context, allowed: Collection[str], why: str) -> None:
    """Raise if an option was given that would have no effect, rather than ignore it."""
    others = [flag for name, flag in given_options(context).items() if name not in allowed]
    if others:
        raise typer.BadParameter(f"{why} goes without {', '.join(others)}")


def refuse_pairs(context: typer.Context, pairs: Iterable[tuple[str, str]]) -> None:
    """Raise if both options of a pair were given, of which one would have no effect."""
    given = given_options(context)
    for one, other in pairs:
        if one in given and other in given:
            raise typer.BadParameter(f"{given[one]} and {given[other]} do not go together")


def check_layout(context: typer.Context, layout: TableLayout, tables_only: Iterable[str]) -> None:
    """Raise if options were given that have no effect on this layout or without a page."""
    given = given_options(context)
    for name in tables_only:
        if name in given and layout not in (TableLayout.TABLE, TableLayout.MARKDOWN):
            raise typer.BadParameter(f"{given[name]}: only with --layout table or markdown")
    if "max_examples" in given and "html" not in given:
        raise typer.BadParameter("--max-examples: only with --html")


def check_outputs(*paths: Path | None) -> None:
    """Raise before anything is computed or written if one of the files cannot be written."""
    problems = []
    seen: set[str] = set()
    for path in filter(None, paths):
        real = Path(os.path.realpath(path))
        found = ""
        if real.is_dir() or not real.parent.is_dir():
            found = "a folder" if real.is_dir() else f"no folder {path.parent}"
        elif not real.exists() and not os.access(real.parent, os.W_OK):
            found = "a folder that cannot be written to"
        elif str(real) in seen and (real.is_file() or not real.exists()):
            found = "another output"
        seen.add(str(real))
        if found:
            expected = "a file of its own in an existing folder"
            problems.append(Problem(str(path), None, "output", expected, found))
    if problems:
        raise InputError(problems)


@dataclass(frozen=True)
class LinkedFiles:
    """Source, reference and candidates, their links and documents, and how missing links are made.

    The options of all commands that score what is linked to source pronouns.
    """

    source: Source = None
    reference: Reference = None
    candidate: Candidates = None
    links: Links = None
    candidate_links: CandidateLinks = None
    pronouns: PronounsOfFiles = None
    name: Names = None
    doc_ids: DocIds = None
    doc_starts: DocStarts = None
    align_with: AlignWithOption = None
    align_prior: AlignPrior = None
    symmetrisation: Symmetrisation = None
    tokenised: Tokenised = None
    lenient: Lenient = False
    align_sentences: AlignSentences = False

    def paths(self, tokens: Path | None = None) -> InputPaths:
        """The files; raises if one is missing that there must be."""
        from crosspro.evaluation.inputs.mt_input import InputPaths

        required(source=self.source, reference=self.reference, candidate=self.candidate)
        if self.align_sentences and (self.links or self.candidate_links or tokens):
            counted = "--links, --candidate-links and --tokens, which count lines and words"
            raise typer.BadParameter(f"--align-sentences goes without {counted}")
        assert self.source and self.reference and self.candidate  # noqa: S101 - for the type checker
        return InputPaths(
            self.source,
            self.reference,
            tuple(self.candidate),
            self.links,
            tuple(self.candidate_links or ()),
            self.doc_ids,
            self.doc_starts,
            tokens,
            self.lenient,
            self.tokenised,
        )

    def read(self, paths: InputPaths | None = None, lists: PronounLists | None = None) -> MtInput:
        """What the files hold, or all that is wrong with them; candidates are called by --name."""
        from dataclasses import replace

        from crosspro.evaluation.inputs.mt_input import AlignWith, read_input
        from crosspro.evaluation.inputs.sentence_segments import align_files

        paths = paths or self.paths()
        named([str(path) for path in paths.candidates], self.name)
        problems: list[Problem] = []
        if lists is None:
            lists, problems = lists_of_files(self.pronouns, paths)
        align = AlignWith(self.align_with, self.align_prior, self.symmetrisation)
        if self.align_sentences and not problems:
            found = align_files(paths.to_segment(lists), priors(self.align_prior), _tell_text)
            paths = replace(paths, segments=found)
        data = read_input(paths, lists, align, tell, problems)
        called = named([candidate.name for candidate in data.candidates], self.name)
        pairs = zip(data.candidates, called, strict=True)
        return replace(data, candidates=tuple(replace(one, name=name) for one, name in pairs))


@dataclass(frozen=True)
class Resampled:
    """How often and from which seed scores are resampled."""

    resamples: Resamples = 1000
    seed: Seed = 12345

    @property
    def plan(self) -> Resampling | None:
        """The resampling, if there is any."""
        from crosspro.evaluation.core.statistics import Resampling

        return Resampling(self.resamples, self.seed) if self.resamples else None


@dataclass(frozen=True)
class PlainFiles:
    """Candidates and references of metrics that need no links."""

    candidate: Annotated[
        list[Path],
        typer.Option("--candidate", metavar="FILE…", help="MT output; several are compared."),
    ]
    reference: Annotated[list[Path], typer.Option(help="Reference translation.")]
    name: Names = None
    doc_ids: DocIds = None
    align_sentences: AlignSentences = False
    source: Annotated[
        Path | None,
        typer.Option(
            help="With --align-sentences: the source; else segments follow the reference."
        ),
    ] = None

    def read(self, language: str | None = None) -> MTText:
        """What the files hold, or all that is wrong with them; candidates are called by --name.

        The language is that of names that end in one, if it is not said.
        """
        from dataclasses import replace

        from crosspro.evaluation.inputs.plain_text import named_language, read_mt_text

        if self.align_sentences:
            from crosspro.evaluation.inputs.sentence_segments import SegmentedFiles, align_files

            translations = *self.reference, *self.candidate
            language = language or named_language(translations)
            files = SegmentedFiles(
                self.source, translations, self.doc_ids, languages=(None, language)
            )
            text = align_files(files, priors(), _tell_text).text(self.candidate, self.reference)
            text = replace(text, language=language)
        elif self.source is not None:
            raise typer.BadParameter("--source: only with --align-sentences")
        else:
            text = read_mt_text(self.candidate, self.reference, self.doc_ids, language)
        return replace(text, names=tuple(named(text.names, self.name)))


@dataclass(frozen=True)
class SeveralReferences(PlainFiles):
    """The same of metrics that take more than one reference."""

    reference: Annotated[
        list[Path], typer.Option(help="Reference translation (repeat for several).")
    ]


@dataclass(frozen=True)
class Shown:
    """How an evaluation is shown, and the page beside it."""

    layout: LayoutOption = TableLayout.TABLE
    signatures: Signatures = False
    html: Html = None
    output: Output = None
    detail: ClassVar[Path | None] = None
    max_examples: ClassVar[int] = MOST_EXAMPLES

    def check(
        self, context: typer.Context, tables_only: Iterable[str] = (), more: Sequence[Any] = ()
    ) -> None:
        """Raise if an option has no effect, or before anything is computed if a file cannot be."""
        check_html(self.html)
        check_layout(context, self.layout, ("signatures", *tables_only))
        if self.detail is not None and self.detail.suffix not in (".tsv", ".json"):
            raise typer.BadParameter("--detail: a file whose name ends in .tsv or .json")
        check_outputs(self.html, self.detail, *more, self.output)

    def write(
        self,
        evaluation: Evaluation,
        shown: Collection[str] = (),
        more: Mapping[Path | None, Callable[[], str]] | None = None,
    ) -> None:
        """Write all files and the text of the layout, once all of them are made.

        `shown` are optional tables; `more` are files of the command's own. The signature is told
        beside a layout that has no place for it.
        """
        from crosspro.data_prep.core.files import write_text
        from crosspro.evaluation.output import records
        from crosspro.evaluation.output.text import text_report

        for warning in evaluation.warnings:
            tell(f"warning: {warning}")
        files = {path: make() for path, make in (more or {}).items() if path is not None}
        if self.detail is not None:
            is_json = self.detail.suffix == ".json"
            make = records.detail_json if is_json else records.detail_tsv
            files[self.detail] = make(evaluation)
        if self.html is not None:
            from crosspro.evaluation.output.page import evaluation_page

            files[self.html] = evaluation_page(evaluation, self.max_examples)
        if self.layout is TableLayout.JSON:
            text = records.json_report(evaluation)
        elif self.layout is TableLayout.CSV:
            text = records.csv_report(evaluation)
        else:
            style = style_of(self.output, self.layout, self.signatures)
            text = text_report(evaluation, style, shown)
        for path, content in files.items():
            write_text(path, content)
        write_output(text.encode("utf-8"), self.output)
        for path in files:
            tell(str(path))
        if self.layout is TableLayout.CSV:
            tell(f"Signature: {evaluation.signatures[0]}")


@dataclass(frozen=True)
class Outputs(Shown):
    """The same with a file of all items, and examples on the page."""

    detail: Detail = None  # type: ignore[misc]
    max_examples: MaxExamples = MOST_EXAMPLES  # type: ignore[misc]


def judged_items(evaluation: Evaluation) -> str:
    """The items of an evaluation for `protest review serve`."""
    from crosspro.evaluation.human.items import items_text
    from crosspro.evaluation.human.metric_items import apt_items, autoprf_items, contrastive_items

    made = {"apt": apt_items, "autoprf": autoprf_items, "contrastive": contrastive_items}
    return items_text(made[evaluation.metric.name](evaluation))


def tell(text: str) -> None:
    """Say on standard error how far a long step is."""
    print(text, file=sys.stderr, flush=True)
