"""A task file for a new language pair, drafted from the classes that counting proposes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import yaml

from crosspro.data_prep.align.settings import AlignerSettings
from crosspro.data_prep.annotate.registry import default_tagset
from crosspro.data_prep.core.errors import CrossproError, InputError, Problem, quoted
from crosspro.data_prep.core.task import (
    OTHER,
    SubjectFilter,
    load_task,
    task_from_mapping,
    task_names,
)
from crosspro.data_prep.gaps.inventory import Proposal

_DRAFT = """\
# {source} to {target}: a draft by `crosspro classes` from {segments:,} segments. Check every key.
name: {name}
source_language: {source}
target_language: {target}
# Years whose published results belong to this task.
years: []
# lemmatised: target tokens are lemma|TAG; inflected: they are words.
target: lemmatised
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
    proposal: Proposal, source: str, target: str, segments: int, origin: str = "draft"
) -> str:
    """The task file of a proposal, with comments; it is read, and so known to be one.

    `origin` is the name used in messages.
    """
    if not proposal.source_pronouns:
        raise CrossproError(
            "pronouns: expected at least one with several translations, found none: name others, "
            "give more text, or a higher --unambiguous"
        )
    subjects = _subject_filter(source, proposal.source_pronouns)
    forms = [w for name, words in proposal.classes.items() if name != OTHER for w in words]
    lines = (f"  {_scalar(name)}: {_flow(words)}" for name, words in proposal.classes.items())
    text = _DRAFT.format(
        name=f"{source}-{target}",
        source=source,
        target=_scalar(target),
        segments=segments,
        tagset=default_tagset(target),
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
        known = task.subject_filter
        if task.source_language == source and known.pronouns:
            kept = tuple(word for word in known.pronouns if word in pronouns)
            return SubjectFilter(kept, known.labels, known.expletive_labels)
    return SubjectFilter((), ("nsubj", "nsubj:pass"), ("expl",))


def _flow(words: Iterable[str]) -> str:
    return yaml.safe_dump(
        list(words), default_flow_style=True, allow_unicode=True, width=10**6
    ).strip()


def _scalar(word: str) -> str:
    """A word as YAML writes it: with quotes where it would mean something else (on, y, no)."""
    return _flow([word])[1:-1]
