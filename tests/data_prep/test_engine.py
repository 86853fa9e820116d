"""Shards come back in order, whatever works on them; steps are kept by content."""

from __future__ import annotations

import pytest

from crosspro.data_prep.cache import Cache, content_key
from crosspro.data_prep.engine import map_shards
from crosspro.data_prep.errors import CrossproError, InputError


def square(number: int) -> int:
    return number * number


@pytest.mark.parametrize("jobs", [1, 2])
def test_local_results_are_in_order(jobs):
    assert list(map_shards(square, list(range(9)), "local", jobs)) == [n * n for n in range(9)]


@pytest.mark.slow
def test_ray_gives_the_same_results():
    pytest.importorskip("ray")
    assert list(map_shards(square, list(range(9)), "ray")) == [n * n for n in range(9)]


def test_an_unknown_engine_and_a_missing_package_are_told(monkeypatch):
    with pytest.raises(InputError, match="local, ray"):
        list(map_shards(square, [1], "spark"))
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(CrossproError, match=r"crosspro\[ray\]"):
        list(map_shards(square, [1], "ray"))


def test_a_step_is_made_once(tmp_path):
    cache, made = Cache(tmp_path / "cache"), []

    def make():
        made.append(1)
        return "text"

    for _ in range(2):
        assert cache.text("step", content_key("a", 1), make).read_text() == "text"
    assert made == [1]


def test_keys_depend_on_content_not_on_names(tmp_path):
    (tmp_path / "a").write_text("x\n")
    (tmp_path / "b").write_text("x\n")
    assert content_key(tmp_path / "a") == content_key(tmp_path / "b")
    (tmp_path / "b").write_text("y\n")
    assert content_key(tmp_path / "a") != content_key(tmp_path / "b")
