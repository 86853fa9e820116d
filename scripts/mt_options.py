"""Options of the commands that judge MT output, and which of them go together."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from crosspro.data_prep.core.errors import InputError, Problem, choices
from crosspro.scripts.options import TableLayout, named, write_output

if TYPE_CHECKING:
    from crosspro.evaluation.inputs.inputs import InputPaths, MtInput
    from crosspro.evaluation.inputs.pronoun_lists import PronounLists

Source = Annotated[
    Path | None, typer.Option(help="Source text, one segment a line (all files also .gz, .xz).")
]
Reference = Annotated[Path | None, typer.Option(help="Reference translation.")]
Candidates = Annotated[
    list[Path] | None,
    typer.Option("--candidate", metavar="FILE…", help="MT output; several are compared."),
]
LinksReference = Annotated[
    Path | None, typer.Option(help="Links source-reference, `s-t s-t …` on each line.")
]
LinksCandidates = Annotated[
    list[Path] | None,
    typer.Option(
        "--links-candidate", metavar="FILE…", help="Links source-candidate, one file a candidate."
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
    typer.Option("--prior", help="Without links: what `crosspro align --save-prior` has learnt."),
]
Symmetrisation = Annotated[
    str | None,
    typer.Option(
        "--symmetrisation",
        help="Without links: how both directions are merged; grow-diag-final, as in the paper.",
    ),
]
Lenient = Annotated[
    bool, typer.Option("--lenient", help="Drop links that lead nowhere and blank last lines.")
]


Detail = Annotated[Path | None, typer.Option(help="Write every occurrence here: .tsv or .json.")]

_VARIADIC = ("--candidate", "--links-candidate")


class VariadicCommand(TyperCommand):
    """A command in which `--candidate A B` means `--candidate A --candidate B`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Spread the values before they are parsed."""
        return super().parse_args(ctx, list(spread(args, _VARIADIC)))


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
    from crosspro.evaluation.inputs.inputs import told_languages
    from crosspro.evaluation.inputs.pronoun_lists import lists_names

    if name is not None:
        return lists_or_problems(name)
    languages, known = told_languages(paths), lists_names()
    name = "-".join(one or "?" for one in languages)
    if name in known:
        return lists_or_problems(name)
    expected = f"{choices(known)}, or the path of a .yaml file"
    found = f"none, and files of {name}, for which there are no lists"
    if None in languages:
        found = "none, and names of files that do not end in their languages (X.en, X.fr)"
    return None, [Problem("--pronouns", None, "lists", expected, found)]


def lists_or_problems(name: str) -> tuple[PronounLists | None, list[Problem]]:
    """Pronoun lists, or what is wrong with them, to be shown with the problems of other files."""
    from crosspro.evaluation.inputs.pronoun_lists import load_lists

    try:
        return load_lists(name), []
    except InputError as error:
        return None, error.problems


def given_options(context: typer.Context) -> dict[str, str]:
    """The options that the user wrote, by the name of their parameter."""
    found = {}
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if source is not None and not source.name.startswith("DEFAULT"):
            found[parameter.name or ""] = max(parameter.opts, key=len)
    return found


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


def check_detail(detail: Path | None) -> None:
    """Raise if the name of a file for occurrences does not say of what kind it is."""
    if detail is not None and detail.suffix not in (".tsv", ".json"):
        raise typer.BadParameter("--detail: a file whose name ends in .tsv or .json")


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


def input_paths(
    source: Path | None,
    reference: Path | None,
    candidates: list[Path] | None,
    links_reference: Path | None,
    links_candidates: list[Path] | None,
    doc_ids: Path | None,
    doc_starts: Path | None,
    lenient: bool,
    tokens: Path | None = None,
    tokenised: bool | None = None,
) -> InputPaths:
    """The files that the options name; raises if one is missing that there must be."""
    from crosspro.evaluation.inputs.inputs import InputPaths

    required(source=source, reference=reference, candidate=candidates)
    assert source and reference and candidates  # noqa: S101 - for the type checker
    links = tuple(links_candidates or ())
    paths = source, reference, tuple(candidates), links_reference, links
    return InputPaths(*paths, doc_ids, doc_starts, tokens, lenient, tokenised)


def renamed(data: MtInput, names: Sequence[str] | None) -> MtInput:
    """What was read, its candidates called by the names that were given with --name."""
    from dataclasses import replace

    called = named([one.name for one in data.candidates], names)
    pairs = zip(data.candidates, called, strict=True)
    return replace(data, candidates=tuple(replace(one, name=name) for one, name in pairs))


def write_reports(
    layout: TableLayout,
    texts: Mapping[TableLayout, Callable[[], str]],
    files: Mapping[Path | None, Callable[[], str]],
    output: Path | None,
    signature: str,
) -> None:
    """Write the files that were asked for and the text of a layout, once all of them are made.

    The signature is told beside a layout that has no place for it.
    """
    from crosspro.data_prep.core.files import write_text

    made = {path: make() for path, make in files.items() if path is not None}
    text = texts[layout]()
    for path, content in made.items():
        write_text(path, content)
    write_output(text.encode("utf-8"), output)
    if layout is TableLayout.CSV:
        tell(f"Signature: {signature}")


def tell(text: str) -> None:
    """Say on standard error how far a long step is."""
    print(text, file=sys.stderr, flush=True)
