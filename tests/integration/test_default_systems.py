"""Every system's default configuration trains on the demo with no extra but `train`."""

from __future__ import annotations

import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions

import pytest
from packaging.requirements import Requirement

from crosspro.conf import CONF_DIR
from crosspro.prediction.system import load_system
from tests.conftest import ROOT, mostly_slow
from tests.integration.training import objects

SYSTEMS = sorted(path.stem for path in (CONF_DIR / "system").glob("[!_]*.yaml"))
TINY = (
    *(f"data.documents.{split}=4" for split in ("train", "dev", "test")),
    *("trainer.max_epochs=1", "trainer.progress_bar=false", "trainer.accelerator=cpu"),
)
NETWORKS = ("document_encoder", "hardmeier", "nyu", "seeds", "turku", "ukyoto", "uppsala_bilstm")
QUICK = ("uppsala_bilstm", "hardmeier_cnn")
"""Networks whose default configuration is tried in every run of the tests; all networks are trained
in small in tests/prediction/neural."""
CLASSICAL = [name for name in SYSTEMS if not name.startswith(NETWORKS)]


def extras():
    """The packages of all extras that neither everybody has nor whoever trains."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lists = dict(project["optional-dependencies"])
    needed = [*project["dependencies"], *lists.pop("train")]
    optional = {Requirement(text).name.lower() for packages in lists.values() for text in packages}
    return optional - {Requirement(text).name.lower() for text in needed}


@pytest.fixture
def bare(monkeypatch):
    """No extra can be imported, and their files cannot be found."""
    optional = extras() - {"pytest", "hypothesis", "pytest-xdist"}
    for module, packages in packages_distributions().items():
        if optional & {package.lower() for package in packages}:
            monkeypatch.setitem(sys.modules, module, None)

    def installed(name):
        if name.lower() in optional:
            raise PackageNotFoundError(name)
        return distribution(name)

    monkeypatch.setattr("importlib.metadata.distribution", installed)


@pytest.mark.parametrize("name", mostly_slow(SYSTEMS, *CLASSICAL, *QUICK))
def test_a_default_configuration_trains_without_extras(name, bare, tmp_path):
    run = objects(f"system={name}", *TINY)
    task, system, splits = run.task, run.system, run.splits()
    train, dev = splits.train, splits.dev
    system.fit(task, train, dev)
    system.save(tmp_path)
    gaps = sum(len(example.gaps) for example in dev)
    assert load_system(tmp_path).predict(dev).shape == (gaps, len(task.classes))
