"""Make the data of RESULTS.md from a folder of corpora.

    python -m crosspro.scripts.reproduce.real_data OUT --corpora DATA --task en-fr

makes OUT/TASK, which serves as `data.dir`, from DATA/bitext/PAIR/{train,dev,test}/NAME.en.xz … All
texts of a pair are tokenised and joined, so that the small test sets are aligned with what the
large corpora teach; then gaps are placed, and the result is cut into files again. Both directions
of a pair use the same joined text and, turned round, the same links. Where
DATA/official_discomt2015 is, the sets of 2015 replace TEDdev and DiscoMT2015.test in the tasks from
English to French: as released for the inflected task, and for the lemmatised one with the gaps
filled again, the official links, and gaps by the rules of 2017. Sets of contrastive pairs are for
tests only: they are in no text, and training lines that say the same as one of their test lines
are left out.
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

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import atomic_output, make_folder, read_lines, write_text
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.formats.links import read_links, write_links
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.data_prep.gaps.extract import with_gold_words
from crosspro.scripts.cli import run
from crosspro.scripts.common import App, Jobs
from crosspro.scripts.reproduce.running import crosspro
from crosspro.scripts.reproduce.submissions import INFLECTED_TASK, TASKS

app = App()

OFFICIAL = {
    "dev.TEDdev": ("TEDdev.en-fr", ""),
    "test.DiscoMT2015": ("DiscoMT2015.test.en-fr", ".gold"),
}
REPLACED = ("dev.ted_tst2010_TEDdev", "test.DiscoMT2015.test")
TEST_ONLY = ("opensubs_contrastive", "contrapro", "diabla", "opensubs_ctxpro_minitest")
"""Test sets that nothing may be learnt from, not even links."""
HALVED = ("train.europarl",)
"""Corpora of which every second document is used: the largest, which is far from talks."""
TELLING_LETTERS = 20
"""Letters of a line from which on it does not stand in two corpora by chance."""


@app.command(epilog="Example: real_data OUT --corpora DATA --task es-en")
def real_data(
    output: Annotated[Path, typer.Argument(help="Folder of the data, one folder a task.")],
    corpora: Annotated[Path, typer.Option(help="Folder of corpora: bitext, official sets.")],
    task: Annotated[list[str] | None, typer.Option(help="Tasks to make; all six.")] = None,
    jobs: Jobs = 1,
) -> None:
    """Make the data of RESULTS.md from a folder of corpora."""
    for name in task or TASKS:
        rules = load_task(name)
        joined = join_corpora(_pair_folder(corpora / "bitext", rules), output, jobs)
        links = _links(rules, joined, jobs)
        folder = output / name
        make_folder(folder)
        text = joined.options(rules, links)
        year = "2015" if name == INFLECTED_TASK else "2017"
        how = ("--tokenised", "--rules", year, "--jobs", str(jobs), "-o", str(folder / "joined"))
        crosspro("prepare", "--task", name, *text, *how)
        official = corpora / "official_discomt2015"
        is_official = rules.target_language == "fr" and official.is_dir()
        left_out = REPLACED if is_official else ()
        cut(folder / "joined", folder, joined.corpora, left_out, packed=".xz")
        if is_official and name == INFLECTED_TASK:
            for title, (stem, gold) in OFFICIAL.items():
                shutil.copyfile(official / f"{stem}{gold}.data.xz", folder / f"{title}.data.xz")
                shutil.copyfile(official / f"{stem}.doc-ids.xz", folder / f"{title}.doc-ids.xz")
        elif is_official:
            _lemmatised_official(official, name, year, folder)


# Joined text --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Joined:
    """The tokenised text of a pair, FOLDER/joined.PAIR.LANGUAGE, and its document names."""

    folder: Path
    pair: str
    corpora: tuple[str, ...] = ()

    def path(self, suffix: str) -> Path:
        """The file of a language, of document names, or of links."""
        return self.folder / f"joined.{self.pair}.{suffix}"

    def options(
        self, task: Task, links: Path | None = None, doc_ids: Path | None = None
    ) -> list[str]:
        """The files of a task as options."""
        files = {
            "--source": self.path(task.source_language),
            "--target": self.path(task.target_language),
        }
        if links is not None:
            files |= {"--links": links, "--doc-ids": doc_ids or self.path("doc-ids")}
        return [word for option, path in files.items() for word in (option, str(path))]


def _pair_folder(bitext: Path, task: Task) -> Path:
    """The folder of the task's corpora, named by the pair in either order."""
    languages = (task.source_language, task.target_language)
    folders = [bitext / "-".join(order) for order in (languages, languages[::-1])]
    for folder in folders:
        if (folder / "train").is_dir():
            return folder
    raise input_error(
        bitext, "--corpora", f"a folder {folders[0].name} or {folders[1].name}", "none"
    )


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
        texts = [(title, language) for language in missing for title in corpora]

        def tokenise(text: tuple[str, str]) -> None:
            title, language = text
            side = str(_side(corpora[title], language))
            crosspro("tokenise", side, "-l", language, "-o", f"{scratch}/{title}.{language}")

        # The largest is begun first, so that none waits for it in the end.
        texts.sort(key=lambda text: -_side(corpora[text[0]], text[1]).stat().st_size)
        list(pool.map(tokenise, texts))
        for language in missing:
            with atomic_output(joined.path(language)) as handle:
                for title in corpora:
                    tokenised = Path(scratch, f"{title}.{language}")
                    handle.writelines(compress(read_lines(tokenised), kept[title]))
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
        for doc_id, line in zip(read_lines(path), _lines(path, languages), strict=True):
            letters = tuple(map(_letters, line))
            # `cur` marks the tested line of a contrastive pair, others are its context.
            if doc_id.rstrip(b"\n").endswith(b"\tcur") or len(letters[0]) >= TELLING_LETTERS:
                tested.add(letters)
    first = {letters[0] for letters in tested}  # few lines are compared on the other side

    def kept(title: str, path: Path) -> Iterator[bool]:
        documents = groupby(read_lines(path), key=lambda line: line.split(b"\t")[0])
        lines = _lines(path, languages)
        for number, (_, doc_ids) in enumerate(documents):
            for _, line in zip(doc_ids, lines, strict=False):
                is_tested = _letters(line[0]) in first and tuple(map(_letters, line)) in tested
                in_part = title not in HALVED or number % 2 == 0
                yield in_part and not (title.startswith("train.") and is_tested)

    return {title: list(kept(title, path)) for title, path in corpora.items()}


def _lines(doc_ids: Path, languages: Sequence[str]) -> Iterator[tuple[bytes, ...]]:
    """Both sides of each line of a corpus."""
    return zip(*(read_lines(_side(doc_ids, language)) for language in languages), strict=True)


def _letters(line: bytes) -> str:
    return re.sub(r"\W+", "", line.decode("utf-8").lower())


def _links(task: Task, joined: Joined, jobs: int) -> Path:
    """The links of the joined text in the task's direction; those of the other one are turned."""
    source, target = task.source_language, task.target_language
    links, other = joined.path(f"{source}-{target}.links"), joined.path(f"{target}-{source}.links")
    if not links.is_file() and other.is_file():
        turn_links(other, links)
    elif not links.is_file():
        how = ("-t", task.name, "--jobs", str(jobs))
        crosspro("align", *joined.options(task), "-o", str(links), *how)
    return links


def turn_links(links: Path, turned: Path) -> None:
    """Write links in the other direction."""
    write_links(turned, (sorted((t, s) for s, t in line) for line in read_links(links)))


# Files --------------------------------------------------------------------------------------------


def cut(
    prefix: Path,
    folder: Path,
    corpora: Collection[str] = (),
    left_out: Collection[str] = (),
    packed: str = "",
) -> None:
    """Files of examples and of document names for each corpus, which the names begin with."""
    dotted = [title for title in corpora if title.count(".") > 1]
    suffixes = (".data", ".doc-ids")
    columns = (read_lines(Path(f"{prefix}{suffix}")) for suffix in suffixes)
    with ExitStack() as stack:
        files = {}
        for line in zip(*columns, strict=True):
            title = corpus_of(line[1].decode(), dotted)
            if title in left_out:
                continue
            if title not in files:
                files[title] = [
                    stack.enter_context(atomic_output(folder / f"{title}{suffix}{packed}"))
                    for suffix in suffixes
                ]
            for file, column in zip(files[title], line, strict=True):
                file.write(column)


def corpus_of(document: str, dotted: Collection[str] = ()) -> str:
    """SPLIT.CORPUS of a document's name; `dotted` are those with more dots."""
    longer = (title for title in dotted if document.startswith(f"{title}."))
    return next(longer, ".".join(document.split(".")[:2]))


def _lemmatised_official(official: Path, name: str, rules: str, folder: Path) -> None:
    """The official sets of 2015 with gaps of a lemmatised task; their links are kept."""
    inflected = load_task(INFLECTED_TASK)
    for title, (stem, gold) in OFFICIAL.items():
        restored = Joined(folder, title)
        read = read_examples(official / f"{stem}{gold}.data.xz", inflected, lenient=True)
        examples = [with_gold_words(example) for example in read]
        for language, side in (("en", "source"), ("fr", "target")):
            lines = (" ".join(getattr(example, side)) + "\n" for example in examples)
            write_text(restored.path(language), "".join(lines))
        links = restored.path("links")
        write_links(links, [example.links for example in examples])
        text = restored.options(inflected, links, official / f"{stem}.doc-ids.xz")
        how = ("--tokenised", "--rules", rules, "-o", str(folder / title))
        crosspro("prepare", "--task", name, *text, *how)


if __name__ == "__main__":
    run(app)
