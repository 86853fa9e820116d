"""What all tests share: hypothesis settings, tasks, the real corpora where they are present."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from hypothesis import settings

from crosspro.data_prep.core.task import Task, load_task

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden"
SHARED_DATA = ROOT.parent / "shared" / "data"

# Derandomised: the same examples in every run, so that a red build is red for everybody.
EXAMPLES = {"quick": 30, "whole": 150}
for _name, _number in EXAMPLES.items():
    settings.register_profile(_name, deadline=None, derandomize=True, max_examples=_number)
settings.register_profile("long", deadline=None, max_examples=20_000)
settings.load_profile("quick")


def pytest_configure(config: pytest.Config) -> None:
    """Properties have more examples where slow tests run too: `make test-all`."""
    if config.option.markexpr != "not slow" and not config.getoption("--hypothesis-profile"):
        settings.load_profile("whole")


def mostly_slow(values, *quick):
    """Parameters of a test, of which `make test` tries the quick ones and `make test-all` all.

    A case of several values goes by its first one; a case that is marked keeps its marks.
    """
    cases = [
        (value.values, value.marks)
        if hasattr(value, "marks")
        else (value if isinstance(value, tuple) else (value,), ())
        for value in values
    ]
    return [
        pytest.param(*case, marks=marks if case[0] in quick else pytest.mark.slow)
        for case, marks in cases
    ]


@pytest.fixture
def discomt2015() -> Path:
    """The official files of DiscoMT 2015, which are not ours to publish."""
    folder = SHARED_DATA / "official_discomt2015"
    if not folder.is_dir():
        pytest.skip("the official files of DiscoMT 2015 are not here")
    return folder


@pytest.fixture(scope="session")
def parcorfull(tmp_path_factory) -> Path:
    """ParCorFull, unpacked: folders of MMAX projects."""
    archive = SHARED_DATA / "parcorfull" / "parcorfull-ted.tar.xz"
    if not archive.is_file():
        pytest.skip("ParCorFull is not here")
    folder = tmp_path_factory.mktemp("parcorfull")
    with tarfile.open(archive) as members:
        members.extractall(folder, filter="data")
    return folder / "corpus"


@pytest.fixture(scope="session")
def en_fr() -> Task:
    return load_task("en-fr")


@pytest.fixture(scope="session")
def en_fr_2015() -> Task:
    return load_task("en-fr-2015")
