"""A model fills the gaps of sentences as they are typed, and says what is wrong with them."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import crosspro
from crosspro.baselines.majority import Majority
from crosspro.data_prep.align.prior import save_prior
from crosspro.data_prep.annotate.bitext import Segment
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.pointed_nouns import PointedNoun
from crosspro.data_prep.pipeline.pairs.pair_links import bundled_aligner
from crosspro.data_prep.pipeline.pairs.pipeline import PairPipeline
from crosspro.prediction.models import export_run
from crosspro.prediction.pair_prediction import Predictor
from crosspro.prediction.system import load_system
from tests.conftest import ROOT
from tests.fixed_links import FixedLinks

TASK = load_task("en-fr-text")
HOUSE = "The house is old, but it stands."
MAISON = "La maison est vieille, mais REPLACE tient debout."
WHOLE = MAISON.replace("REPLACE", "elle")


class Pointing(Majority):
    """Elle wherever there is a house, else OTHER; it points at the first noun."""

    name = "pointing"
    context = 2

    def unadjusted(self, examples):
        rows = []
        for example in examples:
            words = {word for one in examples for word in one.lemmas}
            label = "elle" if "maison" in words else "OTHER"
            row = [0.9 if one == label else 0.1 / (len(TASK.classes) - 1) for one in TASK.classes]
            rows += [row] * len(example.gaps)
        return np.array(rows).reshape(-1, len(TASK.classes))

    @property
    def points(self):
        return True

    def antecedents(self, examples, classes):
        last = len(examples) - 1
        noun = PointedNoun("target", last, 1, 0.7, 0.8)
        faint = PointedNoun("source", last, 1, 0.1, 0.01)
        return [(noun, faint) for example in examples for _ in example.gaps]


@pytest.fixture(scope="module")
def prior():
    return bundled_aligner(load_task("en-fr")).prior


@pytest.fixture(scope="module")
def pipeline():
    return PairPipeline(TASK)


@pytest.fixture(scope="module")
def predictor(pipeline):
    system = Pointing()
    system.task = TASK
    return Predictor("en-fr", system, pipeline)


@pytest.fixture(scope="module")
def archive(tmp_path_factory, prior):
    folder = tmp_path_factory.mktemp("archive")
    system = Majority()
    system.task, system.counts = TASK, np.arange(len(TASK.classes))
    system.save(folder / "run")
    save_prior(folder / "prior.npz", prior)
    export_run(folder / "run", folder / "en-fr.zip", prior=folder / "prior.npz")
    return folder / "en-fr.zip"


def test_a_gap_is_filled_and_described(predictor):
    found = predictor.predict(HOUSE, MAISON)
    assert found.text == WHOLE
    (gap,) = found.gaps
    assert (gap.label, gap.source, gap.source_index, gap.hidden) == ("elle", "it", 6, None)
    assert next(iter(gap.probabilities)) == "elle"
    assert sum(gap.probabilities.values()) == pytest.approx(1)
    assert [word.word for word in gap.antecedents] == ["maison"]
    lines = str(found).splitlines()
    assert lines == [WHOLE, "1. it", "   elle  0.90", "   stands for maison (0.80)"]


@pytest.mark.parametrize("hide", ["elle", ("ELLE", "elle")])
def test_a_hidden_word_is_a_gap_too(predictor, hide):
    found = predictor.predict(HOUSE, WHOLE, hide=hide)
    assert found.text == WHOLE
    assert [(gap.source, gap.hidden) for gap in found.gaps] == [("it", "elle")]


def test_several_gaps_are_linked_each_to_its_own_pronoun(predictor):
    found = predictor.predict("She saw the house, and it is old, but they like it.",
                           "REPLACE a vu la maison, et REPLACE est vieille, mais REPLACE "
                           "l'aiment.")  # fmt: skip
    assert [gap.source for gap in found.gaps] == ["She", "it", "they"]
    assert found.text.startswith("Elle a vu la maison, et elle est")


def test_of_equal_words_those_are_hidden_that_translate_pronouns(predictor):
    source = "The man saw the houses and he bought them."
    target = "L'homme a vu les maisons et il les a achetées."
    found = predictor.predict(source, target, hide=["les"])
    assert [(gap.source, gap.hidden) for gap in found.gaps] == [("them", "les")]


def test_what_stands_before_is_read(predictor):
    alone = predictor.predict("It is old.", "REPLACE est vieille.")
    assert (alone.text, alone.gaps[0].label) == ("… est vieille.", "OTHER")
    before = [("The house stands.", "La maison est debout.")]
    found = predictor.predict("It is old.", "REPLACE est vieille.", context=before)
    assert found.text == "Elle est vieille."
    assert found.gaps[0].antecedents[0].before == 1
    assert "stands for maison (0.80, a sentence before)" in str(found)
    far = [*before, *[("Yes.", "Oui.")] * 2]
    assert predictor.predict("It is old.", "REPLACE est vieille.", context=far).text[0] == "…"


@pytest.mark.parametrize(
    ("source", "target", "hide", "problem"),
    [
        ("Rain falls.", "La pluie tombe.", (), "text: target"),
        (HOUSE, WHOLE, ["elles"], "text: hide"),
        (HOUSE, "REPLACE maison REPLACE REPLACE.", (), "text"),
        (HOUSE, "Das Haus ist alt, aber REPLACE steht noch auf dem Berg.", (), "text"),
        (WHOLE, MAISON, (), "text: source"),
        ("it " * 10_000, MAISON, (), "10,000"),
        (HOUSE, "\n", (), "text: target"),
        (HOUSE, "La\x07 maison, REPLACE.", (), "text: target"),
    ],
)  # fmt: skip
def test_what_cannot_be_filled_gets_one_message(predictor, source, target, hide, problem):
    with pytest.raises(InputError) as error:
        predictor.predict(source, target, hide=hide)
    assert problem in str(error.value)
    assert len(str(error.value).splitlines()) == 1


def test_texts_are_filled_as_they_were_typed(predictor):
    found = predictor.predict(HOUSE, "«La   maison est vieille» , mais REPLACE_6 tient.")
    assert found.text == "«La   maison est vieille» , mais elle tient."


def test_an_archive_brings_its_prior(archive, prior):
    predictor = crosspro.load(archive)
    assert predictor.name == "en-fr"
    assert predictor.pipeline.aligner.prior.source_words.keys() <= {*prior.source_words, ""}
    found = predictor.predict(HOUSE, MAISON)
    assert found.gaps[0].source == "it"
    assert found.gaps[0].label == "OTHER"
    assert found.text == MAISON.replace("REPLACE", "…")


def test_a_model_without_a_prior_links_by_that_of_the_bundled_model(archive, prior, tmp_path):
    system = load_system(archive)
    system.save(tmp_path / "run")
    aligner = crosspro.load(tmp_path / "run").pipeline.aligner
    assert aligner.prior.source_words.keys() == prior.source_words.keys()


def test_filling_imports_neither_hydra_nor_lightning_nor_torch(archive):
    code = (
        "import sys, crosspro\n"
        f"crosspro.load({str(archive)!r}).predict({HOUSE!r}, {MAISON!r})\n"
        "heavy = {'torch', 'hydra', 'pytorch_lightning', 'sklearn', 'scipy', 'rich', 'spacy'}\n"
        "print(*sorted(heavy & set(sys.modules)))"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                            cwd=ROOT, check=True).stdout  # fmt: skip
    assert not output.strip()


NULL = load_task("es-en-text")


@pytest.mark.parametrize(
    ("source", "target", "links", "word"),
    [
        ("La taza cayó pero no se rompió .", "The cup fell but REPLACE did not break .",
         "0-0 1-1 2-2 3-3 4-6 6-7 7-8", "rompió"),
        ("Ella canta .", "REPLACE sings .", "0-0 1-1 2-2", "Ella"),
        ("¿ Está aquí ?", "Is REPLACE here ?", "1-0 2-2 3-3", "Está"),
        ("Quiero verlo .", "I want to see REPLACE .", "0-1 1-3 2-5", "verlo"),
        ("Ha llegado .", "REPLACE has arrived .", "0-1 1-2 2-3", "Ha"),
    ],
)  # fmt: skip
def test_a_pronoun_that_is_not_said_is_that_of_its_verb(source, target, links, word):
    pipeline = PairPipeline(NULL, lambda task: FixedLinks(links))
    example = pipeline.prepare(Segment(source, target)).example
    (gap,) = example.gaps
    assert example.source[gap.source_index] == word
