"""Stored arrays are checked."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from crosspro.data_prep.core.arrays import read_npz


def array_file() -> bytes:
    out = io.BytesIO()
    np.save(out, np.arange(5))
    return out.getvalue()


def test_arrays_by_name(tmp_path):
    np.savez(tmp_path / "x.npz", a=np.arange(5), b=np.zeros((2, 3)))
    arrays = read_npz(tmp_path / "x.npz")
    assert arrays["a"].tolist() == [0, 1, 2, 3, 4]
    assert arrays["b"].shape == (2, 3)


@pytest.mark.parametrize("wrong", [np.nan, -np.inf])
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
