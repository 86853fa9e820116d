"""Configurations: every file composes and is accepted, and several processes train as one."""

from __future__ import annotations

import pytest
from omegaconf.errors import MissingMandatoryValue

from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.errors import InputError
from crosspro.prediction.neural.training.learning_curve import read_metrics
from tests.integration.training import SMALL, composed, objects, train

EXPERIMENTS = sorted(path.stem for path in (CONF_DIR / "experiment").glob("*.yaml"))
SYSTEMS = sorted(path.stem for path in (CONF_DIR / "system").glob("[!_]*.yaml"))
NETWORKS = ("turku", "uppsala_bilstm", "nyu", "ukyoto", "hardmeier", "document", "seeds")
TINY = "system.network={embedding: 8, hidden: 8, dense: 12, window: 20, dropout: 0.0}"


MISSING = {
    "document_fine_tuning": ["system.init_from=RUN"],
    "uppsala_2017_fine_tuning": ["system.init_from=RUN"],
    "document_distilled": ["system.distillation.teacher=RUN"],
    "document_in_domain": ["system.init_from=RUN", "data.dir=."],
    "document_seeds": ["system.members.network.init_from=RUN"],
    "ukyoto_2016": ["data.dir=."],
    "uu_cap_2016_primary": ["data.dir=."],
}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_is_a_sound_configuration(name):
    objects(f"experiment={name}", *MISSING.get(name, []))


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_is_a_sound_configuration(name):
    settings = composed(f"system={name}", "seed=3")
    objects(f"system={name}", "seed=3")
    assert set(seeds(settings["system"])) <= {3}
    if name.startswith(NETWORKS) or name == "class_prior":
        assert [*seeds(settings["system"])]


def seeds(section):
    """The seeds of a system and of those in it."""
    for key, value in section.items():
        if key == "seed":
            yield value
        elif isinstance(value, dict):
            yield from seeds(value)


@pytest.mark.parametrize("name", MISSING)
def test_a_missing_setting_is_named(name):
    *others, last = MISSING[name]
    key = last.partition("=")[0].replace(".", r"\.")
    with pytest.raises((InputError, MissingMandatoryValue), match=key):
        objects(f"experiment={name}", *others).splits()


@pytest.mark.parametrize(
    ("override", "key"),
    [
        ("seed=x", "seed"),
        ("absent=none", "absent"),
        ("system.training.monitor=luck", "system.training.monitor"),
        ("system.network.layers=0", "system.network.layers"),
        ("+system.network.colour=1", "system.network.colour"),
        ("trainer.precision=8", "system.trainer.precision"),
        ("+system.colour=1", "system.colour"),
        ("task.tagset=none", "tagset"),
        ("system._target_=os.getcwd", "system"),
    ],
)
def test_a_wrong_setting_is_named_by_its_key(override, key):
    with pytest.raises(InputError) as refused:
        objects(override)
    assert key in [problem.field for problem in refused.value.problems]


@pytest.mark.slow
def test_two_processes_have_the_loss_of_one(tmp_path):
    losses = {}
    for name, trainer in (("one", "default"), ("two", "ddp")):
        devices = {"one": 1, "two": 2}[name]
        result = train(
            tmp_path / name, "task=en-fr", "system=turku_gru_2016", *SMALL, TINY,
            f"trainer={trainer}",
            f"trainer.devices={devices}", "trainer.accelerator=cpu", "trainer.max_epochs=2",
            "trainer.progress_bar=false", "system.training.batch_size=25",
            "system.training.min_steps=0",
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        assert result.stdout.count("Model, submissions") == 1
        losses[name] = [row["loss"] for row in read_metrics(tmp_path / name).values()]
        assert (tmp_path / name / "model" / "network.safetensors").is_file()
    assert len(losses["one"]) == 2
    assert losses["two"] == pytest.approx(losses["one"], rel=1e-4)


@pytest.mark.parametrize(
    ("launcher", "plugin"),
    [
        ("basic", "hydra"),
        ("joblib", "hydra_plugins.hydra_joblib_launcher"),
        ("submitit_local", "hydra_plugins.hydra_submitit_launcher"),
        ("ray", "hydra_plugins.hydra_ray_launcher"),
    ],
)
def test_a_sweep_trains_each_choice(tmp_path, launcher, plugin):
    pytest.importorskip(plugin)
    result = train(
        tmp_path / "unused", "-m", "task=en-fr", *SMALL, "system=majority,class_prior", "seed=1,2",
        f"hydra/launcher={launcher}", f"hydra.sweep.dir={tmp_path}",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert len(list(tmp_path.glob("*/test.scores.json"))) == 4
    assert (tmp_path / "means.txt").read_text("utf-8") in result.stdout


def test_a_sweep_with_a_wrong_name_trains_nothing(tmp_path):
    for wrong, fragment in (("systm=a,b", "'systm'"), ("system=majority,foo", "system/foo")):
        result = train(tmp_path / "unused", "-m", *SMALL, wrong, f"hydra.sweep.dir={tmp_path}")
        assert result.returncode == 2
        assert fragment in result.stderr
        assert not list(tmp_path.glob("*/run.json"))
