"""Translation memories: languages, codes, documents, and files that mean harm."""

from __future__ import annotations

import tracemalloc

import pytest

from crosspro.data_prep.bitext.xml_corpora import read_tmx
from crosspro.data_prep.core.errors import InputError

UNIT = '<tu><tuv xml:lang="{}"><seg>{}</seg></tuv>\n<tuv xml:lang="{}"><seg>{}</seg></tuv></tu>\n'


@pytest.fixture
def memory(tmp_path):
    def write(*units: str, prolog: str = "", encoding: str = "utf-8"):
        path = tmp_path / "m.tmx"
        body = f"{prolog}<tmx>\n<body>\n{''.join(units)}</body></tmx>"
        path.write_bytes(body.encode(encoding))
        return path

    return write


def pairs(path, source="en", target="fr", **options):
    return [(s.source, s.target) for s in read_tmx(path, source, target, **options)]


def test_the_exact_language_goes_before_a_region(memory):
    path = memory(
        UNIT.format("en-US", "color", "en", "colour").replace("</tu>", "")
        + '<tuv xml:lang="fr"><seg>couleur</seg></tuv></tu>\n'
    )
    assert pairs(path) == [("colour", "couleur")]
    assert pairs(path, "en-US") == [("color", "couleur")]


def test_a_memory_in_utf_16(memory):
    path = memory(UNIT.format("en", "It snows", "fr", "Il neige"), encoding="utf-16")
    assert pairs(path) == [("It snows", "Il neige")]


def test_the_document_is_a_property_or_the_memory(memory):
    unit = UNIT.format("en", "a", "fr", "b")
    named = unit.replace("<tu>", '<tu><prop type="x-document">d7</prop>')
    documents = [segment.document for segment in read_tmx(memory(unit, named), "en", "fr")]
    assert documents == ["m", "d7"]


def test_units_without_one_language(memory):
    path = memory(UNIT.format("en", "a", "fr", "b"), UNIT.format("en", "c", "de", "d"))
    with pytest.raises(InputError, match=r"m.tmx:5: unit"):
        pairs(path)
    assert pairs(path, missing="skip") == [("a", "b")]


def test_languages_that_the_memory_lacks(memory):
    with pytest.raises(InputError):
        pairs(memory(UNIT.format("en", "a", "fr", "b")), "es", "it")


def test_broken_files_have_a_line(memory):
    with pytest.raises(InputError, match=r"m.tmx:5: XML"):
        pairs(memory(UNIT.format("en", "a", "fr", "b"), "<tu>"))
    with pytest.raises(InputError, match=r"m.tmx:1: XML"):
        pairs(memory(prolog='<?xml version="1.0" encoding="klingon"?>'))


def test_entities_are_not_expanded(memory):
    bomb = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    path = memory(prolog=f'<!DOCTYPE tmx [<!ENTITY e0 "lol">{bomb}]>')
    with pytest.raises(InputError):
        pairs(path)


def test_files_elsewhere_are_not_opened(memory, tmp_path):
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    outside = f'<!DOCTYPE tmx [<!ENTITY x SYSTEM "{tmp_path}/secret">]>'
    with pytest.raises(InputError):
        pairs(memory(UNIT.format("en", "&x;", "fr", "b"), prolog=outside))


def test_memory_does_not_grow_with_the_file(memory):
    units = (UNIT.format("en", f"word {n} " * 30, "fr", f"mot {n} " * 30) for n in range(4_000))
    path = memory(*units)
    tracemalloc.start()
    count = sum(1 for _ in read_tmx(path, "en", "fr"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 4_000
    assert peak < 1_500_000 < path.stat().st_size
