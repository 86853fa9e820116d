"""Arrays on disk have their place before they are written to."""

from __future__ import annotations

import numpy as np
import pytest

from crosspro.baselines.ngram.workspace import workspace
from crosspro.data_prep.core.errors import InputError


def test_an_array_in_a_file_takes_its_place_at_once_and_is_zero(tmp_path):
    with workspace(0, tmp_path) as space:
        path = space.new_file()
        space.new_file = lambda: path
        linked = path.with_name("kept")
        path.touch()
        linked.hardlink_to(path)
        array = space.zeros(1 << 20, np.int64)
        assert isinstance(array, np.memmap)
        assert linked.stat().st_blocks * 512 >= 8 << 20
        assert not array.any()
        array[:] = 5
        assert array.sum() == 5 << 20


def test_a_disk_without_room_is_told_and_kills_nobody(tmp_path):
    with workspace(0, tmp_path) as space:
        with pytest.raises(InputError, match=r"temporary folder: expected room for 1,152,921,504,"):
            space.empty(1 << 60, np.uint8)
        assert not list(space.folder.iterdir())
