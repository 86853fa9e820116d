"""What the commands share: option types, checks of their files, and how results are written.

Every path on a command line is an input, unless its option is declared `writable=True`. A file that
is written has `dir_okay=False`, a folder `file_okay=False`, the prefix of several files neither.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

import typer
from typer.core import TyperCommand

from crosspro.data_prep.core.errors import input_error, quoted

if TYPE_CHECKING:
    from crosspro.data_prep.annotate.layers import Layers
    from crosspro.evaluation.report.tables import Row, Style

Report = TypeVar("Report")

SAMPLE = Path(__file__).resolve().parent.parent / "data_prep" / "sample"
"""The sample files of the package, which commands know as `sample/NAME` in any folder."""


class App(typer.Typer):
    """A Typer application whose commands check their files before they begin."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(
            add_completion=False,
            rich_markup_mode="markdown",
            pretty_exceptions_enable=False,
            context_settings={"help_option_names": ["-h", "--help"]},
            **settings,
        )

    def command(self, *names: Any, **settings: Any) -> Callable[[Any], Any]:
        """Register a command."""
        return super().command(*names, **{"cls": FileCommand, **settings})


class FileCommand(TyperCommand):
    """A command that notes its inputs, and refuses outputs that are inputs or cannot be written."""

    def invoke(self, ctx: Any) -> Any:
        """Check the files of the command line, then run the command."""
        inputs: list[Path] = []
        outputs: list[Path] = []
        for parameter in self.params:
            name = parameter.name or ""
            value = ctx.params.get(name)
            if isinstance(value, float) and not isfinite(value):
                raise typer.BadParameter(f"--{name.replace('_', '-')}: {value} is no number")
            kind: Any = parameter.type
            if not number_of_paths(kind):
                continue
            if getattr(kind, "writable", False):
                outputs += _paths(value)
                if not kind.dir_okay:
                    _check_folder(*_paths(value))
            else:
                ctx.params[name] = value = _with_sample_files(value)
                inputs += _paths(value)
        check_outputs(inputs, outputs)
        return super().invoke(ctx)


def check_outputs(inputs: Sequence[Path], outputs: Sequence[Path]) -> None:
    """Refuse an output that is an input, or another output: one of both would be lost."""
    for number, output in enumerate(outputs):
        for other, what in [
            *((path, "an input of this command") for path in inputs),
            *((path, "another output") for path in outputs[:number]),
        ]:
            same = output.is_file() and other.is_file() and output.samefile(other)
            if same or (what == "another output" and output.absolute() == other.absolute()):
                raise input_error(output, "output", "a file of its own", what)


def number_of_paths(kind: Any) -> int:
    """How many paths a value of a parameter type holds."""
    if hasattr(kind, "types"):
        return sum(map(number_of_paths, kind.types))
    return int(hasattr(kind, "writable") or kind.name == named_path.__name__)


def _check_folder(*paths: Path) -> None:
    """Raise before anything is computed if the folder of an output is missing."""
    for path in paths:
        if not path.name or not path.parent.is_dir():
            raise input_error(path, "output", "a file in an existing folder", str(path.parent))


class NamedFile(NamedTuple):
    """A file, and the name of its system if the command line has NAME=FILE."""

    name: str | None
    path: Path


def named_path(text: str) -> NamedFile:
    """The file of FILE or NAME=FILE."""
    name, equals, path = text.partition("=")
    if not equals or not name.strip() or not path or "/" in name or Path(text).exists():
        return NamedFile(None, Path(text))
    return NamedFile(as_text(name), Path(path))


def names_of(files: Sequence[NamedFile], defaults: Sequence[str]) -> list[str]:
    """The names of the command line, which must be unlike all others, else the default ones."""
    names = [file.name or as_text(name) for file, name in zip(files, defaults, strict=True)]
    twice = sorted({file.name for file in files if file.name and names.count(file.name) > 1})
    if twice:
        raise typer.BadParameter(f"names must differ (NAME=FILE): {', '.join(map(quoted, twice))}")
    return names


def as_text(name: str) -> str:
    """A name with bytes that are not UTF-8, which names of files may have, as escapes."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def _with_sample_files(value: Any) -> Any:
    """Paths in `sample/` are in the package where there is no such file or folder."""
    if isinstance(value, NamedFile):
        return value._replace(path=Path(_with_sample_files(str(value.path))))
    if isinstance(value, list | tuple):
        return type(value)(map(_with_sample_files, value))
    if value is None or not str(value).startswith(f"{SAMPLE.name}/") or Path(value).exists():
        return value
    packaged = SAMPLE.parent / value
    return str(packaged) if ".." not in packaged.parts and packaged.exists() else value


def _paths(value: Any) -> Iterator[Path]:
    """The paths in the value of an option, as Typer has read it from the command line."""
    if isinstance(value, str):
        yield Path(value)
    elif isinstance(value, NamedFile):
        yield value.path
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _paths(item)


# Options ------------------------------------------------------------------------------------------


def _task_names(incomplete: str) -> list[str]:
    """Names of tasks, for shells that complete words."""
    from crosspro.data_prep.core.task import task_names

    return [name for name in task_names() if name.startswith(incomplete)]


def _unpacked_prior(context: typer.Context, path: Path | None) -> Path | None:
    """The prior of a bundled model for as long as a command runs; other paths as they are."""
    bundled = None if path is None else bundled_model(path)
    if bundled is None:
        return path
    from crosspro.prediction.model_archive import PRIOR, archived_bytes

    content = archived_bytes(bundled, PRIOR)
    if content is None:
        return path
    unpacked = Path(context.with_resource(TemporaryDirectory()), f"{path}.npz")
    unpacked.write_bytes(content)
    return unpacked


class TableLayout(StrEnum):
    """How numbers are shown: as tables for people, or for programs."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


TaskName = Annotated[
    str,
    typer.Option(
        "--task",
        "-t",
        help="A task such as en-fr, or the path of a task file.",
        autocompletion=_task_names,
    ),
]
DocIds = Annotated[
    Path | None, typer.Option("--doc-ids", help="Document ids, one line per line of the file.")
]
DocIdsBeside = Annotated[
    Path | None,
    typer.Option(
        "--doc-ids",
        help="Document ids, one line per line of the file; X.doc-ids beside X.data is read "
        "without it, and `none` ignores that file.",
    ),
]
A_RUN = (
    "A bundled model (en-fr), a run of train.py, its archive, or a folder of runs, of which the "
    "newest is taken."
)
RunPath = Annotated[Path, typer.Argument(metavar="RUN", help=A_RUN)]
Model = Annotated[
    Path | None,
    typer.Option("--model", help="A bundled model (en-fr), an archive, or a run."),
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes.")]
Prior = Annotated[
    Path | None,
    typer.Option(
        "--prior",
        help="Without links: what `crosspro align --save-prior` learnt, or a bundled model.",
        callback=_unpacked_prior,
    ),
]
Source = Annotated[Path, typer.Option(help="Source text, a segment a line (also .gz, .xz).")]
Reference = Annotated[Path, typer.Option(help="Reference translation.")]
Candidates = Annotated[
    list[NamedFile],
    typer.Option(
        "--candidate",
        metavar="[NAME=]FILE",
        parser=named_path,
        help="MT output (repeatable: several are compared).",
    ),
]
ScoreFiles = Annotated[
    list[NamedFile] | None,
    typer.Argument(
        metavar="[NAME=]FILE...",
        parser=named_path,
        help="Scores: one a line, of the reference, then of each error.",
    ),
]
ScoredRuns = Annotated[
    list[NamedFile] | None,
    typer.Option(
        "--model",
        metavar="[NAME=]RUN",
        parser=named_path,
        help="A run or archive that scores by probabilities (repeatable).",
    ),
]
Submissions = Annotated[
    list[NamedFile],
    typer.Argument(
        metavar="[NAME=]FILE...",
        parser=named_path,
        help="Submissions, with classes in the first column; or runs; or -.",
    ),
]
Links = Annotated[
    Path | None,
    typer.Option("--links", help="Links source-reference, `s-t s-t …` on each line; else made."),
]
CandidateLinks = Annotated[
    list[Path] | None,
    typer.Option(
        "--candidate-links", help="Links source-candidate (repeat, one file a candidate)."
    ),
]
Pronouns = Annotated[
    str | None,
    typer.Option(
        "--pronouns",
        metavar="LISTS",
        help="Pronoun lists such as en-fr, or a .yaml file; else by names (X.en, X.fr).",
    ),
]
Tokenised = Annotated[
    bool | None, typer.Option(help="Whether the text is tokenised; looked at if not stated.")
]
Lenient = Annotated[
    bool, typer.Option("--lenient", help="Drop links that lead nowhere and blank last lines.")
]
Resamples = Annotated[
    int, typer.Option(min=0, help="Bootstrap resamples; 0 for no intervals and tests.")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the resampling.")]
Layout = Annotated[
    TableLayout,
    typer.Option("--layout", help="How to show the numbers; csv suits `crosspro correlate`."),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        writable=True,
        dir_okay=False,
        help="Write here instead of to the terminal.",
    ),
]
Html = Annotated[
    Path | None,
    typer.Option(
        "--html",
        metavar="FILE",
        writable=True,
        dir_okay=False,
        help="Also write one self-contained HTML page.",
    ),
]
Plot = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        metavar="FILE",
        writable=True,
        dir_okay=False,
        help="Also write a figure (SVG).",
    ),
]


def check_suffix(option: str, path: Path | None, *suffixes: str) -> None:
    """Raise if the name of a file does not say which of several formats it has."""
    if path is not None and path.suffix not in suffixes:
        raise typer.BadParameter(f"{option}: a file whose name ends in {' or '.join(suffixes)}")


def check_plot(path: Path | None) -> None:
    """Raise before anything is computed if there can be no figure."""
    check_suffix("--plot", path, ".svg")
    if path is not None:
        from crosspro.evaluation.report.plots import require_matplotlib

        require_matplotlib()


# Models and data files ----------------------------------------------------------------------------


def bundled_model(path: Path) -> Path | None:
    """The archive of the bundled model that a path names.

    It goes before a folder of that name, unless the folder is a run.
    """
    if path.name != str(path) or path.is_file() or (path / "run.json").exists():
        return None
    from crosspro.prediction.model_archive import box_models

    return box_models().get(str(path))


def one_run(path: Path) -> Path:
    """The run or archive that is meant: a bundled model, the newest run of a folder, or itself."""
    if bundled := bundled_model(path):
        return bundled
    if path.is_dir():
        from crosspro.prediction.models import chosen_run

        return chosen_run(path, tell)
    if not path.exists():
        from crosspro.prediction.model_archive import from_box

        from_box(path)  # raises for a name, and lists the bundled models
    return path


def layers_of(file: Path, doc_ids: Path | None) -> Layers:
    """The layers beside a data file, with other documents if they are given with --doc-ids."""
    from crosspro.data_prep.annotate.layers import layers_beside

    layers = layers_beside(file)
    if doc_ids is None:
        return layers
    return replace(layers, documents=None if str(doc_ids) == "none" else doc_ids)


# Output -------------------------------------------------------------------------------------------


def tell(text: str) -> None:
    """Print a note to standard error."""
    print(text, file=sys.stderr, flush=True)


def terminal_width() -> int | None:
    """The columns of the terminal that standard output is, if it is one."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def style_of(output: Path | None = None) -> Style:
    """How tables are written: they keep to the width of a terminal, and not to that in files."""
    from crosspro.evaluation.report.tables import Style

    return Style(width=terminal_width() if output is None else None)


def show_table(heading: Row, rows: Sequence[Row], left: int = 1) -> str:
    """A table that is printed beside what a command writes."""
    return style_of().table(heading, rows, left)


def write_output(content: bytes, output: Path | None) -> None:
    """Write to a file atomically, or to standard output."""
    from crosspro.data_prep.core.files import atomic_output

    if output is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    with atomic_output(output) as handle:
        handle.write(content)


def write_report(
    report: Report,
    as_json: Callable[[Report], str],
    as_csv: Callable[[Report], str],
    as_tables: Callable[[Report, Style], str],
    output: Path | None,
    layout: TableLayout,
) -> None:
    """Write a report in the layout that was asked for."""
    if layout is TableLayout.JSON:
        text = as_json(report)
    elif layout is TableLayout.CSV:
        text = as_csv(report)
    else:
        text = as_tables(report, style_of(output))
    write_output(text.encode("utf-8"), output)
