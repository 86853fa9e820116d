"""The bench runs commands in turns and reports medians."""

from __future__ import annotations

import shlex
import sys

import pytest

from crosspro.scripts import bench
from crosspro.scripts.bench import CASES, measure, write_inputs


def test_a_case_has_a_row_for_each_command(capsys):
    bench.bench(["start-up"], turns=2)
    _, *rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[0] for row in rows] == ["start-up", "start-up"]
    assert rows[0][1] == "here" and rows[0][-1] == "1.00"
    assert all(float(row[2]) > 0 and float(row[4]) > 1 for row in rows)


def test_commands_run_in_turns_with_an_empty_output_folder(tmp_path, monkeypatch):
    log = tmp_path / "log"
    code = f"open({str(log)!r}, 'a').write('.'); open('out/file', 'x')"
    monkeypatch.setitem(bench.PEERS, "start-up", shlex.join((sys.executable, "-c", code)))
    titles = [title for title, _ in measure("start-up", tmp_path, 3)]
    assert titles == ["here", sys.executable.rpartition("/")[2]]
    assert log.read_text() == "..."


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    write_inputs(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", list(CASES)[1:])
def test_cases_run(name, inputs):
    ((_, (_, cpu, _)), *_) = measure(name, inputs, 1)
    assert cpu > 0
