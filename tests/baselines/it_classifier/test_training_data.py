"""Reading annotated text, and leaving documents out of it."""

from __future__ import annotations

from collections import Counter

import pytest

from crosspro.baselines.it_classifier.context import ItExample
from crosspro.baselines.it_classifier.training_data import (
    DISCOMT_2015_TALKS,
    NAMED_SETS,
    TEDDEV_TALKS,
    read_training_data,
    without_documents,
)
from crosspro.data_prep.core.errors import InputError
from tests.conftest import SHARED_DATA

EUROPARL = "doc\tsource\tfr_target\tsentence\tposition\tsource_pron\tx\ty\tmanual_label\n"


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("d1\tno mark\tevent_ref", "source"),
        ("d1\t__it__ is\tcake", "manual_label"),
        ("d1\t__it__ is", "columns"),
    ],
)
def test_a_wrong_line_is_refused(line, field, tmp_path):
    path = tmp_path / "bad.tsv"
    path.write_text(f"doc\tsource\tmanual_label\n{line}\n", "utf-8")
    with pytest.raises(InputError, match=rf"bad\.tsv:2: {field}"):
        read_training_data([path])
    path.write_text("a\tb\n", "utf-8")
    with pytest.raises(InputError, match=r"bad\.tsv:1: header"):
        read_training_data([path])


def test_table_of_event_pronouns(tmp_path):
    path = tmp_path / "manual.tsv"
    source = '" One . He left . I think __it__ rains . "'
    path.write_text(f"{EUROPARL}ep\t{source}\tx\t1\t3.3\t it \t x\t y\t event_ref \n", "utf-8")
    (found,) = read_training_data([path])
    assert found.context.words == ("I", "think", "it", "rains", ".")
    assert (found.context.position, found.context.before) == (2, ("He", "left", "."))
    assert found.label == "event"


def test_documents_are_left_out_by_name_and_by_talk():
    names = ("000_1756", "001_779", "ep-09-01-12-012.xml")
    examples = [ItExample(None, "event", name) for name in names]
    left = without_documents(examples, ["discomt2015", "ep-09-01-12-012.xml"])
    assert [one.document for one in left] == ["001_779"]
    left = without_documents(examples, ["teddev"])
    assert [one.document for one in left] == ["000_1756", "ep-09-01-12-012.xml"]
    assert (len(DISCOMT_2015_TALKS), len(TEDDEV_TALKS)) == (12, 11)


def test_parcorfull_has_so_many_examples(parcorfull):
    table = SHARED_DATA / "event_pronouns" / "manual.en-fr.tsv.xz"
    if not table.is_file():
        pytest.skip("the event pronouns are not here")
    paths = [parcorfull / part / "EN" for part in ("DiscoMT", "TED")]
    found = read_training_data([*paths, table])
    labels = Counter(one.label for one in found)
    assert labels == {"anaphoric": 986, "pleonastic": 353, "event": 190}
    clean = without_documents(found, DISCOMT_2015_TALKS)
    assert len(clean) == 884
    assert len({one.document for one in clean}) == 26
    assert len(without_documents(found, NAMED_SETS)) == 400
