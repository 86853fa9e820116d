"""The word lists of `conf/words/`, and the guess at the language of a text by them."""

from __future__ import annotations

import pytest

from crosspro.data_prep.words.language import looks_otherwise
from crosspro.data_prep.words.lists import WORDS, names_of, word_lists, word_set
from tests.sample import sample_path

LISTS = [path for path in sorted(WORDS.rglob("*.tsv"))
         if path.parent.name not in ("abbreviations", "forms")]  # fmt: skip


@pytest.mark.parametrize("path", LISTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_list_has_words_in_lower_case_and_each_of_them_once(path):
    lists = word_lists(path.parent.name, path.stem)
    assert lists
    for name, words in lists.items():
        assert words and len({*words}) == len(words), name
        assert [*words] == [word.lower() for word in words], name


def test_a_language_without_a_file_has_no_lists():
    assert word_lists("clitics", "xx") == word_lists("clitics", "../clitics/fr") == {}
    with pytest.raises(KeyError):
        word_set("clitics", "fr", "no such list")


@pytest.mark.parametrize(
    ("lines", "language", "suspicious"),
    [
        (["She is old, but they say that it was for him."], "fr", True),
        (["Sie ist,", "aber er sagt,", "dass es für ihn war."] * 900, "fr", True),
        (["Дом стар , но REPLACE_2 стоит ."], "fr", True),
        (["il|PRON être|VER", "« He is the one that was with them »", "le les"], "fr", False),
        (["The Rolling Stones", "The Who", "The The and the The"], "fr", False),
        (["Дом стар"], "ru", False),
        ([], "fr", False),
    ],
)
def test_frequent_words_tell_the_language_of_a_text(lines, language, suspicious):
    assert bool(looks_otherwise(lines, language)) == suspicious


@pytest.mark.parametrize("language", ["de", "en", "es", "fr"])
def test_the_sample_is_in_its_languages(language):
    lines = sample_path(f"sample.{language}").read_text("utf-8").splitlines()
    for other in names_of("frequent"):
        assert bool(looks_otherwise(lines, other)) == (other != language)
