"""Ensembles that fit their members: folders, snapshots, weights, saving."""

from __future__ import annotations

import numpy as np
import pytest

from crosspro.baselines.majority import ClassPrior, Majority
from crosspro.baselines.ngram_system import NGramSystem
from crosspro.baselines.source_aware import SourceAwareLM
from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.pipeline.sets.splits import Splits
from crosspro.prediction.adjustment import TAUS, adjust, class_counts
from crosspro.prediction.dev_score import MONITORS, class_shares, dev_score
from crosspro.prediction.ensemble import Ensemble, mix
from crosspro.prediction.fit_and_score import fit_and_score
from crosspro.prediction.runs import read_run
from crosspro.prediction.system import load_system
from tests.prediction.neural.small import neural
from tests.prediction.test_system import without_digests

NETWORK = {
    "network": "turku_gru",
    "sizes": {"embedding": 6, "hidden": 6, "dense": 8, "window": 10},
    "training": {"batch_size": 16},
    "trainer": {"progress_bar": False, "accelerator": "cpu", "max_epochs": 2},
}


class FourSeeds(ClassPrior):
    """A training of which four states are kept."""

    name = "class_prior"

    def snapshots(self):
        states = [ClassPrior(seed=seed) for seed in range(4)]
        for state in states:
            state.task, state.counts = self.task, self.counts
        return states


def test_members_are_fitted_and_mixed_with_equal_weights(train, dev, en_fr):
    ensemble = Ensemble({"a": Majority(), "b": SourceAwareLM(order=3)})
    ensemble.fit(en_fr, train, [])
    one, other = Majority(), SourceAwareLM(order=3)
    one.fit(en_fr, train, [])
    other.fit(en_fr, train, [])
    assert ensemble.weights == [0.5, 0.5]
    assert ensemble.predict(dev) == pytest.approx(
        mix([one.predict(dev), other.predict(dev)], [1, 1])
    )


@pytest.mark.parametrize("tune", MONITORS)
def test_weights_are_tuned_on_dev_and_reported(tune, train, dev, en_fr):
    ensemble = Ensemble([ClassPrior(seed=5), SourceAwareLM(order=3)], tune=tune)
    ensemble.fit(en_fr, train, dev)
    score = dev_score(en_fr, dev, tune)
    parts = [part.predict(dev) for part in ensemble.parts]
    assert score(ensemble.predict(dev)) >= max(score(mix(parts, [1, 1])), score(parts[0]))
    assert sum(ensemble.weights) == pytest.approx(1)
    rows = ensemble.report.figures["members"]
    assert [row["name"] for row in rows] == ["0", "1"]
    assert [row["weight"] for row in rows] == ensemble.weights
    assert [row["score"] for row in rows] == [score(part) for part in parts]


def test_a_prior_around_an_ensemble_is_chosen_on_dev(train, dev, en_fr, tmp_path):
    inner = Ensemble([Majority(), SourceAwareLM(order=3)], tune="macro_recall")
    inner.fit(en_fr, train, dev)
    shares = class_shares(en_fr, dev)
    plain = inner.predict(dev)
    inner.correct_prior(dev, "macro_recall", shares)
    score = dev_score(en_fr, dev, "macro_recall")
    best = max(score(adjust(plain, shares, tau)) for tau in TAUS)
    assert score(inner.predict(dev)) == pytest.approx(best)
    inner.save(tmp_path)
    assert (load_system(tmp_path).predict(dev) == inner.predict(dev)).all()


class Favouring(SourceAwareLM):
    """A system that favours rare classes for itself."""

    name = "source_aware_lm"

    def predict(self, examples):
        return adjust(self.unadjusted(examples), class_shares(self.task, examples), 1.5)


def test_members_favour_nothing_where_dev_chooses_how_far_the_ensemble_does(train, dev, en_fr):
    chances = []
    for kind in (Favouring, SourceAwareLM):
        inner = Ensemble([kind(order=3), ClassPrior(seed=2)])
        system = Ensemble([inner, Majority()])
        system.fit(en_fr, train, dev)
        counts = class_counts(en_fr, train)
        system.correct_prior(dev, "macro_recall", counts / counts.sum())
        chances.append(system.predict(dev))
        assert (inner.predict(dev) == inner.unadjusted(dev)).all() == (kind is SourceAwareLM)
    assert chances[0] == pytest.approx(chances[1])


def test_a_geometric_mean_asks_every_member(train, dev, en_fr, tmp_path):
    sure, open_minded = np.array([[0.0, 1.0]]), np.array([[0.8, 0.2]])
    assert mix([sure, open_minded], [1, 1])[0] == pytest.approx([0.4, 0.6])
    assert mix([sure, open_minded], [1, 1], "geometric")[0, 1] > 0.999
    same = mix([open_minded, open_minded], [3, 1], "geometric")
    assert same == pytest.approx(open_minded)
    squared = mix([open_minded, np.array([[0.5, 0.5]])], [1, 1], "geometric")
    assert squared[0] == pytest.approx([2 / 3, 1 / 3])
    ensemble = Ensemble(
        [ClassPrior(seed=5), SourceAwareLM(order=3)], tune="macro_recall", average="geometric"
    )
    ensemble.fit(en_fr, train, dev)
    parts = [part.predict(dev) for part in ensemble.parts]
    expected = mix(parts, ensemble.weights, "geometric")
    assert ensemble.predict(dev) == pytest.approx(expected)
    ensemble.save(tmp_path)
    loaded = load_system(tmp_path)
    assert loaded.predict(dev) == pytest.approx(expected)


def test_snapshots_of_one_training_are_members_of_their_own(train, dev, en_fr, tmp_path):
    ensemble = Ensemble({"four": FourSeeds(), "lm": SourceAwareLM(order=3)}, tune="accuracy")
    ensemble.fit(en_fr, train, dev)
    assert len(ensemble.parts) == len(ensemble.weights) == 5
    ensemble.save(tmp_path)
    assert len(list(tmp_path.glob("member*/system.json"))) == 5
    loaded = load_system(tmp_path)
    assert loaded.predict(dev) == pytest.approx(ensemble.predict(dev), abs=1e-6)
    assert loaded.settings == ensemble.settings


def test_a_run_of_an_ensemble_says_how_each_member_went(train, dev, en_fr, tmp_path):
    members = {
        "net": neural(**NETWORK),
        "lm": SourceAwareLM(order=3),
        "two": Ensemble([Majority()]),
    }
    splits = Splits(train, dev, {})
    ensemble = Ensemble(members, tune="accuracy")
    outcome = fit_and_score(en_fr, ensemble, splits, tmp_path)
    run = read_run(tmp_path)
    assert run == outcome.run
    assert run.fit["monitor"] == "accuracy"
    net, lm, two = run.fit["members"]
    assert [one["name"] for one in (net, lm, two)] == ["net", "lm", "two"]
    assert [one["weight"] for one in (net, lm, two)] == ensemble.weights
    assert net["fit"] == ensemble.parts[0].report.figures
    assert net["score"] == dev_score(en_fr, dev, "accuracy")(ensemble.parts[0].predict(dev))
    assert lm["fit"] is None
    assert [one["weight"] for one in two["fit"]["members"]] == [1.0]
    assert two["fit"]["score"] is None


def test_members_are_as_many_as_weights(train, dev, en_fr, tmp_path):
    ensemble = Ensemble([Majority(), ClassPrior(seed=3)])
    ensemble.fit(en_fr, train, dev)
    ensemble.save(tmp_path)
    without_digests(tmp_path)
    wrong = (
        '{"weights": [1e308, 1e308], "names": ["", ""]}',
        f'{{"weights": [1, 1{"0" * 400}], "names": ["", ""]}}',
        '{"weights": [1], "names": ["", ""]}',
        '{"weights": [], "names": []}',
        '{"weights": [1, -1], "names": ["", ""]}',
        '{"weights": [1, 1], "names": ["", ""], "average": "harmonic"}',
    )
    for content in wrong:
        (tmp_path / "weights.json").write_text(content, "utf-8")
        with pytest.raises(InputError, match=r"weights\.json"):
            load_system(tmp_path)
    (tmp_path / "weights.json").write_text('{"weights": [1, 1, 1], "names": ["", "", ""]}', "utf-8")
    with pytest.raises(InputError, match="member2"):
        load_system(tmp_path)


def test_members_that_train_are_stopped_and_go_on(train, dev, en_fr, tmp_path, capsys):
    def made(epochs):
        trainer = {**NETWORK["trainer"], "max_epochs": epochs}
        network = neural(**{**NETWORK, "trainer": trainer})
        return Ensemble({"network": network, "lm": SourceAwareLM(order=3)}, tune="accuracy")

    made(1).fit(en_fr, train, dev, tmp_path)
    resumed, whole = made(2), made(2)
    resumed.fit(en_fr, train, dev, tmp_path)
    whole.fit(en_fr, train, dev)
    assert np.abs(resumed.predict(dev) - whole.predict(dev)).max() < 1e-6
    assert resumed.context == 0


def test_what_no_ensemble_can_be_made_of_is_refused(train, dev, en_fr):
    with pytest.raises(InputError, match=r"members"):
        Ensemble([]).fit(en_fr, train, dev)
    for wrong in ({"..": Majority()}, {"b": None}, 3, None, "majority"):
        with pytest.raises(InputError, match="members"):
            Ensemble(wrong)
    with pytest.raises(CrossproError, match="dev"):
        Ensemble([Majority()], tune="mean").fit(en_fr, train, [])


def test_seeds_of_one_system_are_trained_in_one_run(train, dev, en_fr, tmp_path):
    ensemble = Ensemble({"net": neural(**NETWORK, seed=5), "lm": NGramSystem(order=2)}, seeds=3)
    ensemble.fit(en_fr, train, dev, tmp_path / "run")
    assert [getattr(part.settings, "seed", None) for part in ensemble.parts] == [5, 6, 7, None]
    folders = {path.name for path in (tmp_path / "run/members").iterdir()}
    assert folders == {"net", "net.seed2", "net.seed3", "lm"}
    names = [member["name"] for member in ensemble.report.figures["members"]]
    assert names == ["net", "net.seed2", "net.seed3", "lm"]
    alone = neural(**NETWORK, seed=6)
    alone.fit(en_fr, train, dev)
    assert (ensemble.parts[1].predict(dev) == alone.predict(dev)).all()


def test_further_seeds_reach_members_of_members():
    inner = Ensemble({"a": ClassPrior(seed=3), "b": Majority()}, tune="mean")
    other = inner.reseeded(2)
    assert other.members["a"].settings.seed == 5
    assert other.settings == inner.settings
    assert Ensemble([Majority()]).reseeded(1) is None
    for wrong in (0, True, 1.5):
        with pytest.raises(InputError, match=r"seeds"):
            Ensemble([Majority()], seeds=wrong)
