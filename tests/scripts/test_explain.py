"""`crosspro explain`: the gap of a line in a file, as text and JSON."""

from __future__ import annotations

import json

import pytest

from crosspro.baselines.feature_system import FeatureSystem
from crosspro.baselines.majority import Majority
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import LEMMATISED, write_doc_ids, write_examples
from tests.scripts.run import crosspro

TASK = load_task("en-fr")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explain")
    train, dev = demo_examples(TASK, "train", 30), demo_examples(TASK, "dev", 8)
    system = FeatureSystem(features=["source_pronoun", "target_lemmas:2", "antecedents"], context=3)
    for one, name in ((system, "run"), (Majority(), "majority")):
        one.fit(TASK, train, dev)
        one.save(folder / name)
    write_examples(folder / "dev.data", dev)
    write_doc_ids(folder / "dev.doc-ids", dev)
    return folder, dev


def test_the_gap_of_a_line_is_explained(files, tmp_path):
    folder, dev = files
    line = max(n for n, example in enumerate(dev, start=1) if example.gaps)
    asked = ("explain", folder / "run", folder / "dev.data", "--line", line)
    result = crosspro(*asked)
    assert result.code == 0, result.stderr
    text = result.stdout.decode()
    assert text.startswith(f"line {line}, gap 1 of {len(dev[line - 1].gaps)}: ")
    assert "source pronoun=" in text
    told = json.loads(crosspro(*asked, "--layout", "json").stdout)
    assert told["source"] == list(dev[line - 1].source)
    assert told["gold"] == dev[line - 1].gaps[0].label
    predicted = crosspro("predict", folder / "run", folder / "dev.data", "-o", tmp_path / "out")
    assert predicted.code == 0
    chosen = (tmp_path / "out").read_text("utf-8").splitlines()[line - 1].split("\t")[0].split()
    assert told["explanation"]["chosen"] == chosen[0]


@pytest.mark.parametrize("name", ["en-fr", "en-fr-2015"])
def test_a_lemmatised_target_is_shown_and_said_to_be_one(name, tmp_path):
    task = load_task(name)
    train, dev = demo_examples(task, "train", 10), demo_examples(task, "dev", 4)
    system = FeatureSystem(features=["source_pronoun", "source_words:2"], min_count=1)
    system.fit(task, train, dev)
    system.save(tmp_path / "run")
    write_examples(tmp_path / "dev.data", dev)
    line = next(n for n, example in enumerate(dev, start=1) if example.gaps)
    asked = ("explain", tmp_path / "run", tmp_path / "dev.data", "--line", line)
    text = crosspro(*asked).stdout.decode()
    told = json.loads(crosspro(*asked, "--layout", "json").stdout)
    assert dev[line - 1].target[-1] in text.splitlines()[2]
    assert (LEMMATISED in text) is task.tagged
    assert ("|" in " ".join(told["target"])) is task.tagged


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--line", 100_000), "line"),
        (("--line", "EMPTY"), "gap"),
        (("--line", "FULL", "--gap", 9), "gap"),
        (("--line", 0), "Invalid value for '--line': "),
    ],
)
def test_a_gap_that_is_not_there_is_refused(files, options, message):
    folder, dev = files
    places = {
        "EMPTY": next(n for n, e in enumerate(dev, start=1) if not e.gaps),
        "FULL": next(n for n, e in enumerate(dev, start=1) if e.gaps),
    }
    words = [places.get(option, option) for option in options]
    result = crosspro("explain", folder / "run", folder / "dev.data", *words)
    assert result.code == 2
    assert message in result.stderr.decode()


def test_the_first_gap_is_explained_if_no_line_is_named(files, tmp_path):
    folder, dev = files
    first = next(n for n, example in enumerate(dev, start=1) if example.gaps)
    told = json.loads(
        crosspro("explain", folder / "run", folder / "dev.data", "--layout", "json").stdout
    )
    assert (told["line"], told["gap"]) == (first, 1)
    write_examples(tmp_path / "none.data", [example for example in dev if not example.gaps])
    result = crosspro("explain", folder / "run", tmp_path / "none.data")
    assert result.code == 2
