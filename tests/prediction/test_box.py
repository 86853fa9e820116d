"""The bundled models as they are shipped: whole, small, and the same on every machine.

`python -m tests.prediction.test_box` writes what is stored again, after models were made anew.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import crosspro
from crosspro.data_prep.core.files import write_text
from crosspro.prediction.models import summary
from crosspro.prediction.registry import bundled_models
from crosspro.prediction.system import load_system

GOLDEN = Path(__file__).parents[1] / "golden" / "box"
STORED = GOLDEN / "probabilities.json"
NAMES = ("de-en", "en-de", "en-es", "en-fr", "es-en", "fr-en")
TOLERANCE = 0.001
"""Probabilities differ a little between processors."""


def sentences(name: str) -> list[tuple[str, str, str]]:
    """Source, target with a gap, and the word that stood there."""
    found = []
    for line in (GOLDEN / "sentences.tsv").read_text("utf-8").splitlines():
        pair, english, other = line.split("\t")
        if name in (pair, "-".join(reversed(pair.split("-")))):
            source, target = (english, other) if name == pair else (other, english)
            word = re.search(r"\{(.*?)\}", target)
            assert word is not None
            gap = re.sub(r"\{.*?\}", "REPLACE", target)
            found.append((re.sub(r"[{}]", "", source), gap, word.group(1).lower()))
    return found


def probabilities(name: str) -> list[dict[str, float]]:
    predictor = crosspro.load(name)
    rows = []
    for source, target, _ in sentences(name):
        (gap,) = predictor.predict(source, target).gaps
        rows.append({label: round(chance, 4) for label, chance in gap.probabilities.items()})
    return rows


def test_the_box_has_a_model_of_each_task_for_use_and_its_card():
    box = bundled_models()
    assert sorted(box) == sorted(NAMES)
    for name, path in box.items():
        about = summary(path)
        assert about.task == f"{name}-text"
        assert about.size < 8_000_000
        card = path.with_suffix(".md").read_text("utf-8")
        assert about.digest in card
        assert f"{about.size / 1e6:.1f} MB" in card
    assert sum(path.stat().st_size for path in box.values()) < 60_000_000


@pytest.mark.parametrize("name", NAMES)
def test_a_model_is_whole_and_fills_sentences_with_the_stored_probabilities(name):
    load_system(bundled_models()[name])  # which checks every digest
    stored = json.loads(STORED.read_text("utf-8"))[name]
    found = probabilities(name)
    assert len(found) == len(stored) == 20
    for own, expected in zip(found, stored, strict=True):
        assert own == pytest.approx(expected, abs=TOLERANCE)


@pytest.mark.parametrize("name", NAMES)
def test_most_sentences_get_the_word_that_stood_there(name):
    task = crosspro.load_task(f"{name}-text")
    stored = json.loads(STORED.read_text("utf-8"))[name]
    wanted = [task.class_of(word) for _, _, word in sentences(name)]
    right = sum(max(row, key=row.__getitem__) == label
                for row, label in zip(stored, wanted, strict=True))  # fmt: skip
    assert right >= 14


def test_typed_text_is_filled_as_it_is_written_and_other_scripts_are_refused():
    predictor = crosspro.load("en-fr")
    filled = predictor.predict("It's late.", "C’est tard.")
    assert filled.text == "Il est tard."
    with pytest.raises(crosspro.InputError):
        predictor.predict("It fell.", "杯子 REPLACE 没有碎。")


if __name__ == "__main__":
    rows = {name: probabilities(name) for name in NAMES}
    write_text(STORED, json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
