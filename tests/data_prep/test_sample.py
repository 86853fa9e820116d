"""The sample: well-formed files, gold that fits the text and itself, and every class and kind."""

from __future__ import annotations

from collections import Counter

import pytest

from crosspro.data_prep.annotate.tokenise import tokenise
from crosspro.data_prep.core.task import OTHER, load_task
from crosspro.data_prep.sample import LANGUAGES, read_documents, read_tokens
from tests.sample import read_gold, read_nonsubjects, read_pronoun_links

TASKS = ("en-fr", "en-de", "fr-en", "de-en", "es-en")
PAIRS = ("en-fr", "en-de", "en-es")
KINDS = {
    "anaphoric_same_sentence", "anaphoric_other_sentence", "pleonastic", "event", "generic",
    "addressee", "other",
}  # fmt: skip
SENTENCE_END = {".", "!", "?"}
SPANISH_NON_VERBS = {"él", "ella", "usted", "este", "eso", "esos", "que", "lo", "la", "se", "no"}


@pytest.fixture(scope="module")
def text():
    return {language: read_tokens(language) for language in LANGUAGES}


@pytest.fixture(scope="module")
def gold():
    return {name: read_gold(name) for name in TASKS}


def test_there_are_six_documents_a_genre_and_a_line_for_every_segment(text):
    documents = read_documents()
    assert len({document.name for document in documents}) == 24
    assert sorted(Counter(document.genre for document in documents).values()) == [6] * 4
    sizes = [document.last_line - document.first_line + 1 for document in documents]
    assert min(sizes) >= 8
    assert max(sizes) <= 12
    counts = {len(lines) for lines in text.values()}
    assert counts | {len(read_pronoun_links(pair)) for pair in PAIRS} == {sum(sizes)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_is_tokenised_and_no_sentence_comes_twice(text, language):
    lines = text[language]
    assert len({tuple(tokens) for tokens in lines}) == len(lines)
    for tokens in lines:
        assert tokenise(" ".join(tokens), language) == tokens
        assert tokens[-1] in SENTENCE_END or tokens[-2] in SENTENCE_END or tokens[-1] == '"'


@pytest.mark.parametrize("name", TASKS)
def test_gaps_fit_the_text(text, gold, name):
    task = load_task(name)
    source, target = text[task.source_language], text[task.target_language]
    places = [(gap.line, gap.source_index) for gap in gold[name]]
    assert places == sorted(set(places))
    targets = [(gap.line, gap.target_index) for gap in gold[name] if gap.target_index is not None]
    assert len(set(targets)) == len(targets)
    for gap in gold[name]:
        assert 0 <= gap.source_index < len(source[gap.line - 1])
        if gap.target_index is None:
            assert gap.label == OTHER
        else:
            assert task.class_of(target[gap.line - 1][gap.target_index].lower()) == gap.label
    labels = Counter(gap.label for gap in gold[name])
    assert min(labels[label] for label in task.classes) >= 3
    absent = {"addressee"} if name in ("en-fr", "en-de") else set()
    if name != "fr-en":
        assert {gap.kind for gap in gold[name]} == KINDS - absent


@pytest.mark.parametrize("name", [name for name in TASKS if name != "es-en"])
def test_every_source_pronoun_is_a_gap_or_no_subject(text, gold, name):
    task = load_task(name)
    pronouns = {
        (line, index)
        for line, tokens in enumerate(text[task.source_language], start=1)
        for index, token in enumerate(tokens)
        if token.lower() in task.source_pronouns
    }
    gaps = {(gap.line, gap.source_index) for gap in gold[name]}
    others = read_nonsubjects(task.source_language)
    assert gaps | others == pronouns
    assert not gaps & others


def test_null_subjects_are_at_verbs_and_have_an_english_subject(text, gold):
    for gap in gold["es-en"]:
        word = text["es"][gap.line - 1][gap.source_index]
        assert word.isalpha()
        assert word.lower() not in SPANISH_NON_VERBS
        assert gap.target_index is not None


@pytest.mark.parametrize("name", TASKS)
def test_antecedents_stand_before_the_pronoun_in_the_same_document(text, gold, name):
    source = text[load_task(name).source_language]
    document_of = {
        line: document.name
        for document in read_documents()
        for line in range(document.first_line, document.last_line + 1)
    }
    distances = set()
    for gap in gold[name]:
        assert (gap.antecedent is not None) == gap.kind.startswith("anaphoric")
        if gap.antecedent is None:
            continue
        line, index = gap.antecedent
        assert (line, index) < (gap.line, gap.source_index)
        assert document_of[line] == document_of[gap.line]
        assert source[line - 1][index].replace("-", "").isalpha()
        between = source[line - 1][index : gap.source_index]
        same = line == gap.line and not SENTENCE_END & set(between)
        assert gap.kind == f"anaphoric_{'same' if same else 'other'}_sentence"
        distances.add(gap.line - line)
    assert distances == {0, 1, 2, 3}


@pytest.mark.parametrize("pair", PAIRS)
def test_links_are_those_of_the_gaps(text, gold, pair):
    other = pair.removeprefix("en-")
    links = read_pronoun_links(pair)
    expected = {
        (gap.line, gap.source_index, gap.target_index)
        for gap in gold.get(pair, [])
        if gap.target_index is not None
    } | {
        (gap.line, gap.target_index, gap.source_index)
        for gap in gold[f"{other}-en"]
        if gap.target_index is not None
    }
    linked = {(line, s, t) for line, pairs in enumerate(links, start=1) for s, t in pairs}
    assert expected <= linked
    english = {
        (gap.line, gap.source_index if name.startswith("en-") else gap.target_index)
        for name, gaps in gold.items()
        for gap in gaps
    }
    for line, source, target in linked:
        assert (line, source) in english  # every link belongs to a pronoun of some task
        assert target < len(text[other][line - 1])
    for pairs in links:
        assert len({s for s, _ in pairs}) == len({t for _, t in pairs}) == len(pairs)
