"""A first class inventory for a new language pair, from aligned counts.

003 §3.3.2 and 004 §3.3.1: count the target pronouns (by tag) that are linked to each ambiguous
source pronoun, keep the frequent ones, merge small related ones (these and those), and leave out
source pronouns that are almost always translated in one way (he, she into French).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.data_prep.core.token import AnnotatedSentence

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
        annotation: AnnotatedSentence,
        links: Sequence[Link],
    ) -> AlignedSentence:
        """What counting needs of a sentence pair and the annotation of its target."""
        return cls(
            [word.lower() for word in source],
            [word.lower() for word in target],
            [token.tag for token in annotation.tokens],
            links,
        )


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
        kept = [one for one in self.counts if one.pronoun in self.source_pronouns]
        numbers = {
            name: sum(one.translations.get(word, 0) for one in kept for word in words)
            for name, words in self.classes.items()
            if name != OTHER
        }
        return numbers | {OTHER: sum(one.total for one in kept) - sum(numbers.values())}


def count_translations(
    sentences: Iterable[AlignedSentence], pronouns: Sequence[str]
) -> tuple[list[PronounCounts], Counter[str]]:
    """Translations of each pronoun, and the words of no pronoun tag that are linked to them."""
    totals: Counter[str] = Counter()
    found: dict[str, Counter[str]] = {pronoun: Counter() for pronoun in pronouns}
    fillers: Counter[str] = Counter()
    for sentence in sentences:
        linked: dict[int, list[int]] = {}
        for source, target in sentence.links:
            linked.setdefault(source, []).append(target)
        for index, word in enumerate(sentence.source):
            if word not in found:
                continue
            totals[word] += 1
            positions = linked.get(index, [])
            tagged = [p for p in positions if sentence.tags[p] in PRONOUN_TAGS]
            if tagged:
                found[word][sentence.target[tagged[0]]] += 1
            elif positions:
                shortest = min(positions, key=lambda p: (len(sentence.target[p]), p))
                fillers[sentence.target[shortest]] += 1
    counts = [
        PronounCounts(p, totals[p], dict(found[p].most_common()), totals[p] - found[p].total())
        for p in pronouns
    ]
    return counts, fillers


def propose(
    counts: Sequence[PronounCounts],
    fillers: Counter[str],
    min_share: float = 0.01,
    unambiguous: float = 0.95,
    merge: Sequence[Sequence[str]] = (),
    number_of_fillers: int = 20,
) -> Proposal:
    """Keep translations with at least `min_share` of a pronoun's occurrences.

    A pronoun whose most frequent translation has more than the share `unambiguous` is dropped.
    `merge` lists forms that are one class; the most frequent of them names it.
    """
    kept = [one for one in counts if one.total and one.top_share <= unambiguous]
    dropped = tuple(one.pronoun for one in counts if one.total and one.top_share > unambiguous)
    forms: Counter[str] = Counter()
    for one in kept:
        for word, number in one.translations.items():
            if number >= min_share * one.total:
                forms[word] += number
    groups = {word: tuple(group) for group in merge for word in group}
    for group in merge:
        total = sum(one.translations.get(word, 0) for one in kept for word in group)
        if any(word in forms for word in group) or any(
            total >= min_share * one.total for one in kept
        ):
            for word in group:
                forms.setdefault(word, sum(one.translations.get(word, 0) for one in kept))
    classes: dict[str, tuple[str, ...]] = {}
    done: set[str] = set()
    for word, _ in forms.most_common():
        if word in done:
            continue
        members = [w for w in groups.get(word, (word,)) if w in forms]
        members.sort(key=lambda w: -forms[w])
        classes[members[0]] = tuple(members)
        done.update(members)
    classes[OTHER] = (NONE,)
    known = {word for words in classes.values() for word in words}
    others = [word for word, _ in fillers.most_common() if word not in known and word.isalpha()]
    return Proposal(
        tuple(one.pronoun for one in kept),
        dropped,
        classes,
        tuple(counts),
        tuple(others[:number_of_fillers]),
    )
