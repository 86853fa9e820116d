"""The demo corpus: well-formed, deterministic, skewed like the real data."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.settings import to_mapping
from crosspro.data_prep.core.task import load_task, task_from_mapping
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.demo.language import LANGUAGES, PROFILES, persons, things, verbs
from crosspro.data_prep.formats.shared_task import read_examples, write_doc_ids, write_examples

TASKS = sorted(PROFILES)

REAL_SHARES = {  # 003 Table 5 (after filtering), 004 Table 11
    "en-fr": {"ce": 24, "elle": 5, "elles": 5, "il": 14, "ils": 25, "cela": 10, "on": 2},
    "en-de": {"er": 3, "sie": 32, "es": 32, "man": 1, "OTHER": 32},
    "es-en": {"he": 7, "she": 8, "it": 34, "they": 20, "you": 7, "there": 12, "OTHER": 13},
}  # fmt: skip


@pytest.fixture(scope="module")
def corpora():
    return {name: demo_examples(load_task(name), "train", 200) for name in TASKS}


@pytest.mark.parametrize("name", TASKS)
def test_the_files_are_well_formed_and_the_seed_decides(tmp_path, name):
    task = load_task(name)
    examples = demo_examples(task, "test", 10)
    write_examples(tmp_path / "x.data", examples)
    write_doc_ids(tmp_path / "x.doc-ids", examples)
    assert list(read_examples(tmp_path / "x.data", task, tmp_path / "x.doc-ids")) == examples
    assert demo_examples(task, "test", 10) == examples
    assert demo_examples(task, "test", 10, seed=2) != examples
    assert demo_examples(task, "dev", 10) != examples


@pytest.mark.parametrize("name", TASKS)
def test_every_class_occurs_and_gaps_fit_their_words_pronouns_and_links(corpora, name):
    task = load_task(name)
    plural = {"il": {"il", "ils"}, "elle": {"elle", "elles"}} if name == "en-fr" else {}
    seen = Counter()
    for example in corpora[name]:
        for gap in example.gaps:
            seen[gap.label] += 1
            word = gap.word.rpartition("|")[0] if task.tagged and gap.word != "NONE" else gap.word
            label = task.class_of(word.lower() if word != "NONE" else word)
            assert gap.label in plural.get(label, {label})
            pronoun = example.source[gap.source_index].lower()
            assert task.null_subjects or pronoun in task.source_pronouns
            linked = {source for source, target in example.links if target == gap.position}
            assert linked == {gap.source_index}
    rare = {"these"} if name == "fr-en" else set()
    assert set(task.classes) - rare <= set(seen)
    for label, share in REAL_SHARES.get(name, {}).items():
        assert 100 * seen[label] / seen.total() == pytest.approx(share, abs=8)


def test_lemmas_of_french_pronouns_hide_number_but_words_do_not(corpora):
    words = {
        name: {(gap.label, gap.word) for example in corpora[name] for gap in example.gaps}
        for name in ("en-fr", "en-fr-2015")
    }
    assert {("ils", "il|PRON"), ("elles", "elle|PRON"), ("ce", "ce|PRON")} <= words["en-fr"]
    assert not {"ils|PRON", "elles|PRON", "c'|PRON"} & {word for _, word in words["en-fr"]}
    assert ("ils", "ils") in words["en-fr-2015"]


def test_sentences_read_well(corpora):
    for line in (" ".join(example.target) for example in corpora["en-fr-2015"]):
        assert line[0].isupper() or line.startswith("REPLACE_")
        assert line.endswith(" .")
        assert not any(f" {article} {vowel}" in line for article in ("le", "la", "que", "de")
                       for vowel in "aeiouéêî")  # fmt: skip
    for source in (example.source for example in corpora["de-en"]):
        if "dass" in source:  # the verb stands last in a subordinate clause
            assert source[source.index("dass") - 1] == ","


@pytest.mark.parametrize("name", TASKS)
def test_layers_parse_the_source_and_chain_antecedents_with_their_pronouns(name):
    task = load_task(name)
    layered = demo_examples(task, "dev", 20, layers=True)
    plain = [replace(example, source_parse=None, chains=None) for example in layered]
    assert plain == demo_examples(task, "dev", 20)
    chained = 0
    for example in layered:
        tokens = example.source_parse.tokens
        assert example.source_parse.forms == example.source
        assert sum(token.deprel == "root" for token in tokens) == 1
        for token in tokens:
            assert (token.head == -1) == (token.deprel == "root")
            assert token.head == -1 or tokens[token.head].upos in ("VERB", "NOUN")
        pronouns = {gap.source_index for gap in example.gaps}
        for mention in example.chains:
            assert mention.last < len(tokens)
            head = tokens[mention.last]
            chained += mention.first in pronouns
            assert mention.first in pronouns or head.upos == "NOUN"
    assert chained > 30 or task.null_subjects  # a pronoun that is not said has no mention


def test_the_lexicon_is_large_and_complete():
    assert len(things()) >= 300
    assert len(persons()) >= 100
    actions = (*verbs("things"), *verbs("persons"), *verbs("transitive"))
    assert len(actions) >= 200
    for noun in (*things(), *persons()):
        assert set(noun.forms) == set(LANGUAGES)
        assert noun.gender["fr"] in "mf"
        assert noun.gender["de"] in "mfn"
        for forms in noun.forms.values():
            assert all(form and form == form.strip() and " " not in form for form in forms)
    for verb in actions:
        assert all(all(forms) for forms in verb.values())


def test_another_language_pair_is_refused():
    mapping = to_mapping(load_task("en-fr"))
    mapping.update(name="en-it", target_language="it")
    with pytest.raises(InputError, match="data=shared_task"):
        demo_examples(task_from_mapping(mapping, "en-it"), "train")
