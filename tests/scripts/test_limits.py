"""A small file can stand for more than fits into memory: what is beyond a limit is refused."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from crosspro.data_prep.align.prior import load_prior
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.files import atomic_output, read_bytes, read_lines


def packed(tmp_path):
    path = tmp_path / "text.gz"
    with atomic_output(path) as handle:
        handle.write(b"x" * 2000)
    return path


def small_prior(tmp_path):
    path = tmp_path / "prior.npz"
    np.savez_compressed(path, about=np.zeros(100_000, np.uint8))
    return path


def bomb(tmp_path):
    """Four times 2**20 bytes."""
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress((b"x" * 1023 + b"\n") * 4096))
    return path


def lines(path):
    return list(read_lines(path))


READERS = {
    "file": (packed, read_bytes, "core.files.FILE_BYTES", 2000),
    "packed": (bomb, lines, "core.files.UNPACKED_BYTES", 4 << 20),
    "arrays": (small_prior, load_prior, "core.stored.ARRAY_BYTES", 100_128),
}


@pytest.mark.parametrize("name", READERS)
def test_what_is_beyond_a_limit_is_refused(tmp_path, monkeypatch, name):
    make, read, limit, size = READERS[name]
    path = make(tmp_path)
    monkeypatch.setattr(f"crosspro.data_prep.{limit}", size)
    try:
        read(path)
    except InputError as error:  # which it may have for other reasons
        assert f"at most {size:,}" not in str(error)
    monkeypatch.setattr(f"crosspro.data_prep.{limit}", size - 1)
    with pytest.raises(InputError, match="at most") as refused:
        read(path)
    assert str(refused.value).startswith(str(path.parent))
