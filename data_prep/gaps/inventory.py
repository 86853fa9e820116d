"""Classes for a new language pair, proposed from aligned counts, and a draft of its task file.

003 §3.3.2 and 004 §3.3.1: count the target pronouns (by tag) that are linked to each ambiguous
source pronoun, keep the frequent ones, merge small related ones (these and those), and leave out
source pronouns that are almost always translated in one way (he, she into French).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import yaml

from crosspro.data_prep.align.align import AlignerSettings
from crosspro.data_prep.annotate.corpus import default_tagset
from crosspro.data_prep.core.errors import CrossproError, InputError, Problem, quoted
from crosspro.data_prep.core.example import AnnotatedSentence, Link
from crosspro.data_prep.core.task import (
    NONE,
    OTHER,
    SubjectFilter,
    load_task,
    task_from_mapping,
    task_names,
)
from crosspro.data_prep.gaps.extract import linked_targets

MIN_SHARE = 0.01
"""Rarer translations of a pronoun are OTHER."""
UNAMBIGUOUS = 0.95
"""Pronouns with a more frequent translation than this share are left out."""
PRONOUN_TAGS = frozenset(("PRON", "PRO"))
"""PRO is the name of the French TreeTagger; annotation of one's own may have it."""


@dataclass(frozen=True)
class AlignedSentence:
    """What counting needs: words of both sides, lower-cased, target tags and links."""

    source: Sequence[str]
    target: Sequence[str]
    tags: Sequence[str]
    links: Sequence[Link]

    @classmethod
    def of(
        cls,
        source: Sequence[str],
        target: Sequence[str],
        annotation: AnnotatedSentence | None,
        links: Sequence[Link],
    ) -> AlignedSentence:
        """What counting needs of a sentence pair and the annotation of its target.

        Without one, every word may be a pronoun.
        """
        words = [word.lower() for word in target]
        if annotation is None:
            tags = ["PRON" if word[0].isalpha() else "X" for word in words]
        else:
            tags = [token.tag for token in annotation.tokens]
        return cls([word.lower() for word in source], words, tags, links)


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
    sentences: Iterable[AlignedSentence], pronouns: Sequence[str]
) -> tuple[list[PronounCounts], Counter[str]]:
    """Translations of each pronoun, and the words of no pronoun tag that are linked to them."""
    totals: Counter[str] = Counter()
    translations: dict[str, Counter[str]] = {pronoun: Counter() for pronoun in pronouns}
    fillers: Counter[str] = Counter()
    for sentence in sentences:
        linked = linked_targets(sentence.links)
        for index, word in enumerate(sentence.source):
            if word not in translations:
                continue
            totals[word] += 1
            positions = linked.get(index, [])
            tagged = [p for p in positions if sentence.tags[p] in PRONOUN_TAGS]
            if tagged:
                translations[word][sentence.target[tagged[0]]] += 1
            elif positions:
                shortest = min(positions, key=lambda p: (len(sentence.target[p]), p))
                fillers[sentence.target[shortest]] += 1
    counts = [
        PronounCounts(name, totals[name], dict(words.most_common()), totals[name] - words.total())
        for name, words in translations.items()
    ]
    return counts, fillers


def propose(
    counts: Sequence[PronounCounts],
    fillers: Counter[str],
    min_share: float = MIN_SHARE,
    unambiguous: float = UNAMBIGUOUS,
    merge: Sequence[Sequence[str]] = (),
    number_of_fillers: int = 20,
) -> Proposal:
    """Keep translations with at least `min_share` of a pronoun's occurrences.

    A pronoun whose most frequent translation has more than the share `unambiguous` is dropped.
    `merge` lists forms that are one class; the most frequent of them names it.
    """
    seen = [count for count in counts if count.total]
    kept = [count for count in seen if count.top_share <= unambiguous]
    total: Counter[str] = Counter()
    forms: Counter[str] = Counter()
    for count in kept:
        total.update(count.translations)
        for word, number in count.translations.items():
            if number >= min_share * count.total:
                forms[word] += number
    for group in merge:
        together = sum(total[word] for word in group)
        frequent = any(together >= min_share * count.total for count in kept)
        if frequent or any(word in forms for word in group):
            for word in group:
                forms.setdefault(word, total[word])
    groups = {word: tuple(group) for group in merge for word in group}
    classes: dict[str, tuple[str, ...]] = {}
    done: set[str] = set()
    for word, _ in forms.most_common():
        if word not in done:
            members = [form for form in groups.get(word, (word,)) if form in forms]
            members.sort(key=lambda form: -forms[form])
            classes[members[0]] = tuple(members)
            done.update(members)
    classes[OTHER] = (NONE,)
    others = [word for word, _ in fillers.most_common() if word not in done and word.isalpha()]
    return Proposal(
        tuple(count.pronoun for count in kept),
        tuple(count.pronoun for count in seen if count.top_share > unambiguous),
        classes,
        tuple(counts),
        tuple(others[:number_of_fillers]),
    )


_DRAFT = """\
# {source} to {target}: a draft by `crosspro classes` from {segments:,} segments. Check every key.
name: {name}
source_language: {source}
target_language: {target}
# Years whose published results belong to this task.
years: []
# lemmatised: target tokens are lemma|TAG; inflected: they are words.
target: {form}
# Tags of the target: universal (12 tags), treetagger-fr (cut at the colon), none.
tagset: {tagset}
# Each class with the target words that fall into it, most frequent first. Forms of one word that
# the counts cannot bring together (elided, accented) belong into one class: add them.
classes:
{classes}
# Source words that make an example, lower-cased.
source_pronouns: {pronouns}
# Examples are verbs without a subject instead (Spanish).
null_subjects: false
# What the language model baseline tries in a gap; the second list counts as OTHER.
fillers: {fillers}
other_fillers: {other_fillers}
# Symmetrisation of word links. Compare others with `crosspro align --evaluate`.
symmetrisation: {symmetrisation}
# These source pronouns count only as subjects, told by these dependency labels. Without a parse of
# the source this needs rules, which are there for English it and German es and sie.
subject_filter:
  pronouns: {filtered}
  labels: {labels}
  expletive_labels: {expletives}
# Classes that the coarse evaluation of 2015 puts into others.
coarse: {{}}
# The official score of the task: macro_recall or macro_f1.
official_score: macro_recall
"""


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
    text = _DRAFT.format(
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
        symmetrisation=AlignerSettings().symmetrisation,
        filtered=_flow(subjects.pronouns),
        labels=_flow(subjects.labels),
        expletives=_flow(subjects.expletive_labels),
    )
    task_from_mapping(yaml.safe_load(text), origin)
    return text


def check_languages(source: str, target: str) -> None:
    """Raise if a task file cannot say a language by this name."""
    named = {"source language": source, "target language": target}
    problems = [
        Problem("settings", None, title, "a short name such as en", quoted(name))
        for title, name in named.items()
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
