"""Seconds of `crosspro report` by metric: 50,000 segments, three systems, in documents of 25.

Run: python -m crosspro.scripts.bench.report_speed [SOURCE REFERENCE OUTPUT LINKS_REFERENCE
     LINKS_OUTPUT] [--segments N] [--systems N] [--no-links] [--no-documents] [--jobs N]

The text is that of the files, else the sample that comes with the package, repeated; in each system
and in each repetition some words are replaced by others of the text, so that lines differ. First
each step in one process, then the whole command, start-up included, in as many as --jobs says.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.sample import sample_path
from crosspro.evaluation.core.significance import Resampling
from crosspro.evaluation.folder_report.compute import ReportSettings
from crosspro.evaluation.folder_report.contents import ReadingRules
from crosspro.evaluation.folder_report.folder import report_on
from crosspro.evaluation.folder_report.page import report_page
from crosspro.evaluation.folder_report.results import report_json
from crosspro.scripts.bench.measure import measure
from crosspro.scripts.steps import StepDisplay

DOCUMENT = 25
FEW, SOME = 0.02, 0.03
"""The share of words that is replaced: in every repetition, and more in each further system."""


def main() -> None:
    """Print the seconds of each step, and of the command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--segments", type=int, default=50_000)
    parser.add_argument("--systems", type=int, default=3)
    parser.add_argument("--no-links", action="store_true")
    parser.add_argument("--no-documents", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if len(options.files) not in (0, 5):
        raise SystemExit(__doc__)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "folder"
        write_folder(folder, real_text(options.files), options.segments, options.systems)
        if options.no_links:
            for path in (*folder.glob("*.links"), *folder.glob("outputs/*.links")):
                path.unlink()
        if options.no_documents:
            (folder / "doc-ids").unlink()
        print(steps_table(folder))
        program = [sys.executable, "-m", "crosspro.scripts.main", "report", str(folder)]
        command = [*program, "--lenient", "--jobs", str(options.jobs)]
        print(f"crosspro report --jobs {options.jobs}: {measure(command, 1)}")


def steps_table(folder: Path) -> str:
    """Wall-clock and CPU seconds of each step in one process."""
    with StepDisplay() as display:
        found = report_on(
            folder,
            rules=ReadingRules(lenient=True),
            settings=ReportSettings(Resampling()),
            progress=display.report,
        )
        report_page(found)
        report_json(found)
    return display.table()


def real_text(files: Sequence[Path]) -> list[list[str]]:
    """The lines of source, reference and output, and the links of both."""
    if files:
        read = [list(read_text_lines(path)) for path in files]
        return [lines[: len(read[0])] for lines in read]  # GIZA++ writes a blank line at the end
    source, reference = (
        list(read_text_lines(sample_path(f"sample.{language}"))) for language in ("en", "fr")
    )
    links = [_diagonal(*pair) for pair in zip(source, reference, strict=True)]
    return [source, reference, reference, links, links]


def _diagonal(source: str, target: str) -> str:
    sizes = len(source.split()), len(target.split())
    return " ".join(f"{place}-{place * sizes[1] // sizes[0]}" for place in range(sizes[0]))


def write_folder(folder: Path, text: Sequence[Sequence[str]], segments: int, systems: int) -> None:
    """A folder as `crosspro report` reads it."""
    source, reference, output, links_reference, links_output = text
    generator = random.Random(1)
    (folder / "outputs").mkdir(parents=True)

    def write(name: str, lines: Sequence[str], replaced: float = 0) -> None:
        words = [word for line in lines for word in line.split()] if replaced else []
        repeated = (lines[number % len(lines)] for number in range(segments))
        changed = (_changed(line, words, replaced, generator) for line in repeated)
        _write(folder / name, changed if replaced else repeated)

    write("source.en", source, FEW)
    write("reference.fr", reference, FEW)
    write("reference.links", links_reference)
    _write(folder / "doc-ids", (f"d{number // DOCUMENT}" for number in range(segments)))
    for number in range(systems):
        write(f"outputs/system{number + 1}.fr", output, FEW + number * SOME)
        write(f"outputs/system{number + 1}.links", links_output)


def _changed(line: str, words: Sequence[str], share: float, generator: random.Random) -> str:
    return " ".join(
        generator.choice(words) if generator.random() < share else word for word in line.split()
    )


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


if __name__ == "__main__":
    main()
