"""Make the data of RESULTS.md from a folder of corpora (PAIR/train, dev, test; NAME.en.xz …).

All texts of a pair are tokenised and joined, so that the small test sets are aligned with what the
large corpora teach; then gaps are placed, and the result is cut into files again:

    python -m crosspro.scripts.reproduce.real_data --bitext DATA/bitext \\
        --official DATA/official_discomt2015 OUT

makes all six tasks, `--task es-en` one of them. Both directions of a pair use the same joined text;
links are turned round where the symmetrisation treats both sides alike (intersection), else they
are made for each direction. OUT/TASK then serves as `data.dir`. With `--official` the sets of 2015
take the places of TEDdev and DiscoMT2015.test in the tasks from English to French: as released for
the inflected task, and for the lemmatised one with the gaps filled again, the official links, and
gaps by the rules of 2017. Sets of contrastive pairs are for tests only: they are in no text, and
training lines that say the same as one of their test lines are left out. With `--source-layer` each
X.data gets X.source.conllu, with tags and lemmas of the source, and its parse where there is one.
"""

from __future__ import annotations

import lzma
import re
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import compress
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.annotate.layers import data_stem
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import atomic_output, read_lines, temporary_folder, write_text
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.formats.links import read_links, write_links
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.data_prep.gaps.extract import with_gold_words
from crosspro.scripts.cli import run
from crosspro.scripts.common import App

app = App()

TASKS = ("en-fr", "en-fr-2015", "fr-en", "en-de", "de-en", "es-en")
OFFICIAL = {
    "dev.TEDdev": ("TEDdev.en-fr.data.xz", "TEDdev.en-fr.doc-ids.xz"),
    "test.DiscoMT2015": (
        "DiscoMT2015.test.en-fr.gold.data.xz",
        "DiscoMT2015.test.en-fr.doc-ids.xz",
    ),
}
REPLACED = ("dev.ted_tst2010_TEDdev", "test.DiscoMT2015.test")
TEST_ONLY = ("opensubs_contrastive", "contrapro")
"""Sets that nothing may be learnt from, not even links."""

ALIKE = ("intersection", "union")
"""Symmetrisations that give the other direction the same links, turned round."""


@app.command()
def real_data(
    output: Annotated[Path, typer.Argument(help="Folder of the data, one folder a task.")],
    bitext: Annotated[Path, typer.Option(help="Folder with a folder for each pair, or of one.")],
    task: Annotated[
        list[str] | None, typer.Option(help="Tasks to make; all six by default.")
    ] = None,
    official: Annotated[Path | None, typer.Option(help="Official files of 2015.")] = None,
    source_layer: Annotated[
        bool, typer.Option("--source-layer", help="Also annotate the sources: X.source.conllu.")
    ] = False,
    jobs: Annotated[int, typer.Option(help="Processes.", min=1)] = 1,
) -> None:
    """Make the data of RESULTS.md from a folder of corpora."""
    output.mkdir(parents=True, exist_ok=True)
    for name in task or TASKS:
        rules = load_task(name)
        joined = join_corpora(_pair_folder(bitext, rules), output, jobs)
        links = _links(rules, joined, jobs)
        folder = output / name
        folder.mkdir(exist_ok=True)
        prefix = folder / "joined"
        year = "2015" if name.endswith("2015") else "2017"
        how = ["--links", str(links), "--rules", year, "--jobs", str(jobs), "-o", str(prefix)]
        doc_ids = ["--doc-ids", str(joined.path("doc-ids")), "--tokenised"]
        _crosspro("prepare", "--task", name, *joined.sides(rules), *doc_ids, *how)
        replaced = official is not None and rules.target_language == "fr"
        left_out = REPLACED if replaced else ()
        _cut(Path(f"{prefix}.data"), folder, joined.sizes, ".data", left_out)
        _cut(Path(f"{prefix}.doc-ids"), folder, joined.sizes, ".doc-ids", left_out)
        if replaced and official is not None:
            _official(name, year, official, folder)
        if source_layer:
            _annotate_sources(folder, rules.source_language, jobs)


@dataclass(frozen=True)
class Joined:
    """The tokenised text of a pair in OUT/joined.PAIR.*; `sizes` are the lines of each corpus."""

    folder: Path
    pair: str
    sizes: dict[str, int]

    def path(self, suffix: str) -> Path:
        """The file of a language, or of document names."""
        return self.folder / f"joined.{self.pair}.{suffix}"

    def sides(self, task: Task) -> list[str]:
        """Both texts as options, source first."""
        source, target = self.path(task.source_language), self.path(task.target_language)
        return ["--source", str(source), "--target", str(target)]


def _pair_folder(bitext: Path, task: Task) -> Path:
    """The folder of the task's corpora, named by the pair in either order."""
    languages = (task.source_language, task.target_language)
    known = [bitext / "-".join(order) for order in (languages, languages[::-1])]
    for folder in (bitext, *known):
        if (folder / "train").is_dir():
            return folder
    raise input_error(bitext, "--bitext", f"a folder {known[0].name} or {known[1].name}", "none")


@cache  # both directions of a pair, and both tasks of a direction
def join_corpora(bitext: Path, output: Path, jobs: int = 1) -> Joined:
    """Tokenise and join all corpora of a pair, as many at the same time as there are jobs."""
    corpora = {
        f"{split}.{name}": path
        for split in ("train", "dev", "test")
        for path in sorted((bitext / split).glob("*.doc-ids.xz"))
        if (name := path.name.removesuffix(".doc-ids.xz")) not in TEST_ONLY
    }
    pair = bitext.resolve().name
    languages = pair.split("-")
    texts = {
        (title, language): _side(path, language)
        for language in languages
        if not (output / f"joined.{pair}.{language}").is_file()
        for title, path in corpora.items()
    }
    with temporary_folder(output, pair) as scratch, ThreadPoolExecutor(jobs) as pool:
        try:
            tokenised = {
                which: pool.submit(_tokenise, text, which[1], scratch / ".".join(which))
                for which, text in sorted(texts.items(), key=_size, reverse=True)
            }
            kept = _kept_lines(corpora, languages, bitext)
            joined = Joined(output, pair, {title: sum(kept[title]) for title in corpora})
            for language in dict.fromkeys(language for _, language in texts):
                with atomic_output(joined.path(language)) as handle:
                    for title in corpora:
                        part = tokenised[title, language].result()
                        handle.writelines(compress(read_lines(part), kept[title]))
        finally:
            pool.shutdown(cancel_futures=True)
    with atomic_output(joined.path("doc-ids")) as handle:
        for title, path in corpora.items():
            for line in compress(read_lines(path), kept[title]):
                handle.write(f"{title}.".encode() + line.split(b"\t")[0].rstrip(b"\n") + b"\n")
    return joined


def _size(text: tuple[tuple[str, str], Path]) -> int:
    """The largest is begun first: none waits for it in the end."""
    return text[1].stat().st_size


def _tokenise(text: Path, language: str, part: Path) -> Path:
    _crosspro("tokenise", str(text), "-l", language, "-o", str(part))
    return part


def _side(doc_ids: Path, language: str) -> Path:
    """The text of a corpus beside its document names."""
    return doc_ids.with_name(doc_ids.name.replace(".doc-ids.", f".{language}."))


def _kept_lines(
    corpora: dict[str, Path], languages: Sequence[str], bitext: Path
) -> dict[str, list[bool]]:
    """Which lines of each corpus are used: no training line that a test-only set tests on."""
    tested: set[tuple[str, ...]] = set()
    for path in (bitext / "test" / f"{name}.doc-ids.xz" for name in TEST_ONLY):
        if path.is_file():
            marks = (line.rstrip(b"\n").endswith(b"\tcur") for line in read_lines(path))
            tested.update(
                tuple(map(_letters, lines)) for lines in compress(_lines(path, languages), marks)
            )
    first = {letters[0] for letters in tested}  # few lines are looked at on the other side
    return {
        title: [
            not (
                title.startswith("train.")
                and _letters(lines[0]) in first
                and tuple(map(_letters, lines)) in tested
            )
            for lines in _lines(path, languages)
        ]
        for title, path in corpora.items()
    }


def _lines(doc_ids: Path, languages: Sequence[str]) -> Iterator[tuple[bytes, ...]]:
    """Both sides of each line of a corpus."""
    return zip(*(read_lines(_side(doc_ids, language)) for language in languages), strict=True)


def _letters(line: bytes) -> str:
    return re.sub(r"\W+", "", line.decode("utf-8").lower())


def _links(task: Task, joined: Joined, jobs: int) -> Path:
    """The links of the joined text in the task's direction, made or turned round."""
    source, target = task.source_language, task.target_language
    links, other = (
        joined.path(f"{way}.links") for way in (f"{source}-{target}", f"{target}-{source}")
    )
    if links.is_file():
        return links
    if other.is_file() and task.symmetrisation in ALIKE:
        write_links(links, (sorted((t, s) for s, t in line) for line in read_links(other)))
    else:
        how = ("-t", task.name, "--jobs", str(jobs))
        _crosspro("align", *joined.sides(task), "-o", str(links), *how)
    return links


def _cut(
    joined: Path, folder: Path, sizes: dict[str, int], suffix: str, left_out: Collection[str]
) -> None:
    lines: Iterator[bytes] = read_lines(joined)
    for title, size in sizes.items():
        part = (next(lines) for _ in range(size))
        if title in left_out:
            for _ in part:
                pass
            continue
        with lzma.open(folder / f"{title}{suffix}.xz", "wb") as handle:
            handle.writelines(part)


def _official(name: str, rules: str, official: Path, folder: Path) -> None:
    inflected = load_task("en-fr-2015")
    for title, (data, doc_ids) in OFFICIAL.items():
        if name == inflected.name:
            (folder / f"{title}.data.xz").write_bytes((official / data).read_bytes())
            (folder / f"{title}.doc-ids.xz").write_bytes((official / doc_ids).read_bytes())
            continue
        prefix = folder / f"restored.{title}"
        read = read_examples(official / data, inflected, lenient=True)
        examples = [with_gold_words(example) for example in read]
        write_text(Path(f"{prefix}.en"), "".join(" ".join(e.source) + "\n" for e in examples))
        write_text(Path(f"{prefix}.fr"), "".join(" ".join(e.target) + "\n" for e in examples))
        write_links(f"{prefix}.links", [example.links for example in examples])
        text = ["--source", f"{prefix}.en", "--target", f"{prefix}.fr"]
        how = ["--doc-ids", str(official / doc_ids), "--tokenised", "--links", f"{prefix}.links"]
        made = ["--rules", rules, "-o", str(folder / title)]
        _crosspro("prepare", "--task", name, *text, *how, *made)


def _annotate_sources(folder: Path, language: str, jobs: int) -> None:
    """X.source.conllu.xz beside each X.data, by the usual annotator of the language."""
    for data in sorted(folder.glob("*.data*")):
        title = data_stem(data)
        if title == "joined":
            continue
        with temporary_folder(folder, title) as scratch:
            source = scratch / f"{title}.{language}"
            with atomic_output(source) as handle:
                handle.writelines(line.split(b"\t")[2] + b"\n" for line in read_lines(data))
            layer = folder / f"{title}.source.conllu.xz"
            how = ["--layout", "conllu", "--jobs", str(jobs), "-o", str(layer)]
            _crosspro("annotate", str(source), "-l", language, *how)


def _crosspro(*arguments: str) -> None:
    """A command; if it fails it has said why."""
    print("crosspro", *arguments, file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "crosspro.scripts.cli", *arguments]
    made = subprocess.run(command, check=False)
    if made.returncode:
        raise typer.Exit(made.returncode)


if __name__ == "__main__":
    run(app)
