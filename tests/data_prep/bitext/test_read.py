"""Parallel text of every format: golden files, documents, and the place of each fault."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.bitext import Segment, read_bitext
from crosspro.data_prep.bitext.read import format_of
from crosspro.data_prep.bitext.segment import same_language
from crosspro.data_prep.core.errors import CrossproError, InputError
from tests.conftest import GOLDEN, SHARED_DATA

FOLDER = GOLDEN / "bitext"
CASES = {
    "talks": ["talks.en.xml", "talks.fr.xml"],
    "train.tags": ["train.tags.en-fr.en", "train.tags.en-fr.fr"],
    "memory": ["memory.tmx"],
}
NAMES = {"plain": ["x.en", "x.fr"], "iwslt": ["x.en.xml", "x.fr.xml"],
         "train-tags": ["train.tags.en", "train.tags.fr"], "tmx": ["x.tmx"]}  # fmt: skip
PACK = {".gz": gzip.compress, ".xz": lzma.compress}


def expected(case: str) -> list[Segment]:
    lines = (FOLDER / f"{case}.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    return [Segment(source, target, doc or None, int(line)) for doc, line, source, target in rows]


def read(*paths: Path, source_language="en", target_language="fr", **options) -> list[Segment]:
    languages = {"source_language": source_language, "target_language": target_language}
    return list(read_bitext(*paths, **languages, **options))


def write(folder: Path, kind: str, *texts: str | bytes) -> list[Path]:
    paths = [folder / name for name in NAMES[kind]]
    for path, text in zip(paths, texts, strict=False):
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return paths


def fault(*paths: Path, **options) -> str:
    """File name, line and field of the fault."""
    with pytest.raises(InputError) as caught:
        read(*paths, **options)
    (problem,) = caught.value.problems
    return f"{Path(problem.path).name}:{problem.line or ''}:{problem.field}"


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_golden_files_of_each_format(tmp_path, case, suffix):
    paths = []
    for name in CASES[case]:
        raw = (FOLDER / name).read_bytes()
        paths.append(tmp_path / f"{name}{suffix}")
        paths[-1].write_bytes(PACK[suffix](raw) if suffix else raw)
    assert read(*paths) == expected(case)
    if suffix:
        paths[0].write_bytes(paths[0].read_bytes()[:-12])
        assert fault(*paths).startswith(paths[0].name)


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
    (tmp_path / "c.en").write_bytes(b"\xef\xbb\xbfIt rains .\r\n\nThey left .\n")
    (tmp_path / "c.fr.xz").write_bytes(lzma.compress(b"Il pleut .\r\n \nIls sont partis .\n"))
    (tmp_path / "c.doc-ids").write_text("d1\tx\n\nd2\ty\n", encoding="utf-8")
    assert read(tmp_path / "c") == [
        Segment("It rains .", "Il pleut .", "d1", 1),
        Segment("They left .", "Ils sont partis .", "d2", 3),
    ]


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.en", "plain"), ("a.en.xml.gz", "iwslt"), ("m.tmx.xz", "tmx"), ("a", "plain"),
     ("train.tags.en-fr.en", "train-tags"), ("a.gz", "plain")],
)  # fmt: skip
def test_the_format_is_in_the_name(name, kind):
    assert format_of(Path(name)) == kind


def test_faults_of_the_call_are_found_before_reading(tmp_path):
    plain, xml, memory = tmp_path / "x.en", tmp_path / "x.xml", tmp_path / "x.tmx"
    for path in (plain, xml, memory):
        path.write_text("a\n", encoding="utf-8")
    for paths in ([plain], [tmp_path / "x"], [memory, plain]):
        with pytest.raises(InputError):
            read_bitext(*paths, source_language="en", target_language="fr")
    with pytest.raises(InputError, match="doc-ids"):
        read_bitext(xml, xml, source_language="en", target_language="fr", doc_ids=plain)


@pytest.mark.parametrize(
    ("source", "target", "ids", "place"),
    [("a\nb\nc\n", "A\nB\n", None, "x.fr::lines"),
     ("a\nb\n", "A\nB\n", "1\n2\n3\n", "ids::doc-ids"),
     ("a\n", "A\n", b"\xff\n", "ids:1:encoding"),
     (b"a\n\xe9t\xe9\n", "A\nB\n", None, "x.en:2:encoding"),
     ("a\n\nc\n", "A\nB\n\n", None, "x.en:2:segment"), ("\n \n", "\n \n", None, "x.en::file")],
)  # fmt: skip
def test_faults_of_plain_files(tmp_path, source, target, ids, place):
    paths = write(tmp_path, "plain", source, target)
    if ids is not None:
        (tmp_path / "ids").write_bytes(ids.encode() if isinstance(ids, str) else ids)
    assert fault(*paths, doc_ids=tmp_path / "ids" if ids else None) == place


DOC = '<x>\n<doc docid="1">\n<seg id="1">a</seg>\n<seg id="2">b</seg>\n</doc>\n</x>\n'
TAGS = "<url>u</url>\n<talkid>1</talkid>\na\nb\n"
UNIT = '<tu><tuv xml:lang="{}"><seg>{}</seg></tuv>\n<tuv xml:lang="{}"><seg>{}</seg></tuv></tu>\n'


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [("</seg>\n</doc>", "\n</doc>", "x.fr.xml:5:XML"),
     ('docid="1"', 'docid="2"', "x.fr.xml:2:document"),
     ('<seg id="2">b</seg>', "", "x.en.xml:4:segment"), (">b<", "> <", "x.en.xml:4:segment"),
     ('id="2"', 'id="1"', "x.fr.xml:4:segment"),
     ("<x>", '<!DOCTYPE x [<!ENTITY a "aaaa">]><x>', "x.fr.xml:1:XML"),
     ("</x>", '<doc docid="9">\n<seg id="1">z</seg></doc></x>', "x.fr.xml:6:document"),
     (DOC, '<x><seg id="1">a</seg></x>', "x.fr.xml:1:segment")],
)  # fmt: skip
def test_faults_of_talks(tmp_path, old, new, place):
    assert fault(*write(tmp_path, "iwslt", DOC, DOC.replace(old, new))) == place


def test_training_talks(tmp_path):
    def place(first, second):
        return fault(*write(tmp_path, "train-tags", first, second))

    assert place(TAGS, TAGS.replace("b\n", "")) == "train.tags.en:4:segment"
    assert place(TAGS, TAGS.replace(">1<", ">2<")) == "train.tags.fr:1:document"
    assert place("a\n" + TAGS, TAGS) == "train.tags.en:1:document"
    text = '<doc docid="7" genre="x">\n<url>u</url>\na\n</doc>\n<doc docid="8">\nb\n</doc>\n'
    segments = read(*write(tmp_path, "train-tags", text, text))
    assert [(segment.document, segment.line) for segment in segments] == [("7", 3), ("8", 6)]


def memory(folder: Path, *units: str, prolog: str = "", encoding: str = "utf-8") -> Path:
    body = f"{prolog}<tmx>\n<body>\n{''.join(units)}</body></tmx>"
    (folder / "m.tmx").write_bytes(body.encode(encoding))
    return folder / "m.tmx"


def test_the_exact_language_goes_before_a_region(tmp_path):
    colours = UNIT.format("en-US", "color", "en", "colour").replace("</tu>", "")
    path = memory(tmp_path, colours + '<tuv xml:lang="fr"><seg>couleur</seg></tuv></tu>\n')
    assert [segment.source for segment in read(path)] == ["colour"]
    assert [segment.source for segment in read(path, source_language="en-US")] == ["color"]


def test_a_memory_in_utf_16_and_its_documents(tmp_path):
    unit = UNIT.format("en", "It snows", "fr", "Il neige")
    of_document = unit.replace("<tu>", '<tu><prop type="x-document">d7</prop>')
    segments = read(memory(tmp_path, unit, of_document, encoding="utf-16"))
    assert [(segment.target, segment.document) for segment in segments] == [
        ("Il neige", "m"), ("Il neige", "d7"),
    ]  # fmt: skip


def test_faults_of_memories(tmp_path):
    unit = UNIT.format("en", "a", "fr", "b")
    half = UNIT.format("en", "c", "de", "d")
    assert fault(memory(tmp_path, unit, half)) == "m.tmx:5:unit"
    assert fault(memory(tmp_path, unit), target_language="it", source_language="es") == (
        "m.tmx::languages"
    )
    assert fault(memory(tmp_path, unit, "<tu>")) == "m.tmx:5:XML"
    strange = '<?xml version="1.0" encoding="klingon"?>'
    assert fault(memory(tmp_path, prolog=strange)) == "m.tmx:1:XML"
    bomb = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    grows = f'<!DOCTYPE tmx [<!ENTITY e0 "lol">{bomb}]>'
    assert fault(memory(tmp_path, prolog=grows)) == "m.tmx:1:XML"
    outside = f'<!DOCTYPE tmx [<!ENTITY x SYSTEM "{tmp_path}/secret">]>'
    assert fault(memory(tmp_path, unit.replace("a", "&x;"), prolog=outside)) == "m.tmx:1:XML"


@given(
    st.sampled_from([("iwslt", DOC), ("train-tags", TAGS), ("plain", "a\nb\n")]),
    st.lists(st.tuples(st.integers(0, 90), st.binary(max_size=4)), max_size=4),
)
def test_mutated_files_raise_nothing_else(tmp_path_factory, content, edits):
    kind, text = content
    raw = text.encode()
    for place, replacement in edits:
        raw = raw[:place] + replacement + raw[place + 1 :]
    try:
        read(*write(tmp_path_factory.mktemp("mutants"), kind, raw, text))
    except CrossproError as error:
        assert str(error)


@pytest.mark.parametrize(
    ("tag", "wanted", "same"),
    [("en", "en", True), ("EN_us", "en", True), ("eng", "en", True), ("en", "en-GB", False),
     ("frr", "fr", False), ("pt-br", "pt-BR", True)],
)  # fmt: skip
def test_language_tags(tag, wanted, same):
    assert same_language(tag, wanted) is same


def test_real_talks_have_documents():
    folder = SHARED_DATA / "bitext" / "en-fr" / "dev"
    if not folder.is_dir():
        pytest.skip("the real bitext is not here")
    segments = read(folder / "ted_tst2010_TEDdev")
    assert len(segments) == 1664
    assert len({segment.document for segment in segments}) == 11
