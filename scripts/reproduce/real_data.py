"""Make the data of RESULTS.md from a folder of corpora (PAIR/train, dev, test; NAME.en.xz …).

All texts of a pair are tokenised and joined, so that the small test sets are aligned with what the
large corpora teach; then gaps are placed, and the result is cut into files again:

    python -m crosspro.scripts.reproduce.real_data --bitext DATA/bitext \\
        --official DATA/official_discomt2015 OUT

makes all six tasks, `--task es-en` one of them. Both directions of a pair use the same joined text;
links are turned round where the symmetrisation treats both sides alike (intersection), else they
are made for each direction. OUT/TASK then serves as `data.dir`. With `--official` the sets of 2015
replace TEDdev and DiscoMT2015.test in the tasks from English to French: as released for the
inflected task, and for the lemmatised one with the gaps filled again, the official links, and gaps
by the rules of 2017. Sets of contrastive pairs are for tests only: they are in no text, and
training lines that say the same as one of their test lines are left out. With `--source-layer` each
X.data gets X.source.conllu, with tags and lemmas of the source, and its parse where there is one.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from itertools import compress, groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from crosspro.data_prep.annotate.layers import data_stem, layers_beside
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import (
    atomic_output,
    make_folder,
    read_lines,
    write_text,
)
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.formats.links import read_links, write_links
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.data_prep.gaps.extract import with_gold_words
from crosspro.scripts.cli import run
from crosspro.scripts.common import App, Jobs
from crosspro.scripts.reproduce.running import crosspro

app = App()

TASKS = ("en-fr", "en-fr-2015", "fr-en", "en-de", "de-en", "es-en")
INFLECTED = "en-fr-2015"
OFFICIAL = {"dev.TEDdev": "TEDdev.en-fr", "test.DiscoMT2015": "DiscoMT2015.test.en-fr"}
REPLACED = ("dev.ted_tst2010_TEDdev", "test.DiscoMT2015.test")
TEST_ONLY = ("opensubs_contrastive", "contrapro", "diabla", "opensubs_ctxpro_minitest")
"""Test sets that nothing may be learnt from, not even links."""
HALVED = ("train.europarl",)
"""Corpora of which every second document is used: the largest, which is far from talks."""
TELLING_LETTERS = 20
"""Letters of a line from which on it does not stand in two corpora by chance."""


@app.command(epilog="Example: real_data --bitext DATA/bitext --task es-en OUT")
def real_data(
    output: Annotated[Path, typer.Argument(help="Folder of the data, one folder a task.")],
    bitext: Annotated[Path, typer.Option(help="Folder with a folder for each pair, or of one.")],
    task: Annotated[list[str] | None, typer.Option(help="Tasks to make; all six.")] = None,
    official: Annotated[Path | None, typer.Option(help="Official files of 2015.")] = None,
    source_layer: Annotated[
        bool, typer.Option("--source-layer", help="Also annotate the sources: X.source.conllu.")
    ] = False,
    jobs: Jobs = 1,
) -> None:
    """Make the data of RESULTS.md from a folder of corpora."""
    rules = {name: load_task(name) for name in task or TASKS}
    folders = {name: _pair_folder(bitext, rules[name]) for name in rules}
    for name, of_task in rules.items():
        joined = join_corpora(folders[name], output, jobs)
        links = _links(of_task, joined, jobs)
        folder = output / name
        make_folder(folder)
        text = joined.options(of_task, links)
        year = "2015" if name == INFLECTED else "2017"
        how = ("--tokenised", "--rules", year, "--jobs", str(jobs), "-o", str(folder / "joined"))
        crosspro("prepare", "--task", name, *text, *how)
        french = official if of_task.target_language == "fr" else None
        cut(folder / "joined", folder, joined.corpora, REPLACED if french else (), packed=".xz")
        if french:
            _official(name, year, french, folder)
        if source_layer:
            annotate_sources(folder, of_task.source_language, jobs)


@dataclass(frozen=True)
class Joined:
    """The tokenised text of a pair, FOLDER/joined.PAIR.LANGUAGE, and its document names."""

    folder: Path
    pair: str
    corpora: tuple[str, ...] = ()

    def path(self, suffix: str) -> Path:
        """The file of a language, of document names, or of links."""
        return self.folder / f"joined.{self.pair}.{suffix}"

    def options(self, task: Task, links: Path | None = None) -> list[str]:
        """The files of a task as options."""
        files = {
            "--source": self.path(task.source_language),
            "--target": self.path(task.target_language),
            **({} if links is None else {"--links": links, "--doc-ids": self.path("doc-ids")}),
        }
        return [word for option, path in files.items() for word in (option, str(path))]


def _pair_folder(bitext: Path, task: Task) -> Path:
    """The folder of the task's corpora, named by the pair in either order."""
    languages = (task.source_language, task.target_language)
    named = [bitext / "-".join(order) for order in (languages, languages[::-1])]
    for folder in (bitext, *named):
        if (folder / "train").is_dir():
            return folder
    raise input_error(bitext, "--bitext", f"a folder {named[0].name} or {named[1].name}", "none")


@cache  # both directions of a pair, and both tasks of a direction
def join_corpora(bitext: Path, output: Path, jobs: int = 1) -> Joined:
    """Tokenise and join all corpora of a pair; documents begin with SPLIT.CORPUS."""
    make_folder(output)
    corpora = {
        f"{split}.{name}": path
        for split in ("train", "dev", "test")
        for path in sorted((bitext / split).glob("*.doc-ids.xz"))
        if (name := path.name.removesuffix(".doc-ids.xz")) not in TEST_ONLY or split != "test"
    }
    joined = Joined(output, bitext.resolve().name, tuple(corpora))
    languages = joined.pair.split("-")
    missing = [language for language in languages if not joined.path(language).is_file()]
    kept = _kept_lines(corpora, languages, bitext)
    with TemporaryDirectory(dir=output) as scratch, ThreadPoolExecutor(jobs) as pool:
        parts = {
            (title, language): Path(scratch, f"{title}.{language}")
            for language in missing
            for title in corpora
        }

        def tokenise(part: tuple[str, str]) -> None:
            text = _side(corpora[part[0]], part[1])
            crosspro("tokenise", str(text), "-l", part[1], "-o", str(parts[part]))

        sizes = {part: _side(corpora[part[0]], part[1]).stat().st_size for part in parts}
        # The largest is begun first, so that none waits for it in the end.
        list(pool.map(tokenise, sorted(parts, key=lambda part: -sizes[part])))
        for language in missing:
            with atomic_output(joined.path(language)) as handle:
                for title in corpora:
                    handle.writelines(compress(read_lines(parts[title, language]), kept[title]))
    with atomic_output(joined.path("doc-ids")) as handle:
        for title, path in corpora.items():
            for line in compress(read_lines(path), kept[title]):
                handle.write(f"{title}.".encode() + line.split(b"\t")[0].rstrip(b"\n") + b"\n")
    return joined


def _side(doc_ids: Path, language: str) -> Path:
    """The text of a corpus beside its document names."""
    return doc_ids.with_name(doc_ids.name.replace(".doc-ids.", f".{language}."))


def _kept_lines(
    corpora: Mapping[str, Path], languages: Sequence[str], bitext: Path
) -> dict[str, list[bool]]:
    """Which lines of each corpus are used: no training line that stands in a test set, too."""
    tested: set[tuple[str, ...]] = set()
    for path in (bitext / "test").glob("*.doc-ids.xz"):
        marks = (line.rstrip(b"\n").endswith(b"\tcur") for line in read_lines(path))
        for line, marked in zip(_lines(path, languages), marks, strict=True):
            letters = tuple(map(_letters, line))
            if marked or len(letters[0]) >= TELLING_LETTERS:
                tested.add(letters)
    first = {letters[0] for letters in tested}  # few lines are compared on the other side

    def is_tested(line: Sequence[bytes]) -> bool:
        return _letters(line[0]) in first and tuple(map(_letters, line)) in tested

    return {
        title: [
            in_part and not (title.startswith("train.") and is_tested(line))
            for in_part, line in zip(_in_part(title, path), _lines(path, languages), strict=True)
        ]
        for title, path in corpora.items()
    }


def _in_part(title: str, doc_ids: Path) -> Iterator[bool]:
    """Whether each line is in a document that is used."""
    documents = groupby(read_lines(doc_ids), key=lambda line: line.split(b"\t")[0])
    for number, (_, lines) in enumerate(documents):
        for _ in lines:
            yield title not in HALVED or number % 2 == 0


def _lines(doc_ids: Path, languages: Sequence[str]) -> Iterator[tuple[bytes, ...]]:
    """Both sides of each line of a corpus."""
    return zip(*(read_lines(_side(doc_ids, language)) for language in languages), strict=True)


def _letters(line: bytes) -> str:
    return re.sub(r"\W+", "", line.decode("utf-8").lower())


def _links(task: Task, joined: Joined, jobs: int) -> Path:
    """The links of the joined text in the task's direction; those of the other one are turned."""
    source, target = task.source_language, task.target_language
    links, other = (
        joined.path(f"{way}.links") for way in (f"{source}-{target}", f"{target}-{source}")
    )
    if not links.is_file() and other.is_file():
        turn_links(other, links)
    elif not links.is_file():
        how = ("-t", task.name, "--jobs", str(jobs))
        crosspro("align", *joined.options(task), "-o", str(links), *how)
    return links


def turn_links(links: Path, turned: Path) -> None:
    """Write links in the other direction."""
    write_links(turned, (sorted((t, s) for s, t in line) for line in read_links(links)))


def cut(
    prefix: Path,
    folder: Path,
    corpora: Collection[str] = (),
    left_out: Collection[str] = (),
    packed: str = "",
) -> None:
    """Files of examples and of document names for each corpus, which the names begin with."""
    dotted = [title for title in corpora if title.count(".") > 1]
    columns = (read_lines(Path(f"{prefix}{suffix}")) for suffix in (".data", ".doc-ids"))
    with ExitStack() as stack:
        files = {}
        for example, name in zip(*columns, strict=True):
            title = corpus_of(name.decode(), dotted)
            if title in left_out:
                continue
            if title not in files:
                files[title] = [
                    stack.enter_context(atomic_output(folder / f"{title}{suffix}{packed}"))
                    for suffix in (".data", ".doc-ids")
                ]
            files[title][0].write(example)
            files[title][1].write(name)


def corpus_of(document: str, dotted: Collection[str] = ()) -> str:
    """SPLIT.CORPUS of a document's name; `dotted` are those with more dots."""
    longer = (title for title in dotted if document.startswith(f"{title}."))
    return next(longer, ".".join(document.split(".")[:2]))


def _official(name: str, rules: str, official: Path, folder: Path) -> None:
    inflected = load_task(INFLECTED)
    for title, stem in OFFICIAL.items():
        data = official / f"{stem}.data.xz"
        if not data.is_file():
            data = official / f"{stem}.gold.data.xz"
        doc_ids = official / f"{stem}.doc-ids.xz"
        if name == INFLECTED:
            shutil.copyfile(data, folder / f"{title}.data.xz")
            shutil.copyfile(doc_ids, folder / f"{title}.doc-ids.xz")
            continue
        restored = Joined(folder, title)
        read = read_examples(data, inflected, lenient=True)
        examples = [with_gold_words(example) for example in read]
        for language, side in (("en", "source"), ("fr", "target")):
            lines = (" ".join(getattr(example, side)) + "\n" for example in examples)
            write_text(restored.path(language), "".join(lines))
        write_links(restored.path("links"), [example.links for example in examples])
        text = (*restored.options(inflected), "--doc-ids", str(doc_ids), "--tokenised")
        how = ("--links", str(restored.path("links")), "--rules", rules)
        crosspro("prepare", "--task", name, *text, *how, "-o", str(folder / title))


def annotate_sources(folder: Path, language: str, jobs: int) -> None:
    """X.source.conllu.xz beside each X.data that has none, by the usual annotator."""
    for data in sorted(folder.glob("*.data*")):
        title = data_stem(data)
        if title == "joined" or layers_beside(data).source_parse:
            continue
        with TemporaryDirectory(dir=folder) as scratch:
            source = Path(scratch, f"{title}.{language}")
            with atomic_output(source) as handle:
                handle.writelines(line.split(b"\t")[2] + b"\n" for line in read_lines(data))
            layer = folder / f"{title}.source.conllu.xz"
            how = ("--jobs", str(jobs), "-o", str(layer))
            crosspro("annotate", str(source), "-l", language, *how)


if __name__ == "__main__":
    run(app)
