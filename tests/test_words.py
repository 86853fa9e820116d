"""The word lists of `conf/words/`: what is in them did not change when they moved there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from crosspro.baselines import idiap_plm
from crosspro.baselines.features import local
from crosspro.data_prep.annotate.tokenise import load_abbreviations
from crosspro.data_prep.core import words
from crosspro.data_prep.core.words import WORDS, looks_otherwise, names_of, word_lists, word_set
from crosspro.data_prep.gaps import extract, null_subjects
from crosspro.data_prep.gaps.subjects.words import subject_words
from crosspro.data_prep.lexicon import agreement
from crosspro.data_prep.lexicon.agreement import pronoun_kinds
from crosspro.data_prep.lexicon.induce import BARE_GERMAN, determiners
from crosspro.evaluation.inputs.pronoun_forms import TranslationWords, readings_of
from crosspro.evaluation.inputs.pronoun_lists import lists_names, lists_to_mapping, load_lists
from crosspro.evaluation.metrics.contrastive.build import BuildRules
from crosspro.evaluation.protest.language import source_words, target_words
from tests.conftest import GOLDEN, ROOT

DIGESTS: dict[str, str] = json.loads((GOLDEN / "words" / "digests.json").read_text("utf-8"))
"""Made from the lists as they were when they stood in YAML, tables and code of several folders;
two English words that stood twice in a list of the tagger stand there once."""
LISTS = [path for path in sorted(WORDS.rglob("*.tsv"))
         if path.parent.name not in ("abbreviations", "forms")]  # fmt: skip


def plain(value: Any) -> Any:
    """Lists, words and mappings as JSON has them; sets in alphabetical order."""
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, frozenset | set):
        return sorted(map(plain, value))
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def resolved() -> dict[str, Any]:
    """Every list as the code that uses it has it."""
    rules = BuildRules()
    tagger = {k: v for k, v in word_lists("tagger", "en").items() if k != "no-adverbs"}
    clitics = {language: TranslationWords(language) for language in ("fr", "pt", "es", "de", "en")}
    empty = {"after": set(), "before": set(), "whole": set(), "elided": {}}
    return {
        **{f"pairs {name}": lists_to_mapping(load_lists(name)) for name in lists_names()},
        **{f"protest target {one}": target_words(one) for one in ("de", "en", "es", "fr")},
        "protest source en": source_words("en"),
        **{f"forms {one}": readings_of(one) for one in ("de", "en", "es", "fr")},
        **{f"determiners {one}": determiners(one) for one in ("fr", "es", "de")},
        "bare German": BARE_GERMAN,
        **{f"agreement {one}": pronoun_kinds(one) for one in ("en", "fr", "de", "es")},
        "expletives": {one: word_set("agreement", one, "expletives") for one in ("en", "fr", "de")},
        **{f"subjects {one}": subject_words(one) for one in ("en", "de")},
        "english words": tagger,
        "no adverbs": word_set("tagger", "en", "no-adverbs"),
        **{f"abbreviations {one}": load_abbreviations(one) for one in ("de", "en", "es", "fr")},
        "gap enclitics": extract._ENCLITICS,
        "subject forms": null_subjects._SUBJECT_FORMS,
        "object forms": null_subjects._OBJECT_FORMS,
        "first person": null_subjects._FIRST_PERSON,
        "contrastive prepositions": rules.not_after,
        "contrastive forms": rules.forms,
        "contrastive rivals": rules.rivals,
        **{
            f"clitics {language}": empty if language == "es" else {
                "after": one.after, "before": one.before, "whole": one.whole, "elided": one.elided
            }
            for language, one in clitics.items()
        },
        "spanish nouns": clitics["es"].whole,
        "pronoun numbers": dict(sorted(local._NUMBERS.items())),
        "plurals without s": agreement._plurals_without_s(),
        "idiap": {
            "participles": idiap_plm._PARTICIPLES,
            "be": idiap_plm._BE,
            "no_active": idiap_plm._NO_ACTIVE_VERB,
            "subjects": idiap_plm._SUBJECTS,
            "objects": idiap_plm._OBJECTS,
            "before": idiap_plm._BEFORE_VERBS,
        },
    }  # fmt: skip


@pytest.fixture(scope="module")
def found():
    return {
        name: hashlib.sha256(json.dumps(plain(lists), ensure_ascii=False).encode()).hexdigest()[:12]
        for name, lists in resolved().items()
    }


@pytest.mark.parametrize("name", DIGESTS)
def test_lists_are_what_they_were(name, found):
    assert found[name] == DIGESTS[name]


@pytest.mark.parametrize("path", LISTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_list_has_words_and_each_of_them_once(path):
    lists = word_lists(path.parent.name, path.stem)
    names = [line.split("\t")[0] for line in path.read_text("utf-8").splitlines()
             if not line.startswith("# ")]  # fmt: skip
    assert names == list(lists)
    for name, its_words in lists.items():
        assert its_words, name
        assert len(set(its_words)) == len(its_words), name
        assert list(its_words) == [word.lower() for word in its_words], name


def test_a_language_without_a_file_has_no_lists_and_a_list_must_have_a_name_that_is_there():
    assert word_lists("clitics", "xx") == {}
    assert word_lists("clitics", "../clitics/fr") == {}
    assert words.words_file("forms", "xx") is None
    assert names_of("no such use") == ()
    with pytest.raises(KeyError):
        word_set("clitics", "fr", "no such list")


def test_every_use_is_documented():
    page = (ROOT / "docs" / "tutorials" / "add-language.md").read_text("utf-8")
    for folder in WORDS.iterdir():
        assert f"| `{folder.name}/" in page, folder.name


@pytest.mark.parametrize(
    ("lines", "language", "found"),
    [
        (["She is old, but they say that it was for him."], "fr", "what looks like en"),
        (["Sie ist,", "aber er sagt,", "dass es für ihn war."] * 900, "fr", "what looks like de"),
        (["Дом стар , но REPLACE_2 стоит ."], "fr", "letters of another script"),
        (["il|PRON être|VER", "« He is the one that was with them »", "le les"], "fr", None),
        (["The Rolling Stones", "The Who", "The The and the The"], "fr", None),
        (["Дом стар"], "ru", None),
        ([], "fr", None),
    ],
)  # fmt: skip
def test_frequent_words_tell_the_language_of_a_text(lines, language, found):
    assert looks_otherwise(lines, language) == found


@pytest.mark.parametrize("language", ["de", "en", "es", "fr"])
def test_the_sample_is_in_its_languages(language):
    lines = (ROOT / f"data_prep/sample/sample.{language}").read_text("utf-8").splitlines()
    for other in names_of("frequent"):
        expected = None if other == language else f"what looks like {language}"
        assert looks_otherwise(lines, other) == expected
    parts = (lines[start : start + 12] for start in range(0, len(lines), 12))
    assert not any(looks_otherwise(part, language) for part in parts)
