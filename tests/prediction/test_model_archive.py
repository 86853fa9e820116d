"""Archives may come from anywhere: what is not exactly as it was written is refused."""

from __future__ import annotations

import hashlib
import json
import stat
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.baselines.majority import Majority
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.prediction.model_archive import opened_run, unpack
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
    """The files of an archive but for its description."""
    return {name: one for name, one in entries(archive).items() if name != "archive.json"}


def listed(files):
    return {
        name: {"size": len(one), "sha256": hashlib.sha256(one).hexdigest()}
        for name, one in files.items()
    }


def rewritten(path, packed, mode=0, **changes):
    """An archive with right checksums of whatever is in it."""
    content = {"format": 1, "crosspro": "0.2.0", "weights": "float32", "files": listed(packed)}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("archive.json", json.dumps({**content, **changes}))
        for name, one in packed.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            opened.writestr(info, one, zipfile.ZIP_DEFLATED)
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


def test_rewritten_archives_are_good_if_nothing_is_wrong_with_them(files, tmp_path):
    assert load_system(rewritten(tmp_path / "b.zip", files, stat.S_IFREG)).task == TASK


@pytest.mark.parametrize(
    "name",
    ["../out", "model/../../out", "/out", "..", "a\\b", "mod\nel"],
)
def test_names_that_leave_the_folder_are_refused(name, files, tmp_path):
    path = rewritten(tmp_path / "b.zip", {**files, name: b"trap"})
    (tmp_path / "inside/deep").mkdir(parents=True)
    refused(path, "archive", tmp_path / "out")
    with pytest.raises(InputError):
        unpack(path, tmp_path / "inside/deep")
    assert not list(tmp_path.rglob("out"))


def test_only_ordinary_files_are_unpacked(files, tmp_path):
    link = {**files, "model/link": b"/etc/passwd"}
    path = rewritten(tmp_path / "b.zip", link, stat.S_IFLNK | 0o777)
    refused(path, "archive", tmp_path / "out")


def test_an_archive_has_the_files_that_it_lists_and_no_others(archive, files, tmp_path):
    fewer = {name: one for name, one in files.items() if name != "model/system.json"}
    for packed, said in ((files, fewer), (fewer, files)):
        refused(
            rewritten(tmp_path / "b.zip", packed, files=listed(said)), "archive", tmp_path / "o"
        )
    with zipfile.ZipFile(tmp_path / "twice.zip", "w") as opened:
        for name, one in entries(archive).items():
            opened.writestr(name, one)
        with pytest.warns(UserWarning, match="Duplicate"):
            opened.writestr("model/system.json", b"{}")
    refused(tmp_path / "twice.zip", "archive", tmp_path / "out")


def test_a_wrong_checksum_is_told_with_its_file(files, tmp_path):
    said = listed(files)
    said["model/system.json"]["sha256"] = "0" * 64
    path = rewritten(tmp_path / "b.zip", files, files=said)
    refused(path, r"model/system\.json", tmp_path / "out")


def test_what_grows_without_end_is_refused_before_it_is_unpacked(files, tmp_path, monkeypatch):
    path = rewritten(tmp_path / "b.zip", {**files, "model/zeros": bytes(1 << 23)})
    most = 100 * path.stat().st_size
    monkeypatch.setattr("crosspro.prediction.model_archive.UNPACKED_BYTES", 1 << 22)
    refused(path, r"at most 4,194,304 bytes unpacked", tmp_path / "out")
    monkeypatch.setattr("crosspro.prediction.model_archive.UNPACKED_BYTES", 1 << 10)
    refused(path, rf"at most {most:,} bytes unpacked", tmp_path / "out")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": 2, "crosspro": "9.9"}, r"format"),
        ({"weights": "int4"}, "archive"),
        ({"crosspro": "\x1b[31m"}, "archive"),
        ({"colour": "red"}, "archive"),
        ({"files": {"model/system.json": {"size": "many", "sha256": "0"}}}, "archive"),
    ],
)
def test_a_description_of_another_kind_is_refused(changes, words, files, tmp_path):
    refused(rewritten(tmp_path / "b.zip", files, **changes), words, tmp_path / "out")


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
