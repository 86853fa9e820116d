"""What stands for antecedents, and how often it is right: three measurements, nothing is learnt.

    python -m crosspro.scripts.reproduce.antecedents heuristic PARCORFULL
    python -m crosspro.scripts.reproduce.antecedents latent RUN SCAT --lexicon lexique
    python -m crosspro.scripts.reproduce.antecedents gender RUN --bitext PREFIX
    python -m crosspro.scripts.reproduce.antecedents gender RUN --versions FILE.tsv

`heuristic` asks how often the nearest agreeing noun, which stands in for chains, is the antecedent;
`latent`, how often a network's antecedent is a noun that people marked; `gender`, how often a
system chooses the right gender of a pronoun whose number is known (gender.py). Intervals and tests
resample documents or instances.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from crosspro.data_prep.annotate.light_tagger import light_annotation
from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.core.example import AnnotatedSentence, Example, Gap, Link, Mention, Token
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.mmax import Markable, MmaxDocument, read_mmax
from crosspro.data_prep.formats.pointed_nouns import PointedNoun, PointedNouns, no_noun
from crosspro.data_prep.lexicon.agreement import NounKind, pronoun_kinds
from crosspro.data_prep.lexicon.antecedents import (
    Candidate,
    antecedent_candidates,
    nearest_agreeing,
)
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.data_prep.lexicon.load import load_lexicon
from crosspro.evaluation.core.score import Scale
from crosspro.evaluation.core.statistics import (
    Resampling,
    choose_units,
    paired_tests,
    percentage,
    ratio_statistics,
    scores_of,
    side_by_side,
    tally,
)
from crosspro.evaluation.output.tables import text_table
from crosspro.evaluation.protest.antecedents import CHAIN
from crosspro.evaluation.protest.categories import ANAPHORIC, function_of
from crosspro.prediction.contrastive import (
    ContrastiveSegment,
    Located,
    nearest_source,
    segment_examples,
    segment_links,
)
from crosspro.prediction.neural.layers.network import pointing_networks
from crosspro.prediction.system import System, load_system
from crosspro.scripts.main import command_app, run
from crosspro.scripts.reproduce.gender import gender
from crosspro.scripts.reproduce.marked_words import MarkedPair, read_marked_pairs

app = command_app()
app.command()(gender)

PRONOUNS = {
    "en": {word: pronoun_kinds("en")[word] for word in ("it", "they")},
    "fr": pronoun_kinds("fr"),
    "de": pronoun_kinds("de"),
}
"""Those that are measured, with gender and number of what they can stand for."""
LEXICONS = {"fr": "lexique", "de": "german-nouns"}
PARTS = ("DiscoMT", "TED")


WAYS = ("nearest noun", "nearest agreeing", "latent", "latent, pronoun known")


@dataclass(frozen=True)
class ChosenNouns:
    """Whether the noun that each way chose for a pronoun was right, and how far the true one is.

    `unit` is the document or the instance. `distance` counts sentences to the nearest true noun;
    None if no candidate is one. `nothing` is the probability that there is no antecedent.
    """

    unit: str
    pronoun: str
    right: tuple[bool, ...]
    distance: int | None
    nothing: float = 0.0


def shares_table(found: Sequence[ChosenNouns], ways: Sequence[str], true: str) -> str:
    """Shares of right choices: all, by pronoun, and by the distance of the true noun."""
    groups = {"all": list(found)}
    groups[f"with a noun {true}"] = [one for one in found if one.distance is not None]
    for pronoun in sorted({one.pronoun for one in found}):
        groups[pronoun] = [one for one in found if one.pronoun == pronoun]
    for distance in (0, 1, 2):
        groups[f"noun {distance} back"] = [one for one in found if one.distance == distance]
    groups["noun 3 or more back"] = [one for one in found if (one.distance or 0) > 2]
    rows = [
        (name, str(len(some)), *(_share(some, way) for way in range(len(ways))))
        for name, some in groups.items()
        if some
    ]
    none = sum(one.distance is None for one in found)
    rows.append((f"no candidate {true}", str(none), *["0"] * len(ways)))
    return text_table(("pronouns", "number", *ways), rows)


def _share(some: Sequence[ChosenNouns], way: int) -> str:
    table = tally(_statistics(some, way))
    score = scores_of(table, {"right": percentage}, Resampling(), {"right": ""})["right"]
    return score.shown(Scale(digits=1))


def _statistics(
    some: Sequence[ChosenNouns], way: int
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    units = choose_units(unit=[one.unit for one in some], pronoun=range(len(some)))
    hits = [float(one.right[way]) for one in some]
    return ratio_statistics(units.sums(hits), units.sums([1.0] * len(some)))


def _agreeing(candidates: Sequence[Candidate], agreement: Sequence[NounKind]) -> Candidate | None:
    """The nearest noun that agrees with a pronoun in one of the ways."""
    chosen = [nearest_agreeing(candidates, gender, number) for gender, number in agreement]
    found = [one for one in chosen if one is not None]
    return min(found, key=lambda one: one.tokens, default=None)


@app.command()
def heuristic(
    archive: Annotated[Path, typer.Argument(help="The archive of ParCorFull, or its folder.")],
    lexicon: Annotated[
        list[str] | None, typer.Option(help="A lexicon of a language: fr=lexique, de=FILE.")
    ] = None,
    sentences_back: Annotated[
        int, typer.Option(min=0, help="How many sentences before the pronoun's are searched.")
    ] = 5,
) -> None:
    """Print for each language how often the nearest agreeing noun is the antecedent.

    Each anaphoric pronoun of English (it, they), French (il, elle, ils, elles) and German (er, sie,
    es) that has a noun phrase before it in its chain is given the nearest noun before it, and the
    nearest one that agrees in gender and number. It is right if the noun is part of a mention of
    the chain. Nouns are known by the light tagger in English, and by a lexicon elsewhere.
    """
    lexicons = {**LEXICONS, **dict(_pair(one) for one in lexicon or ())}
    for language in PRONOUNS:
        nouns = load_lexicon(lexicons[language]) if language in lexicons else None
        found: list[ChosenNouns] = []
        for part in PARTS:
            for document in read_mmax(archive / "corpus" / part / language.upper()):
                found += resolve(document, language, nouns, sentences_back)
        documents = len({one.unit for one in found})
        print(f"\n{language}: {len(found):,} anaphoric pronouns, {documents} documents")
        print(shares_table(found, WAYS[:2], "in the chain"))


def _pair(written: str) -> tuple[str, str]:
    language, equals, name = written.partition("=")
    if not equals or language not in PRONOUNS:
        expected = f"LANGUAGE=LEXICON with one of {choices(PRONOUNS)}"
        raise input_error("settings", "--lexicon", expected, quoted(written))
    return language, name


def resolve(
    document: MmaxDocument, language: str, lexicon: Lexicon | None, sentences_back: int
) -> Iterator[ChosenNouns]:
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
        agreeing = _agreeing(candidates, PRONOUNS[language][word])
        nearest = any(candidate.in_chain for candidate in candidates[:1])
        yield ChosenNouns(
            document.name,
            word,
            (nearest, agreeing is not None and agreeing.in_chain),
            next((one.sentences for one in candidates if one.in_chain), None),
        )


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
            other.attributes.get("mention", "np") == "np" and other.words[-1] < markable.words[0]
            for other in others
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
        (), words, None, (), (), document.name, chains=tuple(dict.fromkeys(mentions)),
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


@app.command()
def latent(
    run_dir: Annotated[
        Path, typer.Argument(metavar="RUN", help="A run, the folder of its model, or an archive.")
    ],
    marked: Annotated[Path, typer.Argument(help="Sentence pairs with marked words (SCAT).")],
    lexicon: Annotated[
        str | None, typer.Option(help="Genders and numbers of the target, by name or file.")
    ] = None,
    links: Annotated[
        Path | None, typer.Option(help="Word links of all sentences, else they are aligned.")
    ] = None,
    annotator: Annotated[str, typer.Option(help="What tags and lemmatises the target.")] = "auto",
    most: Annotated[int, typer.Option(min=1, help="Records to read, at most.")] = 1_000_000,
) -> None:
    """Print how often a system that points at antecedents finds the noun that people marked.

    RUN is a run or an archive (`hardmeier_anaphora`, `document_encoder` with a pointer, an ensemble
    with one), SCAT the file of marked sentence pairs (.jsonl, .xz). Pronouns of a gender and number
    with marked words before them are given the nearest noun, the nearest noun that agrees with them
    by the lexicon, the system's best noun, and its best noun once the pronoun is known, which is
    what agreement knows, too. A choice is right if the noun is part of the marked words.
    """
    system = load_system(run_dir)
    if not system.points:
        expected = f"one that points at antecedents: {', '.join(pointing_networks())}"
        raise input_error(run_dir, "system", expected, system.shown_name)
    task = system.task
    if task.target_language not in PRONOUNS:
        expected = f"a task with one of the target languages {', '.join(PRONOUNS)}"
        raise input_error(run_dir, "task", expected, task.name)
    nouns = load_lexicon(lexicon or LEXICONS[task.target_language])
    pairs = list(read_marked_pairs(marked, task.source_language, task.target_language))[:most]
    left_out: Counter[str] = Counter()
    chosen = [pair for pair in pairs if _usable(pair, task, left_out)]
    found = list(judge(system, chosen, nouns, links, annotator))
    for reason, number in sorted(left_out.items()):
        print(f"left out: {number:,} {reason}")
    print(report(found))


def _usable(pair: MarkedPair, task: Task, left_out: Counter[str]) -> bool:
    """Whether there is one pronoun, a source pronoun, and something marked before."""
    gaps = _gaps(pair, task)
    reason = None
    if len(gaps) != 1:
        reason = "with no pronoun or several"
    elif not _sources(pair, task):
        reason = "whose source has no pronoun"
    elif not any(one.marked for one in pair.target[:-1]) and not any(
        place < gaps[0] for place in pair.target[-1].marked
    ):
        reason = "without a marked word before the pronoun"
    if reason:
        left_out[reason] += 1
    return reason is None


def _gaps(pair: MarkedPair, task: Task) -> list[int]:
    """Marked pronouns that say gender and number."""
    own = pair.target[-1]
    known = PRONOUNS[task.target_language]
    return [place for place in own.pronouns if own.tokens[place].lower() in known]


def _sources(pair: MarkedPair, task: Task) -> list[int]:
    own = pair.source[-1]
    return [n for n, word in enumerate(own.tokens) if word.lower() in task.source_pronouns]


def judge(
    system: System,
    pairs: Sequence[MarkedPair],
    lexicon: Lexicon,
    links: Path | None,
    annotator: str,
) -> Iterator[ChosenNouns]:
    """What each way chooses for the pronoun of each pair."""
    task = system.task
    segments = [
        ContrastiveSegment(source.tokens, target.tokens, str(number), None)
        for number, pair in enumerate(pairs)
        for source, target in zip(pair.source, pair.target, strict=True)
    ]
    aligned = segment_links(segments, task, links, lambda _: None)
    ends = np.cumsum([len(pair.target) for pair in pairs])
    gaps: list[Located | None] = [None] * len(segments)
    for pair, end in zip(pairs, ends, strict=True):
        gaps[end - 1] = _located(pair, segments[end - 1], aligned[end - 1], task)
    examples = list(segment_examples(segments, aligned, gaps, task, annotator, lambda _: None))
    classes = [task.class_index[task.class_of(_pronoun(pair, task))] for pair in pairs]
    pointed = system.antecedents(examples, np.array(classes, dtype=np.int64))
    for pair, end, nouns in zip(pairs, ends, pointed, strict=True):
        yield _judged(system, pair, examples[end - len(pair.target) : end], lexicon, nouns)


def _pronoun(pair: MarkedPair, task: Task) -> str:
    return pair.target[-1].tokens[_gaps(pair, task)[0]].lower()


def _located(
    pair: MarkedPair, segment: ContrastiveSegment, links: Sequence[Link], task: Task
) -> Located:
    position = _gaps(pair, task)[0]
    source = nearest_source(_sources(pair, task), position, segment, links)
    return Located(position, source, (segment.target[position].lower(),))


def _judged(
    system: System,
    pair: MarkedPair,
    lines: Sequence[Example],
    lexicon: Lexicon,
    pointed: PointedNouns,
) -> ChosenNouns:
    """The pronoun of the last line; nouns without tags are known by the lexicon."""
    own, gap = len(lines) - 1, lines[-1].gaps[0]
    pronoun = _pronoun(pair, system.task)
    candidates = [
        _inflected(
            candidate, pair.target[own - candidate.sentences].tokens[candidate.index], lexicon
        )
        for candidate in antecedent_candidates(
            lines, own, gap, system.context, None if system.task.tagged else lexicon
        )
        if candidate.side == "target"
    ]
    agreement = PRONOUNS[system.task.target_language][pronoun]
    nouns = [one for one in pointed if one.side == "target"]
    choices = (
        candidates[0] if candidates else None,
        _agreeing(candidates, agreement),
        max(nouns, key=lambda one: one.probability, default=None),
        max(nouns, key=lambda one: one.given, default=None),
    )
    marked = [one for one in candidates if _is_marked(one, pair, own)]
    return ChosenNouns(
        pair.unit,
        pronoun,
        tuple(choice is not None and _is_marked(choice, pair, own) for choice in choices),
        marked[0].sentences if marked else None,
        no_noun(pointed)[0],
    )


def _inflected(candidate: Candidate, word: str, lexicon: Lexicon) -> Candidate:
    """A candidate with gender and number of the word itself, where a lemma hides them."""
    return replace(candidate, gender=lexicon.gender(word), number=lexicon.number(word))


def _is_marked(noun: Candidate | PointedNoun, pair: MarkedPair, own: int) -> bool:
    return noun.index in pair.target[own - noun.sentences].marked


def report(found: Sequence[ChosenNouns]) -> str:
    """The shares of right choices, and the differences between the ways."""
    text = [shares_table(found, WAYS, "marked")]
    if found:
        text.append(_differences(found))
        nothing = sum(one.nothing for one in found) / len(found)
        text.append(f"mean probability of no antecedent: {nothing:.3f}")
    return "\n".join(text)


def _differences(found: Sequence[ChosenNouns]) -> str:
    """The latent antecedents against what knows as much as they do."""
    rows = []
    for ours, other in ((2, 0), (3, 1), (3, 2)):
        table = side_by_side(_statistics(found, ours), _statistics(found, other))
        names = (WAYS[ours], WAYS[other])
        for test in paired_tests(names, table, {"right": percentage}, Resampling()):
            interval = f"{test.difference:+.1f} [{test.low:+.1f}, {test.high:+.1f}]"
            rows.append((f"{names[0]} − {names[1]}", interval, f"{test.p_randomisation:.4f}"))
    return text_table(("difference", "points", "p"), rows)


if __name__ == "__main__":
    run(app)
