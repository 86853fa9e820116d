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
    ReferenceWords,
    Suite,
    SuiteToken,
    read_suite,
    write_suite,
)


@pytest.fixture
def path(suite, tmp_path):
    write_suite(tmp_path / "suite.jsonl", suite)
    return tmp_path / "suite.jsonl"


def problems(path):
    with pytest.raises(InputError) as caught:
        read_suite(path)
    return caught.value.problems


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_what_is_written_is_read_again(suite, tmp_path, suffix):
    path = tmp_path / f"suite.jsonl{suffix}"
    write_suite(path, suite)
    read = read_suite(path)
    assert read == suite
    assert read.digest == suite.digest


def test_the_digest_names_the_content(suite):
    assert replace(suite, tokens=suite.tokens[1:]).digest != suite.digest
    assert replace(suite, settings={}).digest == suite.digest


def change(path, line, edit):
    lines = path.read_text("utf-8").splitlines()
    record = json.loads(lines[line - 1])
    edit(record)
    lines[line - 1] = json.dumps(record, ensure_ascii=False)
    path.write_text("\n".join(lines) + "\n", "utf-8")


TOKEN = 21  # the first token, after the record of the suite and 19 lines of text


@pytest.mark.parametrize(
    ("line", "edit", "field"),
    [
        (1, lambda r: r.update(version=9), "format"),
        (1, lambda r: r.update(tokens=9), "tokens"),
        (1, lambda r: r.update(references="x"), "references"),
        (3, lambda r: r.update(line=7), "line"),
        (3, lambda r: r.update(source=5), "source"),
        (3, lambda r: r.update(references=[]), "references"),
        (TOKEN, lambda r: r.update(category="it"), "category"),
        (TOKEN, lambda r: r.update(at=[0, 99]), "at"),
        (TOKEN, lambda r: r.update(at=[]), "at"),
        (TOKEN, lambda r: r.update(line=99), "line"),
        (TOKEN, lambda r: r.update(role="x"), "role"),
        (TOKEN, lambda r: r.pop("antecedent"), "antecedent"),
        (TOKEN, lambda r: r["antecedent"].update(at=["x"]), "antecedent.at"),
        (TOKEN, lambda r: r.update(references=[]), "references"),
        (TOKEN, lambda r: r["references"][0].update(pronoun_at=[50]), "references[0].pronoun_at"),
        (TOKEN, lambda r: r["references"][0].update(head="x"), "references[0].head"),
        (TOKEN + 1, lambda r: r.update({"token": "talk1:word_6"}), "token"),
    ],
)
def test_each_fault_is_named(path, line, edit, field):
    change(path, line, edit)
    found = problems(path)
    assert field in [problem.field for problem in found]
    assert field == "tokens" or {problem.line for problem in found} == {line}


def test_all_faults_come_together(path):
    change(path, 4, lambda r: r.update(source=1))
    change(path, TOKEN, lambda r: r.update(category="it"))
    lines = path.read_text("utf-8").splitlines()
    lines[TOKEN + 2] = "{broken"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    assert [problem.line for problem in problems(path)] == [4, TOKEN, TOKEN + 3]


def test_a_number_of_references_that_is_wrong_takes_no_room(path):
    change(path, 1, lambda r: r.update(references=10**15))
    assert {problem.field for problem in problems(path)} == {"references"}


def test_files_that_are_no_suites(tmp_path):
    path = tmp_path / "x"
    for content in ("", "[]\n", "text\n", "{}\n"):
        path.write_text(content, "utf-8")
        assert problems(path)


word = st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1, max_size=5)
line = st.lists(word, min_size=1, max_size=5).map(tuple)


@st.composite
def suites(draw):
    size = draw(st.integers(1, 4))
    source = [draw(line) for _ in range(size)]
    references = [[draw(line) for _ in range(size)] for _ in range(draw(st.integers(1, 2)))]
    tokens = []

    def positions(words):
        at = st.integers(0, len(words) - 1)
        return tuple(sorted(draw(st.sets(at, min_size=1, max_size=2))))

    for number in range(draw(st.integers(0, 3))):
        category = BY_NAME[draw(st.sampled_from(sorted(BY_NAME)))]
        at, other = draw(st.integers(0, size - 1)), draw(st.integers(0, size - 1))
        antecedent = Place(other, positions(source[other])) if category.anaphoric else None
        words = []
        for reference in references:
            pair = ((draw(word),), positions(reference[at]))
            head = ((draw(word),), positions(reference[other])) if antecedent else ()
            words.append(ReferenceWords(*pair, *head))
        tokens.append(
            SuiteToken(
                f"t{number}",
                category.name,
                f"d{at // 2}",
                Place(at, positions(source[at])),
                draw(st.sampled_from(["subject", "object", "any"])),
                antecedent,
                positions(source[other]) if antecedent else (),
                tuple(words),
            )
        )
    documents = tuple(f"d{number // 2}" for number in range(size))
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
