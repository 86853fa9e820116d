"""MT tests as WMT gives them out: every form of the same four segments."""

from __future__ import annotations

import json
import shutil

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.inputs.mt_tests import read_mt_test, write_mt_test
from tests.conftest import GOLDEN, SHARED_DATA

WMT = GOLDEN / "wmt"
PAIR = ("en", "de")
FORMS = {
    "metrics-eval": None,
    "pair": None,
    "test.xml": None,
    "annotations.jsonl": PAIR,
    "segments.jsonl": None,
    "documents/test.jsonl": None,
}


def faults(path, pair=None):
    with pytest.raises(InputError) as raised:
        read_mt_test(path, pair)
    return [str(problem).replace(f"{path.parent}/", "") for problem in raised.value.problems]


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_have_the_same_text(form):
    found = read_mt_test(WMT / form, FORMS[form])
    wanted = read_mt_test(WMT / "pair")
    assert found.languages == ("en", "de")
    assert found.source == wanted.source
    assert list(found.references.values()) == list(wanted.references.values())
    for system in ("alpha", "beta"):
        assert found.outputs[system] == wanted.outputs[system]
    assert [name.split("_#_")[-1] for name in found.documents] == [*["dog.1"] * 2, *["key.2"] * 2]
    assert found.domains == ("home", "home", "news", "news")
    assert found.left_out == ()


def test_several_pairs_need_one_that_is_meant(tmp_path):
    assert faults(WMT / "annotations.jsonl") == [
        "annotations.jsonl: pair: expected one pair, or --pair that says which, found en-de, en-cs"
    ]
    assert faults(WMT / "annotations.jsonl", ("en", "fr")) == [
        "annotations.jsonl: pair: expected one of en-de, en-cs, found en-fr"
    ]
    folder = tmp_path / "wmt"
    shutil.copytree(WMT / "metrics-eval", folder)
    shutil.copy(folder / "sources/en-de.txt", folder / "sources/en-cs.txt")
    assert "expected one pair, or --pair" in faults(folder)[0]
    assert len(read_mt_test(folder, PAIR).source) == 4
    assert "expected one of en-cs, en-de, found en-fr" in faults(folder, ("en", "fr"))[0]


def test_what_is_lacking_is_left_out_and_told(tmp_path):
    text = (WMT / "test.xml").read_text("utf-8")
    path = tmp_path / "test.xml"
    path.write_text(text.replace('<seg id="2">Es war unter dem Sofa.</seg>', ""), "utf-8")
    found = read_mt_test(path)
    assert (list(found.outputs), found.left_out) == (["beta"], ("alpha, which lacks 1 segment",))
    start, _, rest = text.partition('      <ref lang="de" translator="refA">')
    path.write_text(start + rest.partition("</ref>")[2], "utf-8")
    found = read_mt_test(path)
    assert found.documents == ("key.2", "key.2")
    assert found.left_out == ("1 document without the reference refA",)


def test_documents_whose_paragraphs_do_not_match_are_one_segment(tmp_path):
    shutil.copytree(WMT / "documents", tmp_path / "documents")
    path = tmp_path / "documents/systems/beta.jsonl"
    path.write_text(path.read_text("utf-8").replace(r"Ball.\n\nEr", "Ball. Er"), "utf-8")
    found = read_mt_test(tmp_path / "documents/test.jsonl")
    assert len(found.source) == 3
    assert found.outputs["alpha"][0] == "Der Hund hat seinen Ball verloren. Es war unter dem Sofa."
    assert found.left_out == (
        "breaks of paragraphs in 1 document, in which not all texts have as many",
    )


def test_faults_of_xml_are_told_at_once(tmp_path):
    text = (WMT / "test.xml").read_text("utf-8")
    text = text.replace('id="dog.1" ', "").replace('system="alpha" ', "", 1)
    text = text.replace('<seg id="2">Er war', '<seg id="7">Er war')
    text = text.replace('<seg id="2">She', '<seg id="1">She').replace(
        '"de" translator', '"cs" translator', 1
    )
    path = tmp_path / "test.xml"
    path.write_text(text, "utf-8")
    assert faults(path) == [
        "test.xml:4: doc: expected an id, found none",
        "test.xml:17: lang: expected cs as before, found 'de'",
        "test.xml:17: hyp: expected the name of a system, found none",
        "test.xml:23: lang: expected cs as before, found 'de'",
        "test.xml:26: seg: expected the id of a segment of <src>, found '7'",
        "test.xml:37: lang: expected cs as before, found 'de'",
        "test.xml:43: lang: expected cs as before, found 'de'",
        "test.xml:49: lang: expected cs as before, found 'de'",
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("<tmx/>", "test.xml:1: XML: expected <dataset> of WMT, found <'tmx'>"),
        (
            "<dataset><doc id='a'>",
            "test.xml:1: XML: expected well-formed XML, found no element found",
        ),
        ("<dataset id='x'/>", "test.xml: source: expected at least one segment, found none"),
        (
            "<!DOCTYPE d [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><dataset>&x;</dataset>",
            "test.xml:1: entity: expected no entity declarations, found <!ENTITY x …>",
        ),
    ],
)
def test_xml_that_is_no_test(tmp_path, text, fault):
    path = tmp_path / "test.xml"
    path.write_text(text, "utf-8")
    assert faults(path) == [fault]


def test_faults_of_jsonl_are_told_at_once(tmp_path):
    path = tmp_path / "test.jsonl"
    rows = [json.loads(line) for line in (WMT / "segments.jsonl").read_text("utf-8").splitlines()]
    rows[0]["src_text"] = 3
    rows[1]["tgt_text"]["alpha"] = None
    rows.append({**rows[2], "tgt_text": {"alpha": "etwas anderes"}})
    lines = [*map(json.dumps, rows), "{", "[]"]
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    assert faults(path) == [
        "test.jsonl:1: src_text: expected a text, found '3'",
        "test.jsonl:6: line: expected a JSON object, found Expecting property name enclosed in "
        "double quotes: line 1 column 2 (char 1)",
        "test.jsonl:7: line: expected a JSON object, found '[]'",
        "test.jsonl:2: alpha: expected a text, found 'None'",
        "test.jsonl:5: alpha: expected the text of segment en-de_DE_#_news_#_key.2 0 as before, "
        "found 'etwas anderes'",
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "x.jsonl: file: expected at least one line, found none"),
        (
            '{"a": 1}\n',
            "x.jsonl:1: fields: expected src and tgt, src_text and tgt_text, or src_text and refs, "
            "as WMT has them, found a",
        ),
    ],
)
def test_jsonl_that_is_no_test(tmp_path, text, fault):
    path = tmp_path / "x.jsonl"
    path.write_text(text, "utf-8")
    assert faults(path) == [fault]


def test_faults_of_a_folder_are_told_at_once(tmp_path):
    folder = tmp_path / "wmt"
    shutil.copytree(WMT / "pair", folder)
    (folder / "outputs/alpha.de").write_text("Eins\n", "utf-8")
    (folder / "documents.tsv").write_text("home\tdog\nnews\n\nnews\tkey\n", "utf-8")
    assert [fault.replace("wmt/", "") for fault in faults(folder)] == [
        f"outputs/alpha.de:2: lines: expected 4 lines as in {folder}/source.en, found 1".replace(
            f"{tmp_path}/wmt/", ""
        ),
        "documents.tsv:2: documents: expected a domain and a document, found 'news'",
        "documents.tsv:3: documents: expected a domain and a document, found ''",
    ]
    (folder / "source.en").unlink()
    assert "source: expected one file such as source.en, or a folder sources" in faults(folder)[0]


def test_a_test_is_written_as_plain_files(tmp_path):
    test = read_mt_test(WMT / "segments.jsonl")
    write_mt_test(test, tmp_path, WMT / "segments.jsonl")
    assert (tmp_path / "outputs/alpha.txt").read_bytes() == (
        WMT / "pair/outputs/alpha.de"
    ).read_bytes()
    assert (tmp_path / "documents.tsv").read_text("utf-8").startswith("home\ten-de_DE_#_home")


def test_real_tests():
    folder = SHARED_DATA / "mt_outputs/wmt24.en-de"
    if not folder.is_dir():
        pytest.skip("no shared data")
    found = read_mt_test(folder)
    assert (len(found.source), len(found.outputs), len(set(found.documents))) == (998, 26, 171)
