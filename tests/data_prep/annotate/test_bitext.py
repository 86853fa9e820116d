"""Parallel text: two files, documents beside them, and the place of each fault."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from crosspro.data_prep.annotate.bitext import (
    Segment,
    check_source,
    read_bitext,
    tokenised_bitext,
)
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from tests.conftest import SHARED_DATA


def read(*paths: Path, **options) -> list[Segment]:
    return read_bitext(*paths, source_language="en", target_language="fr", **options)


def fault(*paths: Path, **options) -> str:
    """File name, line and field of the fault."""
    with pytest.raises(InputError) as caught:
        read(*paths, **options)
    (problem,) = caught.value.problems
    return f"{Path(problem.path).name}:{problem.line or ''}:{problem.field}"


def test_files_with_documents_beside_them(tmp_path):
    (tmp_path / "c.en").write_bytes(b"\xef\xbb\xbfIt rains .\r\n\nThey left .\n")
    (tmp_path / "c.fr.xz").write_bytes(lzma.compress(b"Il pleut .\r\n \nIls sont partis .\n"))
    (tmp_path / "c.doc-ids").write_text("d1\tx\n\nd2\ty\n", encoding="utf-8")
    assert read(tmp_path / "c") == [
        Segment("It rains .", "Il pleut .", "d1"),
        Segment("They left .", "Ils sont partis .", "d2"),
    ]


@pytest.mark.parametrize(
    ("source", "target", "ids", "place"),
    [("a\nb\nc\n", "A\nB\n", None, "x.fr::lines"), ("a\n", None, None, "x.en::target"),
     ("a\nb\n", "A\nB\n", "1\n2\n3\n", "ids::doc-ids"),
     ("a\n", "A\n", b"\xff\n", "ids:1:encoding"),
     (b"a\n\xe9t\xe9\n", "A\nB\n", None, "x.en:2:encoding"),
     ("a\n\nc\n", "A\nB\n\n", None, "x.en:2:segment"), ("\n \n", "\n \n", None, "x.en::file")],
)  # fmt: skip
def test_faults(tmp_path, source, target, ids, place):
    paths = []
    for name, text in (("x.en", source), ("x.fr", target), ("ids", ids)):
        if text is not None:
            paths.append(tmp_path / name)
            paths[-1].write_bytes(text.encode() if isinstance(text, str) else text)
    assert fault(*paths[:2], doc_ids=tmp_path / "ids" if ids else None) == place
    assert fault(tmp_path / "none") == "none::file"


def test_tokens_are_detected_on_each_side(en_fr):
    segments = [
        Segment("It's late.", "C' est bon .", None if line % 3 else f"d{line // 10}")
        for line in range(1, 31)
    ]
    bitext = tokenised_bitext(en_fr, segments)
    assert bitext.source == [["It", "'s", "late", "."]] * 30
    assert bitext.target == [["C'", "est", "bon", "."]] * 30
    assert list(bitext.documents) == [segment.document for segment in segments]
    assert tokenised_bitext(en_fr, segments, True).source == [["It's", "late."]] * 30


def test_text_of_another_language_is_refused():
    text = ["Les chats dorment et ils ne sont pas dans la maison qui est grande ."] * 20
    segments = [Segment(line, "x") for line in text]
    check_source(load_task("fr-en"), segments, Path("x"))
    with pytest.raises(InputError, match="x: language"):
        check_source(load_task("en-fr"), segments, Path("x"))


def test_real_talks_have_documents():
    folder = SHARED_DATA / "bitext" / "en-fr" / "dev"
    if not folder.is_dir():
        pytest.skip("the real bitext is not here")
    segments = read(folder / "ted_tst2010_TEDdev")
    assert len(segments) == 1664
    assert len({segment.document for segment in segments}) == 11
