"""Automatic matching: pronouns, heads, references, silver alternatives."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.protest.match import score_system
from crosspro.evaluation.protest.silver import Alternative, read_silver, write_silver
from crosspro.evaluation.protest.suite import Translation
from crosspro.evaluation.protest.text import read_system
from tests.evaluation.protest.tokens import (
    BICYCLE,
    FOLDER,
    HOUSE,
    RAIN,
    by_name,
    changed,
)

EVENT = "talk1:word_37"


def test_the_reference_matches_itself_everywhere(suite, reference, french):
    results = score_system(suite, reference, french)
    assert {result.outcome for result in results} == {"match"}


@pytest.mark.parametrize(
    ("name", "changes", "why"),
    [
        (HOUSE, [(16, 0, "Il")], "pronoun differs"),
        (HOUSE, [(15, 5, "demeure")], "head differs"),
        (HOUSE, [(16, 0, "Il"), (15, 5, "manoir")], "pronoun differs, head differs"),
        (HOUSE, [(16, 0, "ELLE"), (15, 5, "Maison")], "match"),
        (BICYCLE, [(16, 0, "Il"), (15, 5, "manoir")], "match"),
        (RAIN, [(4, 0, "Cela")], "pronoun differs"),
        (RAIN, [(4, 0, "Pleut-il")], "match"),
        (EVENT, [(6, 0, "Ce")], "match"),
    ],
)
def test_what_matches(suite, reference, french, name, changes, why):
    """Anaphoric tokens need pronoun and head, others the pronoun; case and elision do not count."""
    results = by_name(score_system(suite, changed(reference, *changes), french))
    assert results[name].why == why


@pytest.mark.parametrize(
    ("pronoun", "head", "outcome"),
    [
        ("Elle", "maison", "match"),
        ("Il", "manoir", "match"),
        ("Il", "maison", "mismatch"),
        ("Elle", "manoir", "mismatch"),
    ],
)
def test_pairs_are_never_put_together_from_two_references(
    suite, reference, french, pronoun, head, outcome
):
    tokens = tuple(
        replace(token, references=(*token.references, Translation(("il",), (), ("manoir",), ())))
        if token.name == HOUSE
        else replace(token, references=token.references * 2)
        for token in suite.tokens
    )
    two = replace(suite, references=suite.references * 2, tokens=tokens)
    output = changed(reference, (16, 0, pronoun), (15, 5, head))
    assert by_name(score_system(two, output, french))[HOUSE].outcome == outcome


def test_silver_pairs_count_apart_and_never_by_halves(suite, reference, french):
    output = changed(reference, (16, 0, "Il"), (15, 5, "manoir"), (4, 0, "Ça"))
    pairs = {HOUSE: [Alternative(("il",), ("manoir",))], RAIN: [Alternative(("ça",))]}
    results = by_name(score_system(suite, output, french, pairs))
    assert (results[HOUSE].outcome, results[RAIN].outcome) == ("silver", "silver")
    halves = {HOUSE: [Alternative(("il",), ("palais",)), Alternative(("elle",), ("manoir",))]}
    house = by_name(score_system(suite, output, french, halves))[HOUSE]
    assert (house.outcome, house.pronoun, house.head) == ("mismatch", "il", "manoir")


def test_silver_files_survive(suite, tmp_path):
    path = tmp_path / "silver.tsv"
    silver = {HOUSE: [Alternative(("il",), ("manoir",), "seen")], RAIN: [Alternative(("ça",))]}
    write_silver(path, silver)
    assert read_silver(path, suite) == silver
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert read_silver(path, suite) == silver


@pytest.mark.parametrize(
    "row", ["none\til\t\t", f"{HOUSE}\til\t\t", f"{RAIN}\t\t\t", f"{RAIN}\til\tpluie\t", "x"]
)
def test_faults_of_silver_files_have_a_line(suite, tmp_path, row):
    path = tmp_path / "silver.tsv"
    path.write_text(f"token\tpronoun\thead\tremark\n{RAIN}\til\t\t\n{row}\n", "utf-8")
    with pytest.raises(InputError) as caught:
        read_silver(path, suite)
    assert [(problem.path, problem.line) for problem in caught.value.problems] == [(str(path), 3)]


# Files --------------------------------------------------------------------------------------------


def write(folder, **lines):
    for name, content in lines.items():
        (folder / name).write_text("".join(f"{line}\n" for line in content), "utf-8")
    return folder


def lines_of(name):
    return (FOLDER / name).read_text("utf-8").splitlines()


def test_links_are_made_and_raw_text_is_tokenised(suite, french, tmp_path):
    raw = [line.replace(" .", ".").replace("' ", "'") for line in lines_of("text.fr")]
    write(tmp_path, raw=["", *raw[1:]])
    system = read_system(suite, "x", tmp_path / "raw")
    assert system.link_signature.startswith("prior-en-fr")
    assert list(system.output[1:]) == list(suite.references[0][1:])
    matches = [result.outcome for result in score_system(suite, system, french)].count("match")
    assert matches > 7
