"""What killed processes leave behind is removed by the next one, and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from crosspro.data_prep.core.files import (
    atomic_output,
    remove_left_behind,
    temporary_file,
    temporary_folder,
    write_text,
)
from crosspro.data_prep.core.stored import Cache

KILLED_WHILE_WRITING = """
import os, signal, sys
from pathlib import Path
import numpy as np
from crosspro.data_prep.core.stored import Cache
from crosspro.data_prep.core.files import atomic_output
from crosspro.data_prep.core.files import temporary_folder
folder = Path(sys.argv[1])
with temporary_folder(folder, "work") as place, atomic_output(folder / "x.data") as handle:
    (place / "inside").write_text("x")
    handle.write(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def _new_process():
    """As if nothing had been written yet."""
    remove_left_behind.cache_clear()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_next_process_removes_what_a_killed_one_left(tmp_path):
    (tmp_path / ".x.data.original").write_text("a user's own\n")
    command = [sys.executable, "-c", KILLED_WHILE_WRITING, str(tmp_path)]
    assert subprocess.run(command).returncode == -signal.SIGKILL
    assert len(names(tmp_path)) == 3
    write_text(tmp_path / "other", "x\n")
    assert names(tmp_path) == [".x.data.original", "other"]


def test_what_is_in_use_stays(tmp_path):
    with temporary_folder(tmp_path, "a") as folder, atomic_output(tmp_path / "b") as handle:
        descriptor, file = temporary_file(tmp_path, "c")
        (folder / "inside").write_text("x")
        remove_left_behind.cache_clear()
        remove_left_behind(tmp_path)
        assert (folder / "inside").is_file()
        assert file.is_file()
        handle.write(b"whole\n")
        os.close(descriptor)
        file.unlink()
    assert names(tmp_path) == ["b"]
    assert (tmp_path / "b").read_bytes() == b"whole\n"


def test_links_are_not_followed(tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "x").write_text("x")
    (tmp_path / ".a.b.crosspro").symlink_to(precious)
    remove_left_behind(tmp_path)
    assert (precious / "x").is_file()


def test_a_folder_without_rights_is_left_alone(tmp_path):
    remove_left_behind(tmp_path / "nowhere")


def test_a_folder_that_was_moved_stays(tmp_path):
    cache = Cache(tmp_path)
    made = cache.arrays("step", "key", ["a"], lambda: {"a": np.arange(3)})
    assert made["a"].tolist() == [0, 1, 2]
    remove_left_behind.cache_clear()
    remove_left_behind(tmp_path)
    assert names(tmp_path) == ["step.key"]
