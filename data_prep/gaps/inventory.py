"""Classes for a new language pair, proposed from aligned counts, and a draft of its task file.

003 §3.3.2 and 004 §3.3.1: count the target pronouns (by tag) that are linked to each ambiguous
source pronoun, keep the frequent ones, and leave out source pronouns that are almost always
translated in one way (he, she into French). Small related classes (these and those) are merged in
the draft by hand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from crosspro.data_prep.align.symmetrise import GROW_DIAG_FINAL_AND
from crosspro.data_prep.annotate.corpus import default_tagset
from crosspro.data_prep.core.errors import CrossproError, InputError, Problem, quoted
from crosspro.data_prep.core.task import (
    NONE,
    OTHER,
    SubjectFilter,
    load_task,
    task_from_mapping,
    task_names,
)
from crosspro.data_prep.gaps.extract import linked_targets
from crosspro.data_prep.gaps.segments import LinkedSegment

MIN_SHARE = 0.01
"""Rarer translations of a pronoun are OTHER."""
UNAMBIGUOUS = 0.95
"""Pronouns with a more frequent translation than this share are left out."""
_FILLERS = 20
PRONOUN_TAGS = frozenset(("PRON", "PRO"))
"""PRO is the name of the French TreeTagger; annotation of one's own may have it."""


@dataclass(frozen=True)
class PronounCounts:
    """How a source pronoun is translated; `other` counts links to no pronoun, or none at all."""

    pronoun: str
    total: int
    translations: dict[str, int]
    other: int

    @property
    def top_share(self) -> float:
        """The share of the most frequent translation among pronouns."""
        pronouns = sum(self.translations.values())
        return max(self.translations.values(), default=0) / pronouns if pronouns else 0.0


@dataclass(frozen=True)
class Proposal:
    """A proposed inventory; `dropped` pronouns are translated almost always in one way."""

    source_pronouns: tuple[str, ...]
    dropped: tuple[str, ...]
    classes: dict[str, tuple[str, ...]]
    counts: tuple[PronounCounts, ...]
    other_fillers: tuple[str, ...]

    def class_numbers(self) -> dict[str, int]:
        """How many of the kept pronouns fall into each class; `OTHER` has what no class takes."""
        kept = [count for count in self.counts if count.pronoun in self.source_pronouns]
        numbers = {
            name: sum(count.translations.get(word, 0) for count in kept for word in words)
            for name, words in self.classes.items()
            if name != OTHER
        }
        return numbers | {OTHER: sum(count.total for count in kept) - sum(numbers.values())}


def count_translations(
    segments: Iterable[LinkedSegment], pronouns: Sequence[str]
) -> tuple[list[PronounCounts], Counter[str]]:
    """Translations of each pronoun, and the words of no pronoun tag that are linked to them.

    Where the target is not annotated, every word may be a pronoun.
    """
    totals: Counter[str] = Counter()
    translations: dict[str, Counter[str]] = {pronoun: Counter() for pronoun in pronouns}
    fillers: Counter[str] = Counter()
    for segment in segments:
        linked = linked_targets(segment.links)
        target = [word.lower() for word in segment.target]
        tokens = segment.target_annotation.tokens if segment.target_annotation else None
        for index, word in enumerate(map(str.lower, segment.source)):
            if word not in translations:
                continue
            totals[word] += 1
            positions = linked.get(index, [])
            tagged = [
                position
                for position in positions
                if (
                    tokens[position].tag in PRONOUN_TAGS
                    if tokens
                    else target[position][0].isalpha()
                )
            ]
            if tagged:
                translations[word][target[tagged[0]]] += 1
            elif positions:
                shortest = min(positions, key=lambda position: (len(target[position]), position))
                fillers[target[shortest]] += 1
    counts = [
        PronounCounts(name, totals[name], dict(words.most_common()), totals[name] - words.total())
        for name, words in translations.items()
    ]
    return counts, fillers


def propose(counts: Sequence[PronounCounts], fillers: Counter[str]) -> Proposal:
    """Keep frequent translations of the pronouns that have several."""
    seen = [count for count in counts if count.total]
    kept = [count for count in seen if count.top_share <= UNAMBIGUOUS]
    forms: Counter[str] = Counter()
    for count in kept:
        for word, number in count.translations.items():
            if number >= MIN_SHARE * count.total:
                forms[word] += number
    classes: dict[str, tuple[str, ...]] = {word: (word,) for word, _ in forms.most_common()}
    classes[OTHER] = (NONE,)
    others = [word for word, _ in fillers.most_common() if word not in forms and word.isalpha()]
    return Proposal(
        tuple(count.pronoun for count in kept),
        tuple(count.pronoun for count in seen if count.top_share > UNAMBIGUOUS),
        classes,
        tuple(counts),
        tuple(others[:_FILLERS]),
    )


_DRAFT = Path(__file__).resolve().parent / "task-draft.yaml"


def task_draft(
    proposal: Proposal,
    source: str,
    target: str,
    segments: int,
    origin: str = "draft",
    tagged: bool = True,
) -> str:
    """The task file of a proposal, with comments; it is read, and so known to be one.

    `origin` is the name used in messages. Without tags the task is one of words as they are, in
    which no annotator is asked for subjects either.
    """
    if not proposal.source_pronouns:
        raise CrossproError(
            "pronouns: expected at least one with several translations, found none: name others, "
            "give more text, or a higher --unambiguous"
        )
    subjects = _subject_filter(source, proposal.source_pronouns) if tagged else SubjectFilter()
    forms = [w for name, words in proposal.classes.items() if name != OTHER for w in words]
    lines = (f"  {_scalar(name)}: {_flow(words)}" for name, words in proposal.classes.items())
    text = _DRAFT.read_text(encoding="utf-8").format(
        name=f"{source}-{target}",
        source=source,
        target=_scalar(target),
        segments=segments,
        form="lemmatised" if tagged else "inflected",
        tagset=default_tagset(target) if tagged else "none",
        classes="\n".join(lines),
        pronouns=_flow(proposal.source_pronouns),
        fillers=_flow(forms),
        other_fillers=_flow(proposal.other_fillers),
        symmetrisation=GROW_DIAG_FINAL_AND,
        filtered=_flow(subjects.pronouns),
        labels=_flow(subjects.labels),
        expletives=_flow(subjects.expletive_labels),
    )
    task_from_mapping(yaml.safe_load(text), origin)
    return text


def check_languages(source: str, target: str) -> None:
    """Raise if a task file cannot say a language by this name."""
    languages = {"source language": source, "target language": target}
    problems = [
        Problem("settings", None, title, "a short name such as en", quoted(name))
        for title, name in languages.items()
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{1,30}", name)
    ]
    if problems:
        raise InputError(problems)


def _subject_filter(source: str, pronouns: Sequence[str]) -> SubjectFilter:
    """The filter of a task from the same language, for those pronouns that the pair has."""
    for task in map(load_task, task_names()):
        subjects = task.subject_filter
        if task.source_language == source and subjects.pronouns:
            kept = tuple(word for word in subjects.pronouns if word in pronouns)
            return SubjectFilter(kept, subjects.labels, subjects.expletive_labels)
    return SubjectFilter((), ("nsubj", "nsubj:pass"), ("expl",))


def _flow(words: Iterable[str]) -> str:
    return yaml.safe_dump(
        list(words), default_flow_style=True, allow_unicode=True, width=10**6
    ).strip()


def _scalar(word: str) -> str:
    """A word as YAML writes it: with quotes where it would mean something else (on, y, no)."""
    return _flow([word])[1:-1]
