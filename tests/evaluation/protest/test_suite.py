"""Writing and reading suites, and naming what is wrong with one."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.evaluation.protest.categories import BY_NAME
from crosspro.evaluation.protest.suite import (
    Place,
    Suite,
    Token,
    Translation,
    read_suite,
    write_suite,
)


@pytest.fixture
def path(suite, tmp_path):
    write_suite(tmp_path / "suite.jsonl", suite)
    return tmp_path / "suite.jsonl"


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_what_is_written_is_read_again(suite, tmp_path, suffix):
    path = tmp_path / f"suite.jsonl{suffix}"
    write_suite(path, suite)
    read = read_suite(path)
    assert read == suite
    assert read.digest == suite.digest
    assert replace(suite, tokens=suite.tokens[1:]).digest != suite.digest
    assert replace(suite, settings={}).digest == suite.digest


TOKEN = 21  # the first token, after the header and 19 lines of text


@pytest.mark.parametrize(
    ("line", "change", "field"),
    [
        (1, {"version": 9}, "version"),
        (1, {"tokens": 9}, "lines"),
        (1, {"references": "x"}, "references"),
        (1, {"references": 10**15}, "references"),
        (3, {"source": 5}, "source"),
        (3, {"references": []}, "references"),
        (3, {"more": 1}, "more"),
        (TOKEN, {"category": "it"}, ""),
        (TOKEN, {"antecedent": None}, ""),
        (TOKEN, {"place": {"line": 0, "at": [0, 99]}}, "place.at"),
        (TOKEN, {"place": {"line": 0, "at": [-1]}}, "place.at.0"),
        (TOKEN, {"place": {"line": 0, "at": []}}, "place.at"),
        (TOKEN, {"place": {"line": 99, "at": [0]}}, "place.line"),
        (TOKEN, {"role": "x"}, "role"),
        (TOKEN, {"antecedent": {"line": 0, "at": ["x"]}}, "antecedent.at.0"),
        (TOKEN, {"references": []}, "references"),
        (TOKEN, {"references": [{"pronoun_at": [50]}]}, "references.0.pronoun.at"),
        (TOKEN, {"references": [{"head": "x"}]}, "references.0.head"),
        (TOKEN + 1, {"name": "talk1:word_6"}, "name"),
    ],
)
def test_each_fault_is_named_with_its_line(path, line, change, field):
    lines = path.read_text("utf-8").splitlines()
    lines[line - 1] = json.dumps(json.loads(lines[line - 1]) | change)
    path.write_text("\n".join(lines) + "\n", "utf-8")
    with pytest.raises(InputError) as caught:
        read_suite(path)
    problem = caught.value.problems[0]
    number = 2 if change.get("references") == 10**15 else line  # the first line that differs
    assert problem.path == f"{path}:{number}"
    assert not field or problem.field == field


def test_a_key_that_stands_twice_is_refused(path):
    first, rest = path.read_text("utf-8").split("\n", 1)
    path.write_text(f'{{"tokens": 1, {first[1:]}\n{rest}', "utf-8")
    with pytest.raises(InputError, match="twice"):
        read_suite(path)


word = st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1, max_size=5)
line = st.lists(word, min_size=1, max_size=5).map(tuple)


@st.composite
def suites(draw):
    size = draw(st.integers(1, 4))
    source = [draw(line) for _ in range(size)]
    references = [[draw(line) for _ in range(size)] for _ in range(draw(st.integers(1, 2)))]
    documents = tuple(f"d{number // 2}" for number in range(size))

    def positions(words):
        at = st.integers(0, len(words) - 1)
        return tuple(sorted(draw(st.sets(at, min_size=1, max_size=2))))

    tokens = []
    for number in range(draw(st.integers(0, 3))):
        category = BY_NAME[draw(st.sampled_from(sorted(BY_NAME)))]
        at, other = draw(st.integers(0, size - 1)), draw(st.integers(0, size - 1))
        antecedent = Place(other, positions(source[other])) if category.anaphoric else None
        translations = []
        for reference in references:
            head = ((draw(word),), positions(reference[other])) if antecedent else ()
            translations.append(Translation((draw(word),), positions(reference[at]), *head))
        tokens.append(
            Token(
                f"t{number}",
                category.name,
                documents[at],
                Place(at, positions(source[at])),
                draw(st.sampled_from(["subject", "object", "any"])),
                antecedent,
                positions(source[other]) if antecedent else (),
                tuple(translations),
            )
        )
    return Suite("en", "fr", tuple(source), tuple(map(tuple, references)), documents, tuple(tokens))


@given(suites())
def test_any_suite_survives(tmp_path_factory, suite):
    path = tmp_path_factory.mktemp("suite") / "x.jsonl"
    write_suite(path, suite)
    assert read_suite(path) == suite


@given(st.integers(0, 6000), st.text(max_size=4))
def test_mutated_suites_raise_nothing_else(suite, tmp_path_factory, place, text):
    path = tmp_path_factory.mktemp("mutant") / "x.jsonl"
    write_suite(path, suite)
    content = path.read_text("utf-8")
    path.write_text(content[:place] + text + content[place + 1 :], "utf-8", newline="\n")
    try:
        assert read_suite(path).tokens
    except CrossproError as error:
        assert str(error)
