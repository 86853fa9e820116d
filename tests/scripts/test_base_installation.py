"""Without the extra `train`: what scores and judges runs, and what learns says what it needs."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from crosspro.data_prep.core.errors import TRAINING, how_to_install
from crosspro.scripts.reproduce.pins import BASE, HASHED, read_hashed, requirements
from tests.conftest import GOLDEN, ROOT
from tests.evaluation.folder_report.folders import make_folder

SAMPLE = ROOT / "data_prep" / "sample"
PAIR = ("--source", SAMPLE / "sample.en", "--target", SAMPLE / "sample.fr")
JUDGED = (
    "--source", SAMPLE / "sample.en", "--reference", SAMPLE / "sample.fr",
    "--candidate", SAMPLE / "sample.fr",
)  # fmt: skip
SCORED = GOLDEN / "scorer" / "en-fr_random"
PROTEST = GOLDEN / "protest"
SAVED = GOLDEN / "models"
FOLDERS = ("baselines", "conf", "data_prep", "evaluation", "integrations", "models", "prediction",
           "scripts")  # fmt: skip

RUN = {
    "tokenise": ("tokenise", SAMPLE / "sample.fr", "--language", "fr", "-o", "text.fr"),
    "align": ("align", *PAIR, "-o", "links"),
    "prepare": (
        "prepare", *PAIR, "--task", "en-fr-text", "--links", "links",
        "--doc-ids", SAMPLE / "sample.doc-ids", "-o", "gaps",
    ),
    "check": ("check", "gaps.data", "--task", "en-fr-text"),
    "stats": ("stats", "gaps.data", "--task", "en-fr-text"),
    "label-it": ("label-it", "text", SAMPLE / "sample.en", "-o", "it.tsv"),
    "lexicon": ("lexicon", "induce", SAMPLE / "sample.fr", "--language", "fr", "-o", "fr.tsv"),
    "lm": ("lm", "train", "text.fr", "--order", "2", "--discount-fallback", "-o", "fr.lm"),
    "fill": ("fill", "gaps.data", "--task", "en-fr-text", "--lm", "fr.lm", "-o", "filled.data"),
    "evaluate": ("evaluate", "gaps.data", "filled.data", "--task", "en-fr-text", "--html", "p"),
    "evaluate with the published": (
        "evaluate", SCORED / "gold.tsv", SCORED / "pred.tsv", "--lenient", "--task", "en-fr",
        "--with-published", "2017",
    ),
    "apt": ("apt", *JUDGED, "--pronouns", "en-fr", "--links", "links",
            "--candidate-links", "links", "--html", "apt.html"),
    "autoprf": ("autoprf", *JUDGED, "--pronouns", "en-fr", "--links", "links",
                "--candidate-links", "links"),
    "pronoun-f1": (
        "pronoun-f1", "--candidate", SAMPLE / "sample.fr", "--reference", SAMPLE / "sample.fr",
        "--language", "fr",
    ),
    "contrastive": (
        "contrastive", "score", GOLDEN / "contrastive" / "small_set" / "test.json",
        GOLDEN / "contrastive" / "small_set" / "scores",
    ),
    "protest build": (
        "protest", "build", "--annotation", PROTEST / "en", "--source", PROTEST / "text.en",
        "--reference", PROTEST / "text.fr", "--doc-ids", PROTEST / "text.doc-ids",
        "--links", PROTEST / "text.links", "--target-language", "fr", "-o", "suite.jsonl",
    ),
    "protest score": (
        "protest", "score", "suite.jsonl", "--candidate", PROTEST / "text.fr",
        "--candidate-links", PROTEST / "text.links",
    ),
    "report": ("report", "folder", "--resamples", "10"),
    "correlate": (
        "correlate", "systems", ROOT / "evaluation/published/figures/apt_protest_scores.csv",
        "--human", "protest",
    ),
    "published": ("published", "--year", "2017", "--task", "en-fr"),
    "models list": ("models", "list", SAVED),
    "models check": ("models", "check", SAVED / "ngram", SAVED / "majority"),
    "models export": ("models", "export", SAVED / "source_aware_lm", "-o", "packed.zip"),
    "predict": ("predict", "packed.zip", SAVED / "input.data", "-o", "labels.data"),
    "ensemble": ("ensemble", SAVED / "majority", "packed.zip", "-o", "both"),
    "predict with several": ("predict", "both", SAVED / "input.data", "-o", "joint.data"),
}  # fmt: skip
if (ROOT / "models" / "en-fr.zip").is_file():
    RUN["predict with a model of the box"] = (
        "predict", "--model", "en-fr", "--text", "The cup fell, but it did not break.",
        "La tasse est tombée, mais REPLACE ne s'est pas cassée.",
    )  # fmt: skip
REFUSED = {
    "train": ("train", "task=en-fr"),
    "pretrain": ("pretrain", "learn", "encoded", "-o", "pretrained"),
    "label-it train": ("label-it", "train", PROTEST / "en", "-o", "it.json"),
    "a network": ("predict", SAVED / "turku_gru", SAVED / "input.data", "-o", "refused.data"),
    "explain a network": ("explain", SAVED / "turku_gru", SAVED / "input.data", "--line", "1"),
}
CHILD = """
import io, json, sys

given = json.load(sys.stdin)
sys.path.insert(0, given["site"])
from crosspro.scripts.entry import main

told, shown = sys.stdout, sys.stderr
for name, arguments in given["commands"].items():
    sys.argv = ["crosspro", *arguments]
    sys.stdout, sys.stderr = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    code = 0
    try:
        main()
    except SystemExit as end:
        code = end.code or 0
    sys.stderr.flush()
    found = sys.stderr.buffer.getvalue().decode("utf-8")
    print(json.dumps([name, code, found]), file=told, flush=True)
sys.stdout, sys.stderr = told, shown
"""


def base_packages() -> set[str]:
    """The packages that are installed without any extra, as they are pinned."""
    pinned = read_hashed((ROOT / HASHED).read_text("utf-8"))
    return {one.name for one in pinned if BASE in one.extras}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder of the base packages and the project, and of nothing else."""
    folder = tmp_path_factory.mktemp("site")
    for name in base_packages():
        for file in distribution(name).files or ():
            top = file.parts[0]
            if top not in ("..", "__pycache__") and not (folder / top).exists():
                (folder / top).symlink_to(distribution(name).locate_file(top))
    (folder / "crosspro").mkdir()
    for path in (*(ROOT / "crosspro").glob("*.py"), *map(ROOT.joinpath, FOLDERS)):
        if path.exists():
            (folder / "crosspro" / path.name).symlink_to(path)
    return folder


@pytest.fixture(scope="module")
def outcomes(site, tmp_path_factory):
    """The exit status and the messages of each command, where there is nothing but the base."""
    commands = {name: [*map(str, given)] for name, given in {**RUN, **REFUSED}.items()}
    place = tmp_path_factory.mktemp("base")
    make_folder(place / "folder")
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", CHILD], capture_output=True, text=True, cwd=place,
        input=json.dumps({"site": str(site), "commands": commands}),
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return {name: (code, told) for name, code, told in map(json.loads, ran.stdout.splitlines())}


@pytest.mark.parametrize("command", RUN)
def test_what_reads_scores_and_judges_runs(outcomes, command):
    code, told = outcomes[command]
    assert code == 0, told


@pytest.mark.parametrize("command", REFUSED)
def test_what_learns_says_how_to_install_the_rest(outcomes, command):
    code, told = outcomes[command]
    assert code == 2
    assert told.count("\n") == 1
    assert told.endswith(f", found nothing: {how_to_install('train')}\n")
    assert "expected the package " in told


@pytest.mark.parametrize("program", ["train.py", "crosspro-train"])
def test_training_by_its_other_names(program, tmp_path):
    call = "import runpy; runpy.run_path('train.py', run_name='__main__')"
    if program != "train.py":
        call = "from crosspro.scripts.entry import train; train()"
    absent = "import sys; sys.modules['hydra'] = None; "
    ran = subprocess.run(
        [sys.executable, "-c", absent + call], capture_output=True, text=True, cwd=ROOT
    )
    assert ran.returncode == 2
    told = "crosspro train: expected the package hydra, found nothing: "
    assert ran.stderr == f"{told}{how_to_install('train')}\n"


def test_the_extra_and_its_modules_are_the_same():
    modules = {"hydra-core": "hydra", "scikit-learn": "sklearn"}
    names = [text.partition(">")[0] for text in requirements()["train"]]
    assert {modules.get(name, name.replace("-", "_")) for name in names} == TRAINING
    assert not base_packages() & {*names, "joblib", "pillow", "protobuf", "sympy"}


def test_the_base_is_small():
    """What `pip install` brings, models and compiled modules included: below 150 MB."""
    sizes = {
        name: sum(path.stat().st_size for file in distribution(name).files or ()
                  if (path := Path(distribution(name).locate_file(file))).is_file())
        for name in base_packages()
    }  # fmt: skip
    own = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    sizes["crosspro"] = sum(
        path.stat().st_size * (2 if path.suffix == ".py" else 1)  # compiled ones are as large
        for path in own
        if "__pycache__" not in path.parts and "reproduce" not in path.parts
    )
    assert sum(sizes.values()) < 150e6, sorted(sizes.items(), key=lambda item: -item[1])
