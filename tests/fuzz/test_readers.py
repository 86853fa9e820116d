"""Damaged files of every format and saved form: they are read or refused, and nothing else.

`pytest tests/fuzz --hypothesis-profile=long` tries 20,000 inputs of each, others every time.
"""

from __future__ import annotations

import resource
import signal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import CrossproError
from tests.fuzz import mt_readers, saved_forms, text_readers
from tests.fuzz.reader import Reader, write_files
from tests.fuzz.strategies import changed_file
from tests.fuzz.workshop import make_workshop

LONGEST = 30
"""Seconds of computing that one input may take."""
MEMORY = 2 << 30
"""Bytes that may be used beyond what the process begins with."""
GROUPS = (*text_readers.GROUPS, *mt_readers.GROUPS, *saved_forms.GROUPS)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("workshop")
    make_workshop(folder)
    return folder


@pytest.fixture
def limited():
    """Little memory and little time for each input."""

    def too_long(*_: object) -> None:
        raise TimeoutError(f"no answer within {LONGEST} s")

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, before[1]))
    handler = signal.signal(signal.SIGPROF, too_long)
    yield
    signal.signal(signal.SIGPROF, handler)
    resource.setrlimit(resource.RLIMIT_AS, before)


@st.composite
def inputs(draw: Any, reader: Reader) -> tuple[int, str, bytes, bool]:
    """An original, the file of it that is changed, its content, and whether that is damage."""
    number = draw(st.integers(0, len(reader.originals) - 1))
    name = draw(st.sampled_from(reader.changed or tuple(reader.originals[number])))
    others = [one for files in reader.originals for one in files.values()]
    other = others[draw(st.integers(0, len(others) - 1))]
    content = reader.originals[number][name]
    return (number, name, *draw(changed_file(name, content, reader.words, other)))


def attack(reader: Reader, folder: Path) -> None:
    """Let a reader read its originals, and then what hypothesis makes of them."""
    places = [folder / str(number) for number in range(len(reader.originals))]
    for place, original in zip(places, reader.originals, strict=True):
        write_files(place, original)
    expected = [reader.read(place) for place in places]
    examples = max(2, int(settings.default.max_examples * reader.share / 2))

    @settings(
        max_examples=examples,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    @given(inputs(reader))
    def read_or_refused(one: tuple[int, str, bytes, bool]) -> None:
        number, name, content, damage = one
        place = places[number]
        (place / name).write_bytes(content)
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        try:
            found = reader.read(place)
        except CrossproError as error:
            str(error)  # what cannot be shown is a failure, too
            return
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            (place / name).write_bytes(reader.originals[number][name])
            for path in place.glob(reader.tidy) if reader.tidy else ():
                path.unlink()
        if reader.rewritten or (reader.sealed and damage):
            assert found == expected[number], "damaged files are used, with another content"

    try:
        read_or_refused()
    except BaseException as error:
        error.add_note(f"reader: {reader.name}")
        raise


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_damaged_files_are_read_or_refused(group, workshop, limited, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for reader in group(workshop):
        attack(reader, tmp_path / reader.name)


def test_damage_to_what_is_sealed_must_be_noticed(limited, tmp_path):
    """A form without a checksum is found out at once."""
    files = {"x": b"0123456789" * 20}
    reader = Reader("x", lambda folder: (folder / "x").read_bytes(), files, sealed=True)
    with pytest.raises(AssertionError, match="another content"):
        attack(reader, tmp_path)


def test_what_hangs_is_found(limited, tmp_path, monkeypatch):
    monkeypatch.setattr("tests.fuzz.test_readers.LONGEST", 0.05)

    def hang(folder: Path) -> None:
        good = (folder / "x").read_bytes() == b"good"
        while not good:
            pass

    with pytest.raises(TimeoutError, match="no answer"):
        attack(Reader("x", hang, {"x": b"good"}), tmp_path)
