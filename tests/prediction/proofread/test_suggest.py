"""Which word is suggested in a place, and how it is written there."""

from __future__ import annotations

import re
from functools import cache

import pytest

from crosspro.data_prep.core.task import Task, load_task
from crosspro.prediction.proofread.suggest import noun_may_follow, suggested, written

_MARKED = re.compile(r"\[([^\]]*)\]")


@cache
def task_of(pair: str) -> Task:
    return load_task(f"{pair}-text")


def marked(target: str) -> tuple[str, list[tuple[int, int]]]:
    """A text without its brackets, and where they were."""
    places, text = [], ""
    for number, part in enumerate(_MARKED.split(target)):
        if number % 2:
            places.append((len(text), len(text) + len(part)))
        text += part
    return text, places


def written_in(pair: str, label: str, target: str) -> str:
    text, ((start, end),) = marked(target)
    return written(label, text[start:end], text[:start], text[end:], task_of(pair))


WRITTEN = {
    "en-fr": [
        ("la", "Je [le] aime.", "l'"),
        ("le", "Elle [l’]habite.", "l’"),
        ("la", "Elle [le] hait.", "la"),
        ("l'", "Je [la] vois.", "la"),
        ("ce", "[Il] est tard, d’accord.", "C’"),
        ("ce", "[Il] serait temps.", "Ce"),
        ("il", "[C']EST VRAI.", "IL"),
        ("cela", "[Il] marche, et ça suffit.", "Ça"),
        ("elle", "Oui, [dit-il].", "dit-elle"),
        ("la", "Prends-[le] avec toi.", "la"),
        ("OTHER", "[Il] pleut.", ""),
    ],
    "en-de": [
        ("sie", "ES IST [ES].", "SIE"),
        ("ihre", "Mit [seinen] Augen.", "ihren"),
        ("ihr", "Mit [seinem] Hund.", "ihrem"),
        ("ihre", "Das ist [ihr] Hund.", "ihr"),
        ("sein", "[Ihrer] Frau.", "Seiner"),
        ("sein", "Das ist [ihr] Hund.", "sein"),
        ("er", "Gestern kam [Sie] an.", "er"),
        ("er", "Hallo; [Es] kam an.", "Er"),
        ("es", "„[Sie] ist da.“", "Es"),
    ],
    "en-es": [
        ("la", "[Lo] vi.", "La"),
        ("ella", "¿[Él] viene?", "Ella"),
        ("eso", "[Esto] es.", "Esto"),
        ("ella", "—[Él] vino.", "Ella"),
    ],
    "fr-en": [
        ("she", "[HE] CAME.", "SHE"),
        ("her", "It is [his] book.", "her"),
        ("this", "[These] are.", "This"),
    ],
    "de-en": [
        ("it", "[He]'s here.", "It"),
        ("they", "“[He] can.”", "They"),
    ],
    "es-en": [
        ("your", "[His] house.", "Your"),
        ("they", "[IT] CAME.", "THEY"),
        ("he", "... [she] went.", "he"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("pair", "label", "target", "expected"),
    [(pair, *case) for pair, cases in WRITTEN.items() for case in cases],
)
def test_the_word_of_a_class_is_written_as_the_place_asks(pair, label, target, expected):
    assert written_in(pair, label, target) == expected


@pytest.mark.parametrize(
    ("pair", "chances", "target", "expected"),
    [
        ("en-de", {"das": 0.5, "man": 0.2, "er": 0.1}, "[Es] ist da.", "Er"),
        ("en-de", {"ihm": 0.5, "er": 0.3, "es": 0.1}, "wobei [sie] lief", "er"),
        ("en-de", {"sein": 0.8, "er": 0.1}, "Da ist [es] gut.", "er"),
        ("en-de", {"sein": 0.8, "er": 0.01}, "Da ist [es] gut.", "sein"),
        ("en-de", {"ihre": 0.8, "sein": 0.1}, "weil es [ihr] Haus ist", "sein"),
        ("en-de", {"das": 0.5, "es": 0.2}, "[Er] ist gut.", "Das"),
        ("en-fr", {"on": 0.5, "elles": 0.3}, "[Ils] dorment.", "Elles"),
        ("en-fr", {"lui": 0.9, "il": 0.1}, "Il [l']a vu.", "lui"),
        ("en-fr", {"cela": 0.6, "il": 0.2}, "[C']est vrai.", "Il"),
        ("en-fr", {"le": 0.6, "elle": 0.2}, "Oui, [dit-il].", "dit-elle"),
        ("en-es", {"la": 0.6, "le": 0.2}, "No [les] importó.", "le"),
        ("en-es", {"ellos": 0.7, "las": 0.1}, "cuando [lo] vieron", "las"),
        ("es-en", {"this": 0.7, "them": 0.2}, "I saw [it].", "them"),
    ],
)  # fmt: skip
def test_a_suggestion_stands_in_the_same_place_and_is_more_than_style(
    pair, chances, target, expected
):
    text, ((start, end),) = marked(target)
    task, word = task_of(pair), text[start:end]
    label = task.class_of(word.lower().rpartition("-")[2])
    chances = {name: chances.get(name, 0.0) for name in task.classes}
    best = suggested(label, chances, word, text[:start], text[end:], task)
    assert best.word == expected


def test_no_word_is_suggested_where_the_model_expects_none():
    chances = dict.fromkeys(task_of("en-fr").classes, 0.0) | {"OTHER": 0.98, "cela": 0.02}
    best = suggested("elle", chances, "Elle", "", " du rival", task_of("en-fr"))
    assert (best.label, best.word) == ("OTHER", "")


@pytest.mark.parametrize(
    ("language", "before", "expected"),
    [
        ("de", "Der Hund. ", False),
        ("de", "Der ", True),
        ("es", "en la parte ", False),
        ("es", "caliente y ", False),
        ("es", "en la ", True),
        ("es", "una pequeña ", True),
        ("fr", "C'est l'", True),
        ("fr", "", False),
        ("en", "", True),
    ],
)
def test_a_noun_is_told_from_other_words_by_what_stands_before_it(language, before, expected):
    assert noun_may_follow(before, language, lambda word: word == "parte") == expected


def test_a_word_has_the_chances_of_classes_that_are_written_alike():
    chances = {"ihr": 0.02, "ihre": 0.9, "sein": 0.08}
    chances = {name: chances.get(name, 0.0) for name in task_of("en-de").classes}
    best = suggested("ihr", chances, "ihr", "weil es ", " Haus ist", task_of("en-de"))
    assert (best.word, best.chances["ihr"], best.chances["ihre"]) == (
        "sein",
        0.92,
        0.0,
    )
