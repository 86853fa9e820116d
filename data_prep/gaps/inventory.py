"""Classes for a new language pair, proposed from aligned counts, and a draft of its task file.

003 §3.3.2 and 004 §3.3.1: count the target pronouns (by tag) that are linked to each ambiguous
source pronoun, keep the frequent ones, and leave out source pronouns that are almost always
translated in one way (he, she into French). Small related classes (these and those) are merged in
the draft by hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import yaml

from crosspro.data_prep.annotate.corpus import default_tagset
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.settings import to_mapping
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
        if segment.target_annotation:
            is_pronoun = [token.tag in PRONOUN_TAGS for token in segment.target_annotation.tokens]
        else:
            is_pronoun = [word[0].isalpha() for word in target]
        for index, word in enumerate(map(str.lower, segment.source)):
            if word not in translations:
                continue
            totals[word] += 1
            positions = linked.get(index, [])
            if linked_pronouns := [target[place] for place in positions if is_pronoun[place]]:
                translations[word][linked_pronouns[0]] += 1
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


def task_draft(
    proposal: Proposal,
    source: str,
    target: str,
    segments: int,
    origin: str = "draft",
    tagged: bool = True,
) -> str:
    """The task file of a proposal, which is checked as any; `origin` is its name in messages.

    Without tags the task is one of words as they are, in which no annotator is asked for subjects
    either.
    """
    if not proposal.source_pronouns:
        expected = "at least one with several translations (name others, or give more text)"
        raise input_error(origin, "pronouns", expected, "none")
    subjects = _subject_filter(source, proposal.source_pronouns) if tagged else SubjectFilter()
    draft = {
        "name": f"{source}-{target}",
        "source_language": source,
        "target_language": target,
        "target": "lemmatised" if tagged else "inflected",
        "tagset": default_tagset(target) if tagged else "none",
        "classes": {name: list(words) for name, words in proposal.classes.items()},
        "source_pronouns": list(proposal.source_pronouns),
        "other_fillers": list(proposal.other_fillers),
        "subject_filter": to_mapping(subjects),
    }
    task_from_mapping(draft, origin)
    heading = f"""\
# {source} to {target}: a draft by `crosspro classes` from {segments:,} segments. Check every key;
# conf/task/en-fr.yaml explains them. Forms of one word that the counts cannot bring together
# (elided, accented) belong into one class: add them.
"""
    return heading + yaml.safe_dump(
        draft, default_flow_style=None, allow_unicode=True, sort_keys=False
    )


def _subject_filter(source: str, pronouns: Sequence[str]) -> SubjectFilter:
    """The filter of a task from the same language, for those pronouns that the pair has."""
    for task in map(load_task, task_names()):
        subjects = task.subject_filter
        if task.source_language == source and subjects.pronouns:
            kept = tuple(word for word in subjects.pronouns if word in pronouns)
            return SubjectFilter(kept, subjects.labels, subjects.expletive_labels)
    return SubjectFilter((), ("nsubj", "nsubj:pass"), ("expl",))
