"""`crosspro check` on data whose labels are given away by what is no language."""

from __future__ import annotations

import csv
import io
import json

import pytest

from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from tests.data_prep.pipeline.sets.test_cues import with_links, without_links
from tests.scripts.run import crosspro


@pytest.fixture(scope="module")
def folder(tmp_path_factory, en_fr_2015):
    """`new` has a link for each gap; in `old` those for nothing have none."""
    place = tmp_path_factory.mktemp("cues")
    for name, split, changed in (
        ("new", "train", lambda one: one),
        ("old", "train", without_links),
        ("test", "test", lambda one: one),
    ):
        examples = [changed(with_links(one)) for one in demo_examples(en_fr_2015, split, 100)]
        write_examples(place / f"{name}.data", examples)
        write_doc_ids(place / f"{name}.doc-ids", examples)
    return place


def check(*arguments):
    return crosspro("check", "--task", "en-fr-2015", *arguments)


def test_what_gives_labels_away_is_a_warning_and_no_problem(folder):
    clean, faulty = check(folder / "new.data"), check(folder / "old.data")
    assert (clean.code, clean.stdout, faulty.code, faulty.stdout) == (0, b"", 0, b"")
    assert b"warning" not in clean.stderr
    shown = faulty.stderr.decode()
    assert f"warning: {folder / 'old.data'}: a gap without a link is OTHER in 100.0 of 100" in shown
    assert shown.count("warning") == 1


def test_a_file_is_held_against_the_data_that_is_learnt_from(folder):
    alike = check(folder / "test.data", "--against", folder / "new.data")
    assert b"warning" not in alike.stderr
    unlike = check(folder / "test.data", "--against", folder / "old.data")
    assert unlike.code == 0
    shown = unlike.stderr.decode()
    assert shown.count("warning") == 1
    assert "the number of links of a gap is not distributed as in train" in shown
    assert "0.0% of gaps are without a link, in train 17.7%" in shown
    missing = check(folder / "test.data", "--against", folder / "none.data")
    assert missing.code == 2
    assert b"none.data" in missing.stderr


def test_cues_are_shown_for_people_and_for_programs(folder):
    files = (folder / "old.data", folder / "test.data", "--against", folder / "new.data", "--cues")
    shown = check(*files, "--layout", "markdown").stdout.decode()
    assert "| file | chance | links | position | source | length | document |" in shown
    assert f"| {folder / 'old.data'} | without a link |" in shown
    rows = [line for line in shown.splitlines() if line.startswith(f"| {folder / 'old.data'} |")]
    assert len(rows) == 3
    assert [" ! " in row for row in rows] == [True, False, True]
    content = json.loads(check(*files, "--layout", "json").stdout)
    assert list(content) == [str(folder / "old.data"), str(folder / "test.data")]
    links = content[str(folder / "old.data")]["strengths"][0]
    assert links["given_away"]["label"] == "OTHER"
    assert len(content[str(folder / "old.data")]["warnings"]) == 2
    assert not content[str(folder / "test.data")]["warnings"]
    table = list(csv.DictReader(io.StringIO(check(*files, "--layout", "csv").stdout.decode())))
    assert len(table) == 10
    assert float(table[0]["told"]) == pytest.approx(links["told"], rel=1e-5)
    assert (table[0]["cue"], table[0]["value"], table[0]["class"]) == (
        "links", "without a link", "OTHER",
    )  # fmt: skip
    assert "Classes given away" in check(*files).stdout.decode()


def test_no_table_stands_among_problems(folder, tmp_path):
    (tmp_path / "bad.data").write_text("bad\n", "utf-8")
    result = check(tmp_path / "bad.data", folder / "new.data", "--cues")
    assert result.code == 1
    assert len(result.stdout.splitlines()) == 1


def test_a_small_file_is_not_measured(tmp_path, en_fr_2015):
    write_examples(tmp_path / "x.data", demo_examples(en_fr_2015, "test", 5))
    shown = check(tmp_path / "x.data", "--cues", "--layout", "markdown").stdout.decode()
    assert shown.splitlines()[-1] == f"| {tmp_path / 'x.data'} | - | - | - | - | - | - |"
