"""How often the nearest agreeing noun is the antecedent: the heuristic that stands in for chains.

    python -m crosspro.scripts.reproduce.antecedent_heuristic ARCHIVE

ARCHIVE is that of ParCorFull (or the folder it unpacks to). Each anaphoric pronoun of English (it,
they), French (il, elle, ils, elles) and German (er, sie, es) that has a noun phrase before it in
its chain is given the nearest noun before it, and the nearest one that agrees in gender and number.
It is right if the noun is part of a mention of the chain. Nouns are known by the light tagger in
English, and by a lexicon elsewhere (`--lexicon fr=lexique`). Intervals resample documents.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.annotate.light_tagger import light_annotation
from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.core.example import AnnotatedSentence, Example, Gap, Mention, Token
from crosspro.data_prep.formats.mmax import Markable, MmaxDocument, read_mmax
from crosspro.data_prep.lexicon.agreement import NounKind, pronoun_kinds
from crosspro.data_prep.lexicon.antecedents import (
    Candidate,
    antecedent_candidates,
    nearest_agreeing,
)
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.data_prep.lexicon.load import load_lexicon
from crosspro.evaluation.core.ratio import percentage, ratio_statistics
from crosspro.evaluation.core.significance import Resampling, scores_of
from crosspro.evaluation.core.units import choose_units, tally
from crosspro.evaluation.output.tables import text_table
from crosspro.evaluation.protest.antecedents import CHAIN
from crosspro.evaluation.protest.categories import ANAPHORIC, function_of
from crosspro.scripts.main import command_app, run

app = command_app()

PRONOUNS = {
    "en": {word: pronoun_kinds("en")[word] for word in ("it", "they")},
    "fr": pronoun_kinds("fr"),
    "de": pronoun_kinds("de"),
}
"""Those that are measured, with gender and number of what they can stand for."""
LEXICONS = {"fr": "lexique", "de": "german-nouns"}
PARTS = ("DiscoMT", "TED")


@dataclass(frozen=True)
class Resolved:
    """A pronoun: what was chosen by each way was right, and how far the true noun is."""

    document: str
    pronoun: str
    nearest: bool
    agreeing: bool
    distance: int | None
    """Sentences to the nearest noun of the chain; None if no candidate is one."""


@app.command()
def measure(
    archive: Annotated[Path, typer.Argument(help="The archive of ParCorFull, or its folder.")],
    lexicon: Annotated[
        list[str] | None, typer.Option(help="A lexicon of a language: fr=lexique, de=FILE.")
    ] = None,
    sentences_back: Annotated[
        int, typer.Option(min=0, help="How many sentences before the pronoun's are searched.")
    ] = 5,
) -> None:
    """Print a table for each language."""
    lexicons = {**LEXICONS, **dict(_pair(one) for one in lexicon or ())}
    for language in PRONOUNS:
        nouns = load_lexicon(lexicons[language]) if language in lexicons else None
        found: list[Resolved] = []
        for part in PARTS:
            for document in read_mmax(archive / "corpus" / part / language.upper()):
                found += resolve(document, language, nouns, sentences_back)
        print(
            f"\n{language}: {len(found):,} anaphoric pronouns, {len({r.document for r in found})}"
        )
        print(table(found))


def _pair(written: str) -> tuple[str, str]:
    language, equals, name = written.partition("=")
    if not equals or language not in PRONOUNS:
        expected = f"LANGUAGE=LEXICON with one of {choices(PRONOUNS)}"
        raise input_error("settings", "--lexicon", expected, quoted(written))
    return language, name


def resolve(
    document: MmaxDocument, language: str, lexicon: Lexicon | None, sentences_back: int
) -> Iterator[Resolved]:
    """All pronouns of a document that have a noun phrase before them in their chain."""
    owner = document.sentence_of()
    first = [sentence[0] for sentence in document.sentences]
    chains: dict[str, list[Markable]] = {}
    for markable in document.markables:
        if CHAIN in markable.attributes:
            chains.setdefault(markable.attributes[CHAIN], []).append(markable)
    lines = [_line(document, sentence, chains, lexicon is None) for sentence in document.sentences]
    for pronoun in _anaphoric(document, chains, PRONOUNS[language]):
        place = pronoun.words[0]
        number = owner[place]
        if number < 0:
            continue
        word = document.words[place].lower()
        gap = Gap(place - first[number], 0)
        here = [*lines[:number], replace(lines[number], gaps=(gap,))]
        candidates = antecedent_candidates(here, number, gap, sentences_back, lexicon)
        yield Resolved(
            document.name,
            word,
            any(one.in_chain for one in candidates[:1]),
            _right(candidates, PRONOUNS[language][word]),
            next((one.sentences for one in candidates if one.in_chain), None),
        )


def _right(candidates: Sequence[Candidate], agreement: Sequence[NounKind]) -> bool:
    """Whether the nearest noun that agrees in one of the ways is in the chain."""
    chosen = [nearest_agreeing(candidates, gender, number) for gender, number in agreement]
    found = [one for one in chosen if one is not None]
    return bool(found) and min(found, key=lambda one: one.tokens).in_chain


def _anaphoric(
    document: MmaxDocument, chains: Mapping[str, list[Markable]], words: Container[str]
) -> Iterator[Markable]:
    for markable in document.markables:
        if len(markable.words) != 1 or document.words[markable.words[0]].lower() not in words:
            continue
        if function_of(markable.attributes) != ANAPHORIC:
            continue
        others = chains.get(markable.attributes.get(CHAIN, ""), [])
        if any(
            one.attributes.get("mention", "np") == "np" and one.words[-1] < markable.words[0]
            for one in others
        ):
            yield markable


def _line(
    document: MmaxDocument,
    sentence: Sequence[int],
    chains: Mapping[str, list[Markable]],
    tag: bool,
) -> Example:
    """A sentence as the target of an example, with its mentions."""
    words = tuple(document.words[place] for place in sentence)
    inside = {place: number for number, place in enumerate(sentence)}
    mentions = [
        Mention(chain, "target", inside[markable.words[0]], inside[markable.words[-1]])
        for chain, members in chains.items()
        for markable in members
        if markable.words[0] in inside and markable.words[-1] in inside
    ]
    return Example(
        (), words, (), (), document.name, tagged=False, chains=tuple(dict.fromkeys(mentions)),
        target_parse=_english(words) if tag else None,
    )  # fmt: skip


def _english(words: Sequence[str]) -> AnnotatedSentence:
    """The light tags, with the number of nouns from their endings."""
    return AnnotatedSentence(tuple(_with_number(token) for token in light_annotation(words).tokens))


def _with_number(token: Token) -> Token:
    if token.tag != "NOUN":
        return token
    plural = token.lemma != token.form.lower() or token.form.lower() in ("people", "children")
    return replace(token, features=f"Number={'Plur' if plural else 'Sing'}")


def table(found: Sequence[Resolved]) -> str:
    """Shares of right choices: all, by pronoun, and by the distance of the true noun."""
    groups = {"all": list(found)}
    for pronoun in dict.fromkeys(sorted(one.pronoun for one in found)):
        groups[pronoun] = [one for one in found if one.pronoun == pronoun]
    for distance in (0, 1, 2):
        groups[f"noun {distance} back"] = [one for one in found if one.distance == distance]
    groups["noun 3 or more back"] = [one for one in found if (one.distance or 0) > 2]
    rows = [(name, str(len(some)), *_shares(some)) for name, some in groups.items() if some]
    none = sum(one.distance is None for one in found)
    rows.append(("no candidate in the chain", str(none), "0", "0"))
    return text_table(("pronouns", "number", "nearest noun", "nearest agreeing"), rows)


def _shares(some: Sequence[Resolved]) -> list[str]:
    units = choose_units(document=[one.document for one in some], pronoun=range(len(some)))
    ones = [1.0] * len(some)
    shown = []
    for hits in ([one.nearest for one in some], [one.agreeing for one in some]):
        statistics = ratio_statistics(units.sums([float(hit) for hit in hits]), units.sums(ones))
        metrics = {"right": percentage}
        score = scores_of(tally(statistics), metrics, Resampling(), {"right": ""})["right"]
        shown.append(score.shown(1))
    return shown


if __name__ == "__main__":
    run(app)
