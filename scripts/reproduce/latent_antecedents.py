"""How often a network's latent antecedent is the noun that people marked, and nearer nouns are.

    python -m crosspro.scripts.reproduce.latent_antecedents RUN SCAT --lexicon lexique

RUN is a trained system that points at antecedents (`hardmeier_anaphora`, `document_encoder` with a
pointer, an ensemble with one): a run or an archive of `crosspro models export`. SCAT is the file of
marked sentence pairs (.jsonl, .xz). Pronouns of a gender and number (il, elle, ils, elles) with
marked words before them are given the nearest noun, the nearest noun that agrees with them by the
lexicon, the system's best noun, and its best noun once the pronoun is known, which is what
agreement knows, too. A choice is right if the noun is part of the marked words. Nothing is learnt
here. Intervals and tests resample instances.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example, Link
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.pointed_nouns import PointedNoun, PointedNouns, no_noun
from crosspro.data_prep.lexicon.antecedents import (
    Candidate,
    antecedent_candidates,
    nearest_agreeing,
)
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.data_prep.lexicon.load import load_lexicon
from crosspro.evaluation.core.ratio import percentage, ratio_statistics
from crosspro.evaluation.core.significance import Resampling, paired_tests, scores_of
from crosspro.evaluation.core.units import choose_units, side_by_side, tally
from crosspro.evaluation.output.tables import text_table
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
from crosspro.scripts.reproduce.antecedent_heuristic import LEXICONS, PRONOUNS
from crosspro.scripts.reproduce.marked_words import MarkedPair, read_marked_pairs

app = command_app()

WAYS = ("nearest noun", "nearest agreeing", "latent", "latent, pronoun known")


@dataclass(frozen=True)
class FoundNoun:
    """For a pronoun: whether the noun that each of `WAYS` chose was marked, and how far that is.

    `distance` counts sentences to the nearest marked noun; None if no candidate is marked.
    `nothing` is the probability that there is no antecedent.
    """

    unit: str
    pronoun: str
    right: tuple[bool, ...]
    distance: int | None
    nothing: float


@app.command()
def measure(
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
    """Print how often each way finds the marked noun."""
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
) -> Iterator[FoundNoun]:
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
) -> FoundNoun:
    """The pronoun of the last line; nouns without tags are known by the lexicon."""
    own, gap = len(lines) - 1, lines[-1].gaps[0]
    pronoun = _pronoun(pair, system.task)
    candidates = [
        _inflected(one, pair.target[own - one.sentences].tokens[one.index], lexicon)
        for one in antecedent_candidates(
            lines, own, gap, system.context, None if system.task.tagged else lexicon
        )
        if one.side == "target"
    ]
    agreement = PRONOUNS[system.task.target_language][pronoun]
    agreeing = [nearest_agreeing(candidates, gender, number) for gender, number in agreement]
    known = [one for one in agreeing if one is not None]
    nouns = [one for one in pointed if one.side == "target"]
    choices = (
        candidates[0] if candidates else None,
        min(known, key=lambda one: one.tokens) if known else None,
        max(nouns, key=lambda one: one.probability, default=None),
        max(nouns, key=lambda one: one.given, default=None),
    )
    marked = [one for one in candidates if _is_marked(one, pair, own)]
    return FoundNoun(
        pair.unit,
        pronoun,
        tuple(one is not None and _is_marked(one, pair, own) for one in choices),
        marked[0].sentences if marked else None,
        no_noun(pointed)[0],
    )


def _inflected(candidate: Candidate, word: str, lexicon: Lexicon) -> Candidate:
    """A candidate with gender and number of the word itself, where a lemma hides them."""
    return replace(candidate, gender=lexicon.gender(word), number=lexicon.number(word))


def _is_marked(noun: Candidate | PointedNoun, pair: MarkedPair, own: int) -> bool:
    return noun.index in pair.target[own - noun.sentences].marked


def report(found: Sequence[FoundNoun]) -> str:
    """Shares of right choices, by pronoun and distance, and the differences between the ways."""
    groups = {"all": list(found)}
    groups["with a marked noun"] = [one for one in found if one.distance is not None]
    for pronoun in sorted({one.pronoun for one in found}):
        groups[pronoun] = [one for one in found if one.pronoun == pronoun]
    for distance in (0, 1, 2):
        groups[f"noun {distance} back"] = [one for one in found if one.distance == distance]
    groups["noun 3 or more back"] = [one for one in found if (one.distance or 0) > 2]
    rows = [(name, str(len(some)), *_shares(some)) for name, some in groups.items() if some]
    none = sum(one.distance is None for one in found)
    rows.append(("no candidate marked", str(none), *["0"] * len(WAYS)))
    text = [text_table(("pronouns", "number", *WAYS), rows)]
    if found:
        text.append(_differences(found))
        nothing = sum(one.nothing for one in found) / len(found)
        text.append(f"mean probability of no antecedent: {nothing:.3f}")
    return "\n".join(text)


def _shares(some: Sequence[FoundNoun]) -> list[str]:
    scores = []
    for way in range(len(WAYS)):
        table = tally(_statistics(some, way))
        score = scores_of(table, {"right": percentage}, Resampling(), {"right": ""})["right"]
        scores.append(score.shown(1))
    return scores


def _statistics(
    some: Sequence[FoundNoun], way: int
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    units = choose_units(instance=[one.unit for one in some], pronoun=range(len(some)))
    hits = [float(one.right[way]) for one in some]
    return ratio_statistics(units.sums(hits), units.sums([1.0] * len(some)))


def _differences(found: Sequence[FoundNoun]) -> str:
    """The latent antecedents against what knows as much as they do."""
    rows = []
    for ours, other in ((2, 0), (3, 1), (3, 2)):
        table = side_by_side(_statistics(found, ours), _statistics(found, other))
        names = (WAYS[ours], WAYS[other])
        for one in paired_tests(names, table, {"right": percentage}, Resampling()):
            interval = f"{one.difference:+.1f} [{one.low:+.1f}, {one.high:+.1f}]"
            rows.append((f"{names[0]} − {names[1]}", interval, f"{one.p_randomisation:.4f}"))
    return text_table(("difference", "points", "p"), rows)


if __name__ == "__main__":
    run(app)
