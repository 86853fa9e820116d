"""Automatic matching: pronouns, heads, references, silver alternatives, other tokenisations."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.protest.language import Slot
from crosspro.evaluation.protest.match import (
    Alternative,
    pronoun_words,
    read_silver,
    score_system,
    write_silver,
)
from crosspro.evaluation.protest.review import texts_of
from crosspro.evaluation.protest.suite import ReferenceWords
from crosspro.evaluation.protest.text import read_system, read_systems
from tests.evaluation.protest.tokens import (
    BICYCLE,
    CLITIC,
    FOLDER,
    HOUSE,
    RAIN,
    by_name,
    changed,
)


def test_the_reference_matches_itself_everywhere(suite, reference, french):
    results = score_system(suite, reference, french, repair=True)
    assert [result.outcome for result in results] == ["match"] * len(suite.tokens)
    assert {result.why for result in results} == {"match"}


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ([(16, 0, "Il")], "pronoun differs"),
        ([(15, 5, "demeure")], "head differs"),
        ([(16, 0, "Il"), (15, 5, "manoir")], "pronoun differs, head differs"),
        ([(16, 0, "ELLE"), (15, 5, "Maison")], "match"),
    ],
)
def test_anaphoric_tokens_need_both(suite, reference, french, changes, why):
    results = by_name(score_system(suite, changed(reference, *changes), french, repair=True))
    assert results[HOUSE].why == why
    assert results[BICYCLE].outcome == "match"


def test_other_tokens_need_the_pronoun_only(suite, reference, french):
    results = by_name(score_system(suite, changed(reference, (4, 0, "Cela")), french, repair=True))
    assert results[RAIN].why == "pronoun differs"
    assert results[RAIN].head is None


def test_words_that_are_not_linked_are_not_found(suite, reference, french):
    links = [() if line in (4, 15) else own for line, own in enumerate(reference.links)]
    results = by_name(score_system(suite, replace(reference, links=links), french, repair=True))
    assert results[RAIN].why == "pronoun not found"
    assert results[HOUSE].why == "head not found"


def test_elision_and_sub_words_after_hyphens(suite, reference, french):
    output = changed(reference, (6, 0, "Ce"), (4, 0, "Pleut-il"))
    results = by_name(score_system(suite, output, french, repair=True))
    assert results["talk1:word_37"].outcome == "match"
    assert results[RAIN].outcome == "match"


def test_repair_finds_a_clitic_without_a_link(suite, reference, french):
    with_repair = by_name(score_system(suite, reference, french, repair=True))
    assert with_repair[CLITIC].words == ("l'",)
    without = by_name(score_system(suite, reference, french, repair=False))
    assert without[CLITIC].why == "pronoun not found"


@pytest.mark.parametrize(
    ("source_at", "links", "words", "slot", "found"),
    [
        (3, [(0, 0), (2, 2)], "je l' aime .", Slot("third", "object"), (1,)),
        (3, [(0, 0), (1, 1), (2, 3)], "je veux la voir", Slot("third", "object"), (2,)),
        (3, [(0, 0), (2, 1)], "je vois la maison", Slot("third", "object"), ()),  # an article
        (0, [(1, 1), (0, 1)], "on dirait", Slot("third", "subject"), (0,)),
        (0, [(1, 1), (0, 1)], "vous dites", Slot("third", "subject"), (1,)),  # another person
        (0, [(1, 1)], "il l' est", Slot("third", "subject"), (0,)),
        (1, [], "il est", Slot("third", "subject"), ()),
        (1, [(0, 0), (2, 12)], "a il b c d e f g h i j k l", Slot("third", "subject"), ()),
    ],
)
def test_what_repair_may_and_may_not_find(source_at, links, words, slot, found, french):
    beside = ([source_at - 1], [source_at + 1])
    assert pronoun_words([source_at], links, words.split(), french, slot, beside) == found


def test_a_pair_must_come_from_one_reference(suite, reference, french):
    tokens = []
    for token in suite.tokens:
        second = ReferenceWords()
        if token.name == HOUSE:
            second = ReferenceWords(("il",), (0,), ("manoir",), (5,))
        tokens.append(replace(token, references=(*token.references, second)))
    both = replace(suite, references=suite.references * 2, tokens=tuple(tokens))
    second = by_name(
        score_system(
            both, changed(reference, (16, 0, "Il"), (15, 5, "manoir")), french, repair=True
        )
    )
    assert (second[HOUSE].outcome, second[HOUSE].reference) == ("match", 1)
    mixed = by_name(score_system(both, changed(reference, (16, 0, "Il")), french, repair=True))
    assert mixed[HOUSE].outcome == "mismatch"
    assert mixed[HOUSE].why == "pair of two references"
    assert mixed[BICYCLE].reference == 0


def test_silver_alternatives_are_pairs(suite, reference, french):
    output = changed(reference, (16, 0, "Il"), (15, 5, "manoir"), (4, 0, "Ça"))
    pairs = {HOUSE: [Alternative(("il",), ("manoir",))], RAIN: [Alternative(("ça",))]}
    results = by_name(score_system(suite, output, french, pairs, repair=True))
    assert (results[HOUSE].outcome, results[RAIN].outcome) == ("silver", "silver")
    halves = {HOUSE: [Alternative(("il",), ("palais",)), Alternative(("elle",), ("manoir",))]}
    results = by_name(score_system(suite, output, french, halves, repair=True))
    assert results[HOUSE].outcome == "mismatch"
    assert (results[HOUSE].item.pronoun, results[HOUSE].item.head) == ("il", "manoir")


def test_silver_files_survive_and_are_checked(suite, tmp_path):
    path = tmp_path / "silver.tsv"
    silver = {HOUSE: [Alternative(("il",), ("manoir",), "seen")], RAIN: [Alternative(("ça",))]}
    write_silver(path, silver)
    assert read_silver(path, suite) == silver
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\r\n"))
    assert read_silver(path, suite) == silver, "line ends that were doubled on the way"
    path.write_text(
        "token\tpronoun\thead\tremark\nnone\til\t\n"
        f"{HOUSE}\til\t\n{RAIN}\t\t\n{RAIN}\til\tpluie\t\nx\n",
        "utf-8",
    )
    with pytest.raises(InputError) as caught:
        read_silver(path, suite)
    assert [(p.line, p.field) for p in caught.value.problems] == [
        (2, "token"),
        (3, "head"),
        (4, "pronoun"),
        (5, "head"),
        (6, "columns"),
    ]


def test_a_result_has_what_a_page_needs(suite, reference, french):
    result = by_name(score_system(suite, reference, french, repair=True))["talk2:word_19"]
    assert suite.context(result.token) == [15, 17, 18]  # antecedent, before, pronoun
    source, _, output = (text.split(" / ")[-1] for text in texts_of(result))
    assert source == "Nobody liked [[it]] ."
    assert output == "Personne ne [[l']] aimait ."
    assert result.output.links[18] == ((0, 0), (1, 3), (2, 2), (3, 4))
    assert (result.pronoun.source, result.pronoun.candidate) == ((2,), (2,))
    assert result.head
    assert (result.head.line, result.head_words) == (15, ("maison",))


def test_the_digest_names_the_output_that_was_seen(suite, reference, french):
    before = by_name(score_system(suite, reference, french, repair=True))
    after = by_name(score_system(suite, changed(reference, (15, 0, "Il")), french, repair=True))
    differ = {name for name in before if before[name].item.digest != after[name].item.digest}
    assert differ == {HOUSE, "talk2:word_19"}  # both have their antecedent in line 15


def write(folder, **texts):
    for name, content in texts.items():
        (folder / name).write_text(content, "utf-8")
    return folder


def test_another_tokenisation_of_the_source(suite, french, tmp_path):
    """Every word in lower case, cut in two; the links follow."""
    source, links = [], []
    for line, own in zip(
        suite.source, (FOLDER / "text.links").read_text().splitlines(), strict=True
    ):
        pieces, starts = [], []
        for word in line:
            starts.append(len(pieces))
            pieces += [word[:1].lower() + "@@", word[1:].lower()] if len(word) > 1 else [word]
        pairs = [link.split("-") for link in own.split()]
        links.append(" ".join(f"{starts[int(s)]}-{t}" for s, t in pairs))
        source.append(" ".join(pieces))
    write(tmp_path, src="\n".join(source) + "\n", links="\n".join(links) + "\n")
    system = read_system(suite, "x", FOLDER / "text.fr", tmp_path / "links", tmp_path / "src")
    results = score_system(suite, system, french, repair=True)
    assert [result.outcome for result in results] == ["match"] * len(results)


def test_every_problem_of_every_file_comes_before_any_score(suite, tmp_path):
    links = (FOLDER / "text.links").read_text("utf-8").splitlines()
    links[2] += " 99-0 x"
    links[4] = "0-7"
    source = (FOLDER / "text.en").read_text("utf-8").replace("It rains", "Rain falls")
    write(tmp_path, short="a\n", links="\n".join(links) + "\n", source=source)
    with pytest.raises(InputError) as caught:
        read_systems(
            suite,
            {"one": tmp_path / "short", "two": FOLDER / "text.fr"},
            [tmp_path / "links", tmp_path / "links"],
            [None, tmp_path / "source"],
        )
    found = [(p.path.rpartition("/")[2], p.line, p.field) for p in caught.value.problems]
    assert found == [
        ("short", 2, "lines"),
        ("links", 3, "links"),  # x, which is no link in any text
        ("source", 5, "source"),
        ("links", 3, "links"),
    ]


def test_missing_files_are_named(suite, tmp_path):
    with pytest.raises(InputError) as caught:
        read_system(suite, "x", tmp_path / "none", tmp_path / "nothing", tmp_path / "nowhere")
    assert [p.path.rpartition("/")[2] for p in caught.value.problems] == [
        "none",
        "nowhere",
        "nothing",
    ]
