"""What is written about a proofread translation: text, JSON, CSV, SARIF, annotations."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from math import isnan

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.prediction.proofread.annotations import as_github, as_sarif
from crosspro.prediction.proofread.decisions import DECISIONS, read_decisions
from crosspro.prediction.proofread.output import as_csv, as_json, as_json_lines, as_text
from crosspro.version import __version__
from tests.prediction.proofread.proofread_text import TARGET, proofread_result, proofread_text

FIELDS = {
    *("line", "start", "end", "word", "source_line", "source_start", "source_word"),
    *("probability", "wrong", "suggestion", "suggestion_probability"),
    *("kind", "document", "reason", "stands_for", "probabilities"),
}


def test_text_has_the_worst_first_and_then_a_summary():
    lines = as_text(proofread_result()).splitlines()
    assert lines[:2] == [
        "book.de:2:3: 0.93 Es → Er? “Es” for “It”: “Hund” is masculine, line 1",
        "book.de:3:23: 0.61 – → sie? nothing translates “they” (line 3)",
    ]
    assert lines[2:] == [
        "",
        "4 pronouns read by en-de in 4 segments: 2 probably wrong (chance of 0.4 or more), "
        "50.0 [15.0, 85.0] in a hundred.",
    ]
    everything = as_text(proofread_result(), every=True).splitlines()
    assert [line.split()[1] for line in everything[:4]] == ["0.93", "0.61", "0.35", "0.04"]
    assert "sie → –?" in everything[2]


@pytest.mark.parametrize("width", [60, 100])
def test_text_keeps_to_a_width_and_names_stay_whole(width):
    lines = as_text(proofread_result(target="a-long/name-of-a/book.de"), width=width).splitlines()
    assert max(map(len, lines)) <= width
    assert lines[0].startswith("a-long/name-of-a/book.de:2:3: 0.93")
    assert str(proofread_result()) == as_text(proofread_result(), width=100).rstrip()


def test_without_doubts_the_summary_says_what_was_nearest():
    assert as_text(proofread_result(threshold=0.95)).endswith(
        "0 probably wrong (chance of 0.95 or more), 0.0 [0.0, 49.0] in a hundred. "
        "The highest chance is 0.93: book.de:2:3.\n"
    )
    nothing = proofread_result(pronouns=())
    assert as_text(nothing) == "No pronoun that en-de knows in 4 segments.\n"
    assert isnan(nothing.score.value)
    assert json.loads(as_json(nothing))["doubtful_per_100"]["value"] is None


def test_text_cannot_steer_a_terminal():
    first, *others = proofread_result().pronouns
    hostile = replace(first, reason="\x1b[2J\nforged: 1.00")
    shown = as_text(proofread_result(pronouns=(hostile, *others)))
    assert "\x1b" not in shown
    assert "\\x1b[2J\\nforged" in shown.splitlines()[0]


def test_json_has_every_pronoun_and_where_its_words_are():
    found = proofread_result()
    whole = json.loads(as_json(found))
    assert whole == json.loads(json.dumps(found.to_dict()))
    assert whole["crosspro"] == __version__
    assert whole["model"]["name"] == "en-de"
    assert whole["model"]["digest"] == found.model.digest
    assert whole["files"] == {"source": "book.en", "translation": "book.de"}
    assert (whole["counts"]["pronouns"], whole["counts"]["doubtful"]) == (4, 2)
    assert whole["doubtful_per_100"]["value"] == 50
    assert whole["signature"].startswith("metric:proofread|model:en-de|digest:0123456789ab|")
    pronouns = whole["pronouns"]
    assert [one["wrong"] for one in pronouns] == [0.93, 0.61, 0.35, 0.04]
    for one in pronouns:
        assert one.keys() >= FIELDS
        assert TARGET[one["line"] - 1][one["start"] : one["end"]] == one["word"]
    assert pronouns[0]["stands_for"][0] == {
        **{"word": "Hund", "side": "target", "line": 1, "start": 4, "end": 8},
        **{"probability": 0.9, "gender": "Masc", "number": "Sing"},
    }
    assert pronouns[2]["source_line"] is None
    assert [json.loads(line) for line in as_json_lines(found).splitlines()] == pronouns


def test_csv_has_a_row_for_each_pronoun():
    rows = list(csv.DictReader(io.StringIO(as_csv(proofread_result()))))
    assert [row["word"] for row in rows] == ["Es", "", "sie", "ihn"]
    assert rows[0]["stands_for"] == "Hund dog"
    assert rows[2]["source_line"] == ""
    assert [row["doubtful"] for row in rows] == ["1", "1", "0", "0"]
    assert rows[0]["reason"] == "“Es” for “It”: “Hund” is masculine, line 1"


def test_what_is_mended_is_told():
    found = proofread_result(threshold=0.9)
    found = replace(found, mending=found.mend())
    assert found.mended()[1] == TARGET[1].replace("Es", "Er")
    assert found.mended(0.95) == TARGET
    lines = as_text(found).splitlines()
    assert lines[0].startswith("book.de:2:3: 0.93 changed Es → Er: “Es” for “It”")
    assert lines[-1].endswith("1 changed, 0 only suggested.")
    pronouns = json.loads(as_json(found))["pronouns"]
    assert pronouns[0]["mended"] == {"old": "Es", "new": "Er"}
    assert pronouns[1]["mended"] is None


# SARIF and GitHub ---------------------------------------------------------------------------------


def test_sarif_names_rules_places_and_fixes():
    found = proofread_result(target="texts/ä b.de")
    log = json.loads(as_sarif(found, every=True))
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [
        "wrong-pronoun",
        "missing-pronoun",
        "additional-pronoun",
    ]
    assert run["columnKind"] == "unicodeCodePoints"
    results = run["results"]
    assert [one["level"] for one in results] == ["error", "error", "note", "note"]
    for one in results:
        assert rules[one["ruleIndex"]]["id"] == one["ruleId"]
        place = one["locations"][0]["physicalLocation"]
        assert place["artifactLocation"] == {"uri": "texts/%C3%A4%20b.de"}
        assert 0 <= one["rank"] <= 100
    first = results[0]
    region = {"startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 5}
    assert first["locations"][0]["physicalLocation"]["region"] == region
    (changed,) = first["fixes"][0]["artifactChanges"]
    assert changed["replacements"] == [{"deletedRegion": region, "insertedContent": {"text": "Er"}}]
    assert [one["message"]["text"] for one in first["relatedLocations"]] == [
        "It in the source",
        "Hund, which it may stand for",
        "dog, which it may stand for",
    ]
    assert not any("fixes" in one for one in results if one["ruleId"] != "wrong-pronoun")
    assert len({one["partialFingerprints"]["pronoun/v1"] for one in results}) == 4
    assert len(json.loads(as_sarif(found))["runs"][0]["results"]) == 2


def test_absolute_names_are_addresses_in_sarif(tmp_path):
    log = json.loads(as_sarif(proofread_result(target=str(tmp_path / "b.de"))))
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == (tmp_path / "b.de").as_uri()


def test_annotations_of_a_pull_request_are_escaped():
    first, *others = proofread_result().pronouns
    first = replace(first, reason="100%\r\n::error::x")
    found = proofread_result(target="a,b:c%.de", pronouns=(first, *others))
    lines = as_github(found).splitlines()
    assert lines[0] == (
        "::error file=a%2Cb%3Ac%25.de,line=2,endLine=2,col=3,endColumn=4,"
        "title=A pronoun that is probably wrong::"
        "Es → Er? 100%25%0D%0A::error::x (chance of being wrong: 0.93)"
    )
    assert [line.split()[0] for line in lines] == ["::error", "::error"]
    assert [line.split()[0] for line in as_github(found, every=True).splitlines()] == [
        *("::error", "::error", "::notice", "::notice")
    ]


# What a person decided ----------------------------------------------------------------------------


def decisions(tmp_path, *accepted, **changes):
    about = {"format": 1, "kind": DECISIONS, "crosspro": __version__, "model": "en-de"}
    files = {"source": "book.en", "translation": "book.de"}
    made = [{"kind": "word", "wrong": 0.9, **one} for one in accepted]
    content = {**about, "digest": "", "files": files, "accepted": made, "kept": [], **changes}
    path = tmp_path / "decisions.json"
    path.write_text(json.dumps(content), "utf-8")
    return path


ES = {"segment": 2, "line": 2, "start": 2, "end": 4, "word": "Es", "replacement": "Er"}
THEY = {"segment": 3, "line": 3, "start": 22, "end": 22, "word": "", "replacement": "sie "}


def test_decisions_become_edits(tmp_path):
    text = proofread_text()
    edits = read_decisions(decisions(tmp_path, THEY, ES), text)
    changed = text.target.mended(edits).splitlines()
    assert changed[1] == TARGET[1].replace("Es", "Er")
    assert changed[2] == "Die Katze sah ihn und sie kämpften."
    assert (changed[0], changed[3]) == (TARGET[0], TARGET[3])


@pytest.mark.parametrize(
    ("accepted", "told"),
    [
        ([{**ES, "word": "es"}], "expected 'es' there, which decisions.json changes, found 'Es'"),
        ([{**ES, "line": 9}], "book.de:9: text: expected 'Es' there"),
        ([{**ES, "segment": 0}], "found nothing"),
        ([{**ES, "start": -3}], "found nothing"),
        ([{**ES, "end": 400}], "found nothing"),
        ([ES, {**ES, "replacement": "Sie"}], "expected one change of a word"),
        ([{**ES, "line": "two"}], "accepted.0.line"),
        ([{"line": 2}], "accepted.0.word"),
    ],
)
def test_decisions_that_do_not_fit_are_refused(tmp_path, accepted, told):
    with pytest.raises(InputError) as error:
        read_decisions(decisions(tmp_path, *accepted), proofread_text())
    assert told in str(error.value)


def test_other_files_are_no_decisions(tmp_path):
    with pytest.raises(InputError, match="decisions that a page of crosspro proofread"):
        read_decisions(decisions(tmp_path, kind="other"), proofread_text())
