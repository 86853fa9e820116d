"""Our commands beside those of others, in turns, at several sizes of their work.

Peers are installed on demand in a folder of their own. KenLM's sources on PyPI have lmplz and
query; they are built with CMake, a compiler and Boost (Debian: libboost-program-options-dev,
libboost-system-dev, libboost-thread-dev, libboost-test-dev). fast_align (as systran-align) and
sacremoses go into a virtual environment, so that nothing of ours changes.
"""

from __future__ import annotations

import math
import subprocess
import sys
import tarfile
import tempfile
import venv
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.core.files import read_lines, read_text_lines
from crosspro.scripts.bench.measure import CROSSPRO, Command, Row, in_turns

VERSIONS = {"kenlm": "0.3.0", "systran-align": "3.5.0", "sacremoses": "0.2.0"}
_FAST_ALIGN = """
import sys
from systran_align import Aligner, generate_alignment_probabilities
text, forward, backward = sys.argv[1:]
usual = dict(favor_diagonal=True, optimize_tension=True, variational_bayes=True)
generate_alignment_probabilities(text, forward, backward, **usual)
aligner = Aligner(forward, backward)
with open(text, encoding="utf-8") as lines:
    for line in lines:
        source, target = line.split(" ||| ")
        print(aligner.align(source.split(), target.split())["alignments"])
"""
Times = Annotated[int, typer.Option(help="Medians of so many rounds, in turns.")]
Folder = Annotated[
    Path | None, typer.Option("--peers", help="Folder of peers, installed if they are not there.")
]


class Peers:
    """A folder of other people's programs; what is missing is installed when it is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()

    def lmplz(self, text: Path, arpa: Path) -> Command:
        """Estimation of a 5-gram model."""
        tool, temporary = self._kenlm("lmplz"), arpa.with_name("lmplz.")
        return Command([tool, "-o", 5, "-S", "2G", "-T", temporary, "--text", text, "--arpa", arpa])

    def query(self, arpa: Path, text: Path) -> Command:
        """The scores of sentences, with KenLM's quickest form of a model, which is made here."""
        binary = arpa.with_suffix(".probing")
        if not binary.exists():
            _run([self._kenlm("build_binary"), "probing", arpa, binary])
        return Command([self._kenlm("query"), "-v", "sentence", binary], text)

    def fast_align(self, source: Path, target: Path, folder: Path) -> Command:
        """Links of two texts."""
        script, text, *tables = (folder / name for name in ("script.py", "text", "ahead", "back"))
        script.write_text(_FAST_ALIGN, "utf-8")
        with text.open("w", encoding="utf-8") as handle:
            for one, other in zip(*map(read_text_lines, (source, target)), strict=True):
                handle.write(f"{one} ||| {other}\n")
        return Command([self._python("systran-align"), script, text, *tables])

    def sacremoses(self, text: Path, language: str) -> Command:
        """The tokens of a text, in one process."""
        program = self._python("sacremoses").with_name("sacremoses")
        return Command([program, "-l", language, "-j", 1, "tokenize"], text)

    def _kenlm(self, tool: str) -> Path:
        name = f"kenlm-{VERSIONS['kenlm']}"
        build = self.folder / name / "build"
        if not (build / "bin" / tool).exists():
            pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
            package = f"kenlm=={VERSIONS['kenlm']}"
            _run([*pip, "--no-binary", "kenlm", "-d", self.folder, package])
            with tarfile.open(self.folder / f"{name}.tar.gz") as archive:
                archive.extractall(self.folder, filter="data")
            _run(["cmake", "-S", build.parent, "-B", build, "-DCMAKE_BUILD_TYPE=Release"])
            _run(["cmake", "--build", build, "--target", "lmplz", "build_binary", "query"])
        return build / "bin" / tool

    def _python(self, package: str) -> Path:
        place = self.folder / package
        python = place / "bin" / "python"
        if not python.exists():
            venv.create(place, with_pip=True)
            _run([python, "-m", "pip", "install", "-q", f"{package}=={VERSIONS[package]}"])
        return python


def _run(command: Sequence[object]) -> None:
    words = [str(word) for word in command]
    found = subprocess.run(words, capture_output=True, text=True, check=False)
    if found.returncode:
        raise SystemExit(f"{' '.join(words)}: {found.stderr or found.stdout}")


def _grown(
    sizes: Sequence[int],
    unit: str,
    work: Callable[[int, Path], Mapping[str, Command]],
    times: int,
) -> Iterator[Row]:
    """Each command at each size, its ratio to the last one, and how its CPU seconds grow."""
    seconds: dict[str, list[float]] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory() as name:
            commands = work(size, Path(name))
            found = in_turns([*commands.values()], times, warm_up=times > 1)
        last = found[-1].cpu
        for (title, _), one in zip(commands.items(), found, strict=True):
            seconds.setdefault(title, []).append(one.cpu)
            row = {"": f"{title}, {size:,} {unit}:", "CPU": f"{one.cpu:.2f} s"}
            row["memory"] = f"{one.peak_mb:,.0f} MB"
            yield row | ({"ratio": f"{one.cpu / last:.2f}"} if one is not found[-1] else {})
    if len(sizes) > 1:
        scale = math.log(sizes[-1] / sizes[0])
        grown = {title: math.log(own[-1] / own[0]) / scale for title, own in seconds.items()}
        yield {"": "exponent:"} | {title: f"{one:.2f}" for title, one in grown.items()}


def _words_of(path: Path, words: int, written: Path) -> Path:
    """The first lines of a text, until they have so many words."""
    with written.open("wb") as handle:
        for line in read_lines(path):
            handle.write(line)
            words -= len(line.split())
            if words <= 0:
                break
    return written


Sizes = Annotated[list[int], typer.Option(help="Sizes (repeatable).")]


def lm_train(
    text: Path,
    words: Sizes = [800_000, 1_600_000, 3_200_000],  # noqa: B006 - Typer copies it
    peers: Folder = None,
    times: Times = 5,
) -> Iterator[Row]:
    """`crosspro lm train` of a 5-gram model, as ARPA and binary; the peer is lmplz."""

    def work(size: int, folder: Path) -> Mapping[str, Command]:
        train = _words_of(text, size, folder / "text")
        ours = [*CROSSPRO, "lm", "train", train]
        commands = {
            "lm train --arpa": Command([*ours, "--arpa", folder / "ours.arpa"]),
            "lm train -o": Command([*ours, "-o", folder / "ours"]),
        }
        if peers is not None:
            commands["lmplz"] = Peers(peers).lmplz(train, folder / "theirs.arpa")
        return commands

    yield from _grown(words, "words", work, times)


def lm_query(
    text: Path,
    scored: Path,
    words: int = 3_200_000,
    queries: Sizes = [225_000, 450_000, 900_000],  # noqa: B006 - Typer copies it
    peers: Folder = None,
    times: Times = 5,
) -> Iterator[Row]:
    """`crosspro lm query` of a second text; the peer is KenLM's query with a probing model."""
    with tempfile.TemporaryDirectory() as name:
        train = _words_of(text, words, Path(name) / "text")
        model, arpa = Path(name) / "model", Path(name) / "model.arpa"
        _run([*CROSSPRO, "lm", "train", train, "-o", model, "--arpa", arpa])

        def work(size: int, folder: Path) -> Mapping[str, Command]:
            lines = _words_of(scored, size, folder / "scored")
            commands = {"lm query": Command([*CROSSPRO, "lm", "query", model, lines])}
            if peers is not None:
                commands["query probing"] = Peers(peers).query(arpa, lines)
            return commands

        yield from _grown(queries, "words", work, times)


def align_beside(
    source: Path,
    target: Path,
    segments: Sizes = [12_500, 25_000, 50_000],  # noqa: B006 - Typer copies it
    task: str = "en-fr",
    peers: Folder = None,
    times: Times = 5,
) -> Iterator[Row]:
    """`crosspro align` of tokenised text in one process and in two; the peer is fast_align."""

    def work(size: int, folder: Path) -> Mapping[str, Command]:
        texts = folder / "source", folder / "target"
        for path, text in zip((source, target), texts, strict=True):
            with text.open("wb") as handle:
                handle.writelines(islice(read_lines(path), size))
        ours = [*CROSSPRO, "align", "--task", task, "--source", texts[0], "--target", texts[1]]
        ours += ["-o", folder / "links", "--jobs"]
        commands = {f"align --jobs {jobs}": Command([*ours, jobs]) for jobs in (1, 2)}
        if peers is not None:
            commands["fast_align"] = Peers(peers).fast_align(*texts, folder)
        return commands

    yield from _grown(segments, "segments", work, times)


def tokenise(
    text: Path,
    language: str = "en",
    lines: Sizes = [25_000, 50_000, 100_000],  # noqa: B006 - Typer copies it
    peers: Folder = None,
    times: Times = 5,
) -> Iterator[Row]:
    """`crosspro tokenise`; the peer is sacremoses."""

    def work(size: int, folder: Path) -> Mapping[str, Command]:
        with (folder / "text").open("wb") as handle:
            handle.writelines(islice(read_lines(text), size))
        ours = [*CROSSPRO, "tokenise", folder / "text", "--language", language]
        commands = {"tokenise": Command(ours)}
        if peers is not None:
            commands["sacremoses"] = Peers(peers).sacremoses(folder / "text", language)
        return commands

    yield from _grown(lines, "lines", work, times)


def report_again(
    source: Path,
    reference: Path,
    segments: Sizes = [1_250, 2_500, 5_000],  # noqa: B006 - Typer copies it
    times: Times = 5,
) -> Iterator[Row]:
    """`crosspro report` of three systems without links, and run again with its cache."""
    from crosspro.scripts.bench.commands import write_folder

    texts = [list(read_text_lines(path)) for path in (source, reference)]

    def work(size: int, folder: Path) -> Mapping[str, Command]:
        empty = [""]
        write_folder(folder / "text", [*texts, texts[1], empty, empty], size, 3)
        for path in (folder / "text").rglob("*.links"):
            path.unlink()
        ours = [*CROSSPRO, "report", folder / "text", "--no-proofread", "-o"]
        cached = [*ours, folder / "again", "--cache", folder / "cache"]
        _run(cached)
        first = Command([*ours, folder / "first", "--cache", "none"])
        return {"report": first, "report, run again": Command(cached)}

    yield from _grown(segments, "segments", work, times)
