"""All that is tried, by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.carriers import carriers
from tests.fuzz.commands import commands
from tests.fuzz.mt_readers import mt_readers
from tests.fuzz.saved_forms import saved_forms
from tests.fuzz.subject import Subject
from tests.fuzz.text_readers import text_readers
from tests.fuzz.workshop import make_workshop


def subjects(workshop: Path) -> Iterator[Subject]:
    """Readers, saved forms and commands; the folder is filled with their originals."""
    make_workshop(workshop)
    yield from commands(workshop)
    yield from carriers(workshop)
    yield from text_readers()
    yield from mt_readers(workshop)
    yield from saved_forms(workshop)
