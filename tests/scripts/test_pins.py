"""Every package that any extra brings along is pinned, and its checksums are known."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution

import pytest

from crosspro.scripts.reproduce.pins import (
    BASE,
    DATA_ONLY,
    HASHED,
    PINS,
    Pinned,
    normal,
    read_hashed,
    requirements,
)
from tests.conftest import ROOT

_NAME = re.compile(r"[\w.-]+")
PINNED = {
    normal(name): version
    for name, version in re.findall(r"(?m)^([^#\s]+)==([^#\s]+)", (ROOT / PINS).read_text("utf-8"))
}
CHECKED = {one.name: one for one in read_hashed((ROOT / HASHED).read_text("utf-8"))}


@pytest.mark.parametrize("extra", requirements())
def test_every_requirement_of_an_extra_is_pinned_and_checked(extra):
    for text in requirements()[extra]:
        name = normal(_NAME.match(text)[0])
        assert name in PINNED, text
        assert extra in CHECKED[name].extras
        exact = re.search(r"==([^\s,;]+)", text)
        assert exact is None or PINNED[name] == exact[1]


def test_what_is_installed_here_brings_nothing_along_that_is_not_pinned():
    """Of the packages that are there, whatever they ask for on this machine without extras."""
    for name, one in CHECKED.items():
        if set(one.extras) == {DATA_ONLY}:
            continue
        try:
            asked = distribution(name).requires or []
        except PackageNotFoundError:
            continue
        if distribution(name).version.partition("+")[0] != one.version:
            continue  # which may ask for something else
        for text in asked:
            if ";" not in text:
                assert normal(_NAME.match(text)[0]) in PINNED, f"{name}: {text}"


def test_both_files_have_the_same_versions():
    assert {name: one.version for name, one in CHECKED.items()} == PINNED
    assert all(one.hashes for one in CHECKED.values())
    assert PINNED["torch"] == "2.13.0"
    assert not [name for name in PINNED if name.startswith(("nvidia", "cuda", "triton"))]


def test_entries_are_read_as_they_are_written():
    one = Pinned("a-b", "1.0", (BASE, "mt"), ("0" * 64, "f" * 64))
    assert read_hashed("# head\n" + one.entry() + one.entry()) == [one, one]


def test_the_part_for_some_extras_needs_nothing_installed():
    """A bare interpreter prints it, for pip to install from."""
    names = part(f"{BASE},train,mt")
    assert {"torch", "numpy", "setuptools", "sacrebleu"} <= names
    assert part(BASE) < names - {"torch", "scipy"}
    assert not {"spacy", "pytest", "ray"} & names
    assert part("build") == {"setuptools"}
    wrong = shown("xy")
    assert wrong.returncode == 1
    assert "expected extras of pyproject.toml, found xy" in wrong.stderr


def shown(extras):
    line = [sys.executable, "-I", "-S", "scripts/reproduce/pins.py", "--install", extras]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True)


def part(extras):
    return {one.name for one in read_hashed(shown(extras).stdout)}
