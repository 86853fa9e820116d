"""A short campaign: the same few thousand mutated inputs in every run, and none may fail.

`python -m tests.fuzz --minutes 60` is the long one.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from crosspro.data_prep.core.errors import CrossproError
from tests.fuzz import campaign as machinery
from tests.fuzz.campaign import campaign, describe, draw, table
from tests.fuzz.subject import DifferenceError, Subject, write_files
from tests.fuzz.subjects import subjects


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    return list(subjects(tmp_path_factory.mktemp("workshop")))


def test_names_are_unique(everything):
    assert len({subject.name for subject in everything}) == len(everything) > 60


def test_originals_are_good(everything, tmp_path):
    for subject in everything:
        if subject.draw is None:
            for number, original in enumerate(subject.originals):
                folder = tmp_path / subject.name / str(number)
                write_files(folder, original)
                subject.read(folder)


def test_the_same_seed_gives_the_same_inputs(everything):
    for subject in everything:
        assert draw(subject, 1, 7) == draw(subject, 1, 7)
        assert any(draw(subject, 1, n) != draw(subject, 2, n) for n in range(5))


def test_no_reader_and_no_command_fails(everything, tmp_path):
    tallies = campaign(everything, 1, tmp_path / "kept", inputs=1, scale=0.03)
    assert all(tally.inputs for tally in tallies.values())
    assert not any(tally.failed for tally in tallies.values()), table(tallies)


def _hostile(folder: Path) -> str:
    """Fails in every way that there is, by the first byte of its file."""
    content = (folder / "x").read_bytes()
    if content.startswith(b"r"):
        raise CrossproError("refused")
    if content.startswith(b"d"):
        raise DifferenceError("another")
    if content.startswith(b"m"):
        return str(len(bytearray(2 * machinery.MEMORY)))
    if content.startswith(b"h"):
        while True:
            pass
    if content.startswith(b"c"):
        os.kill(os.getpid(), signal.SIGKILL)
    return content[10:].decode("ascii")  # a UnicodeDecodeError is nobody's message


@pytest.mark.parametrize(
    ("first", "ended"),
    [
        (b"a", None),
        (b"r", None),
        (b"d", "different: another"),
        (b"m", "MemoryError in fuzz/test_fuzz.py:_hostile"),
        (b"h", "no answer within"),
        (b"c", "the process ended"),
        (b"a123456789\xff", "UnicodeDecodeError in fuzz/test_fuzz.py:_hostile"),
    ],
)
def test_what_counts_as_a_failure(first, ended, tmp_path, monkeypatch):
    monkeypatch.setattr(machinery, "LONGEST", 0.5)
    subject = Subject("x", ({"x": b""},), _hostile, share=2, draw=lambda rng, files: {"x": first})
    tally = campaign([subject], 1, tmp_path / "kept", inputs=2)["x"]
    assert (tally.inputs, tally.failed) == (2, 0 if ended is None else 2)
    kept = sorted((tmp_path / "kept").glob("x-1-*"))
    assert len(kept) == tally.failed
    if ended is not None:
        assert any(kind.startswith(ended) for kind in tally.kinds), tally.kinds
        assert (kept[0] / "x").read_bytes() == first


def test_damage_to_what_is_sealed_must_be_noticed(tmp_path):
    """A form without a checksum is found out at once."""
    original = {"x": b"0123456789" * 20}
    subject = Subject("x", (original,), lambda folder: (folder / "x").read_bytes(), sealed=True)
    tally = campaign([subject], 1, tmp_path, inputs=1, scale=0.05)["x"]
    assert tally.failed > 40
    assert list(tally.kinds) == ["different: damaged files that are used, with another content"]


def test_failures_are_told_apart_by_where_they_happen():
    try:
        _hostile(Path("/nowhere"))
    except OSError as error:
        assert describe(error) == "FileNotFoundError in fuzz/test_fuzz.py:_hostile"
