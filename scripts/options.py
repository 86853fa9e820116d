"""Options that several commands share, and output to a file or to the terminal."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from typer.core import TyperCommand

from crosspro.data_prep.core.errors import quoted
from crosspro.data_prep.core.files import atomic_output, is_plain_name
from crosspro.data_prep.core.limits import ALIGNED_WORDS
from crosspro.evaluation.output.tables import Row, Style

if TYPE_CHECKING:
    from crosspro.data_prep.annotate.layers import Layers

Evaluated = TypeVar("Evaluated")


def _known_tasks(incomplete: str) -> list[str]:
    """The tasks of the package, for shells that complete words."""
    from crosspro.data_prep.core.task import task_names

    return [name for name in task_names() if name.startswith(incomplete)]


TaskName = Annotated[
    str,
    typer.Option(
        "--task",
        "-t",
        help="A task such as en-fr, or the path of a task file.",
        autocompletion=_known_tasks,
    ),
]
DocIds = Annotated[
    Path | None, typer.Option("--doc-ids", help="Document ids, one line per line of the file.")
]
Resamples = Annotated[
    int, typer.Option(min=0, help="Bootstrap resamples; 0 for no intervals and tests.")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the resampling.")]
DocIdsBeside = Annotated[
    Path | None,
    typer.Option(
        "--doc-ids",
        help="Document ids, one line per line of the file; X.doc-ids beside X.data is found "
        "without it, and `none` says not to use it.",
    ),
]


def unpacked_prior(context: typer.Context, path: Path | None) -> Path | None:
    """The prior of a model of the box for as long as a command runs; other paths as they are."""
    if path is None or not is_plain_name(path):
        return path
    from crosspro.prediction.model_archive import PRIOR, archived_bytes, box_models

    archive = box_models().get(str(path))
    content = None if archive is None else archived_bytes(archive, PRIOR)
    if content is None:
        return path
    unpacked = Path(context.with_resource(TemporaryDirectory()), f"{path}.npz")
    unpacked.write_bytes(content)
    return unpacked


A_RUN = (
    "A model of the box (en-fr), a run of train.py, its archive, or a folder of runs, of which the "
    "newest is taken"
)
RunOrModel = Annotated[Path | None, typer.Argument(help=f"{A_RUN}; left out with --model.")]
Model = Annotated[
    Path | None,
    typer.Option("--model", help="A model of the box (en-fr), an archive, or a run."),
]
Models = Annotated[
    list[Path] | None,
    typer.Option("--model", help="A model of the box, an archive, or a run (repeatable)."),
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes.")]
Names = Annotated[
    list[str] | None,
    typer.Option("--name", help="Name of the first, of the second, … (repeatable)."),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write here instead of to the terminal.")
]


MaxWords = Annotated[
    int | None,
    typer.Option(
        "--max-words",
        min=1,
        help=f"Lines with more words on a side ({ALIGNED_WORDS.usual:,}) are refused; "
        "--limit raises that, too.",
    ),
]


class Aligner(StrEnum):
    """Which program makes the links."""

    OWN = "own"
    EFLOMAL = "eflomal"


class TableLayout(StrEnum):
    """How tables are shown: for people, or for programs."""

    TABLE = "table"
    MARKDOWN = "markdown"
    JSON = "json"
    CSV = "csv"


LayoutOption = Annotated[
    TableLayout,
    typer.Option("--layout", help="How to show the numbers; csv suits `crosspro correlate`."),
]
Signatures = Annotated[
    bool, typer.Option("--signatures", help="Also show how each score was computed, to be quoted.")
]


class PairedOptions(TyperCommand):
    """A command whose repeatable options with two words for their value take two at a time.

    Typer has options of two values and repeatable ones, but none that are both.
    """

    def __init__(self, *names: Any, **settings: Any) -> None:
        super().__init__(*names, **settings)
        for option in self.params:
            if getattr(option, "multiple", False) and " " in str(option.metavar):
                option.nargs = 2


def given_options(context: typer.Context) -> dict[str, str]:
    """The options that the user wrote, by the name of their parameter."""
    found = {}
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if source is not None and not source.name.startswith("DEFAULT"):
            found[parameter.name or ""] = max(parameter.opts, key=len)
    return found


def terminal_width() -> int | None:
    """The columns of the terminal that standard output is, if it is one."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def style_of(
    output: Path | None = None, layout: TableLayout = TableLayout.TABLE, signatures: bool = False
) -> Style:
    """How a report is written: tables keep to the width of a terminal, and not to that in files."""
    width = terminal_width() if output is None else None
    return Style(layout is TableLayout.MARKDOWN, width, signatures)


def show_table(heading: Row, rows: Sequence[Row], left: int = 1) -> str:
    """A table that is printed beside what a command writes."""
    return style_of().table(heading, rows, left)


def as_text(name: str) -> str:
    """A name that can be written."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def named(own: Sequence[str], given: Sequence[str] | None) -> list[str]:
    """Names as given with --name, in order; the rest keep their own, which are of their files.

    Bytes that are not UTF-8, which names of files may have, are written as escapes: what a command
    writes is text.
    """
    own, given = ([as_text(name) for name in names] for names in (own, given or ()))
    if len(given) > len(own):
        raise typer.BadParameter(f"{len(given)} names for {len(own)}")
    names = [*given, *own[len(given) :]]
    twice = sorted({name for name in given if names.count(name) > 1 or not name.strip()})
    if twice:
        raise typer.BadParameter(f"each needs a name of its own: {', '.join(map(quoted, twice))}")
    return names


def one_run(path: Path) -> Path:
    """The run that a path stands for, told where it is the newest of a folder of runs.

    What reads records is imported for folders alone: other paths stand for themselves, and names
    for models of the box.
    """
    if is_plain_name(path):
        from crosspro.prediction.model_archive import from_box

        return from_box(path)
    if not path.is_dir():
        return path
    from crosspro.prediction.models import chosen_run

    return chosen_run(path, lambda note: print(note, file=sys.stderr))


def all_runs(runs: Sequence[Path] | None, models: Sequence[Path] | None) -> list[Path]:
    """The runs that are given as arguments and with --model, in this order; there must be one."""
    given = [*(runs or ()), *(models or ())]
    if not given:
        raise typer.BadParameter("expected a RUN, or --model MODEL, found none")
    return [one_run(path) for path in given]


def run_and_file(run: Path | None, file: Path | None, model: Path | None) -> tuple[Path, Path]:
    """What predicts what; with --model the only argument is the file."""
    given = [path for path in (model, run, file) if path is not None]
    if len(given) != 2:
        found = f"found {len(given)} of them"
        raise typer.BadParameter(f"expected RUN FILE, or --model MODEL FILE, {found}")
    return given[0], given[1]


def layers_of(file: Path, doc_ids: Path | None) -> Layers:
    """The layers beside a data file, with other documents if they are given with --doc-ids."""
    from crosspro.data_prep.annotate.layers import layers_beside  # with all of tasks and examples

    layers = layers_beside(file)
    if doc_ids is None:
        return layers
    return replace(layers, documents=None if str(doc_ids) == "none" else doc_ids)


def write_output(content: bytes, output: Path | None) -> None:
    """Write to a file atomically, or to standard output."""
    if output is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    with atomic_output(output) as handle:
        handle.write(content)


def write_report(
    evaluation: Evaluated,
    as_json: Callable[[Evaluated], str],
    as_csv: Callable[[Evaluated], str],
    as_text: Callable[[Evaluated, Style], str],
    output: Path | None,
    layout: TableLayout,
    signatures: bool = False,
) -> None:
    """Write an evaluation in the layout that was asked for."""
    if layout is TableLayout.JSON:
        shown = as_json(evaluation)
    elif layout is TableLayout.CSV:
        shown = as_csv(evaluation)
    else:
        shown = as_text(evaluation, style_of(output, layout, signatures))
    write_output(shown.encode("utf-8"), output)
