"""Shared by the commands: checks of files, options, models by their names, output.

Every path of a command line is an input, unless its option is declared `writable=True`: with
`dir_okay=False` for a file, `file_okay=False` for a folder, neither for the prefix of files.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer
from typer.core import TyperCommand

from crosspro.data_prep.core.errors import input_error, quoted

if TYPE_CHECKING:
    from crosspro.data_prep.core.task import Task
    from crosspro.evaluation.evaluation import Evaluation
    from crosspro.evaluation.report.tables import Row, Style
    from crosspro.evaluation.resampling import Resampling

SAMPLE = Path(__file__).resolve().parent.parent / "data_prep" / "sample"
"""Commands find these files as `sample/NAME` in any folder."""
_SQLITE = b"SQLite format 3"


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


# Files of a command line --------------------------------------------------------------------------


class NamedFile(NamedTuple):
    """A file, and the name of its system if the command line has NAME=FILE."""

    name: str | None
    path: Path


class FileCommand(TyperCommand):
    """A command that refuses outputs that are inputs or cannot be written, before it runs."""

    def invoke(self, ctx: Any) -> Any:
        """Check the files of the command line, then run the command."""
        inputs: list[Path] = []
        outputs: list[Path] = []
        for parameter in self.params:
            name = parameter.name or ""
            value = ctx.params.get(name)
            kind: Any = parameter.type
            if isinstance(value, float) and not isfinite(value):
                raise typer.BadParameter(f"--{name.replace('_', '-')}: {value} is no number")
            if number_of_paths(kind) and getattr(kind, "writable", False):
                outputs += _paths(value)
                for path in _paths(value) if not kind.dir_okay else ():
                    if not path.name or not path.parent.is_dir():
                        expected = "a file in an existing folder"
                        raise input_error(path, "output", expected, str(path.parent))
            elif number_of_paths(kind):
                ctx.params[name] = value = _with_sample_files(value)
                inputs += _paths(value)
        check_outputs(inputs, outputs)
        return super().invoke(ctx)


def number_of_paths(kind: Any) -> int:
    """How many paths a value of a parameter type holds."""
    if hasattr(kind, "types"):
        return sum(map(number_of_paths, kind.types))
    return int(hasattr(kind, "writable") or kind.name == named_path.__name__)


def check_outputs(inputs: Sequence[Path], outputs: Sequence[Path]) -> None:
    """Refuse an output that is an input, another output, or a store of people's verdicts."""
    for number, output in enumerate(outputs):
        if output.is_file() and _begins(output) == _SQLITE:
            raise input_error(output, "output", "a file of its own", "verdicts of people")
        for other in (*inputs, *outputs[:number]):
            same = output.is_file() and other.is_file() and output.samefile(other)
            if same or (other not in inputs and output.absolute() == other.absolute()):
                raise input_error(output, "output", "a file of its own", f"{other}, used already")


def _begins(path: Path) -> bytes:
    with path.open("rb") as handle:
        return handle.read(len(_SQLITE))


def _paths(value: Any) -> Iterator[Path]:
    """The paths in the value of an option."""
    if isinstance(value, NamedFile):
        yield value.path
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _paths(item)
    elif value is not None:
        yield Path(value)


def _with_sample_files(value: Any) -> Any:
    """Paths in `sample/` are in the package where there is no such file.

    A path may be what several file names have in common: sample/sample for sample/sample.en.
    """
    if isinstance(value, NamedFile):
        return value._replace(path=Path(_with_sample_files(value.path)))
    if isinstance(value, list | tuple):
        return type(value)(map(_with_sample_files, value))
    if value is None or not str(value).startswith(f"{SAMPLE.name}/") or Path(value).exists():
        return value
    packaged = SAMPLE.parent / value
    exists = packaged.exists() or any(packaged.parent.glob(f"{packaged.name}.*"))
    return str(packaged) if ".." not in packaged.parts and exists else value


def named_path(text: str) -> NamedFile:
    """The file of FILE or NAME=FILE."""
    name, equals, path = text.partition("=")
    if not equals or not name.strip() or not path or "/" in name or Path(text).exists():
        return NamedFile(None, Path(text))
    return NamedFile(name, Path(path))


def names_of(files: Sequence[NamedFile], defaults: Sequence[str]) -> list[str]:
    """The names of NAME=FILE, which must be unique, else the default ones."""
    names = [file.name or name for file, name in zip(files, defaults, strict=True)]
    twice = sorted({file.name for file in files if file.name and names.count(file.name) > 1})
    if twice:
        raise typer.BadParameter(f"names must differ (NAME=FILE): {', '.join(map(quoted, twice))}")
    return names


# Options ------------------------------------------------------------------------------------------


def output_file(*names: str, help: str) -> Any:
    """An option for a file that is written."""
    metavar = None if "-o" in names else "FILE"
    return typer.Option(*names, metavar=metavar, writable=True, dir_okay=False, help=help)


def output_folder(help: str) -> Any:
    """The option -o for a folder that is written."""
    return typer.Option("--output", "-o", writable=True, file_okay=False, help=help)


def output_prefix(*names: str, help: str) -> Any:
    """An option for the beginning of the names of files that are written."""
    return typer.Option(*names, writable=True, help=help)


TaskName = Annotated[
    str, typer.Option("--task", "-t", help="A task such as en-fr, or the path of a task file.")
]
DocIds = Annotated[
    Path | None, typer.Option("--doc-ids", help="Document ids, one line per line of the file.")
]
RunPath = Annotated[
    Path,
    typer.Argument(
        metavar="RUN",
        help="A bundled model (en-fr), a run of train.py, or its archive.",
    ),
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes.")]
Prior = Annotated[
    Path | None,
    typer.Option(
        "--prior",
        help="Without links: what `crosspro align --save-prior` learnt, or a bundled model.",
    ),
]


def named_files(option: str, help: str, metavar: str = "[NAME=]FILE") -> Any:
    """An option for files or runs that may have names; repeatable."""
    return typer.Option(option, metavar=metavar, parser=named_path, help=help)


Candidates = Annotated[
    list[NamedFile], named_files("--candidate", "MT output (repeatable: several are compared).")
]
CandidateLinks = Annotated[
    list[Path] | None,
    typer.Option(
        "--candidate-links", help="Links source-candidate (repeat, one file a candidate)."
    ),
]
LinkPrior = Annotated[
    str | None,
    typer.Option(
        "--prior",
        metavar="FILE",
        help="Without links: what `crosspro align --save-prior` learnt, a bundled model, or none; "
        "else the bundled model of the languages.",
    ),
]
AnyLanguage = Annotated[
    bool,
    typer.Option(
        "--any-language",
        help="Accept text that looks like another language; without it short text gets a warning.",
    ),
]
Resamples = Annotated[
    int, typer.Option(min=0, help="Bootstrap resamples; 0 for no intervals and tests.")
]
TableOrJson = Annotated[
    Literal["table", "json"], typer.Option("--layout", help="How to show the numbers.")
]
Output = Annotated[
    Path | None, output_file("--output", "-o", help="Write here instead of to the terminal.")
]
Html = Annotated[
    Path | None, output_file("--html", help="Also write one self-contained HTML page.")
]
JsonFile = Annotated[
    Path | None, output_file("--json", help="Also write scores and every item as JSON.")
]


# Models -------------------------------------------------------------------------------------------


def prior_file(prior: Path | None, task: Task | None) -> Path | None:
    """The file of --prior, which may be a bundled model."""
    from crosspro.prediction.registry import bundled_model

    bundled = None if prior is None else bundled_model(prior)
    if bundled is None:
        return prior
    if task is not None and str(prior) != f"{task.source_language}-{task.target_language}":
        expected = f"one for {task.source_language}-{task.target_language}"
        raise input_error("settings", "--prior", expected, str(prior))
    return bundled


def one_run(path: Path) -> Path:
    """The archive of a bundled model if a path is its name, else the path of a run or archive."""
    from crosspro.prediction.models import chosen_run

    return chosen_run(path)


# Output -------------------------------------------------------------------------------------------


def tell(text: str) -> None:
    """Print a note to standard error."""
    print(text, file=sys.stderr, flush=True)


def warn(warnings: Sequence[object]) -> None:
    """Print warnings to standard error."""
    for warning in warnings:
        tell(f"warning: {warning}")


def style_of(output: Path | None = None) -> Style:
    """The style of tables, which fit the width of a terminal but not of a file."""
    from crosspro.evaluation.report.tables import Style

    is_terminal = output is None and sys.stdout.isatty()
    return Style(width=shutil.get_terminal_size().columns if is_terminal else None)


def show_table(heading: Row, rows: Sequence[Row], left: int = 1) -> str:
    """A table for standard output."""
    return style_of().table(heading, rows, left)


def resampling_of(resamples: int) -> Resampling | None:
    """The resampling of --resamples."""
    from crosspro.evaluation.resampling import Resampling

    return Resampling(resamples) if resamples else None


def write_output(content: str | bytes, output: Path | None = None) -> None:
    """Write to a file atomically, or to standard output."""
    from crosspro.data_prep.core.files import atomic_output

    content = content.encode("utf-8") if isinstance(content, str) else content
    if output is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    with atomic_output(output) as handle:
        handle.write(content)


def show_evaluation(
    evaluation: Evaluation, html: Path | None, json: Path | None, details: str
) -> None:
    """Print the tables of an evaluation, with its warnings, and write its page and its JSON."""
    from crosspro.data_prep.core.files import write_text
    from crosspro.evaluation.report.page import evaluation_page
    from crosspro.evaluation.report.records import detail_records, json_text, record
    from crosspro.evaluation.report.tables import text_report

    warn(evaluation.warnings)
    if html is not None:
        write_text(html, evaluation_page(evaluation))
    if json is not None:
        content = {**record(evaluation), details: detail_records(evaluation)}
        write_text(json, json_text(content))
    print(text_report(evaluation, style_of()), end="")
