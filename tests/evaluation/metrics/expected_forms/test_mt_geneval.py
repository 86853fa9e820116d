"""MT-GenEval's contextual sets: how they are read, and when a translation is right."""

from __future__ import annotations

import pytest

import crosspro
from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.metrics.expected_forms.expected_sets import MT_GENEVAL, read_expected
from crosspro.evaluation.metrics.expected_forms.gender_words import telling_words
from tests.scripts.run import crosspro as command

NAME = "own-{}-test.en_de.{}"
SOURCE = (
    "She wrote all night. <sep> The author was tired.",
    "He came home early. <SEP> The cook saw the teacher.",
    " <sep> My neighbour is a judge.",
    "They met in spring. <sep> It rained.",
)
ORIGINAL = ("Die Autorin war müde.", "Der Koch sah den Lehrer.", "Meine Nachbarin ist Richterin.",
            "Es regnete.")  # fmt: skip
FLIPPED = ("Der Autor war müde.", "Die Köchin sah die Lehrerin.", "Mein Nachbar ist Richter.",
           "Es regnete.")  # fmt: skip
OUTPUTS = (
    "Sie schrieb. <sep> DIE Autorin, sehr müde!",  # a word of its own
    "Der Koch erblickte die Lehrerin.",  # words of both
    "Nebenan wohnt jemand vom Gericht.",  # words of neither
    "Es regnete.",
)


@pytest.fixture
def test_set(tmp_path):
    files = {("2to1", "en"): SOURCE, ("original", "de"): ORIGINAL, ("flipped", "de"): FLIPPED}
    for (kind, language), lines in files.items():
        text = "".join(f"{line}\n" for line in lines)
        (tmp_path / NAME.format(kind, language)).write_text(text, encoding="utf-8")
    return tmp_path / NAME.format("2to1", "en")


def written(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_the_three_files_are_one_set(test_set):
    found, rows = read_expected(test_set, "de")
    assert (found.kind, rows) == (MT_GENEVAL, None)
    assert found.warnings == ("1 instances have one reference for both genders",)
    first, second, third, _ = found.instances
    assert (first.source_context, first.source) == (
        ("She wrote all night.",),
        "The author was tired.",
    )
    assert second.source == "The cook saw the teacher."
    assert third.source_context == ()
    assert telling_words(first) == (["die", "autorin"], ["der", "autor"])


def test_right_is_what_has_no_word_of_the_other_gender(test_set, tmp_path):
    other = ("Der Autor war müde.", "", *ORIGINAL[2:])
    files = [written(tmp_path / "ours.de", OUTPUTS), written(tmp_path / "theirs.de", other)]
    found = crosspro.contrastive_generate(test_set, files, "de", resamples=20)
    ours, theirs = found.systems
    assert ours.scores["accuracy"].value == 75.0
    assert [theirs.scores[key].value for key in ("accuracy", "the_other_gender")] == [50.0, 50.0]
    shares = {key: score.value for key, score in ours.scores.items() if "gender" in key}
    assert shares == {
        "its_gender": 25.0, "neither_gender": 50.0, "both_genders": 25.0, "the_other_gender": 0.0
    }  # fmt: skip
    assert "rule:no-word-of-the-other-reference-alone" in ours.scores["accuracy"].signature


def test_the_references_judge_themselves(test_set, tmp_path):
    files = [written(tmp_path / "one.de", ORIGINAL), written(tmp_path / "other.de", FLIPPED)]
    found = crosspro.contrastive_generate(test_set, files, "de", resamples=20)
    assert [one.scores["accuracy"].value for one in found.systems] == [100.0, 25.0]


def test_the_command(test_set, tmp_path):
    output, detail, page = (
        written(tmp_path / "ours.de", OUTPUTS),
        tmp_path / "d.tsv",
        tmp_path / "p",
    )
    result = command("contrastive", "generate", test_set, "--candidate", output, "-l", "de",
                     "--detail", detail, "--html", page)  # fmt: skip
    assert result.code == 0, result.stderr
    assert b"(mt-geneval): 4 instances" in result.stdout
    assert b"right if no word stands only in the reference with the other gender" in result.stdout
    assert "the teacher" in page.read_text("utf-8")
    rows = [line.split("\t") for line in detail.read_text("utf-8").splitlines()]
    assert "both genders" in rows[2]


def test_what_is_to_be_translated_has_the_context(test_set, tmp_path):
    result = command("contrastive", "text", test_set, "--translate", "-o", tmp_path / "out")
    assert result.code == 0, result.stderr
    lines = (tmp_path / "out.src").read_text("utf-8").splitlines()
    assert lines[0].startswith("She wrote all night. <")
    assert lines[2] == "My neighbour is a judge."


def test_faults_of_all_files_at_once(test_set):
    written(test_set, ["No mark.", *SOURCE[1:]])
    written(test_set.with_name(NAME.format("flipped", "de")), FLIPPED[:2])
    test_set.with_name(NAME.format("original", "de")).unlink()
    with pytest.raises(InputError) as caught:
        read_expected(test_set, "de")
    said = [str(one).removeprefix(str(test_set.parent) + "/") for one in caught.value.problems]
    assert len(said) == 3
    assert said[0].startswith("own-original-test.en_de.de")
    assert said[1].startswith("own-flipped-test.en_de.de")
    assert (
        said[2]
        == "own-2to1-test.en_de.en:1: <sep>: expected it after the context, found 'No mark.'"
    )


def test_another_language_and_the_released_tools_are_refused(test_set, tmp_path):
    output = written(tmp_path / "ours.fr", OUTPUTS)
    result = command("contrastive", "generate", test_set, "--candidate", output, "-l", "fr")
    assert result.code == 2
    assert b"language: expected de, by its name, found fr" in result.stderr
    result = command("contrastive", "generate", test_set, "--candidate", output, "-l", "de",
                     "--legacy")  # fmt: skip
    assert result.code == 2
