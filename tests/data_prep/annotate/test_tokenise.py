"""Tokenisation: the official files, and text that is already tokenised."""

from __future__ import annotations

import lzma
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from crosspro.data_prep.annotate.tokenise import (
    Tokeniser,
    looks_tokenised,
    normalise_punctuation,
    token_places,
    tokenise,
    tokenise_lines,
)
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.scripts.tokenise import app
from tests.conftest import SHARED_DATA


@pytest.mark.parametrize(
    ("language", "text", "tokens"),
    [("en", "It's here, isn't it?", "It 's here , isn 't it ?"),
     ("en", "They'll say I'd've gone.", "They 'll say I 'd 've gone ."),
     ("en", "The dogs' bowls of the 1990's.", "The dogs ' bowls of the 1990 's ."),
     ("en", "He said, 'It works.'", "He said , ' It works . '"),
     ("en", "The '90s, rock'n'roll.", "The ' 90s , rock 'n 'roll ."),
     ("en", "O'Brien's at 5 o'clock.", "O 'Brien 's at 5 o 'clock ."),
     ("en", "1,000 of 3.5, 4,5 a,b", "1,000 of 3.5 , 4,5 a , b"),
     ("en", "Dr. Who met Mr. U.S. Grant vs. J. R. at 5 p.m. today.",
      "Dr. Who met Mr. U.S. Grant vs. J. R. at 5 p.m. today ."),
     ("en", "No. 5 is no. It is.", "No. 5 is no . It is ."),
     ("en", "I. Newton did.", "I. Newton did ."),
     ("en", "A hat pin. it is sharp.", "A hat pin. it is sharp ."),
     ("en", "it rains. they left.", "it rains . they left ."),
     ("en", "Well... no!? (Yes.)", "Well ... no ! ? ( Yes . )"),
     ("en", "It costs $5 & 10%: 3/4 [sic].", "It costs $ 5 & 10 % : 3 / 4 [ sic ] ."),
     ("en", "See http://a.org/b_c?d=1, www.ted.com. Or a.b@c.org!",
      "See http://a.org/b_c?d=1 , www.ted.com . Or a.b@c.org !"),
     ("en", "well-being -- the mid-'90s--ended", "well-being -- the mid- ' 90s -- ended"),
     ("en", "-It's late. -Yes!", "- It 's late . - Yes !"),
     ("fr", "Aujourd'hui, c'est l'été.", "Aujourd' hui , c' est l' été ."),
     ("fr", "Qu'il dise ce qu'elle a, jusqu'ici.", "Qu' il dise ce qu' elle a , jusqu' ici ."),
     ("fr", "S'il t'a vu, n'y va pas, lorsqu'on t'attend.",
      "S' il t' a vu , n' y va pas , lorsqu' on t' attend ."),
     ("fr", "« C’est ça ! », dit-il…", '" C\' est ça ! " , dit-il ...'),
     ("fr", "Plus d'1,5 % de l'art.", "Plus d' 1,5 % de l' art ."),
     ("fr", "Le mot 'ici', M. Dupont.", "Le mot ' ici ' , M. Dupont ."),
     ("de", "Am 3. Oktober kam Ludwig XIV. an.", "Am 3. Oktober kam Ludwig XIV. an ."),
     ("de", "Er ist 12.", "Er ist 12 ."),
     ("de", "Dr. Weiß sagt z.B. „nein“, d. h. nichts usw. dazu.",
      'Dr. Weiß sagt z.B. " nein " , d. h. nichts usw. dazu .'),
     ("de", "Wie geht's Hans' Auto?", "Wie geht 's Hans ' Auto ?"),
     ("de", "Das „Hybrid“-Modell mit 1.000,5 km.", 'Das " Hybrid " -Modell mit 1.000,5 km .'),
     ("es", "¿Qué? ¡No! El Sr. Paz (EE. UU.) dijo.",
      "¿ Qué ? ¡ No ! El Sr. Paz ( EE. UU. ) dijo ."),
     ("xx", "l'a, b.", "l ' a , b ."),
     ("en", "", ""),
     ("en", " \u00a0It\u200b\u2009rains\x00 . ", "It rains ."),
     ("fr", "c\x92est un c\x9cur", "c' est un cœur")],
)  # fmt: skip
def test_what_becomes_of_a_text(language, text, tokens):
    assert " ".join(tokenise(text, language)) == tokens


@pytest.mark.parametrize(
    ("language", "line"),
    [("en", "we don 't , we 're Peter 's men"), ("fr", "quelqu' un d' autre , c' est l' été"),
     ("de", "geht 's , das -Modell"), ("en", "dogs ' bowls , ' yes '")],
)  # fmt: skip
def test_usual_tokens_stay_tokens(language, line):
    """Pairs that people type are often tokenised."""
    assert tokenise(line, language) == line.split()


def test_punctuation():
    assert normalise_punctuation("a—b ``c'' ‘d’") == "a - b \"c\" 'd'"


@pytest.mark.parametrize("language", ["en", "fr", "de", "es"])
def test_the_lists_of_abbreviations_hold_words(language):
    abbreviations = Tokeniser(language).abbreviations
    assert len(abbreviations) > 60
    assert all(word and not word.endswith(".") and " " not in word for word in abbreviations)
    assert Tokeniser("../en").abbreviations == {}
    assert Tokeniser(f"{language}_XX").abbreviations == abbreviations


def test_what_looks_tokenised():
    assert looks_tokenised(["It rains , and it pours .", "Yes , they did ."])
    assert not looks_tokenised(["It rains, and it pours.", "Quoi ?", "Non, rien."])
    assert not looks_tokenised([])
    assert not looks_tokenised(["no marks", "at all"])


def test_lines_are_tokenised_or_left_alone_as_a_whole():
    raw = ["It's late."] * 3
    assert list(tokenise_lines(raw, "en")) == [["It", "'s", "late", "."]] * 3
    done = ["It 's late , Mr X .", "well.known"]
    assert list(tokenise_lines(done, "en")) == [line.split() for line in done]
    assert list(tokenise_lines(["a , b ."] * 9 + ["c,"], "en", tokenised=False))[-1] == ["c", ","]


@given(st.text(max_size=40), st.sampled_from(["en", "fr", "de", "es"]))
def test_any_text_becomes_tokens_without_spaces(text, language):
    tokens = tokenise(text, language)
    assert all(token and not any(map(str.isspace, token)) for token in tokens)


def words(example: Example) -> list[str]:
    """The target with its gaps filled; gaps for nothing are marked NONE in column 2."""
    gold = {gap.position: gap.word or "" for gap in example.gaps}
    filled = [gold.get(position, token) for position, token in enumerate(example.target)]
    return [word for word in filled if word != "NONE"]


@pytest.mark.parametrize(("language", "share"), [("en", 0.997), ("fr", 0.985)])
def test_the_official_files_from_their_raw_text(discomt2015, en_fr_2015, language, share):
    """The raw text of the same talks gives the official tokens, line by line.

    What is left in French is mostly the order of quotation marks and periods, which the organisers'
    normalisation changes.
    """
    names = {
        "TEDdev.en-fr": "dev/ted_tst2010_TEDdev",
        "DiscoMT2015.test.en-fr.gold": "test/DiscoMT2015.test",
    }
    tokeniser = Tokeniser(language)
    same = total = 0
    for official, raw in names.items():
        path = SHARED_DATA / "bitext" / "en-fr" / f"{raw}.{language}.xz"
        if not path.is_file():
            pytest.skip("the raw text of the official files is not here")
        lines = lzma.decompress(path.read_bytes()).decode().splitlines()
        examples = read_examples(discomt2015 / f"{official}.data.xz", en_fr_2015)
        for line, example in zip(lines, examples, strict=True):
            expected = list(example.source) if language == "en" else words(example)
            same += tokeniser(line) == expected
            total += 1
    assert total == 3757
    assert same / total > share


def test_the_command(tmp_path):
    def call(*arguments: object):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    (tmp_path / "x.fr").write_text("C'est l'été.\n\nQu'a-t-il, lui ?\n", encoding="utf-8")
    result = call(tmp_path / "x.fr", "--language", "fr", "-o", tmp_path / "y.fr.xz")
    assert (result.exit_code, result.stdout) == (0, "")
    text = lzma.decompress((tmp_path / "y.fr.xz").read_bytes()).decode()
    assert text == "C' est l' été .\n\nQu' a-t-il , lui ?\n"
    (tmp_path / "z.fr").write_text(text + "M.,\n", encoding="utf-8")
    alone = call(tmp_path / "z.fr", "-l", "fr")
    assert "looks tokenised already" in alone.stderr
    assert alone.stdout == text + "M.,\n"


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "It's  here – “isn't it?” he said…"),
     ("fr", "C’est qu’elle l’aime : « Oui », dit-il."),
     ("de", "Geht's?  Er sagte: „Nein“ – z. B. heute."), ("es", "¿Lo vio? ¡No; ella no!")],
)  # fmt: skip
def test_tokens_are_found_in_the_text_as_it_is(language, text):
    tokens = tokenise(text, language)
    places = token_places(text, tokens)
    assert None not in places
    for token, (start, end) in zip(tokens, places, strict=True):
        assert normalise_punctuation(text[start:end]) == token


@given(st.text(alphabet="abéß .,'’“”…-–—\u00ad\u200b&|1\t", max_size=40))
def test_places_of_tokens_never_overlap(text):
    places = [span for span in token_places(text, tokenise(text, "de")) if span is not None]
    assert all(start < end for start, end in places)
    assert all(left[1] <= right[0] for left, right in pairwise(places))
