"""Parallel text of every format, chosen by name: golden files, compression, direction, options."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

from crosspro.data_prep.bitext import FORMATS, Segment, read_bitext
from crosspro.data_prep.bitext.read import format_of
from crosspro.data_prep.core.errors import InputError
from tests.conftest import GOLDEN, SHARED_DATA

FOLDER = GOLDEN / "bitext"
CASES = {
    "talks": ["talks.en.xml", "talks.fr.xml"],
    "train.tags": ["train.tags.en-fr.en", "train.tags.en-fr.fr"],
    "memory": ["memory.tmx"],
}
PACK = {".gz": gzip.compress, ".xz": lzma.compress}


def expected(case: str) -> list[Segment]:
    lines = (FOLDER / f"{case}.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    return [Segment(source, target, doc or None, int(line)) for doc, line, source, target in rows]


def read(*paths: Path, **options) -> list[Segment]:
    languages = {"source_language": "en", "target_language": "fr"}
    return list(read_bitext(*paths, **{**languages, **options}))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_golden_files_of_each_format(tmp_path, case, suffix):
    paths = []
    for name in CASES[case]:
        raw = (FOLDER / name).read_bytes()
        paths.append(tmp_path / f"{name}{suffix}")
        paths[-1].write_bytes(PACK[suffix](raw) if suffix else raw)
    assert read(*paths) == expected(case)


@pytest.mark.parametrize("case", CASES)
def test_the_other_direction_is_the_same_with_the_languages_exchanged(case):
    paths = [FOLDER / name for name in reversed(CASES[case])]
    back = read(*paths, source_language="fr", target_language="en")
    pairs = [(segment.target, segment.source, segment.document) for segment in expected(case)]
    assert [(segment.source, segment.target, segment.document) for segment in back] == pairs


@pytest.mark.parametrize(
    ("prefix", "case"), [("talks", "talks"), ("train.tags.en-fr", "train.tags")]
)
def test_what_two_names_have_in_common_is_enough(prefix, case):
    assert read(FOLDER / prefix) == expected(case)


def test_moses_files_with_documents_beside_them(tmp_path):
    (tmp_path / "c.en").write_text("It rains .\nThey left .\n", encoding="utf-8")
    (tmp_path / "c.fr.xz").write_bytes(lzma.compress(b"Il pleut .\nIls sont partis .\n"))
    (tmp_path / "c.doc-ids").write_text("d1\tx\nd2\ty\n", encoding="utf-8")
    segments = read(tmp_path / "c")
    assert segments[1] == Segment("They left .", "Ils sont partis .", "d2", 2)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.en", "plain"),
        ("a.xml", "iwslt"),
        ("a.en.xml.gz", "iwslt"),
        ("m.tmx.xz", "tmx"),
        ("train.tags.en-fr.en", "train-tags"),
        ("a", "plain"),
        ("a.gz", "plain"),
    ],
)
def test_the_format_is_in_the_name(name, kind):
    assert format_of(Path(name)) == kind
    assert kind in FORMATS


def test_faults_of_the_call_are_found_before_reading(tmp_path):
    path = tmp_path / "x.en"
    path.write_text("a\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"format"):
        read_bitext(path, path, source_language="en", target_language="fr", format="csv")
    with pytest.raises(InputError):
        read_bitext(path, source_language="en", target_language="fr")
    with pytest.raises(InputError, match=r"x\.fr"):
        read_bitext(tmp_path / "x", source_language="en", target_language="fr")
    with pytest.raises(InputError):
        read_bitext(
            path, path, source_language="en", target_language="fr", format="iwslt", doc_ids=path
        )
    with pytest.raises(InputError):
        read_bitext(path, path, source_language="en", target_language="fr", format="tmx")


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("raw", [b"", b"\n\n", b"\x00\xff\xfe", b"<a>", b"a\nb\n"])
def test_bad_files_of_any_kind_are_input_errors(tmp_path, kind, raw):
    path = tmp_path / "bad"
    path.write_bytes(raw)
    target = None if kind == "tmx" else tmp_path / "other"
    (tmp_path / "other").write_bytes(raw + b"\na\n")
    with pytest.raises(InputError) as caught:
        read(path, target, format=kind)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("suffix", [".gz", ".xz"])
def test_damaged_archives_are_input_errors(tmp_path, case, suffix):
    paths = []
    for name in CASES[case]:
        raw = PACK[suffix]((FOLDER / name).read_bytes())
        paths.append(tmp_path / f"{name}{suffix}")
        paths[-1].write_bytes(raw[:-12])
    with pytest.raises(InputError, match=paths[0].name):
        read(*paths)


def test_real_talks_have_documents():
    folder = SHARED_DATA / "bitext" / "en-fr" / "dev"
    if not folder.is_dir():
        pytest.skip("the real bitext is not here")
    segments = read(folder / "ted_tst2010_TEDdev")
    assert len(segments) == 1664
    assert len({segment.document for segment in segments}) == 11
