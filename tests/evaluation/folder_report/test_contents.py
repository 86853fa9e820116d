"""A folder is read and checked as a whole; what is missing is told, and why."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.folder_report.contents import ReadingRules, read_contents
from crosspro.evaluation.folder_report.files import find_files
from crosspro.evaluation.folder_report.folder import report_on
from tests.evaluation.folder_report.folders import make_folder

WITHOUT_SACREBLEU = set() if find_spec("sacrebleu") else {"BLEU", "chrF"}


@pytest.fixture
def folder(tmp_path):
    return make_folder(tmp_path)


def read(folder, pair=None, **rules):
    problems = []
    files = find_files(folder, pair, problems)
    return read_contents(folder, files, ReadingRules(**rules), problems)


def faults(folder, pair=None, **rules):
    with pytest.raises(InputError) as caught:
        read(folder, pair, **rules)
    shown = (str(one).partition(": expected")[0] for one in caught.value.problems)
    return [one.replace(f"{folder}/", "").replace(str(folder), "DIR") for one in shown]


def missing(contents):
    return {one.metric: one.reason for one in contents.not_computed}


def without_links(folder):
    for path in (*folder.glob("*.links"), *folder.glob("outputs/*.links")):
        path.unlink()


def test_everything_is_read(folder):
    found = read(folder)
    assert found.text.names == ("mt", "people")
    assert found.text.lines == 15
    assert found.text.documents.tolist() == [0] * 5 + [1] * 5 + [2] * 5
    assert found.linked.names == ("reference.fr", "mt", "people")
    assert found.linked.languages is None
    assert found.linked.lists.name == "en-fr"
    assert set(missing(found)) == WITHOUT_SACREBLEU


def test_all_problems_of_all_files_at_once(folder):
    (folder / "reference.fr").write_bytes(b"\xff\n" * 15)
    (folder / "outputs/mt.fr").write_text("x\n" * 14, "utf-8")
    (folder / "doc-ids").write_text("a\n", "utf-8")
    (folder / "outputs/people.links").write_text("0-0\n" * 14 + "x\n", "utf-8")
    (folder / "pronouns.yaml").write_text("a: 1\n", "utf-8")
    found = faults(folder)
    places = [one.partition(": ")[0] for one in found]
    assert places[:15] == [f"reference.fr:{n}" for n in range(1, 16)]
    assert "outputs/mt.fr:15" in places
    assert "doc-ids:2" in places
    assert any(one.startswith("pronouns.yaml") for one in found)


def test_problems_of_links(folder):
    (folder / "outputs/people.links").write_text("0-0\n" * 14 + "x\n", "utf-8")
    (folder / "reference.links").write_text("99-0\n" * 15, "utf-8")
    found = faults(folder)
    assert found[-1] == "outputs/people.links:15: links"
    assert found[0] == "reference.links:1: links"


def test_blank_lines_at_the_end_are_dropped_if_that_is_asked_for(folder):
    for name in ("outputs/mt.fr", "outputs/mt.links"):
        with (folder / name).open("a") as handle:
            handle.write("\n\n")
    assert "outputs/mt.fr:16: lines" in faults(folder)
    found = read(folder, lenient=True)
    assert [len(lines) for lines in found.text.candidates] == [15, 15]
    assert len(found.linked.texts[1].lines) == 15


def test_there_must_be_something_to_score(tmp_path):
    assert faults(tmp_path) == ["DIR: outputs"]
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs/a").write_text("x\n", "utf-8")
    assert faults(tmp_path) == ["DIR: reference", "DIR: language"]


def test_an_empty_text_is_one_problem(folder):
    for path in (*folder.glob("*.*"), *folder.glob("outputs/*"), folder / "doc-ids"):
        if path.is_file():
            path.write_bytes(b"")
    assert faults(folder) == ["source.en: file"]


def test_what_needs_a_source_is_left_out_without_one(folder):
    (folder / "source.en").unlink()
    found = read(folder)
    assert found.linked is None
    assert set(missing(found)) == {"APT", "AutoPRF"} | WITHOUT_SACREBLEU
    assert found.text.lines == 15


def test_languages_without_tables(folder):
    for path in (*folder.glob("*.fr"), *folder.glob("*/*.fr"), *folder.glob("*/*/*.fr")):
        path.rename(path.with_suffix(".sv"))
    found = missing(read(folder))
    assert set(found) == {"pronoun F1", "APT", "AutoPRF"} | WITHOUT_SACREBLEU


def test_links_are_made_only_if_they_may_be(folder):
    without_links(folder)
    assert read(folder).linked.links == (None, None, None)
    assert "APT" in missing(read(folder, make_links=False))


def test_lines_too_long_to_align_are_told_by_their_files(folder):
    lines = (folder / "outputs/mt.fr").read_text("utf-8").splitlines()
    lines[3] = "il " * 2001
    (folder / "outputs/mt.fr").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    without_links(folder)
    assert faults(folder) == ["outputs/mt.fr:4: words"]
    assert read(folder, make_links=False).linked is None


def test_text_without_links_is_looked_at_to_see_if_it_is_tokenised(folder):
    without_links(folder)
    assert read(folder).linked.languages is None
    assert read(folder, tokenised=False).linked.languages == ("en", "fr")
    for name in ("source.en", "reference.fr"):
        (folder / name).write_text("It rains, he says.\n" * 15, "utf-8")
    found = read(folder)
    assert found.linked.languages == ("en", "fr")
    assert read(folder, tokenised=True).linked.languages is None


def test_a_source_whose_language_nobody_knows(folder):
    without_links(folder)
    (folder / "source.en").rename(folder / "source.txt")
    (folder / "source.txt").write_text("It rains, he says.\n" * 15, "utf-8")
    (folder / "reference.fr").write_text("Il pleut, dit-il.\n" * 15, "utf-8")
    assert "APT" in missing(read(folder))
    (folder / "pronouns.yaml").write_text(
        "source_pronouns: [it]\ntarget_pronouns: [il, elle]\n", "utf-8"
    )
    assert faults(folder) == ["source.txt: language"]
    assert read(folder, pair=("en", "fr")).linked.languages == ("en", "fr")
    assert read(folder, pronouns="en-fr").linked.languages == ("en", "fr")


def test_a_package_that_is_not_installed(folder, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "sacrebleu"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    found = report_on(folder)
    assert [part.key for part in found.parts][:2] == ["pronoun_f1", "apt"]
    metrics = {one.metric: one.reason for one in found.not_computed}
    assert set(metrics) == {"BLEU", "chrF"}
    assert "sacrebleu" in metrics["BLEU"]
