"""Steps are kept by content, and made once."""

from __future__ import annotations

import numpy as np
import pytest

from crosspro.data_prep.core.errors import InputError, input_error
from crosspro.data_prep.core.stored import Cache, content_key


def test_a_step_is_made_once(tmp_path):
    cache, made = Cache(tmp_path / "cache"), []

    def make():
        made.append(1)
        return "text"

    for _ in range(2):
        assert cache.text("step", content_key("a", 1), make).read_text() == "text"
    assert made == [1]


@pytest.mark.parametrize("damage", [None, b"", b"\x93NUMPY", "missing"])
def test_arrays_are_mapped_and_made_anew_where_they_are_damaged(tmp_path, damage):
    cache, made = Cache(tmp_path / "cache"), []

    def make():
        made.append(1)
        return {"a": np.arange(3), "b": np.zeros((2, 0), np.float32)}

    cache.arrays("step", "key", ("a", "b"), make)
    file = cache.path("step", "key") / "a.npy"
    if damage == "missing":
        file.unlink()
    elif damage is not None:
        file.write_bytes(damage)
    found = cache.arrays("step", "key", ("a", "b"), make)
    assert found["a"].tolist() == [0, 1, 2]
    assert (found["b"].shape, found["b"].dtype) == ((2, 0), np.float32)
    assert isinstance(found["a"], np.memmap)
    assert len(made) == (1 if damage is None else 2)
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["step.key"]


def test_checksums_nested_without_end_are_a_damage_like_any_other(tmp_path):
    cache = Cache(tmp_path / "cache")
    cache.arrays("step", "key", ("a",), lambda: {"a": np.arange(3)})
    (cache.path("step", "key") / "sha256.json").write_text("[" * 100_000, "ascii")
    assert cache.arrays("step", "key", ("a",), lambda: {"a": np.arange(4)})["a"].tolist() == [
        0, 1, 2, 3,
    ]  # fmt: skip


def test_keys_depend_on_content_not_on_names(tmp_path):
    (tmp_path / "a").write_text("x\n")
    (tmp_path / "b").write_text("x\n")
    assert content_key(tmp_path / "a") == content_key(tmp_path / "b")
    (tmp_path / "b").write_text("y\n")
    assert content_key(tmp_path / "a") != content_key(tmp_path / "b")


def test_a_text_that_was_changed_is_made_anew(tmp_path):
    cache, made = Cache(tmp_path / "cache"), []

    def make():
        made.append(1)
        return "0-0 1-1\n1-0\n"

    path = cache.text("links", "key", make)
    for content in ("0-0 1-1\n1-1\n", "", "0-0 1-1\n"):
        path.write_text(content)
        assert not cache.has_text("links", "key")
        assert cache.text("links", "key", make).read_text() == "0-0 1-1\n1-0\n"
    assert len(made) == 4
    (tmp_path / "cache" / "links.key.sha256").unlink()
    assert cache.text("links", "key", make) == path
    assert len(made) == 5


def test_a_flipped_bit_in_an_array_is_noticed(tmp_path):
    cache = Cache(tmp_path / "cache")

    def make():
        return {"a": np.arange(3)}

    cache.arrays("step", "key", ("a",), make)
    file = cache.path("step", "key") / "a.npy"
    raw = bytearray(file.read_bytes())
    raw[-8] ^= 4
    file.write_bytes(raw)
    assert cache.arrays("step", "key", ("a",), make)["a"].tolist() == [0, 1, 2]


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
    assert cache.has_text("step", "key")
    with cache:
        pass
    assert path.exists()
    with pytest.raises(InputError), Cache(tmp_path / "other"):
        raise input_error(tmp_path, "text", "a text", "none")
    assert not (tmp_path / "other").exists()
