"""Make the data of RESULTS.md from a folder of corpora (`train`, `dev`, `test`; NAME.en.xz …).

All texts of a pair are tokenised and joined, so that the small test sets are aligned with what the
large corpora teach; then gaps are placed, and the result is cut into files again:

    python -m crosspro.scripts.reproduce.real_data --task en-fr --task en-fr-2015 \
        --bitext DATA/bitext/en-fr OUT

OUT/TASK then serves as `data.dir`. With `--official DATA/official_discomt2015` the sets of 2015
take the places of TEDdev and DiscoMT2015.test: as released for the inflected task, and for the
lemmatised one with the gaps filled again, the official links, and gaps by the rules of 2017.
"""

from __future__ import annotations

import lzma
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.example import Example, Link
from crosspro.data_prep.formats.links import write_links
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.data_prep.formats.textfile import atomic_output, read_lines, write_text
from crosspro.data_prep.task import NONE, load_task
from crosspro.scripts.main import command_app, run

app = command_app()

OFFICIAL = {
    "dev.TEDdev": ("TEDdev.en-fr.data.xz", "TEDdev.en-fr.doc-ids.xz"),
    "test.DiscoMT2015": (
        "DiscoMT2015.test.en-fr.gold.data.xz",
        "DiscoMT2015.test.en-fr.doc-ids.xz",
    ),
}
REPLACED = ("ted_tst2010_TEDdev", "DiscoMT2015.test")
CONTRASTIVE = "opensubs_contrastive"


@app.command()
def real_data(
    output: Annotated[Path, typer.Argument(help="Folder of the data, one folder a task.")],
    task: Annotated[list[str], typer.Option(help="Tasks of one language pair.")],
    bitext: Annotated[Path, typer.Option(help="Folder with train, dev and test.")],
    official: Annotated[Path | None, typer.Option(help="Official files of 2015.")] = None,
    jobs: Annotated[int, typer.Option(help="Processes.", min=1)] = 1,
) -> None:
    """Make the data of RESULTS.md from a folder of corpora."""
    first = load_task(task[0])
    languages = (first.source_language, first.target_language)
    output.mkdir(parents=True, exist_ok=True)
    joined = output / f"joined.{'-'.join(languages)}"
    sizes = _join(bitext, languages, joined, official is not None)
    source, target = (f"{joined}.{language}" for language in languages)
    links = Path(f"{joined}.links")
    if not links.is_file():
        made = ["--source", source, "--target", target, "-o", str(links), "-t", task[0]]
        _crosspro("align", *made)
    for name in task:
        folder = output / name
        folder.mkdir(exist_ok=True)
        prefix = folder / "joined"
        rules = "2015" if name.endswith("2015") else "2017"
        text = ["--source", source, "--target", target, "--doc-ids", f"{joined}.doc-ids"]
        how = ["--tokenised", "--links", str(links), "--rules", rules, "--jobs", str(jobs)]
        _crosspro("prepare", "--task", name, *text, *how, "-o", str(prefix))
        _cut(Path(f"{prefix}.data"), folder, sizes, ".data")
        _cut(Path(f"{prefix}.doc-ids"), folder, sizes, ".doc-ids")
        if official is not None:
            _official(name, rules, official, folder)


def _join(
    bitext: Path, languages: tuple[str, str], joined: Path, skip_official: bool
) -> dict[str, int]:
    """Tokenise and join all corpora; returns the number of lines of each."""
    sizes: dict[str, int] = {}
    corpora = []
    for split in ("train", "dev", "test"):
        for path in sorted((bitext / split).glob("*.doc-ids.xz")):
            name = path.name.removesuffix(".doc-ids.xz")
            if name != CONTRASTIVE and not (skip_official and name in REPLACED):
                corpora.append((f"{split}.{name}", path))
    for title, path in corpora:
        sizes[title] = sum(1 for _ in read_lines(path))
    for language in languages:
        whole = Path(f"{joined}.{language}")
        if whole.is_file():
            continue
        with atomic_output(whole) as handle:
            for title, path in corpora:
                part = joined.with_name(f"tokenised.{title}.{language}")
                text = path.with_name(path.name.replace(".doc-ids.", f".{language}."))
                _crosspro("tokenise", str(text), "-l", language, "-o", str(part))
                handle.write(part.read_bytes())
                part.unlink()
    with atomic_output(Path(f"{joined}.doc-ids")) as handle:
        for title, path in corpora:
            for line in read_lines(path):
                handle.write(f"{title}.".encode() + line.split(b"\t")[0].rstrip(b"\n") + b"\n")
    return sizes


def _cut(joined: Path, folder: Path, sizes: dict[str, int], suffix: str) -> None:
    lines: Iterator[bytes] = read_lines(joined)
    for title, size in sizes.items():
        with lzma.open(folder / f"{title}{suffix}.xz", "wb") as handle:
            handle.writelines(next(lines) for _ in range(size))


def _official(name: str, rules: str, official: Path, folder: Path) -> None:
    inflected = load_task("en-fr-2015")
    for title, (data, doc_ids) in OFFICIAL.items():
        if name == inflected.name:
            (folder / f"{title}.data.xz").write_bytes((official / data).read_bytes())
            (folder / f"{title}.doc-ids.xz").write_bytes((official / doc_ids).read_bytes())
            continue
        prefix = folder / f"restored.{title}"
        examples = [_restored(e) for e in read_examples(official / data, inflected, lenient=True)]
        write_text(Path(f"{prefix}.en"), "".join(" ".join(e[0]) + "\n" for e in examples))
        write_text(Path(f"{prefix}.fr"), "".join(" ".join(e[1]) + "\n" for e in examples))
        write_links(f"{prefix}.links", [links for _, _, links in examples])
        text = ["--source", f"{prefix}.en", "--target", f"{prefix}.fr"]
        how = ["--doc-ids", str(official / doc_ids), "--tokenised", "--links", f"{prefix}.links"]
        made = ["--rules", rules, "-o", str(folder / title)]
        _crosspro("prepare", "--task", name, *text, *how, *made)


def _restored(example: Example) -> tuple[Sequence[str], Sequence[str], list[Link]]:
    """Source, target and links with the gold words in the gaps; gaps without a word go away."""
    words = {gap.position: gap.word for gap in example.gaps}
    kept = [
        position
        for position in range(len(example.target))
        if position not in words or words[position] not in (None, NONE)
    ]
    new = {position: index for index, position in enumerate(kept)}
    target = [words.get(position) or example.target[position] for position in kept]
    links = [(source, new[position]) for source, position in example.links if position in new]
    return example.source, target, links


def _crosspro(*arguments: str) -> None:
    print("crosspro", *arguments, file=sys.stderr, flush=True)
    subprocess.run([sys.executable, "-m", "crosspro.scripts.main", *arguments], check=True)


if __name__ == "__main__":
    run(app)
