"""Measure lexicons: how many nouns of a text they cover, and how often their gender is right.

    python -m crosspro.scripts.reproduce.lexicon_quality DATA

DATA is a folder with `bitext` and `monolingual`. The gold gender of a noun is that of a determiner
before it which has one gender only, in text that the induced lexicons have not seen. A word counts
as a noun if one of the published lexicons takes it for one, in German if it has a capital; where
there is no published one, all words count.
Shares are of these nouns: the rest of those covered have no gender or two. The induced lexicons are
then held against the first published one, noun by noun (`make extras EXTRAS=lexicon` installs it).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.annotate.tokenise import tokenise_lines
from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.lexicon.induce import induce
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.data_prep.lexicon.load import load_lexicon
from crosspro.evaluation.output.tables import text_table
from crosspro.scripts.main import command_app, run

app = command_app()


@dataclass(frozen=True)
class Language:
    """Published lexicons, texts to learn from, texts to measure on, and gold determiners."""

    code: str
    published: tuple[str, ...]
    learn: Mapping[str, tuple[str, ...]]
    measure: tuple[str, ...]
    gold: Mapping[str, str]


NOVELS, EUROPARL = "monolingual/novels.{0}.txt.xz", "bitext/en-{0}/train/europarl.{0}.xz"
LEARN = {
    "induced: novels": (NOVELS,),
    "induced: Europarl": (EUROPARL,),
    "induced: both": (NOVELS, EUROPARL),
}
FRENCH = {
    **dict.fromkeys(("un", "le", "cet", "du", "au"), "Masc"),
    **dict.fromkeys(("une", "la", "cette", "ma", "ta", "sa"), "Fem"),
}
SPANISH = {
    **dict.fromkeys(("un", "este", "ese", "del", "al"), "Masc"),
    **dict.fromkeys(("una", "esta", "esa", "la"), "Fem"),
}
GERMAN = {"einen": "Masc", "eine": "Fem", "zur": "Fem", "das": "Neut", "ins": "Neut"}
TED_AND_CONTRAPRO = (
    "bitext/en-de/train/ted_tst2011-2014.de.xz",
    "bitext/en-de/test/contrapro.de.xz",
)
LANGUAGES = (
    Language("fr", ("lefff", "lexique"), LEARN, ("bitext/en-fr/train/ted_train30k.fr.xz",), FRENCH),
    Language("de", ("german-nouns",), LEARN, TED_AND_CONTRAPRO, GERMAN),
    Language(
        "es",
        (),
        {"induced: Europarl": (EUROPARL,)},
        ("bitext/en-es/train/ted_tst2011-2014.es.xz",),
        SPANISH,
    ),
)


@app.command()
def lexicon_quality(
    data: Annotated[Path, typer.Argument(help="Folder with bitext and monolingual.")],
    languages: Annotated[list[str] | None, typer.Option("--language", "-l")] = None,
) -> None:
    """Measure lexicons: how many nouns of a text they cover, and how often they are right."""
    for language in LANGUAGES:
        if languages is None or language.code in languages:
            _report(data, language)


def _report(data: Path, language: Language) -> None:
    published = {name: _published(name) for name in language.published}
    lexicons = {name: found for name, found in published.items() if found is not None}
    references = list(lexicons.items())
    for name, files in language.learn.items():
        texts = (_sentences(data / file.format(language.code), language.code) for file in files)
        lexicons[name] = induce(chain.from_iterable(texts), language.code)
    nouns = [
        (word, language.gold[determiner.lower()])
        for file in language.measure
        for sentence in _sentences(data / file, language.code)
        for determiner, word in pairwise(sentence)
        if determiner.lower() in language.gold and _counts(word, language, references)
    ]
    rows = [
        (name, f"{_nouns(lexicon):,}", *_shares(lexicon, nouns))
        for name, lexicon in lexicons.items()
    ]
    print(f"{language.code}: {len(nouns):,} nouns of {', '.join(language.measure)}\n")
    print(text_table(("lexicon", "nouns", "covered", "right", "wrong"), rows))
    if references:
        title, reference = references[0]
        compared = [(name, *_against(lexicons[name], reference)) for name in language.learn]
        heading = (f"against {title}", "listed by both", "same gender", "other", "same number",
                   "other")  # fmt: skip
        print(text_table(heading, compared))


def _counts(word: str, language: Language, published: Sequence[tuple[str, Lexicon]]) -> bool:
    """Whether a word after a determiner counts: German nouns are known by their capitals."""
    if language.code == "de":
        return word[:1].isupper() and word.isalpha()
    return any(one.is_noun(word) for _, one in published) if published else word.isalpha()


def _published(name: str) -> Lexicon | None:
    try:
        return load_lexicon(name)
    except CrossproError as error:
        print(f"{name}: left out: {error}", file=sys.stderr)
        return None


def _sentences(path: Path, language: str) -> Iterator[list[str]]:
    return tokenise_lines(read_text_lines(path), language)


def _nouns(lexicon: Lexicon) -> int:
    return sum(1 for entry in lexicon if entry.category == "NOUN")


def _shares(lexicon: Lexicon, nouns: Sequence[tuple[str, str]]) -> tuple[str, str, str]:
    counts: Counter[str] = Counter()
    for word, gender in nouns:
        found = lexicon.gender(word)
        counts["covered"] += lexicon.lists(word)
        counts["right"] += found == gender
        counts["wrong"] += found not in (None, gender)
    covered, right, wrong = (
        f"{counts[name] / max(len(nouns), 1):.3f}" for name in ("covered", "right", "wrong")
    )
    return covered, right, wrong


def _against(lexicon: Lexicon, reference: Lexicon) -> tuple[str, ...]:
    """Nouns with a gender in both lexicons, and how many are alike; the same for number."""
    words = {e.word for e in lexicon if e.category == "NOUN" and reference.lists(e.word)}
    genders = [(lexicon.gender(word), reference.gender(word)) for word in words]
    numbers = [(lexicon.number(word), reference.number(word)) for word in words]
    counts = [
        sum(1 for one, other in pairs if one and other and (one == other) is same)
        for pairs in (genders, numbers)
        for same in (True, False)
    ]
    return (f"{len(words):,}", *(f"{count:,}" for count in counts))


if __name__ == "__main__":
    run(app)
