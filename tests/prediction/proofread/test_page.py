"""The page of a proofread translation, as a file."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from crosspro.prediction.proofread.page import proofreading_page
from crosspro.prediction.proofread.text import text_of_lines
from tests.evaluation.report.reading import check_page
from tests.prediction.proofread.proofread_text import (
    SOURCE,
    TARGET,
    proofread_pronouns,
    proofread_result,
)


def page_data(page):
    (found,) = re.findall(r'id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(found)


def test_the_page_is_one_file_and_the_same_each_time():
    page = proofreading_page(proofread_result())
    assert page == proofreading_page(proofread_result())
    check_page(page)
    assert not re.search(r'(?:src|href)="(?!#)', page)


def test_the_page_knows_where_words_are_in_their_segments():
    data = page_data(proofreading_page(proofread_result()))
    assert [one[2:4] for one in data["segments"]] == [
        [first, second] for first, second in zip(SOURCE, TARGET, strict=True)
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
    assert sie["source"] is None
    assert sie["choices"][0] == ["", None]


def test_documents_are_named_and_empty_sides_have_no_line():
    texts = text_of_lines([*SOURCE, ""], [*TARGET, "x"], ["a", "a", "b", "b", "b"])
    found = replace(proofread_result(), text=texts, pronouns=proofread_pronouns())
    data = page_data(proofreading_page(found))
    assert data["documents"] == ["a", "b"]
    assert data["segments"][4][:2] == [None, 5]


def test_text_stays_text():
    attack = "</script><script>owned=1</script><!-- {{data}} "
    texts = text_of_lines([attack + one for one in SOURCE], [attack + one for one in TARGET])
    named = replace(texts, target=replace(texts.target, name=f"<img src=x>{attack}.de"))
    page = proofreading_page(replace(proofread_result(), text=named, pronouns=()))
    assert "<script>owned" not in page
    assert "<img src=x>" not in page
    assert page_data(page)["segments"][0][2] == attack + SOURCE[0]
