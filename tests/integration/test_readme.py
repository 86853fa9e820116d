"""The commands of README.md and of the guide by task, run as a reader would type them.

Names in capitals (GOLD.data, TEXT…) stand for the reader's files; here they are small ones in a
temporary folder. `NOT_RUN` has the commands that no test can run, with the reason, `SMALLER` the
options that make others small. An entry for a command that is in neither page is a failure.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from crosspro.baselines.majority import Majority
from crosspro.baselines.source_aware import SourceAwareLM
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from crosspro.scripts.cli import NAMES
from tests.conftest import GOLDEN, ROOT
from tests.sample import as_conllu
from tests.scripts.run import crosspro

README = (ROOT / "README.md").read_text("utf-8")
BY_TASK = (ROOT / "docs" / "guides" / "index.md").read_text("utf-8")
PROGRAMS = ("crosspro", "make", "pip", "python", "source")

NOT_RUN = {
    "pip install -c constraints.txt -e .": "it installs the package; test_wheel",
    "pip install -c constraints.txt -e '.[train]'": "the same",
    "make extras EXTRAS=annotate": "it downloads packages",
    "crosspro protest build …": "its arguments are not spelt out; see tests/scripts/protest",
    "crosspro protest score …": "the same",
    "crosspro protest review …": "the same",
    "crosspro serve runs/…": "it serves until it is stopped; test_serve",
}
SMALL_TRAINING = (
    "data.documents.train=8", "data.documents.dev=4", "data.documents.test=4", "resamples=20",
    "trainer.max_epochs=1", "trainer.progress_bar=false",
)  # fmt: skip
SMALL_FILES = ("resamples=20", "trainer.max_epochs=1", "trainer.progress_bar=false")
SMALLER = {
    "crosspro prepare --task en-fr --source corpus.en --target corpus.fr "
    "--doc-ids corpus.doc-ids -o my/train": (
        "--annotator", "conllu:corpus.fr.conllu", "--rule", "filter_subjects=false",
    ),  # the annotators of the default need `make extras`
    "python train.py task=en-fr": SMALL_TRAINING,
    "python train.py task=de-en system=turku_gru_2017 data=shared_task data.dir=my/files "
    "trainer.precision=bf16-mixed": SMALL_FILES,
    "python train.py -m system=turku_gru_words_inward,uppsala_bilstm seed=1,2,3": SMALL_TRAINING,
    "python train.py experiment=turku_2017_primary task=en-fr data=shared_task "
    "data.dir=my/files": SMALL_FILES,
}  # fmt: skip
STANDS_FOR = {
    "TEXT…": ["corpus.fr"],
    "TEXT": ["corpus.fr"],
    "FILE": ["GOLD.data"],
    "runs/…": ["runs/one"],
    "RUN": ["runs/one"],
    "RUN…": ["runs/two"],
    "SCORES…": ["scores"],
    "COLUMN": ["human"],
}


def blocks() -> list[list[str]]:
    """The commands of each code block that has some, without remarks."""
    commands_of_blocks = []
    text = f"{README}\n{BY_TASK}"
    for kind, block in re.findall(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        if kind == "console":  # followed with its output
            continue
        lines = [re.sub(r"^\$ |\s+#.*", "", line).strip() for line in block.splitlines()]
        commands = [part.strip() for line in lines for part in line.split(" ; ")]
        commands = [part for part in commands if part.split(" ")[0] in PROGRAMS]
        if commands:
            commands_of_blocks.append(commands)
    return commands_of_blocks


BLOCKS = blocks()
ALL = [command for block in BLOCKS for command in block]


def is_training(command: str) -> bool:
    return command.startswith("python train.py")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A reader's folder: files under the names that the pages use."""
    task = load_task("en-fr")
    examples = demo_examples(task, "dev", 3)
    write_examples(tmp_path / "GOLD.data", examples)
    write_doc_ids(tmp_path / "GOLD.doc-ids", examples)
    shutil.copy(tmp_path / "GOLD.data", tmp_path / "SUBMISSION.data")
    lines = (tmp_path / "GOLD.data").read_text("utf-8").splitlines()
    blind = ("\t\t" + line.split("\t", 2)[2] for line in lines)
    (tmp_path / "BLIND.data").write_text("\n".join(blind) + "\n", "utf-8")
    apt, small = GOLDEN / "apt", GOLDEN / "contrastive" / "small_set"
    for ours, theirs in {
        "S.en": apt / "src.en", "R.fr": apt / "ref.fr", "C1.fr": apt / "mt.fr",
        "C2.fr": apt / "ref.fr",
        "corpus.en": apt / "src.en", "corpus.fr": apt / "ref.fr",
        "SET.json": small / "test.json", "scores": small / "scores",
    }.items():  # fmt: skip
        shutil.copy(theirs, tmp_path / ours)
    french = (tmp_path / "corpus.fr").read_text("utf-8").splitlines()
    (tmp_path / "corpus.fr.conllu").write_text(as_conllu(french), "utf-8")
    (tmp_path / "corpus.doc-ids").write_text("talk\n" * len(french))
    (tmp_path / "TABLE.csv").write_text("system,human,apt\na,1,2\nb,2,4\nc,3,5\nd,4,4.5\n")
    for name, system in (("one", SourceAwareLM(order=2)), ("two", Majority())):
        system.fit(task, examples, examples)
        system.save(tmp_path / "runs" / name)
    (tmp_path / "my").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def arguments_of(command: str) -> list[str]:
    words = shlex.split(command)
    expanded = [part for word in words for part in STANDS_FOR.get(word, [word])]
    return [*expanded[1:], *SMALLER.get(command, ())]


def test_the_pages_have_commands_and_every_exception_is_one_of_them():
    assert len(ALL) > 15
    assert set(NOT_RUN) <= set(ALL)
    assert set(SMALLER) <= set(ALL)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: " ".join(block[0].split()[:3]))
def test_the_commands_of_a_block_work(block, folder):
    for command in block:
        if command in NOT_RUN:
            continue
        if is_training(command):  # only composed; the slow test trains
            words = [word for word in arguments_of(command)[1:] if word not in ("-m", "--multirun")]
            words = [re.sub(r"=([^,]*),.*", r"=\1", word) for word in words]
            result = crosspro("train", *words, "--cfg", "job")
        else:
            result = crosspro(*arguments_of(command))
        assert result.code == 0, (command, result.stderr.decode())
        assert result.stdout or " -o " in command, command


@pytest.mark.parametrize("command", sorted(NOT_RUN))
def test_a_command_that_is_not_run_exists(command):
    words = command.split()
    if words[0] == "make":
        line = ["make", "-n", *words[1:], f"VENV={ROOT / '.venv'}"]
        assert subprocess.run(line, cwd=ROOT, capture_output=True).returncode == 0
    else:
        assert words[0] == "pip" or crosspro(*words[1:-1], "--help").code == 0


def test_commands_in_the_text_are_known():
    named = re.findall(r"`crosspro ([a-z][a-z0-9-]+)", README + BY_TASK)
    assert len(named) > 20
    assert set(named) <= set(NAMES)


@pytest.mark.slow
@pytest.mark.parametrize("command", [command for command in ALL if is_training(command)])
def test_trainings_work(command, folder):
    task = re.search(r"task=(\S+)", command)
    files = folder / "my" / "files"
    files.mkdir()
    for split in ("train", "dev", "test"):
        examples = demo_examples(load_task(task[1] if task else "en-fr"), split, 6)
        write_examples(files / f"{split}.data", examples)
        write_doc_ids(files / f"{split}.doc-ids", examples)
    result = subprocess.run(
        [sys.executable, str(ROOT / "train.py"), *arguments_of(command)[1:]],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert result.returncode == 0, result.stderr
    runs = [path for path in folder.rglob("run.json") if path.parent.name != "checkpoints"]
    assert len(runs) == (6 if " -m " in command else 1)
