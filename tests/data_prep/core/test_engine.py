"""Results come back in order; worker processes end with their parent."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crosspro.data_prep.core.errors import CrossproError, InputError, Problem
from crosspro.data_prep.core.processes import parallel_map
from tests.conftest import ROOT


def square(number: int) -> int:
    return number * number


@pytest.mark.parametrize("jobs", [1, 2])
def test_local_results_are_in_order(jobs):
    assert list(parallel_map(square, range(9), jobs)) == [n * n for n in range(9)]


def refused(number):
    problems = (Problem("a.txt", line, "word", "a word", "none") for line in range(number))
    raise InputError(problems, "Look again.")


@pytest.mark.parametrize("number", [1, 30_000])
def test_problems_come_out_of_another_process_whole(number):
    with pytest.raises(InputError) as here:
        refused(number)
    with pytest.raises(InputError) as there:
        list(parallel_map(refused, [number], 2))
    assert str(there.value) == str(here.value)
    assert there.value.total == number
    assert there.value.problems == here.value.problems


def test_pieces_are_not_read_ahead_of_the_work():
    taken = []
    endless = (taken.append(n) or n for n in itertools.count())
    assert list(itertools.islice(parallel_map(square, endless, 2), 3)) == [0, 1, 4]
    assert len(taken) == 7  # the three that were asked for, and four that wait


def slowly_squared(number: int) -> int:
    time.sleep(0.2)
    return number * number


@pytest.mark.slow
def test_items_of_a_node_that_is_killed_are_tried_again():
    ray = pytest.importorskip("ray")
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    ray.shutdown()
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        other = cluster.add_node(num_cpus=1)
        ray.init(address=cluster.address, log_to_driver=False)
        cluster.wait_for_nodes()
        results = parallel_map(slowly_squared, range(20), engine="ray")
        first = list(itertools.islice(results, 4))
        cluster.remove_node(other, allow_graceful=False)
        assert [*first, *results] == [n * n for n in range(20)]
    finally:
        ray.shutdown()
        cluster.shutdown()


def test_a_missing_package_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(CrossproError, match=r"crosspro\[ray\]"):
        list(parallel_map(square, [1], engine="ray"))


def leave_mark(folder: str) -> None:
    """Say which process works here; the second piece of work never ends."""
    mark = Path(folder, str(os.getpid()))
    if mark.exists():
        time.sleep(10**6)
    mark.touch()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_processes_end_when_the_one_they_work_for_is_killed(tmp_path):
    code = (
        "from crosspro.data_prep.core.processes import parallel_map\n"
        "from tests.data_prep.core.test_engine import leave_mark\n"
        f"if __name__ == '__main__': list(parallel_map(leave_mark, [{str(tmp_path)!r}] * 3, 2))\n"
    )
    (tmp_path / "main.py").write_text(code)
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(
        [sys.executable, tmp_path / "main.py"], cwd=ROOT, env=os.environ | {"PYTHONPATH": path}
    ) as parent:
        worker = _wait_for(lambda: next(tmp_path.glob("[0-9]*"), None))
        parent.send_signal(signal.SIGKILL)
    assert worker is not None
    assert _wait_for(lambda: _ended(Path("/proc", worker.name, "stat")))


def _ended(status: Path) -> bool:
    """Whether a process is gone, or only waits to be taken note of (Z)."""
    try:
        return status.read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def _wait_for(condition, seconds=60):
    """The value of a condition as soon as it is true; None after a while."""
    for _ in range(seconds * 100):
        if value := condition():
            return value
        time.sleep(0.01)
    return None
