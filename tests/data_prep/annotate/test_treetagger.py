"""What TreeTagger wrote for a text."""

from __future__ import annotations

import pytest

from crosspro.data_prep.annotate.files import TreeTaggerOutput, treetagger_lemma
from crosspro.data_prep.core.errors import InputError


@pytest.mark.parametrize(
    ("form", "lemma", "expected"),
    [
        ("suis", "suivre|être", "être"),
        ("fils", "fil|fils", "fil"),
        ("Xyz", "<unknown>", "Xyz"),
        ("12", "@card@", "12"),
        ("|", "|", "|"),
        ("chats", "chat", "chat"),
    ],
)
def test_lemmas(form, lemma, expected):
    assert treetagger_lemma(form, lemma) == expected


OUTPUT = "<s>\nIch\tPPER\tich\ndenke\tVVFIN\tdenken\ndaran\tPAV\tdaran\n</s>\n\n.\t$.\t.\n"


def test_french_output_is_written_as_the_papers_show_it(tmp_path):
    path = tmp_path / "x.tt"
    path.write_text("Ils\tPRO:PER\til\ndoivent\tVER:pres\tdevoir\n.\tSENT\t.\n", encoding="utf-8")
    (sentence,) = TreeTaggerOutput(str(path), "fr", "treetagger-fr").annotate(
        [["Ils", "doivent", "."]]
    )
    assert sentence.tagged_lemmas() == ("il|PRON", "devoir|VER", ".|.")


def test_output_of_earlier(tmp_path):
    path = tmp_path / "x.tt"
    path.write_text(OUTPUT, encoding="utf-8")
    file = TreeTaggerOutput(str(path), "de", "universal")
    first, second = file.annotate([["Ich", "denke", "daran"], ["."]])
    assert first.tagged_lemmas() == ("ich|PRON", "denken|VERB", "daran|PRON")
    assert second.tagged_lemmas() == (".|.",)
    file.finish()
    file = TreeTaggerOutput(str(path), "de", "universal")
    file.annotate([["Ich"]])
    with pytest.raises(InputError, match=r"x.tt:3: word:"):
        file.finish()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (OUTPUT.replace("Ich\t", "Du\t"), "x.tt:2: word:"),
        (OUTPUT.replace("PPER", "PRO:PER"), "x.tt:2: tag:"),
        (OUTPUT.replace("\tich", ""), "x.tt:2: columns:"),
        ("", "x.tt: word:"),
    ],
)
def test_bad_output(tmp_path, text, message):
    path = tmp_path / "x.tt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        TreeTaggerOutput(str(path), "de", "universal").annotate([["Ich"]])


def test_languages_without_a_tagset_are_refused(tmp_path):
    with pytest.raises(InputError, match="annotator treetagger"):
        TreeTaggerOutput(str(tmp_path / "x"), "es", "universal")
