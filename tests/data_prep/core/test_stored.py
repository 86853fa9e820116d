"""Stored arrays are checked; results of steps are named by their content and made once."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from crosspro.data_prep.core.errors import InputError, input_error
from crosspro.data_prep.core.stored import Cache, content_key, read_npz


def test_a_text_is_made_once(tmp_path):
    cache, made = Cache(tmp_path / "cache"), []

    def make():
        made.append(1)
        yield "text"

    for _ in range(2):
        assert cache.lines("step", content_key("a", 1), make).read_text() == "text"
    assert made == [1]


def test_keys_depend_on_content_not_on_names(tmp_path):
    (tmp_path / "a").write_text("x\n")
    (tmp_path / "b").write_text("x\n")
    assert content_key(tmp_path / "a") == content_key(tmp_path / "b")
    (tmp_path / "b").write_text("y\n")
    assert content_key(tmp_path / "a") != content_key(tmp_path / "b")


@pytest.mark.parametrize("items", [[], [1], [("a", ["é"]), None, {"b": 1, "a": 2}]])
def test_an_iterator_has_the_key_of_its_list(items):
    assert content_key("x", iter(items), 1) == content_key("x", items, 1)


def test_pieces_are_written_as_they_come_and_only_as_a_whole(tmp_path):
    cache = Cache(tmp_path / "cache")

    def fails():
        yield "first\n"
        raise KeyError

    with pytest.raises(KeyError):
        cache.lines("step", "key", fails)
    assert list(cache.folder.iterdir()) == []
    path = cache.lines("step", "key", lambda: iter(["first\n", "é\n"]))
    assert path.read_text("utf-8") == "first\né\n"
    with cache:
        pass
    assert path.exists()
    with pytest.raises(InputError), Cache(tmp_path / "other"):
        raise input_error(tmp_path, "text", "a text", "none")
    assert not (tmp_path / "other").exists()


def array_file() -> bytes:
    out = io.BytesIO()
    np.save(out, np.arange(5))
    return out.getvalue()


def test_arrays_by_name(tmp_path):
    np.savez(tmp_path / "x.npz", a=np.arange(5), b=np.zeros((2, 3)))
    arrays = read_npz(tmp_path / "x.npz")
    assert arrays["a"].tolist() == [0, 1, 2, 3, 4]
    assert arrays["b"].shape == (2, 3)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused(tmp_path, wrong):
    np.savez(tmp_path / "x.npz", a=np.arange(5), b=np.array([1.0, wrong]))
    with pytest.raises(ValueError, match="b "):
        read_npz(tmp_path / "x.npz")


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"'shape': (5,), }", b"'shape': (5,(((("), (b"(5,)", b"(5x)"), (b"'<i8'", b"'<q9'")],
)
def test_a_damaged_head(tmp_path, old, new):
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        content = array_file()
        assert old in content
        archive.writestr("a.npy", content.replace(old, new))
    with pytest.raises(ValueError, match=r"\S"):
        read_npz(tmp_path / "x.npz")
