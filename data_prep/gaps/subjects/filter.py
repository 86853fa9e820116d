"""Which ambiguous source pronouns are subjects: the filter of 003 §3.3.3 and 004 §3.3.2.

English `it` and German `es` and `sie` look the same as subject and as object, and the tasks are
about subjects. Where the sentence is parsed, the dependency label decides, as in the papers: the
task's `subject_filter` lists the labels. Where it is not, rules over words and predicted tags do
(`english.py`, `german.py`).

Expletives are a case of their own. The papers' parser labelled English ones as subjects (SBJ), so
they were kept, and German ones as EP, so `es gibt` was lost, which the papers regret. That is what
happens here unless `keep_expletives` says otherwise. The rules call German `es` expletive with
`geben` and verbs of weather, English `it` where a clause follows that it announces (`it is hard to
say`, `it seems`); this is cruder than a parser's label.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from crosspro.data_prep.core.errors import CrossproError, choices
from crosspro.data_prep.core.example import AnnotatedSentence
from crosspro.data_prep.core.task import SubjectFilter, Task
from crosspro.data_prep.gaps.subjects.english import EnglishIt
from crosspro.data_prep.gaps.subjects.german import GermanPronoun
from crosspro.data_prep.gaps.subjects.words import SubjectJudgement

_RULES: dict[str, type[EnglishIt | GermanPronoun]] = {"en": EnglishIt, "de": GermanPronoun}
"""By source languages that need no parse."""

_LOST_BY_THE_PAPERS = frozenset(("de",))


def ambiguous_pronouns(sentence: AnnotatedSentence, task: Task) -> list[int]:
    """The positions of the source pronouns that may be subjects or not."""
    pronouns = task.subject_filter.pronouns
    return [i for i, token in enumerate(sentence.tokens) if token.form.lower() in pronouns]


def judge_subjects(
    sentence: AnnotatedSentence, task: Task, keep_expletives: bool | None = None
) -> dict[int, SubjectJudgement]:
    """A verdict for each ambiguous pronoun of a source sentence, by its position.

    `keep_expletives`: whether expletives pass; by default as in the papers.
    """
    positions = ambiguous_pronouns(sentence, task)
    if keep_expletives is None:
        keep_expletives = task.source_language not in _LOST_BY_THE_PAPERS
    if sentence.parsed:
        labels = task.subject_filter
        return {i: _by_label(sentence.tokens[i].deprel, labels, keep_expletives) for i in positions}
    verdicts = judge_by_rules(sentence, positions, task.source_language) if positions else {}
    if not keep_expletives:
        for position, verdict in verdicts.items():
            if verdict.expletive:
                rule = f"{verdict.rule}, expletive"
                verdicts[position] = replace(verdict, subject=False, rule=rule)
    return verdicts


def _by_label(label: str, labels: SubjectFilter, keep_expletives: bool) -> SubjectJudgement:
    """The verdict of a parse; case and subtypes of labels do not matter (`SB` is `sb`)."""
    names = {label.lower(), label.lower().partition(":")[0]}
    expletive = not names.isdisjoint(map(str.lower, labels.expletive_labels))
    subject = not names.isdisjoint(map(str.lower, labels.labels)) or (expletive and keep_expletives)
    return SubjectJudgement(subject, f"label {label}", expletive)


def judge_by_rules(
    sentence: AnnotatedSentence, positions: Iterable[int], language: str
) -> dict[int, SubjectJudgement]:
    """The verdicts of the rules, from tags alone; expletives count as subjects."""
    if language not in _RULES:
        raise CrossproError(
            f"subject filter: expected a parse of the source, or a source language that is "
            f"{choices(_RULES)}, found {language} without a parse"
        )
    return {position: _RULES[language](sentence, position).verdict() for position in positions}
