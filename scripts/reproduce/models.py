"""Make the bundled models again, models/NAME.zip, from a folder of corpora.

    python -m crosspro.scripts.reproduce.models make WORK --corpora DATA --jobs 16

on a machine with a GPU does everything, and goes on where it was stopped: text of a pair
(tokenised, without whatever is tested on, linked by what the aligner learns from its training
part), examples of each task for use, document sets of bitext and novels, pre-trainings,
fine-tunings, an ensemble of these as teacher, a tiny network distilled from it, and the archive in
8 bits with what the aligner learnt. WORK/log has the output of each step, WORK/done a file for each
finished one, WORK/models the archives. `--sets-only` stops before a GPU is needed.

DATA has bitext/PAIR/{train,dev,test}/NAME.{en,xx,doc-ids}.xz and monolingual/novels.LANGUAGE.txt.xz
with doc-ids. Nothing is learnt from a line that says the same, on either side, as one of dev or
test of any pair, or of the sets for tests alone (contrastive, antecedents, verdicts, mt_outputs,
official_discomt2015), nor from documents with many such lines. Some news, dialogues and subtitles
are held out as well, for scores by domain.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, compress, groupby, product
from operator import and_
from pathlib import Path
from threading import Semaphore
from typing import Annotated, NamedTuple
from zlib import crc32

import typer

from crosspro.data_prep.core.errors import choices, input_error
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import (
    atomic_output,
    make_folder,
    read_lines,
    read_text_lines,
    write_text,
)
from crosspro.data_prep.core.processes import parallel_map
from crosspro.data_prep.core.task import OTHER, Task, load_task
from crosspro.data_prep.formats.shared_task import read_examples, write_doc_ids, write_examples
from crosspro.data_prep.gaps.extract import with_gold_words
from crosspro.scripts.cli import run
from crosspro.scripts.common import App, Jobs, tell
from crosspro.scripts.reproduce.real_data import corpus_of, cut, join_corpora, turn_links
from crosspro.scripts.reproduce.running import PROGRAM, check_needs, crosspro, logged
from crosspro.scripts.reproduce.unseen import (
    SUBTITLES,
    kept_lines,
    letters_of_lines,
    unseen_letters,
)

app = App()


# Recipes ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Recipe:
    """The pair of a bundled model, and how its networks are trained.

    `lexicon` gives gender to target words, `epochs` are those of the large pre-trainings, of which
    there are as many as `pretrainings`, and `tiny_epochs` those of the small one; the teacher is
    all `tunings` together, from which the tiny network learns for `distilled_epochs`. `sizes` are
    settings in which the tiny network differs from conf/pretraining/tiny_documents.
    """

    pair: str
    lexicon: str = "induced"
    epochs: int = 30
    pretrainings: int = 2
    tiny_epochs: int = 20
    tunings: int = 2
    distilled_epochs: int = 3
    sizes: tuple[str, ...] = ()


_LARGER = ("layers=5", "source_before=50", "source_after=20", "target_before=70", "target_after=20")
RECIPES = {
    "en-fr": Recipe("en-fr", "lexique"),
    "en-de": Recipe("en-de", "german-nouns", 100, 3, 100, 4, 5, _LARGER),
    "en-es": Recipe("en-es", pretrainings=3, tiny_epochs=40, tunings=4, distilled_epochs=5),
    "fr-en": Recipe("en-fr", epochs=20, pretrainings=1),
    "de-en": Recipe("en-de", epochs=20, pretrainings=1),
    "es-en": Recipe("en-es", epochs=20, pretrainings=1),
}
FREE_MB = 5000
"""Free disk space that each model must have when its making begins."""
SINGLE = "train.opensubs_ctxpro_devtest"
"""Text from which development takes single gaps."""
OVERDONE = {"en-de": frozenset({"sie", "ihn", "ihm", "ihr"})}
KEPT_OF = 12
"""What subtitles have too much of for an object *it*: they were collected for masculine and
feminine pronouns, and have eight times as many as of *es*, where other text has fewer than of *es*
(six to ten in chat, talks and news, nine to ten with parliament); of so many, one is a gap."""
_OBJECTS = re.compile(
    r"\W+|to|in|on|with|for|from|out|up|down|off|back|away|at|over|into|and|or|if|when|now|again|here"
    r"|there|all|as|so|like|by|about|a|an|the|this|that|my|your|his|some|any|every|of|before|after"
    r"|under|through|without|until|around|inside|than|but|because|where|how|too|yet|anymore|once"
    r"|first|last|more|well|right|together|instead|alone|open|safe|tomorrow|today|tonight"
    r"|(?:some|any|every)where|(?:my|your|him|her)self"
)
"""What stands behind an *it* that is an object: punctuation, and words that are no verbs."""
_SHORT = "training.short_context=0.5"


Work = Annotated[Path, typer.Argument(help="Folder of everything that is made.")]
Corpora = Annotated[Path, typer.Option(help="Folder of corpora: bitext, monolingual, test sets.")]
Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model, such as en-fr.")]


# Stages -------------------------------------------------------------------------------------------


class Stage(NamedTuple):
    """A command that makes one thing, after others are made."""

    command: tuple[str, ...]
    after: tuple[str, ...] = ()


def make_stages(work: Path, stages: Mapping[str, Stage], jobs: int = 1) -> bool:
    """Run the commands of all stages that were not run before; whether all went well.

    They come after those they need; what needs a failed stage is not tried.
    """
    for folder in ("data", "set", "run", "models", "log", "done"):
        make_folder(work / folder)
    made: dict[str, Future[bool]] = {}
    free = Semaphore(jobs)

    def make(title: str, stage: Stage) -> bool:
        if not all(made[need].result() for need in stage.after):
            return False
        done = work / "done" / title
        with free:
            if not done.is_file() and logged(stage.command, work / "log" / title):
                write_text(done, "")
                tell(f"{title}: made")
        return done.is_file()

    with ThreadPoolExecutor(len(stages)) as pool:  # most of the threads only wait
        for title, stage in stages.items():
            made[title] = pool.submit(make, title, stage)
    return all(future.result() for future in made.values())


@app.command(epilog="Example: models make WORK --corpora DATA --model en-fr --jobs 16")
def make(
    work: Work,
    corpora: Corpora,
    model: Annotated[
        list[str] | None, typer.Option(help="Models to make (repeat); all by default.")
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=1, help="Steps at once, and their processes.")
    ] = 2,
    sets_only: Annotated[
        bool, typer.Option("--sets-only", help="Stop before the trainings, which need a GPU.")
    ] = False,
) -> None:
    """Make models and all that they are made from, as far as it is not there.

    What needs no GPU has its part of the jobs as processes: texts are by pair, the rest by model.
    """
    names = list(dict.fromkeys(model or RECIPES))
    if unknown := {*names} - {*RECIPES}:
        raise input_error("settings", "--model", choices(RECIPES), " ".join(sorted(unknown)))
    for name in names:
        for path in (corpora / "bitext" / RECIPES[name].pair / "train", novels(corpora, name)):
            if not path.exists():
                raise input_error(path, "--corpora", "a corpus", "none")
    check_needs(work, FREE_MB * len(names), [RECIPES[name].lexicon for name in names])
    pairs = {RECIPES[name].pair for name in names}
    text_jobs, model_jobs = (max(1, jobs // len(group)) for group in (pairs, names))
    stages: dict[str, Stage] = {}
    for name in names:
        stages |= set_stages(work.absolute(), corpora.absolute(), name, text_jobs, model_jobs)
        stages |= {} if sets_only else training_stages(work.absolute(), name)
    if not make_stages(work, stages, jobs):
        raise typer.Exit(1)


def novels(corpora: Path, name: str) -> Path:
    """The novels in the target language of a model."""
    language = load_task(f"{name}-text").target_language
    return corpora / "monolingual" / f"novels.{language}.txt.xz"


def set_stages(
    work: Path, corpora: Path, name: str, text_jobs: int = 1, jobs: int = 1
) -> dict[str, Stage]:
    """The steps of a model that need no GPU: its text, its examples and its document sets."""
    pair = RECIPES[name].pair
    text, examples = f"text.{pair}", f"data.{name}"

    def step(command: str, subject: str, jobs: int, *options: str) -> tuple[str, ...]:
        here = (sys.executable, "-m", "crosspro.scripts.reproduce.models")
        return (*here, command, str(work), subject, *options, "--jobs", str(jobs))

    from_corpora = ("--corpora", str(corpora))
    return {
        text: Stage(step("text", pair, text_jobs, *from_corpora)),
        examples: Stage(step("data", name, jobs), (text,)),
        f"set.{name}": Stage(step("encode", name, jobs, *from_corpora), (examples,)),
    }


def training_stages(work: Path, name: str) -> dict[str, Stage]:
    """The trainings of a model, and its archive."""
    recipe, runs = RECIPES[name], work / "run"
    stages: dict[str, Stage] = {}

    def pretrain(title: str, epochs: int, *settings: str, recipe: Sequence[str] = ()) -> None:
        usual = ("network.pointer=false", _SHORT, f"trainer.max_epochs={epochs}")
        sets = (word for setting in (*usual, *settings) for word in ("--set", setting))
        command = (*PROGRAM, "pretrain", "learn", str(work / "set" / name), *recipe, *sets)
        stages[title] = Stage((*command, "-o", str(runs / title)), (f"set.{name}",))

    def train(title: str, after: Sequence[str], experiment: str, *settings: str) -> None:
        data = (f"task={name}-text", "data=shared_task", f"data.dir={work / 'data' / name}")
        usual = (f"system.{_SHORT}", "system.network.pointer=true", "trainer.progress_bar=false")
        command = (*PROGRAM, "train", f"experiment={experiment}", *settings, *data, *usual)
        stages[title] = Stage((*command, f"hydra.run.dir={runs / title}"), tuple(after))

    for seed in range(1, recipe.pretrainings + 1):
        pretrain(f"pretrained.{name}.{seed}", recipe.epochs, f"seed={seed}")
    tiny, teacher, student = f"pretrained.{name}.tiny", f"teacher.{name}", f"distilled.{name}"
    sizes = [f"network.{size}" for size in recipe.sizes]
    pretrain(tiny, recipe.tiny_epochs, *sizes, recipe=("--recipe", "tiny_documents"))
    tuned = [f"tuned.{name}.{seed}" for seed in range(1, recipe.tunings + 1)]
    for seed, title in enumerate(tuned, start=1):
        first = f"pretrained.{name}.{(seed - 1) % recipe.pretrainings + 1}"
        settings = (f"system.init_from={runs / first}", "system.network.hidden_pronouns=0.5")
        train(title, [first], "document_fine_tuning", *settings, f"seed={seed}")
    members = (str(runs / title) for title in tuned)
    average = ("--average", "geometric", "-o", str(runs / teacher))
    stages[teacher] = Stage((*PROGRAM, "ensemble", *members, *average), tuple(tuned))
    train(
        student,
        [teacher, tiny],
        "document_distilled",
        f"system.init_from={runs / tiny}",
        f"system.distillation.teacher={runs / teacher}",
        # The teacher sees all other pronouns hidden, labels are learnt with all shown.
        "system.distillation.weight=0.5",
        "system.network.hidden_pronouns=0.0",
        "trainer.precision=bf16-mixed",
        f"trainer.max_epochs={recipe.distilled_epochs}",
        *(f"system.{size}" for size in sizes),
    )
    prior = ("--prior", str(work / "text" / f"{recipe.pair}.prior.npz"))
    pack = (*PROGRAM, "models", "export", str(runs / student), "--weights", "int8", *prior)
    archive = ("-o", str(work / "models" / f"{name}.zip"))
    stages[f"archive.{name}"] = Stage((*pack, *archive), (student,))
    return stages


# Text ---------------------------------------------------------------------------------------------


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
    joined = join_corpora(corpora / "bitext" / pair, folder, jobs)
    sides = {language: joined.path(language) for language in pair.split("-")}
    names = list(read_text_lines(joined.path("doc-ids")))
    letters = parallel_map(letters_of_lines, sides.values(), min(jobs, len(sides)))
    lines = list(zip(*letters, strict=True))
    unseen = unseen_letters(corpora, jobs)
    tell(f"{len(unseen):,} unseen lines")
    names, kept = kept_lines(names, lines, unseen)
    del lines, unseen  # the aligner needs the memory
    is_train = [name.startswith("train.") for name in names]
    parts = {
        "": kept,
        "train.": list(map(and_, kept, is_train)),
        "rest.": [keep and not train for keep, train in zip(kept, is_train, strict=True)],
    }
    for (part, chosen), (language, path) in product(parts.items(), sides.items()):
        with atomic_output(folder / f"{pair}.{part}{language}") as handle:
            handle.writelines(compress(read_lines(path), chosen))
    names = list(compress(names, kept))
    write_text(folder / f"{pair}.doc-ids", "".join(f"{name}\n" for name in names))
    prior = str(folder / f"{pair}.prior.npz")
    links = {True: _linked(folder, f"{pair}.train", jobs, "--save-prior", prior)}
    if any(parts["rest."]):
        links[False] = _linked(folder, f"{pair}.rest", jobs, "--prior", prior)
    with atomic_output(folder / f"{pair}.links") as handle:
        handle.writelines(next(links[train]) for train in compress(is_train, kept))
    for title, number in Counter(map(corpus_of, names)).items():
        tell(f"{title}: {number:,} lines")


def _linked(folder: Path, part: str, jobs: int, *prior: str) -> Iterator[bytes]:
    """The links of a part of the text."""
    pair = part.partition(".")[0]
    source, target = (str(folder / f"{part}.{language}") for language in pair.split("-"))
    links = folder / f"{part}.links"
    options = ("--source", source, "--target", target, "-o", str(links), "--jobs", str(jobs))
    crosspro("align", "-t", f"{pair}-text", *options, *prior)
    return read_lines(links)


# Examples -----------------------------------------------------------------------------------------


@app.command()
def data(work: Work, name: Model, jobs: Jobs = 1) -> None:
    """Make the examples of a model's task, in a file for each corpus."""
    pair, task = RECIPES[name].pair, load_task(f"{name}-text")
    folder, prefix = work / "data" / name, work / "text" / pair
    make_folder(folder)
    links = work / "text" / f"{name}.links"
    if name != pair:
        turn_links(Path(f"{prefix}.links"), links)
    source, target = (f"{prefix}.{part}" for part in (task.source_language, task.target_language))
    text = ("--source", source, "--target", target, "--doc-ids", f"{prefix}.doc-ids")
    joined = work / "text" / f"joined.{name}"
    how = ("--links", str(links), "--tokenised", "--jobs", str(jobs), "-o", str(joined))
    crosspro("prepare", "-t", task.name, *text, *how)
    cut(joined, folder)
    if name in OVERDONE:
        subtitles = sorted(folder.glob(f"{SUBTITLES}*.data"))
        for _ in parallel_map(partial(_thin, name), subtitles, min(jobs, len(subtitles))):
            pass
    split_single_gaps(folder / f"{SINGLE}.data", task)


def _thin(name: str, path: Path) -> None:
    """Write a file of examples anew without the gaps that its model has too many of."""
    lines = read_examples(path, load_task(f"{name}-text"), path.with_suffix(".doc-ids"))
    write_examples(path, [thinned(line, OVERDONE[name]) for line in lines])


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


def split_single_gaps(file: Path, task: Task, parts: int = 8, context: int = 2) -> None:
    """Make dev.NAME.data of one in `parts` of the documents of train.NAME.data, beside it.

    Each gap becomes a document of its own, as contrastive sets have them: its sentence and up to
    `context` sentences before it, in which all other gaps have their words. The other documents
    stay in train.NAME.data, and unseen.NAME.data has the ones that were taken.
    """
    lines = read_examples(file, task, file.with_suffix(".doc-ids"))
    documents = [list(group) for _, group in groupby(lines, key=lambda line: line.document)]
    taken = [crc32(str(document[0].document).encode()) % parts == 0 for document in documents]
    unseen = list(compress(documents, taken))
    dev = [gap for document in unseen for gap in single_gaps(document, context)]
    train = list(compress(documents, (not chosen for chosen in taken)))
    for split, examples in (("unseen", unseen), ("dev", dev), ("train", train)):
        path = file.with_name(file.name.replace("train.", f"{split}.", 1))
        flat = list(chain.from_iterable(examples))
        write_doc_ids(path.with_suffix(".doc-ids"), flat)
        write_examples(path, flat)


def single_gaps(lines: Sequence[Example], context: int) -> Iterator[list[Example]]:
    """Each gap of a document with a class but OTHER, and the lines before it, as a document."""
    number = 0
    for place, line in enumerate(lines):
        for gap in line.gaps:
            if gap.label == OTHER:
                continue
            number += 1
            before = map(with_gold_words, lines[max(0, place - context) : place])
            shown = [*(other for other in before if other.target), with_gold_words(line, gap)]
            yield [replace(other, document=f"{line.document}#{number}") for other in shown]


@app.command()
def encode(work: Work, name: Model, corpora: Corpora, jobs: Jobs = 1) -> None:
    """Encode bitext and novels for the pre-trainings of a model."""
    folder, text = work / "data" / name, novels(corpora, name)
    kinds = {"train": "--data", "dev": "--unseen", "test": "--unseen", "unseen": "--unseen"}
    options = [
        word
        for kind, option in kinds.items()
        for path in sorted(folder.glob(f"{kind}.*.data"))
        for word in (option, str(path))
    ]
    doc_ids = text.with_name(text.name.replace(".txt.", ".doc-ids."))
    options += ["--text", str(text), "--doc-ids", str(doc_ids), "--set", "network.pointer=true"]
    options += ["--set", f"network.target_lexicon={RECIPES[name].lexicon}"]
    output = ("-o", str(work / "set" / name), "--jobs", str(jobs))
    crosspro("pretrain", "encode", "--task", f"{name}-text", *options, *output)


if __name__ == "__main__":
    run(app)
