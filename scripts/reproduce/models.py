"""Make the bundled models again, models/NAME.zip, from a folder of corpora.

    python -m crosspro.scripts.reproduce.models make WORK --corpora DATA --jobs 16

on a machine with a GPU does everything, and goes on where it was stopped: text of a pair
(tokenised, without whatever is tested on, linked by what the aligner learns from its training
part), examples of each task for use, document sets of bitext and novels, pre-trainings,
fine-tunings, an ensemble of these as teacher, a tiny network distilled from it, and the archive in
8 bits with what the aligner learnt. WORK/log has what each step says, WORK/models what comes out.
`--until sets` stops before a GPU is needed.

DATA has bitext/PAIR/{train,dev,test}/NAME.{en,xx,doc-ids}.xz and monolingual/novels.LANGUAGE.txt.xz
with doc-ids. Nothing is learnt from a line that says the same, on either side, as one of dev or
test of any pair, or of the sets for tests alone (contrastive, antecedents, verdicts, mt_outputs,
official_discomt2015), nor from documents with many such lines. Some news, dialogues and subtitles
are held out as well, for scores by domain.
"""

from __future__ import annotations

import json
import lzma
import re
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import compress
from pathlib import Path
from typing import Annotated
from zlib import crc32

import typer

from crosspro.data_prep.core.errors import choices, input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import (
    atomic_output,
    make_folder,
    read_lines,
    read_text_lines,
    temporary_folder,
    write_text,
)
from crosspro.data_prep.core.processes import parallel_map
from crosspro.data_prep.core.task import OTHER, load_task
from crosspro.data_prep.formats.links import read_links, write_links
from crosspro.data_prep.formats.shared_task import read_examples, write_examples
from crosspro.data_prep.gaps.extract import with_gold_words
from crosspro.scripts.cli import run
from crosspro.scripts.common import App, Jobs
from crosspro.scripts.reproduce.real_data import join_corpora
from crosspro.scripts.reproduce.single_gaps import split_single_gaps
from crosspro.scripts.reproduce.stages import Stage, log_file, make_stages

app = App()


@dataclass(frozen=True)
class Box:
    """A bundled model: its pair, and how its networks are trained.

    `lexicon` gives gender to target words, `epochs` are those of the large pre-trainings, of which
    there are as many as `pretrainings`, and `tiny_epochs` those of the small one; the teacher is
    all `tunings` together, from which the tiny network learns for `distilled_epochs`. `sizes` are
    those that the tiny network has other than its recipe says.
    """

    pair: str
    lexicon: str = "induced"
    epochs: int = 30
    pretrainings: int = 2
    tiny_epochs: int = 20
    tunings: int = 2
    distilled_epochs: int = 3
    sizes: tuple[str, ...] = ()


BOX = {
    "en-fr": Box("en-fr", "lexique"),
    "en-de": Box(
        "en-de",
        "german-nouns",
        epochs=100,
        pretrainings=3,
        tiny_epochs=100,
        tunings=4,
        distilled_epochs=5,
        sizes=(
            "layers=5",
            "source_before=50",
            "source_after=20",
            "target_before=70",
            "target_after=20",
        ),
    ),
    "en-es": Box("en-es", pretrainings=3, tiny_epochs=40, tunings=4, distilled_epochs=5),
    "fr-en": Box("en-fr", epochs=20, pretrainings=1),
    "de-en": Box("en-de", epochs=20, pretrainings=1),
    "es-en": Box("en-es", epochs=20, pretrainings=1),
}
PRIOR_MB = "0.4"
"""What an aligner learnt in an archive; less links pronouns worse (docs/guides/models.md)."""
HELD_OUT = {
    "test.news": ("train.newstest.newstest2013", "train.newstest2016_docs."),
    "test.dialogue": ("train.chat22_test.", "train.bcontrast_test."),
}
"""What becomes a test of its domain: documents whose names begin so."""
SUBTITLES, ONE_OF = "train.opensubs_ctxpro", 20
"""Of these documents one of so many is held out, too: test.subtitles."""
SINGLE = "train.opensubs_ctxpro_devtest"
"""Text from which development takes single gaps, one of so many documents, with so much context."""
SINGLE_PARTS, SINGLE_CONTEXT = 8, 2
TEST_FOLDERS = ("antecedents", "contrastive", "mt_outputs", "official_discomt2015", "verdicts")
OVERDONE = {"en-de": frozenset({"sie", "ihn", "ihm", "ihr"})}
KEPT_OF = 12
"""What subtitles have too much of for an object *it*: they were collected for masculine and
feminine pronouns, and have eight times as many as of *es*, where other text has fewer than of *es*
(six to ten in chat, talks and news, nine to ten with parliament); of so many, one is asked for."""
_OBJECTS = re.compile(
    r"\W+|to|in|on|with|for|from|out|up|down|off|back|away|at|over|into|and|or|if|when|now|again|here"
    r"|there|all|as|so|like|by|about|a|an|the|this|that|my|your|his|some|any|every|of|before|after"
    r"|under|through|without|until|around|inside|than|but|because|where|how|too|yet|anymore|once"
    r"|first|last|more|well|right|together|instead|alone|open|safe|tomorrow|today|tonight"
    r"|(?:some|any|every)where|(?:my|your|him|her)self"
)
"""What stands behind an *it* that is an object: marks, and words that are no verbs."""
_LETTERS = 20
"""Shorter lines say nothing of a text: many have them."""
_NO_LETTERS = re.compile(r"[\W_]+")
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?…])[\"”»’')]*\s+")
_RICH = 0.2
"""A document of which so much stands in unseen text is left out as a whole."""


_CROSSPRO = (sys.executable, "-m", "crosspro.scripts.cli")


class Until(StrEnum):
    """The last stage that is made."""

    TEXT = "text"
    SETS = "sets"
    MODELS = "models"


Work = Annotated[Path, typer.Argument(help="Folder of everything that is made.")]
Corpora = Annotated[Path, typer.Option(help="Folder of corpora: bitext, monolingual, test sets.")]


@app.command()
def make(
    work: Work,
    corpora: Corpora,
    model: Annotated[
        list[str] | None, typer.Option(help="Models to make (repeat); all by default.")
    ] = None,
    jobs: Annotated[
        int,
        typer.Option("--jobs", "-j", min=1, help="Steps at the same time, and their processes."),
    ] = 2,
    until: Annotated[Until, typer.Option(help="The last stage to make.")] = Until.MODELS,
) -> None:
    """Make models and all that they are made from, as far as it is not there.

    What needs no GPU has its part of the jobs as processes: texts are by pair, the rest by model.
    """
    for name in model or ():
        if name not in BOX:
            raise input_error("settings", "--model", choices(BOX), name)
    names = list(dict.fromkeys(model or BOX))
    pairs = {BOX[name].pair for name in names}
    shares = [max(1, jobs // len(own)) for own in (pairs, names)]
    steps = {
        title: step
        for name in names
        for title, step in _steps(work.absolute(), corpora.absolute(), name, until, *shares).items()
    }
    for folder in ("data", "set", "run", "models"):
        make_folder(work / folder)
    failed = make_stages(work, steps, jobs)
    if failed:
        logs = ", ".join(str(log_file(work, title)) for title in failed)
        print(f"failed: {logs}", file=sys.stderr)
        raise typer.Exit(1)


def _steps(
    work: Path, corpora: Path, name: str, until: Until, text_jobs: int = 1, jobs: int = 1
) -> dict[str, Stage]:
    """All steps of a model by their names.

    The text of its pair has so many processes, and so have its examples and its document set.
    """
    box, task = BOX[name], f"{name}-text"
    own = (sys.executable, "-m", "crosspro.scripts.reproduce.models")
    train = (sys.executable, "-m", "crosspro.scripts.train")
    data, found, runs = work / "data" / name, work / "set" / name, work / "run"
    text = f"text.{box.pair}"
    given, parallel = ("--corpora", str(corpora)), ("--jobs", str(jobs))
    link = (*own, "text", str(work), box.pair, *given, "--jobs", str(text_jobs))
    steps = {text: Stage((link,))}
    if until == Until.TEXT:
        return steps
    examples, documents = f"data.{name}", f"set.{name}"
    steps[examples] = Stage(((*own, "data", str(work), name, *parallel),), (text,))
    encode = (*own, "encode", str(work), name, *given, *parallel)
    steps[documents] = Stage((encode,), (examples,))
    if until == Until.SETS:
        return steps
    network = _set("network.pointer=false", _SHORT)
    pretrain = (*_CROSSPRO, "pretrain", "learn", str(found), *network)
    for seed in range(1, box.pretrainings + 1):
        title = f"pretrained.{name}.{seed}"
        how: tuple[str, ...] = _set(f"trainer.max_epochs={box.epochs}", f"seed={seed}")
        steps[title] = Stage(((*pretrain, *how, "-o", str(runs / title)),), (documents,))
    tiny = f"pretrained.{name}.tiny"
    sizes = tuple(f"network.{size}" for size in box.sizes)
    how = ("--recipe", "tiny_documents", *_set(f"trainer.max_epochs={box.tiny_epochs}", *sizes))
    steps[tiny] = Stage(((*pretrain, *how, "-o", str(runs / tiny)),), (documents,))

    def trained(title: str, after: Sequence[str], *settings: str) -> str:
        place = (f"hydra.run.dir={runs / title}",)
        given = (f"task={task}", "data=shared_task", f"data.dir={data}", f"system.{_SHORT}")
        pointer = "system.network.pointer=true"
        quiet = "trainer.progress_bar=false"
        command = (*train, *settings, *given, pointer, quiet, *place)
        steps[title] = Stage((command,), tuple(after))
        return title

    tuned = []
    for seed in range(1, box.tunings + 1):
        first = f"pretrained.{name}.{(seed - 1) % box.pretrainings + 1}"
        shown = "system.network.hidden_pronouns=0.5"
        how = ("experiment=document_fine_tuning", f"system.init_from={runs / first}")
        tuned.append(trained(f"tuned.{name}.{seed}", [first], *how, shown, f"seed={seed}"))
    teacher = f"teacher.{name}"
    members = (str(runs / title) for title in tuned)
    joined = (*_CROSSPRO, "ensemble", *members, "--average", "geometric", "-o", str(runs / teacher))
    steps[teacher] = Stage((joined,), tuple(tuned))
    student = trained(
        f"distilled.{name}",
        [teacher, tiny],
        "experiment=document_distilled",
        f"system.init_from={runs / tiny}",
        f"system.distillation.teacher={runs / teacher}",
        # The teacher is heard with all other pronouns hidden, labels are learnt with all shown.
        "system.distillation.weight=0.5",
        "system.network.hidden_pronouns=0.0",
        "trainer.precision=bf16-mixed",
        f"trainer.max_epochs={box.distilled_epochs}",
        *(f"system.{size}" for size in sizes),
    )
    prior = ("--prior", str(work / "text" / f"{box.pair}.prior.npz"), "--max-prior", PRIOR_MB)
    pack = (*_CROSSPRO, "models", "export", str(runs / student), "--weights", "int8", *prior)
    archive = work / "models" / f"{name}.zip"
    steps[f"archive.{name}"] = Stage(((*pack, "-o", str(archive)),), (student,))
    return steps


_SHORT = "training.short_context=0.5"


def _set(*settings: str) -> tuple[str, ...]:
    """Settings as options of a pre-training."""
    return tuple(part for setting in settings for part in ("--set", setting))


@app.command()
def text(
    work: Work,
    pair: Annotated[str, typer.Argument(help="A pair, such as en-fr.")],
    corpora: Corpora,
    jobs: Jobs = 1,
) -> None:
    """Tokenise, join and link the text of a pair, and leave out what must stay unseen.

    An aligner learns from the training text, and links it; what it has learnt is the prior by which
    the rest is linked: dev, test, and what is held out.
    """
    folder = work / "text"
    make_folder(folder)
    joined = join_corpora(corpora / "bitext" / pair, folder, jobs)
    sides = {language: joined.path(language) for language in pair.split("-")}
    names = list(read_text_lines(joined.path("doc-ids")))
    letters = parallel_map(_letters_of_lines, sides.values(), min(jobs, len(sides)))
    lines = list(zip(*letters, strict=True))
    unseen = unseen_letters(corpora, jobs)
    print(f"{len(unseen):,} unseen lines", file=sys.stderr)
    names, kept = kept_lines(names, lines, unseen)
    del lines, unseen  # the aligner has use for the memory
    write_text(folder / f"{pair}.doc-ids", "".join(f"{name}\n" for name in compress(names, kept)))
    learnt = [name.startswith("train.") for name in names]
    chosen = {
        "": kept,
        ".train": [keep and learn for keep, learn in zip(kept, learnt, strict=True)],
        ".rest": [keep and not learn for keep, learn in zip(kept, learnt, strict=True)],
    }
    for part, lines_of_part in chosen.items():
        for language, path in sides.items():
            with atomic_output(folder / f"{pair}{part}.{language}") as handle:
                handle.writelines(compress(read_lines(path), lines_of_part))
    links = _linked(folder, pair, jobs, rest=any(chosen[".rest"]))
    with atomic_output(folder / f"{pair}.links") as handle:
        handle.writelines(next(links[learn]) for learn in compress(learnt, kept))
    for title, number in Counter(_title(name) for name in compress(names, kept)).items():
        print(f"{title}: {number:,} lines", file=sys.stderr)


def _linked(folder: Path, pair: str, jobs: int, rest: bool) -> dict[bool, Iterator[bytes]]:
    """The links of the training text, which are learnt, and those of the rest, if there is any."""
    prior = folder / f"{pair}.prior.npz"
    parts = {"train": ("--save-prior", str(prior)), "rest": ("--prior", str(prior))}
    made = {}
    for part, how in parts.items() if rest else list(parts.items())[:1]:
        links, *sides = (folder / f"{pair}.{part}.{end}" for end in ("links", *pair.split("-")))
        given = ("--source", str(sides[0]), "--target", str(sides[1]), "-o", str(links))
        _call(*_CROSSPRO, "align", "-t", f"{pair}-text", *given, *how, "--jobs", str(jobs))
        made[part == "train"] = read_lines(links)
    return made


def kept_lines(
    names: Sequence[str], letters: Sequence[tuple[str, str]], unseen: set[str]
) -> tuple[list[str], list[bool]]:
    """The names of documents, some of which are held out now, and which lines are kept.

    Training lines that say what an unseen line or a held-out one says are left out, and so are
    documents that are rich in unseen ones. Sentences without document names are left out if they
    are of test sets whose verdicts are tested on.
    """
    renamed = [_held_out(name) for name in names]
    held = {
        side
        for name, new, sides in zip(names, renamed, letters, strict=True)
        if name != new
        for side in sides
        if len(side) >= _LETTERS
    }
    long, hits = Counter[str](), Counter[str]()
    hit = []
    for name, sides in zip(names, letters, strict=True):
        found = name.startswith("train.") and any(side in unseen for side in sides)
        hit.append(found)
        long[name] += max(map(len, sides)) >= _LETTERS
        hits[name] += found
    rich = {name for name, number in hits.items() if number > 1 and number > _RICH * long[name]}
    kept = [
        not new.startswith("train.")
        or not (
            found
            or name in rich
            or name.startswith("train.newstest_nodocs")
            or any(side in held for side in sides)
        )
        for name, new, sides, found in zip(names, renamed, letters, hit, strict=True)
    ]
    return renamed, kept


def _held_out(name: str) -> str:
    """The name of a document, which begins with that of a test if it is held out."""
    rest = name.removeprefix("train.")
    for title, beginnings in HELD_OUT.items():
        if name.startswith(beginnings):
            return f"{title}.{rest}"
    if name.startswith(SUBTITLES) and crc32(name.encode()) % ONE_OF == 0:
        return f"test.subtitles.{rest}"
    return name


def unseen_letters(corpora: Path, jobs: int = 1) -> set[str]:
    """The letters of every line, and every sentence of a line, of all that is tested on."""
    files = [
        path
        for path in corpora.glob("bitext/*/*/*.xz")
        if path.parent.name != "train" and ".doc-ids" not in path.name
    ]
    files += [path for folder in TEST_FOLDERS for path in (corpora / folder).rglob("*.xz")]
    return set().union(*parallel_map(_unseen_of, files, jobs))


def _unseen_of(path: Path) -> set[str]:
    """The letters of a file; files of scores have the same text many times."""
    parts: set[str] = set()
    # Scores of some old tools are in Latin-1: what cannot be read is no line of text.
    with lzma.open(path, "rt", encoding="utf-8", errors="replace", newline="\n") as handle:
        for line in handle:
            parts.update(_parts(line, path))
    found = {_letters(text) for part in parts for text in _sentences(part)}
    return {key for key in found if len(key) >= _LETTERS}


def _parts(line: str, path: Path) -> Iterator[str]:
    """The texts of a line: columns, or the strings of a JSON object, without marks in them."""
    texts: Iterable[object] = line.split("\t")
    if ".jsonl" in path.suffixes:
        texts = json.loads(line).values()
    for text in texts:
        if isinstance(text, str) and len(text) >= _LETTERS:
            yield re.sub(r"<[^<>]*>", "", text) if "<" in text else text


def _sentences(text: str) -> list[str]:
    return [text, *_BETWEEN_SENTENCES.split(text)]


def _letters_of_lines(path: Path) -> list[str]:
    return [_letters(line) for line in read_text_lines(path)]


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text.lower().replace(" ", ""))


def _title(name: str) -> str:
    return ".".join(name.split(".")[:2])


@app.command()
def data(
    work: Work,
    name: Annotated[str, typer.Argument(help="A model, such as en-fr.")],
    jobs: Jobs = 1,
) -> None:
    """Make the examples of a model's task, in a file for each corpus."""
    box, task = BOX[name], load_task(f"{name}-text")
    folder = work / "data" / name
    make_folder(folder)
    text = {
        side: work / "text" / f"{box.pair}.{suffix}"
        for side, suffix in (
            ("source", task.source_language),
            ("target", task.target_language),
            ("links", "links"),
            ("doc-ids", "doc-ids"),
        )
    }
    if name != box.pair:
        turned = work / "text" / f"{name}.links"
        links = read_links(text["links"])
        write_links(turned, (sorted((t, s) for s, t in line) for line in links))
        text["links"] = turned
    with temporary_folder(folder.parent, name) as scratch:
        parts = _parts_of(text, scratch, jobs)
        with ThreadPoolExecutor(jobs) as pool:  # no line of a task for use depends on another
            list(pool.map(partial(_prepare, task.name), parts))
        _cut(parts, folder)
    if name in OVERDONE:
        subtitles = sorted(folder.glob(f"{SUBTITLES}*.data"))
        jobs = min(jobs, len(subtitles))
        deque(parallel_map(partial(_thin, name), subtitles, jobs), maxlen=0)
    single, file = work / "data" / f"single.{name}", folder / f"{SINGLE}.data"
    if single.is_dir():  # of a step that was stopped
        raise input_error(single, "folder", "none: remove it to go on", "one")
    classes = [label for label in task.classes if label != OTHER]
    split_single_gaps(file, task, single, classes, parts=SINGLE_PARTS, context=SINGLE_CONTEXT)
    for path in sorted(single.iterdir()):
        path.replace(folder / path.name)
    single.rmdir()


def _thin(name: str, path: Path) -> None:
    """Write a file of examples anew without the gaps that its model has too many of."""
    lines = read_examples(path, load_task(f"{name}-text"), path.with_suffix(".doc-ids"))
    made = path.with_suffix(".thinned")  # no command writes over what it reads
    write_examples(made, (thinned(line, OVERDONE[name]) for line in lines))
    made.replace(path)


def thinned(example: Example, overdone: Container[str | None]) -> Example:
    """An example whose gaps of classes that are overdone for an object *it* mostly have words."""
    source = [word.lower() for word in (*example.source, ".")]
    key = " ".join(example.source)
    kept = [
        gap
        for gap in example.gaps
        if gap.label not in overdone
        or source[gap.source_index] != "it"
        or not _OBJECTS.fullmatch(source[gap.source_index + 1])
        or crc32(f"{key}{gap.source_index}".encode()) % KEPT_OF == 0
    ]
    return with_gold_words(example, *kept)


def _parts_of(text: Mapping[str, Path], folder: Path, number: int) -> list[Path]:
    """The lines of a text in so many parts: the prefixes of their files."""
    parts: dict[Path, None] = {}
    for side, path in text.items():
        lines = list(read_lines(path))
        size = max(1, -(-len(lines) // number))
        for start in range(0, len(lines), size):
            part = folder / str(start)
            parts[part] = None
            with atomic_output(Path(f"{part}.{side}")) as handle:
                handle.writelines(lines[start : start + size])
    return list(parts)


def _prepare(task: str, part: Path) -> None:
    """Place the gaps of a part of a text, beside it."""
    sides = ("source", "target", "links", "doc-ids")
    given = (word for side in sides for word in (f"--{side}", f"{part}.{side}"))
    _call(*_CROSSPRO, "prepare", "-t", task, *given, "--tokenised", "-o", f"{part}.made")


def _cut(parts: Iterable[Path], folder: Path) -> None:
    """A file of examples and one of document names for each corpus, which the names begin with."""
    found: dict[str, tuple[list[bytes], list[bytes]]] = {}
    for part in parts:
        lines = (read_lines(Path(f"{part}.made{suffix}")) for suffix in (".data", ".doc-ids"))
        for example, name in zip(*lines, strict=True):
            examples, names = found.setdefault(_title(name.decode()), ([], []))
            examples.append(example)
            names.append(name)
    for title, columns in found.items():
        for suffix, column in zip((".data", ".doc-ids"), columns, strict=True):
            with atomic_output(folder / f"{title}{suffix}") as handle:
                handle.writelines(column)


@app.command()
def encode(
    work: Work,
    name: Annotated[str, typer.Argument(help="A model, such as en-fr.")],
    corpora: Corpora,
    jobs: Jobs = 1,
) -> None:
    """Encode bitext and novels for the pre-trainings of a model."""
    task, folder = load_task(f"{name}-text"), work / "data" / name
    files = [("--data", str(path)) for path in sorted(folder.glob("train.*.data"))]
    files += [
        ("--unseen", str(path))
        for kind in ("dev", "test", "unseen")
        for path in sorted(folder.glob(f"{kind}.*.data"))
    ]
    novels = corpora / "monolingual" / f"novels.{task.target_language}"
    novel = ("--text", f"{novels}.txt.xz", "--doc-ids", f"{novels}.doc-ids.xz")
    settings = {"pointer": "true", "target_lexicon": BOX[name].lexicon}
    how = [("--set", f"network.{key}={value}") for key, value in settings.items()]
    given = (part for pair in (*files, novel, *how) for part in pair)
    output = ("-o", str(work / "set" / name), "--jobs", str(jobs))
    _call(*_CROSSPRO, "pretrain", "encode", "--task", task.name, *given, *output)


def _call(*command: str) -> None:
    """A command; if it fails it has said why."""
    print(*command, file=sys.stderr, flush=True)
    made = subprocess.run(command, check=False)
    if made.returncode:
        raise typer.Exit(made.returncode)


if __name__ == "__main__":
    run(app)
