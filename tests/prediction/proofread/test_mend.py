"""Which word stands for a class in a place, what is changed, and what is only suggested."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest

from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.lexicon.lexicon import Entry, Lexicon
from crosspro.prediction.proofread.doubts import DoubtKind, PronounDoubt, StoodFor
from crosspro.prediction.proofread.mend import Mending, mend, replacement, suggested, written
from crosspro.prediction.proofread.reasons import stood_for
from crosspro.prediction.proofread.surroundings import may_be_noun
from crosspro.prediction.proofread.text import (
    Edit,
    FilePlace,
    PlacedRun,
    PlacedText,
    TranslatedSegment,
    TranslatedText,
    WrittenFile,
    placed_text,
    text_of_lines,
)

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
        ("la", "Je [le] vois.", "la"),
        ("la", "Je [le] aime.", "l'"),
        ("le", "Elle [l’]habite.", "l’"),
        ("la", "Elle [le] hait.", "la"),
        ("l'", "Je [la] vois.", "la"),
        ("l'", "Je [les] vois.", "le"),
        ("les", "Je [l']aime.", "les"),
        ("ce", "[Il] est tard, d’accord.", "C’"),
        ("ce", "[Il] serait temps.", "Ce"),
        ("ce", "[C’]est vrai.", "C’"),
        ("il", "[C’]est vrai.", "Il"),
        ("il", "[C']EST VRAI.", "IL"),
        ("cela", "[Il] marche.", "Cela"),
        ("cela", "[Il] marche, et ça suffit.", "Ça"),
        ("elle", "Oui, [dit-il].", "dit-elle"),
        ("elle", "[A-t-il] raison ?", "A-t-elle"),
        ("elle", "Où est-[il] ?", "elle"),
        ("la", "Prends-[le] avec toi.", "la"),
        ("la", "Mets-[le] ici.", "la"),
        ("OTHER", "[Il] pleut.", ""),
    ],
    "en-de": [
        ("er", "[Es] ist da.", "Er"),
        ("sie", "ES IST [ES].", "SIE"),
        ("ihre", "Das ist [sein] Hund.", "ihr"),
        ("ihre", "Mit [seinen] Augen.", "ihren"),
        ("ihr", "Mit [seinem] Hund.", "ihrem"),
        ("ihr", "Das ist [sein] Hund.", "ihr"),
        ("ihr", "Ich bin für [ihre] Idee.", "ihre"),
        ("ihre", "Das ist [ihr] Hund.", "ihr"),
        ("sein", "[Ihrer] Frau.", "Seiner"),
        ("sein", "Das ist [ihr] Hund.", "sein"),
        ("ihr", "Ich gab [ihm] Geld.", "ihr"),
        ("das", "[Es] ist gut.", "Das"),
        ("er", "Gestern kam [Sie] an.", "er"),
        ("er", "Hallo; [Es] kam an.", "Er"),
        ("es", "„[Sie] ist da.“", "Es"),
    ],
    "en-es": [
        ("la", "[Lo] vi.", "La"),
        ("le", "No [lo] vi.", "le"),
        ("él", "[ELLA] ESTÁ.", "ÉL"),
        ("ella", "¿[Él] viene?", "Ella"),
        ("eso", "[Esto] es.", "Esto"),
        ("eso", "[Él] es.", "Eso"),
        ("lo", "Para [eso].", "lo"),
        ("ellas", "¡[Ellos] no!", "Ellas"),
        ("les", "Quien [le] dijo.", "les"),
        ("ella", "—[Él] vino.", "Ella"),
        ("los", "[Las] vimos.", "Los"),
    ],
    "fr-en": [
        ("she", "[He] came.", "She"),
        ("she", "[HE] CAME.", "SHE"),
        ("her", "It is [his].", "hers"),
        ("her", "It is [his] book.", "her"),
        ("their", "The book is [his] and mine.", "theirs"),
        ("this", "[These] are.", "This"),
        ("this", "[It] is.", "This"),
        ("him", "I saw [it].", "him"),
        ("there", "[It] is.", "There"),
    ],
    "de-en": [
        ("it", "[He]'s here.", "It"),
        ("its", "[His] wheels.", "Its"),
        ("your", "Is it [his]?", "yours"),
        ("they", "“[He] can.”", "They"),
        ("it", "I like [him].", "it"),
        ("these", "I like [this].", "these"),
        ("you", "[We] can.", "You"),
        ("his", "[Its] tail.", "His"),
        ("her", "I know [it].", "her"),
        ("them", "Give [him] that.", "them"),
    ],
    "es-en": [
        ("she", "And [he] said.", "she"),
        ("it", "[He] is big.", "It"),
        ("your", "[His] house.", "Your"),
        ("his", "[your] house.", "his"),
        ("he", "[You] said.", "He"),
        ("they", "[IT] CAME.", "THEY"),
        ("them", "I saw [it].", "them"),
        ("this", "I saw [it].", "this"),
        ("he", "... [she] went.", "he"),
        ("its", "[Their] tail.", "Its"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("pair", "label", "target", "expected"),
    [(pair, *case) for pair, cases in WRITTEN.items() for case in cases],
)
def test_the_word_of_a_class_is_written_as_the_place_asks(pair, label, target, expected):
    assert written_in(pair, label, target) == expected


def test_a_word_that_is_missing_gets_a_capital_at_the_beginning_of_a_sentence():
    assert written_in("en-de", "es", "[] regnet.") == "Es"
    assert written_in("en-de", "es", "Ja. [] regnet.") == "Es"
    assert written_in("en-de", "es", "Dann regnet [].") == "es"


def doubt_of(target: str, place: tuple[int, int], label: str, pair: str, **more) -> PronounDoubt:
    start, end = place
    task = task_of(pair)
    values = {
        "segment": 0, "document": None, "kind": DoubtKind.WORD, "start": start, "end": end,
        "place": FilePlace(1, start, end), "word": target[start:end],
        "label": task.class_of(target[start:end].lower()), "source_word": "it",
        "source_place": FilePlace(1, 0, 2), "probabilities": {}, "probability": 0.01,
        "suggestion": written(label, target[start:end], target[:start], target[end:], task),
        "suggestion_label": label, "suggestion_probability": 0.9, "wrong": 0.95,
        "stands_for": fitting_noun(label, task), "reason": "",
    }  # fmt: skip
    return PronounDoubt(**(values | more))


def fitting_noun(label: str, task: Task) -> tuple[StoodFor, ...]:
    """A noun that the word of a class agrees with, if it tells."""
    kinds = stood_for(task.forms[label][0], task.target_language).kinds
    gender, number = kinds[0] if kinds else (None, None)
    place = FilePlace(1, 0, 2)
    return (StoodFor("Xy", "target", place, 0.9, gender or "", number or ""),) if kinds else ()


FRENCH = Lexicon.of([
    Entry("allé", "VERB", "Masc", "Sing"), Entry("allée", "VERB", "Fem", "Sing"),
    Entry("allée", "NOUN", "Fem", "Sing"), Entry("heureux", "ADJ", "Masc"),
    Entry("heureuse", "ADJ", "Fem", "Sing"), Entry("facile", "ADJ", None, "Sing"),
    Entry("vieux", "ADJ", "Masc"), Entry("vieille", "ADJ", "Fem", "Sing"),
    Entry("grand", "ADJ", "Masc", "Sing"), Entry("grande", "ADJ", "Fem", "Sing"),
    Entry("maison", "NOUN", "Fem", "Sing"), Entry("roi", "NOUN", "Masc", "Sing"),
    Entry("beau", "ADJ", "Masc", "Sing"), Entry("belle", "ADJ", "Fem", "Sing"),
])  # fmt: skip
SPANISH = Lexicon.of([
    Entry("cansado", "ADJ", "Masc", "Sing"), Entry("cansada", "ADJ", "Fem", "Sing"),
    Entry("importante", "ADJ", None, "Sing"), Entry("casa", "NOUN", "Fem", "Sing"),
    Entry("bueno", "ADJ", "Masc", "Sing"), Entry("buena", "ADJ", "Fem", "Sing"),
])  # fmt: skip
LEXICONS = {"fr": FRENCH, "es": SPANISH}


def mending_of(pair: str, label: str, target: str, source: str = "", word: str = "it") -> Mending:
    text, places = marked(target)
    doubts = [
        doubt_of(text, place, one, pair, source_word=word)
        for place, one in zip(places, label.split(), strict=True)
    ]
    lexicon = LEXICONS.get(task_of(pair).target_language)
    return mend(doubts, text_of_lines([source], [text]), task_of(pair), 0.9, lexicon)


def mended(mending: Mending, target: str) -> str:
    return text_of_lines([""], [marked(target)[0]]).target.mended(mending.edits).rstrip("\n")


CHANGED = {
    "en-fr": [
        ("elle", "[Il] dort.", "Elle dort."),
        ("elle", "[Il] a dormi.", "Elle a dormi."),
        ("elle", "[Il] est allé à Paris.", "Elle est allée à Paris."),
        ("elle", "[Il] n'est pas très heureux.", "Elle n'est pas très heureuse."),
        ("elle", "[Il] est facile.", "Elle est facile."),
        ("elle", "[Il] est à Paris.", "Elle est à Paris."),
        ("elle", "[Il] est grand et heureux.", "Elle est grande et heureuse."),
        ("elle", "Est-[il] allé là ?", "Est-elle allée là ?"),
        ("il", "[Elle] doit être grande.", "Il doit être grand."),
        ("elle", "Oui, [dit-il].", "Oui, dit-elle."),
        ("elle", "[A-t-il] raison ?", "A-t-elle raison ?"),
        ("elle", "Je crois qu’[il] dort.", "Je crois qu’elle dort."),
        ("la", "Je [le] vois.", "Je la vois."),
        ("les", "Je [l’]aime.", "Je les aime.", "them"),
        ("l'", "Je [les] aime.", "Je l'aime."),
        ("l'", "Je les vois , je [les] aime , j' ai .", "Je les vois , je l' aime , j' ai ."),
        ("la", "Prends-[le].", "Prends-la."),
        ("leur", "Je [lui] parle.", "Je leur parle.", "them"),
        ("elles", "Avec [eux], ça va.", "Avec elles, ça va.", "them"),
        ("la", "ON [LE] VOIT.", "ON LA VOIT."),
    ],
    "en-de": [
        ("er", "[Es] ist da.", "Er ist da."),
        ("sie", "Dann ist [es] da.", "Dann ist sie da."),
        ("er", "weil [sie] da ist", "weil er da ist"),
        ("ihn", "Ich sehe [es].", "Ich sehe ihn."),
        ("sie", "Ich sehe [es] und gehe.", "Ich sehe sie und gehe."),
        ("ihr", "Mit [ihm] geht es.", "Mit ihr geht es."),
        ("ihre", "Er nahm [seinen] Hut.", "Er nahm ihren Hut."),
        ("sein", "Der Hund und [ihr] Haus.", "Der Hund und sein Haus."),
        ("es", "[Sie] läuft im Garten.", "Es läuft im Garten."),
        ("er sein", "[Sie] nahm [ihren] Hut.", "Er nahm seinen Hut."),
        ("er", "Dann geht [es] nach Hause.", "Dann geht er nach Hause."),
        ("ihm", "Bei [es] bleiben.", "Bei ihm bleiben."),
        ("ihn", "Ich bin für [er].", "Ich bin für ihn."),
        ("er", "ICH SAH, DASS [SIE] KAM.", "ICH SAH, DASS ER KAM."),
    ],
    "en-es": [
        ("la", "[Lo] vi ayer.", "La vi ayer."),
        ("los", "No [la] vimos.", "No los vimos.", "them"),
        ("ella", "[Él] viene.", "Ella viene."),
        ("ella", "[Él] está cansado.", "Ella está cansada."),
        ("ella", "[Él] es muy importante.", "Ella es muy importante."),
        ("ella", "[Él] ha sido bueno.", "Ella ha sido buena."),
        ("ella", "[Él] ha llegado.", "Ella ha llegado."),
        ("ellas", "Es para [ella].", "Es para ellas.", "them"),
        ("les", "[Le] dijo.", "Les dijo.", "them"),
        ("ella", "Le dije a [él] que no.", "Le dije a ella que no."),
    ],
    "fr-en": [
        ("she", "[He] is here.", "She is here."),
        ("she", "[HE]'S HERE.", "SHE'S HERE."),
        ("they", "[He] would go.", "They would go."),
        ("they", "Then [it] never stopped.", "Then they never stopped."),
        ("it", "I saw [them].", "I saw it."),
        ("them", "I like [it].", "I like them."),
        ("them", "Look at [it] now.", "Look at them now."),
        ("her", "[His] name is here.", "Her name is here."),
        ("her", "This is [his].", "This is hers."),
        ("she her", "[He] took [his] hat.", "She took her hat."),
        ("him", "I told [her] to go.", "I told him to go."),
        ("they", "Can [it] swim?", "Can they swim?"),
    ],
    "de-en": [
        ("it", "[She] is red.", "It is red."),
        ("its", "[Her] wheels.", "Its wheels."),
        ("he", "[It] has a tail.", "He has a tail."),
        ("you", "[They] can come.", "You can come."),
        ("you", "[They] are here.", "You are here."),
        ("your", "[Their] house.", "Your house."),
        ("it", "Without [him] I lose.", "Without it I lose."),
        ("she", "[He] said no.", "She said no."),
        ("their", "And [his] sons.", "And their sons."),
    ],
    "es-en": [
        ("she", "[He] went home.", "She went home."),
        ("he", "[You] said so.", "He said so."),
        ("his", "in [your] house", "in his house"),
        ("it", "[he]'s big", "it's big"),
        ("them", "We gave [her] to him.", "We gave them to him."),
        ("they", "[We] were there.", "They were there."),
        ("her", "We saw [him].", "We saw her."),
        ("he", "And [it] was so.", "And he was so."),
        ("their", "[her] children", "their children"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("pair", "label", "target", "expected", "word"),
    [(pair, *case, "it")[:5] for pair, cases in CHANGED.items() for case in cases],
)
def test_a_pronoun_is_changed_where_nothing_else_has_to_follow(pair, label, target, expected, word):
    mending = mending_of(pair, label, target, word=word)
    assert [one.why for one in mending.suggestions] == []
    assert mended(mending, target) == expected


SUGGESTED = {
    "en-fr": [
        ("il", "[C']est vrai.", "more than a noun"),
        ("ce", "[Il] est vrai.", "more than a noun"),
        ("cela", "Je crois qu'[il] dort.", "more than a noun"),
        ("on", "[Il] mange.", "more than a noun"),
        ("ils", "[Il] dort.", "plural"),
        ("il", "[Elles] dorment.", "singular"),
        ("elle", "[Il] est vieux.", "vieux"),
        ("elle", "[Il] est roi.", "roi"),
        ("elle", "[Il] est le roi.", "noun"),
        ("elle", "[Il] semble xénophil.", "xénophil"),
        ("elle", "Je sais s'[il] dort.", "in full"),
        ("il", "On sait si [elle] dort.", "shortened"),
        ("les", "Je [l']ai vu.", "participle"),
        ("le", "[Il] dort.", "stand where"),
        ("elle", "[Il] dort seul.", "seul"),
        ("elle", "[Il] le fait lui-même.", "-même"),
        ("la", "Je [le] trouve beau.", "beau"),
        ("le", "[la] maison", "no pronoun"),
        ("en", "Paul [le] voit.", "stand where"),
        ("OTHER", "[Il] dort.", "none"),
        ("lui", "Je [le] vois.", "case"),
        ("lui", "C'est pour [elle].", "its gender"),
        ("elle", "[Il] y a des chats.", "nothing"),
        ("elle", "[Il] ne s'agit pas de cela.", "nothing"),
        ("le", "C'est [la] France.", "no pronoun"),
    ],
    "en-de": [
        ("er", "Dann sahen [Sie] mich.", "formal"),
        ("er", "weil [sie] da sind", "singular"),
        ("es", "[Sie] laufen im Garten.", "singular"),
        ("er", "„da [sie] Geld in die Taschen stecken“", "singular"),
        ("er", "[Seine] Hand.", "stand where"),
        ("er", "[Sie] nahm ihren Hut.", "ihren"),
        ("sie", "[Es] gibt Hunde.", "no noun"),
        ("er", "Ich weiß, worum [es] geht.", "no noun"),
        ("er", "dass wir [es] sehen", "subject"),
        ("man", "[Sie] sind da.", "more than a noun"),
        ("er", "[Das] ist schön.", "more than a noun"),
        ("es", "Ich bin für [sie].", "behind"),
        ("sie", "Sie sahen, was [es] war.", "no noun"),
        ("ihm", "Dann kommt [er] heim.", "stand where"),
        ("ihn", "Geld, um [ihm] zu danken", "stand where"),
        ("sie", "[Es] ist klar, dass er kommt.", "clause"),
        ("ihm", "Ich habe [ihn] gesehen.", "stand where"),
        ("sie", "Ich helfe [ihr].", "stand where"),
    ],
    "en-es": [
        ("ellos", "[Él] viene.", "plural"),
        ("ella", "[Él] es médico.", "médico"),
        ("ella", "[Él] es el rey.", "noun"),
        ("la", "[Lo] que digo.", "no pronoun"),
        ("la", "[Lo] es.", "said of"),
        ("ella", "[Él] mismo lo dijo.", "mismo"),
        ("la", "[Lo] vi a él.", "behind"),
        ("ella", "Lo vi a [él].", "lo"),
        ("lo", "[La] casa.", "no pronoun"),
        ("las", "[Los] 48 estados.", "no pronoun"),
        ("la", "[Lo] considero bueno.", "bueno"),
        ("le", "[Lo] dijo.", "stand where"),
        ("la", "No [les] importó.", "stand where"),
        ("la", "No [lo] entendería.", "clause"),
        ("la", "[Lo] había sacado todo.", "whole clause"),
    ],
    "fr-en": [
        ("they", "[He] is here.", "plural"),
        ("he", "[They] go home.", "singular"),
        ("they", "[It]'s here.", "plural"),
        ("there", "[It] is late.", "stand where"),
        ("him", "[He] is here.", "stand where"),
        ("him", "I saw [her] house.", "stand where"),
        ("she", "[He] hurt himself.", "himself"),
        ("she", "[It] is very hard to say.", "clause"),
        ("she", "[He] took his hat.", "his"),
        ("it", "[His] house.", "stand where"),
        ("him", "I saw [her] <unk>.", "stand where"),
    ],
    "de-en": [
        ("they", "Why does [it] hurt?", "plural"),
        ("it", "[You] need help.", "singular"),
        ("he", "We said [they] go.", "singular"),
        ("your", "I saw [her].", "stand where"),
        ("him", "[His] house.", "stand where"),
        ("you", "[There] is one.", "stand where"),
        ("they", "[This] is red.", "more than a noun"),
        ("they", "[She] has gone.", "plural"),
        ("we", "[He] knows.", "plural"),
    ],
    "es-en": [
        ("they", "[it] runs", "plural"),
        ("he", "[you] want it", "singular"),
        ("it", "[its] tail", "stand where"),
        ("she", "[he] likes himself", "himself"),
        ("it", "[they] are", "singular"),
        ("there", "[they] are", "stand where"),
        ("her", "[she] is", "stand where"),
        ("they", "[them] all", "stand where"),
        ("it", "[their] own", "stand where"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("pair", "label", "target", "why"),
    [(pair, *case) for pair, cases in SUGGESTED.items() for case in cases],
)
def test_a_change_that_others_have_to_follow_is_only_suggested(pair, label, target, why):
    mending = mending_of(pair, label, target)
    assert not mending.edits
    assert not mending.changes
    (one,) = mending.suggestions
    assert re.search(why, one.why), one.why
    assert one.new == written_in(pair, label, target)


def test_a_capital_at_the_beginning_is_formal_address_if_the_source_addresses_somebody():
    target = "[Sie] ist da."
    (one,) = mending_of("en-de", "er", target, "You said she is there.").suggestions
    assert "formal" in one.why
    assert mended(mending_of("en-de", "er", target, "It is there."), target) == "Er ist da."


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("[Es] sind Hunde.", "Sie sind Hunde."),
        ("[Es] läuft.", None),
        ("[Es] ist da.", None),
        ("weil [es] da ist", None),
        ("weil [es] da sind", "weil sie da sind"),
    ],
)
def test_a_german_pronoun_for_they_is_plural_only_with_its_verb(target, expected):
    mending = mending_of("en-de", "sie", target, "They are dogs.", "they")
    assert mended(mending, target) == (expected or marked(target)[0])
    assert bool(mending.suggestions) == (expected is None)
    assert all("plural" in one.why for one in mending.suggestions)


def test_a_german_object_has_no_number():
    mending = mending_of("en-de", "sie", "Ich sehe [es].", "I see them.", "them")
    assert mended(mending, "Ich sehe [es].") == "Ich sehe sie."


@pytest.mark.parametrize(
    ("pair", "chances", "target", "expected"),
    [
        ("en-de", {"das": 0.5, "man": 0.2, "er": 0.1}, "[Es] ist da.", "Er"),
        ("en-de", {"ihm": 0.5, "er": 0.3, "es": 0.1}, "wobei [sie] lief", "er"),
        ("en-de", {"sein": 0.8, "er": 0.1}, "Da ist [es] gut.", "er"),
        ("en-de", {"sein": 0.8, "er": 0.01}, "Da ist [es] gut.", "sein"),
        ("en-de", {"ihre": 0.8, "sein": 0.1}, "weil es [ihr] Haus ist", "sein"),
        ("en-de", {"er": 0.5, "ihm": 0.3}, "Bei [es] bleiben.", "ihm"),
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
    found = suggested(label, chances, word, text[:start], text[end:], task)
    assert found.word == expected


def test_no_word_is_suggested_where_the_model_expects_none():
    chances = dict.fromkeys(task_of("en-fr").classes, 0.0) | {"OTHER": 0.98, "cela": 0.02}
    found = suggested("elle", chances, "Elle", "", " du rival", task_of("en-fr"))
    assert (found.label, found.word) == ("OTHER", "")


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
    nouns = Lexicon.of([Entry("parte", "NOUN", "Fem", "Sing")])
    assert may_be_noun(before, language, nouns) == expected


def test_a_word_has_the_chances_of_classes_that_are_written_alike():
    chances = {"ihr": 0.02, "ihre": 0.9, "sein": 0.08}
    chances = {name: chances.get(name, 0.0) for name in task_of("en-de").classes}
    found = suggested("ihr", chances, "ihr", "weil es ", " Haus ist", task_of("en-de"))
    assert (found.word, found.chances["ihr"], found.chances["ihre"]) == ("sein", 0.92, 0.0)


@pytest.mark.parametrize(
    ("pair", "label", "target", "word", "changed"),
    [
        ("en-de", "er", "[Es] ist da.", "it", False),
        ("en-de", "sie", "[Er] ist da.", "she", True),
        ("en-de", "ihm", "Bei [es] bleiben.", "it", True),
        ("en-es", "las", "[Los] vimos.", "them", False),
        ("es-en", "its", "in [their] house", "sus", False),
        ("es-en", "them", "We built [it].", "los", True),
        ("es-en", "his", "[its] arguments", "sus", True),
    ],
)
def test_another_gender_or_number_is_demanded_by_a_noun_or_by_the_source(
    pair, label, target, word, changed
):
    text, (place,) = marked(target)
    doubt = doubt_of(text, place, label, pair, source_word=word, stands_for=())
    mending = mend([doubt], text_of_lines([""], [text]), task_of(pair), 0.9)
    assert bool(mending.changes) == changed
    assert all(one.why == "no noun is known that it stands for" for one in mending.suggestions)


@pytest.mark.parametrize(
    ("pair", "label", "target", "word"),
    [
        ("en-es", "lo", "¿Cómo [los] matamos?", "them"),
        ("en-fr", "elle", "[Il] dort.", "he"),
        ("en-de", "er", "weil [sie] da ist", "they"),
        ("es-en", "he", "[She] said no.", "ella"),
    ],
)
def test_nothing_is_changed_against_the_word_of_the_source(pair, label, target, word):
    (one,) = mending_of(pair, label, target, word=word).suggestions
    assert "does not agree with" in one.why


def test_a_word_that_may_stand_for_another_of_the_source_is_not_changed():
    target = "Era difícil para [ella]."
    (one,) = mending_of("en-es", "él", target, "It was hard for her.").suggestions
    assert one.why == "“ella” may stand for “her”"
    mending = mending_of("en-es", "él", target, "It was hard for it.")
    assert mended(mending, target) == "Era difícil para él."


def test_without_a_lexicon_what_may_agree_is_suggested():
    text, (place,) = marked("[Il] est facile.")
    doubt = doubt_of(text, place, "elle", "en-fr")
    mending = mend([doubt], text_of_lines([""], [text]), task_of("en-fr"), 0.9)
    assert [one.why for one in mending.suggestions] == ["“facile” would have to agree with “elle”"]


def test_a_change_is_told_up_to_the_last_word_that_follows():
    (change,) = mending_of("en-fr", "elle", "Hier, [il] est allé à Paris.").changes
    assert (change.old, change.new) == ("il est allé", "elle est allée")
    (change,) = mending_of("en-fr", "elle", "Oui, [dit-il].").changes
    assert (change.old, change.new) == ("dit-il", "dit-elle")


def test_a_possessive_that_is_not_changed_holds_its_subject_back():
    mending = mending_of("fr-en", "she him", "[He] took [his] hat.")
    assert not mending.changes
    assert [one.new for one in mending.suggestions] == ["She", "him"]


def test_only_words_above_the_threshold_are_considered():
    text, (place,) = marked("[Es] ist da.")
    other = [
        doubt_of(text, place, "er", "en-de", wrong=0.89),
        doubt_of(text, place, "er", "en-de", kind=DoubtKind.ADDITIONAL),
        doubt_of(text, (0, 0), "er", "en-de", kind=DoubtKind.MISSING),
        doubt_of(text, place, "es", "en-de"),
    ]
    lines = text_of_lines([""], [text])
    assert mend(other, lines, task_of("en-de"), 0.9) == Mending((), (), ())
    (change,) = mend(other, lines, task_of("en-de"), 0.89).changes
    assert (change.old, change.new) == ("Es", "Er")


def test_no_word_is_put_that_the_model_is_not_sure_of():
    text, (place,) = marked("[Es] ist da.")
    chances = {"OTHER": 0.6, "er": 0.3, "es": 0.1}
    other = doubt_of(text, place, "er", "en-de", suggestion_probability=0.3, probabilities=chances)
    split = replace(other, suggestion_probability=0.45, probabilities={"er": 0.45, "sie": 0.4})
    lines = text_of_lines([""], [text])
    (one,) = mend([other], lines, task_of("en-de"), 0.9).suggestions
    assert one.why == "the model expects another word, or none"
    (one,) = mend([split], lines, task_of("en-de"), 0.9).suggestions
    assert one.why == "the model is not sure of another word (0.45)"


def in_file(content: str, target: str, places: list[int]) -> TranslatedText:
    placed = PlacedText(target, places)
    segments = (TranslatedSegment(PlacedText("", ()), placed),)
    return TranslatedText(WrittenFile("source", ""), WrittenFile("file", content), segments)


def test_a_word_with_tags_in_the_file_is_left_alone():
    content = "<b>E</b>s ist da."
    target = "Es ist da."
    text = in_file(content, target, [3, *range(8, 17)])
    doubt = doubt_of(target, (0, 2), "er", "en-de")
    (one,) = mend([doubt], text, task_of("en-de"), 0.9).suggestions
    assert one.why == "the file has tags or a line break there"
    assert replacement(text, 0, 0, 2, "Er") is None
    assert replacement(text, 0, 3, 6, "war") == Edit(10, 13, "war")


def test_an_escape_is_replaced_as_a_whole_and_a_line_break_never():
    content = "Il la\naime. L&apos;aime."
    runs = [
        PlacedRun("Il la\naime. L", 0, 13),
        PlacedRun("'", 13, 19),
        PlacedRun("aime.", 19, 24),
    ]
    segments = (TranslatedSegment(PlacedText("", ()), placed_text(runs)),)
    files = WrittenFile("source", ""), WrittenFile("file", content)
    text = TranslatedText(*files, segments)
    assert replacement(text, 0, 12, 14, "Les") == Edit(12, 19, "Les ")
    assert replacement(text, 0, 3, 5, "l'") is None


def test_edits_change_nothing_else_of_a_file():
    content = "1\r\n00:01 --> 00:02\r\n<i>Es ist da.</i>\r\n"
    start = content.index("Es")
    text = in_file(content, "Es ist da.", [*range(start, start + 10)])
    doubt = doubt_of("Es ist da.", (0, 2), "er", "en-de")
    mending = mend([doubt], text, task_of("en-de"), 0.9)
    assert text.target.mended(mending.edits) == content.replace("Es", "Er")


def test_a_language_without_rules_is_not_mended():
    text, (place,) = marked("[Es] ist da.")
    task = replace(task_of("en-de"), target_language="nl")
    (one,) = mend(
        [doubt_of(text, place, "er", "en-de")], text_of_lines([""], [text]), task, 0.9
    ).suggestions
    assert "no rules" in one.why
