"""Descriptions in archives name no place of the machine that made them."""

from __future__ import annotations

import json
import string
import zipfile
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.baselines.feature_system import FeatureSystem
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_examples
from crosspro.data_prep.pipeline.sets.splits import file_splits
from crosspro.prediction.ensemble import Ensemble
from crosspro.prediction.fit_and_score import fit_and_score
from crosspro.prediction.models import export_run, import_archive, summary
from crosspro.prediction.named_places import without_places
from crosspro.prediction.neural.system import NeuralSystem
from crosspro.prediction.runs import Configuration, find_run
from crosspro.prediction.system import load_system
from tests.scripts.run import crosspro

TASK = load_task("en-fr")
TRAINER = {"max_epochs": 1, "progress_bar": False, "accelerator": "cpu"}
NETWORK = {"embedding": 8, "hidden": 8, "dense": 8, "window": 5}
ODD = "a place, of 'mine' = (größer) [1]"


def texts(value):
    """All strings of a JSON value, keys too."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from (key, *texts(inner))
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner)
    elif isinstance(value, str):
        yield value


def is_absolute(text):
    return PurePosixPath(text).is_absolute() or PureWindowsPath(text).is_absolute()


def archived(path):
    """The JSON files of an archive."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(".json")]
        return {name: json.loads(archive.read(name)) for name in names}


def network(**settings):
    given = {"trainer": TRAINER, **settings}
    return NeuralSystem("turku_gru", NETWORK, {"batch_size": 32}, **given)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder of an odd name with data, a lexicon, a first run, and one that goes on from it."""
    folder = tmp_path_factory.mktemp("machine") / ODD
    (folder / "data").mkdir(parents=True)
    for split, number in (("train", 12), ("dev", 5), ("test", 4)):
        write_examples(folder / f"data/{split}.data", demo_examples(TASK, split, number))
    nouns = "word\tcategory\tgender\tnumber\tcount\nmaison\tNOUN\tFem\tSing\t3\n"
    (folder / "nouns.tsv").write_text(nouns, "utf-8")
    splits = file_splits(TASK, str(folder / "data"), "train*.data", "dev*.data", "test*.data")
    fit_and_score(TASK, network(), splits, folder / "runs/first", name="turku_gru")
    cache = {**TRAINER, "encoded_dir": str(folder / "cache")}
    later = network(
        init_from=str(folder / "runs/first"),
        trainer=cache,
        distillation={"teacher": str(folder / "runs/first")},
    )
    asked = Configuration(
        {"task": "en-fr", "data": "shared_task"},
        (
            f"data.dir={folder}/data",
            f"system.init_from='{folder}/runs/first'",
            f"trainer.encoded_dir={folder}/cache",
            "system.lexicon=/srv/elsewhere/fr.tsv",
            "+note=file:///srv/x,C:\\Users\\me\\x.tsv",
        ),
        {
            "data": {"dir": f"{folder}/data", "train": "train*.data"},
            "system": later.settings(),
            "trainer": cache,
            "lexicons": {f"{folder}/nouns.tsv": "fr"},
        },
    )
    nouns = str(folder / "nouns.tsv")
    linear = FeatureSystem(["target_lemmas:3"], min_count=1, lexicon=nouns)
    both = Ensemble({"net": later, "linear": linear})
    fit_and_score(TASK, later, splits, folder / "runs/later", name="turku", configuration=asked)
    fit_and_score(TASK, both, splits, folder / "runs/both", name="both", configuration=asked)
    runs = [folder / "runs" / name for name in ("first", "both")]
    joined = crosspro("ensemble", *runs, "-o", folder / "runs/joined")
    assert joined.code == 0, joined.stderr
    return folder


def packed(run, output):
    result = crosspro("models", "export", run, "-o", output)
    assert result.code == 0, result.stderr
    return archived(output)


@pytest.mark.parametrize("run", ["first", "later", "both", "joined"])
def test_no_archive_names_a_place(run, place, tmp_path):
    before = json.loads((place / "runs" / run / "run.json").read_text("utf-8"))
    found = packed(place / "runs" / run, tmp_path / "a.zip")
    assert {"archive.json", "run.json", "model/system.json"} <= found.keys()
    for name, content in found.items():
        wrong = [text for text in texts(content) if is_absolute(text) or str(place) in text]
        assert not wrong, name
        assert not [text for text in texts(content) if str(Path.home()) in text]
    assert any(map(is_absolute, texts(before))) == (run != "first")


def test_runs_are_known_by_name_and_digest(place, tmp_path):
    found = packed(place / "runs/later", tmp_path / "a.zip")
    first = f"first@sha256:{summary(place / 'runs/first').digest}"
    settings = found["model/system.json"]["settings"]
    for one in (settings, found["run.json"]["configuration"]["settings"]["system"]):
        assert one["init_from"].startswith(first)
        assert len(one["init_from"]) == len("first@sha256:") + 64
        assert one["distillation"]["teacher"] == one["init_from"]
        assert one["trainer"]["encoded_dir"] == ""
    run = find_run(tmp_path / "a.zip")
    assert run.configuration.settings["data"] == {"dir": "data", "train": "train*.data"}
    assert run.configuration.settings["lexicons"] == {"nouns.tsv": "fr"}
    assert run.configuration.overrides == (
        "data.dir=data",
        "system.init_from='first'",
        "trainer.encoded_dir=cache",
        "system.lexicon=fr.tsv",
        "+note=x,x.tsv",
    )
    assert [(one.name, len(one.digest)) for one in run.data][:1] == [("train.data", 64)]
    packed(place / "runs/joined", tmp_path / "b.zip")
    members = find_run(tmp_path / "b.zip").configuration.settings["members"]
    names = [(name, summary(place / "runs" / name).digest) for name in ("first", "both")]
    assert [one[: -64 + 12] for one in members] == [f"{n}@sha256:{digest}" for n, digest in names]


@pytest.mark.parametrize("run", ["later", "both"])
def test_it_is_the_same_system(run, place, tmp_path):
    packed(place / "runs" / run, tmp_path / "a.zip")
    dev = demo_examples(TASK, "dev", 3)
    chances = load_system(place / "runs" / run).predict(dev)
    assert (load_system(tmp_path / "a.zip").predict(dev) == chances).all()
    assert crosspro("models", "check", tmp_path / "a.zip").code == 0
    import_archive(tmp_path / "a.zip", tmp_path / "run")
    assert (load_system(tmp_path / "run").predict(dev) == chances).all()


def test_a_training_goes_on_from_it(place, tmp_path):
    packed(place / "runs/later", tmp_path / "a.zip")
    dev = demo_examples(TASK, "dev", 5)
    tuned = network(init_from=str(tmp_path / "a.zip"), optimisation={"learning_rate": 0.0})
    tuned.fit(TASK, dev, dev)
    expected = load_system(tmp_path / "a.zip").predict(dev)
    assert tuned.predict(dev) == pytest.approx(expected, abs=1e-5)


def test_an_old_archive_is_cleaned_by_packing_it_again(place, tmp_path, monkeypatch):
    with monkeypatch.context() as old:
        old.setattr("crosspro.prediction.models.without_places", lambda content, _: content)
        export_run(place / "runs/later", tmp_path / "old.zip", "int8")
    assert any(str(place) in text for text in texts(archived(tmp_path / "old.zip")["run.json"]))
    load_system(tmp_path / "old.zip")
    found = packed(tmp_path / "old.zip", tmp_path / "new.zip")
    assert not any(str(place) in text for one in found.values() for text in texts(one))
    assert found["archive.json"]["weights"] == "int8"
    packed(tmp_path / "new.zip", tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == (tmp_path / "new.zip").read_bytes()


NAMES = st.text(string.ascii_letters + string.digits + "äß .,-_+=()[]'", min_size=1, max_size=8)
POSIX = st.lists(NAMES, min_size=1, max_size=5).map(lambda names: "/" + "/".join(names))
WINDOWS = st.lists(NAMES, min_size=1, max_size=5).map(lambda names: "D:\\" + "\\".join(names))
PLACES = POSIX | WINDOWS


@given(
    st.dictionaries(
        st.sampled_from(["dir", "init_from", "teacher", "encoded_dir", "lexicon", "file", "x"]),
        PLACES | st.lists(PLACES, max_size=3) | st.fixed_dictionaries({"dir": PLACES}),
    ),
    PLACES,
)
def test_whatever_a_path_looks_like(settings, other):
    told = [f"key={path}" for path in texts(settings) if is_absolute(path)]
    warnings = ["nothing to see", "/etc/motd: expected 3, found /usr/x", "50 km/h and/or 1/2"]
    content = {"settings": settings, "overrides": told, "data": [{"name": other}],
               "warnings": warnings}  # fmt: skip
    found = without_places(content, lambda run: "")
    assert not [text for text in texts(found) if is_absolute(text)]
    assert not [text for text in found["overrides"] if is_absolute(text.partition("=")[2])]
    assert found["warnings"] == [
        "nothing to see", "motd: expected 3, found x", "50 km/h and/or 1/2"
    ]  # fmt: skip
    assert without_places(found, lambda run: "") == found
