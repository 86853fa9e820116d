"""Archives may come from anywhere: what is not exactly as it was written is refused."""

from __future__ import annotations

import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.baselines.majority import Majority
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.prediction.model_archive import opened_run
from crosspro.prediction.models import export_run
from crosspro.prediction.system import load_system

TASK = load_task("en-fr")


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("majority")
    system = Majority()
    system.fit(TASK, demo_examples(TASK, "train", 3), [])
    system.save(folder / "run/model")
    export_run(folder / "run", folder / "a.zip")
    return folder / "a.zip"


def entries(archive):
    with zipfile.ZipFile(archive) as opened:
        return {info.filename: opened.read(info) for info in opened.infolist()}


@pytest.fixture
def files(archive):
    with zipfile.ZipFile(archive) as opened:
        return {info.filename: opened.read(info) for info in opened.infolist()}


def rewritten(path, packed):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in packed.items():
            opened.writestr(name, content)
    return path


def refused(path, words, folder):
    with pytest.raises(InputError, match=words) as error:
        load_system(path)
    assert str(error.value).startswith(str(path))
    assert not folder.exists() or not any(folder.iterdir())


def test_a_good_one_is_unpacked_and_gone_after_use(archive, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with opened_run(archive) as folder:
        assert folder.parent == tmp_path
        assert (folder / "model/system.json").is_file()
    assert not any(tmp_path.iterdir())
    assert load_system(archive).task == TASK
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    "name",
    ["../out", "model/../../out", "/out", "..", "a\\b", "mod\nel"],
)
def test_names_that_leave_the_folder_are_refused(name, files, tmp_path):
    path = rewritten(tmp_path / "b.zip", {**files, name: b"trap"})
    refused(path, "archive", tmp_path / "out")
    assert not list(tmp_path.rglob("out"))


def test_a_changed_or_missing_file_is_refused(files, tmp_path):
    changed = {**files, "model/class_counts.json": b"{}"}
    refused(rewritten(tmp_path / "b.zip", changed), r"class_counts\.json", tmp_path / "out")
    fewer = {name: content for name, content in files.items() if name != "model/system.json"}
    refused(rewritten(tmp_path / "b.zip", fewer), "saved system", tmp_path / "out")


def test_what_grows_without_end_is_refused_before_it_is_unpacked(files, tmp_path, monkeypatch):
    path = rewritten(tmp_path / "b.zip", {**files, "model/zeros": bytes(1 << 23)})
    most = 100 * path.stat().st_size
    monkeypatch.setattr("crosspro.prediction.model_archive.UNPACKED_BYTES", 1 << 22)
    refused(path, "more than 4,194,304", tmp_path / "out")
    monkeypatch.setattr("crosspro.prediction.model_archive.UNPACKED_BYTES", 1 << 10)
    refused(path, rf"more than {most:,}", tmp_path / "out")


@given(data=st.data())
def test_no_damage_goes_unnoticed(data, archive, tmp_path_factory):
    """A byte that differs, or an end that is missing: refused, or in what nobody reads."""
    whole = archive.read_bytes()
    place = data.draw(st.integers(4, len(whole) - 1))
    cut = data.draw(st.booleans())
    changed = (
        whole[:place] if cut else whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :]
    )
    path = tmp_path_factory.mktemp("damaged") / "b.zip"
    path.write_bytes(changed)
    good = load_system(archive)
    try:
        found = load_system(path)
    except InputError as error:
        assert len(error.problems) == 1
    else:
        assert not cut
        assert (found.settings, found.task) == (good.settings, good.task)
        assert (found.counts == good.counts).all()
