"""What is written about a proofread translation: text, JSON, annotations."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from crosspro.prediction.proofread.output import (
    as_github,
    as_json,
    as_json_lines,
    as_text,
)
from crosspro.prediction.proofread.page import proofreading_page
from crosspro.prediction.proofread.text import text_of_lines
from crosspro.version import __version__
from tests.evaluation.report.reading import check_page
from tests.prediction.proofread.proofread_text import SOURCE, TARGET, proofread_result

FIELDS = {
    *("line", "start", "end", "word", "source_line", "source_start", "source_word"),
    *("probability", "wrong", "suggestion", "suggestion_probability"),
    *("kind", "document", "reason", "stands_for", "probabilities"),
}


def test_text_has_the_worst_first_and_then_a_summary():
    lines = as_text(proofread_result()).splitlines()
    assert lines[0].startswith("book.de:2:3: 0.93 Es → Er? ")
    assert lines[1].startswith("book.de:3:23: 0.61 – → sie? ")
    assert lines[2] == ""
    assert re.findall(r"[\d.]*\d", lines[3]) == ["4", "4", "2", "0.4"]


def test_a_text_in_another_language_is_not_called_right():
    likely = proofread_result(threshold=0.99)
    assert "0 probably wrong" in as_text(likely)
    warned = replace(likely, warnings=("book.de: language: expected text in de, found en",))
    assert "0 probably" not in as_text(warned)
    assert "book.de: language" in as_text(warned)
    assert "0 probably" not in as_text(replace(likely, pronouns=()))


def test_text_cannot_steer_a_terminal():
    first, *others = proofread_result().pronouns
    hostile = replace(first, reason="\x1b[2J\nforged: 1.00")
    shown = as_text(proofread_result(pronouns=(hostile, *others)))
    assert "\x1b" not in shown
    assert "\\x1b[2J\\nforged" in shown.splitlines()[0]


def test_json_has_every_pronoun_and_where_its_words_are():
    result = proofread_result()
    whole = json.loads(as_json(result))
    assert whole == json.loads(json.dumps(result.to_dict()))
    assert whole["crosspro"] == __version__
    assert whole["model"]["name"] == "en-de"
    assert whole["model"]["digest"] == result.model.digest
    assert whole["files"] == {"source": "book.en", "translation": "book.de"}
    assert (whole["counts"]["pronouns"], whole["counts"]["doubtful"]) == (4, 2)
    assert whole["signature"].startswith("metric:proofread|model:en-de|digest:0123456789ab|")
    pronouns = whole["pronouns"]
    assert [record["wrong"] for record in pronouns] == [0.93, 0.61, 0.35, 0.04]
    for record in pronouns:
        assert record.keys() >= FIELDS
        assert TARGET[record["line"] - 1][record["start"] : record["end"]] == record["word"]
    assert pronouns[0]["stands_for"][0] == {
        **{"word": "Hund", "side": "target", "line": 1, "start": 4, "end": 8},
        **{"probability": 0.9, "gender": "Masc", "number": "Sing"},
    }
    assert [json.loads(line) for line in as_json_lines(result).splitlines()] == pronouns


def test_annotations_of_a_pull_request_are_escaped():
    first, *others = proofread_result().pronouns
    first = replace(first, reason="100%\r\n::error::x")
    result = proofread_result(target="a,b:c%\n::error::y.de", pronouns=(first, *others))
    lines = as_github(result).splitlines()
    assert lines[0].startswith(
        "::error file=a%2Cb%3Ac%25%0A%3A%3Aerror%3A%3Ay.de,"
        "line=2,endLine=2,col=3,endColumn=4,title="
    )
    assert "::Es → Er? 100%25%0D%0A::error::x" in lines[0]
    assert [line.split()[0] for line in lines] == ["::error", "::error"]
    whole = replace(result, text=replace(result.text, is_line=False))
    assert ",col=" not in as_github(whole)


def test_a_result_has_a_short_repr_and_prints_as_the_command():
    result = proofread_result()
    assert len(repr(result)) < 100
    assert len(repr(result.text)) < 100
    assert "\n" not in repr(result)
    assert str(result) == as_text(result).rstrip()


# The page -----------------------------------------------------------------------------------------


def page_data(page):
    (result,) = re.findall(r'id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(result)


def test_the_page_is_one_file_and_knows_where_words_are():
    page = proofreading_page(proofread_result())
    assert page == proofreading_page(proofread_result())
    check_page(page)
    assert not re.search(r'(?:src|href)="(?!#)', page)
    data = page_data(page)
    assert [record[2:4] for record in data["segments"]] == [
        list(pair) for pair in zip(SOURCE, TARGET, strict=True)
    ]
    es, ihn, they, sie = data["pronouns"]
    assert es["source"] == [1, 0, 2, "It"]
    assert es["nouns"][0][:5] == ["target", 0, 4, 8, "Hund"]
    assert es["nouns"][1][:5] == ["source", 0, 4, 7, "dog"]
    assert es["choices"][0] == ["Er", 0.7]
    assert len(es["choices"]) == 3
    assert "Es" not in [word for word, _ in es["choices"]]
    assert ihn["choices"][0][0] == "es"
    assert they["choices"][0][0] == "sie "  # which is put between two words
    assert sie["source"] == [3, 7, 16, "everybody"]
    assert sie["choices"][0] == ["ihnen", 0.6]


def test_text_stays_text():
    attack = "</script><script>owned=1</script><!-- {{data}} "
    texts = text_of_lines(
        [attack + record for record in SOURCE], [attack + record for record in TARGET]
    )
    texts_named = replace(texts, target_name=f"<img src=x>{attack}.de")
    page = proofreading_page(
        replace(proofread_result(), text=texts_named, pronouns=(), warnings=(attack,))
    )
    assert "<script>owned" not in page
    assert "<img src=x>" not in page
    assert page_data(page)["segments"][0][2] == attack + SOURCE[0]
