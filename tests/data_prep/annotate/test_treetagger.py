"""TreeTagger: its program, played by a script with the same protocol, and its output."""

from __future__ import annotations

import shlex
import sys

import pytest

from crosspro.data_prep.annotate.treetagger import TreeTaggerOutput, TreeTaggerProgram, lemma_of
from crosspro.data_prep.core.errors import CrossproError, InputError

# Passes SGML through if told so, and knows one word.
PROGRAM = """
import sys
assert "-token" in sys.argv and "-lemma" in sys.argv
for line in sys.stdin.buffer.read().decode().split("\\n")[:-1]:
    if line.startswith("<") and "-sgml" in sys.argv:
        print(line)
    elif line == "suis":
        print("suis\\tVER:pres\\tsuivre|être")
    else:
        print(f"{line}\\tNOM\\t<unknown>")
"""


def program(tmp_path, code=PROGRAM, parameters="french.par"):
    script = tmp_path / "tree-tagger.py"
    script.write_text(code, encoding="utf-8")
    return shlex.join([sys.executable, "-X", "utf8", str(script), parameters])


def test_the_program_keeps_words_and_sentences(tmp_path):
    tagger = TreeTaggerProgram(program(tmp_path), "fr", "treetagger-fr")
    text = [["je", "suis", "<b>", "", "a b"], [], ["été"]]
    found = tagger.annotate(text)
    assert [list(sentence.forms) for sentence in found] == text
    assert found[0].tagged_lemmas() == ("je|NOM", "être|VER", "<b>|NOM", "|NOM", "a_b|NOM")
    tagger.finish()


def test_a_folder_is_enough(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "bin").mkdir()
    with pytest.raises(InputError, match=r"expected lib/german.par"):
        TreeTaggerProgram(str(tmp_path), "de", "universal")
    (tmp_path / "lib" / "german.par").touch()
    command = TreeTaggerProgram(str(tmp_path), "de", "universal").command
    assert command[0].endswith("bin/tree-tagger")
    assert command[1:4] == ["-token", "-lemma", "-sgml"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import sys; sys.exit('no parameter file')", "exit status 1: no parameter file"),
        ("print('a\\tb')", "expected word, tag and lemma"),
        ("print('a\\tNOM\\ta\\nb\\tNOM\\tb\\n<s/>')", "expected word, tag and lemma"),
        ("print('<s/>')", "found 'the end of the sentence'"),
        ("import sys; sys.stdout.buffer.write(b'\\xff')", "expected output in UTF-8"),
    ],
)
def test_a_program_that_does_something_else(tmp_path, code, message):
    tagger = TreeTaggerProgram(program(tmp_path, code), "fr", "treetagger-fr")
    with pytest.raises(CrossproError, match=message):
        tagger.annotate([["a"]])


def test_settings_are_checked_at_once(tmp_path):
    with pytest.raises(InputError, match="treetagger:FOLDER or treetagger:PROGRAM"):
        TreeTaggerProgram("tree-tagger", "fr", "treetagger-fr")
    with pytest.raises(InputError, match="expected a program, found 'no-such-program'"):
        TreeTaggerProgram("no-such-program french.par", "fr", "treetagger-fr")
    with pytest.raises(InputError, match="a language that is one of en, de, fr, found 'es'"):
        TreeTaggerProgram(program(tmp_path), "es", "universal")


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
    assert lemma_of(form, lemma) == expected


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
    with pytest.raises(InputError, match=r"x.tt:3: word: expected the end of the text"):
        file.finish()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (OUTPUT.replace("Ich\t", "Du\t"), "x.tt:2: word: expected 'Ich', found 'Du'"),
        (OUTPUT.replace("PPER", "PRO:PER"), "x.tt:2: tag: expected a tag of TreeTagger for de"),
        (OUTPUT.replace("\tich", ""), "x.tt:2: columns: expected word, tag and lemma"),
        ("", "expected 'Ich', found the end of the file"),
    ],
)
def test_bad_output(tmp_path, text, message):
    path = tmp_path / "x.tt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        TreeTaggerOutput(str(path), "de", "universal").annotate([["Ich"]])
