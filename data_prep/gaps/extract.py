"""From word links to gaps: which target word translates a source pronoun, and what if none does.

The rules are those of 003 §3.3.2 and 004 §3.3.1; what the papers leave open is a named option
(`GapRules`). A pronoun with links becomes the gap of a linked word: one that belongs to a class of
the task if there is one, else the shortest, and of equal ones the leftmost. A word that two
pronouns claim goes to the second. A pronoun without links gets a placeholder beside the translation
of its nearest linked neighbour, the left one if both are as near, or is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from crosspro.data_prep.core.example import Example, Gap, Link, TargetColumns, joined_tag
from crosspro.data_prep.core.settings import check_settings
from crosspro.data_prep.core.task import NONE, OTHER, Task
from crosspro.data_prep.formats.shared_task import as_word, placeholder
from crosspro.data_prep.words.lists import word_set


@dataclass(frozen=True, slots=True)
class GapRules:
    """How gaps are placed; the defaults are the rules of 2016 and 2017.

    `skip_inversions`: a line in which a pronoun is linked to a verb with a pronoun attached
    (ont-ils), and to no word of a class, has no gaps at all. The papers do not say so, but the
    official files of 2015 follow this rule without exception.
    `insert_unaligned`: whether pronouns without a link get a placeholder. 003 §3.3.2 says that
    those of 2015 got none, but a sixth of the gaps in its files are such placeholders, nearly all
    of them where these rules put them.
    `insert_shared`: whether a pronoun whose words another one got does, too; it does not in the
    files of 2015.
    `filter_subjects`, `keep_expletives`: whether ambiguous pronouns must be subjects, and whether
    expletives pass; None does as the tasks did, which kept English ones and lost German ones.
    `keep_first_person`: whether a Spanish verb without a subject is a gap (of class OTHER) where
    its English subject is `I` or `we`. 004 §3.3.1 takes every verb that the parser calls third
    person, also those that only look like it (tenía), so they stay unless this says otherwise.
    `clitics`: whether objects before the verb are linked by their verbs, and those that are part of
    a verb left out (`clitics.py`).
    `one_link`: whether a gap keeps the link to its own pronoun alone. A word with several links is
    hardly ever a pronoun (a Spanish verb is linked to its subject, too), so that a system which
    reads links would know the class OTHER by their number.
    """

    skip_inversions: bool = False
    insert_unaligned: bool = True
    insert_shared: bool = True
    filter_subjects: bool = True
    keep_expletives: bool | None = None
    keep_first_person: bool = True
    clitics: bool = False
    one_link: bool = False


RULES = {
    "2015": GapRules(skip_inversions=True, insert_shared=False, filter_subjects=False),
    "2016": GapRules(),
    "2017": GapRules(),
    "text": GapRules(insert_shared=False, filter_subjects=False, clitics=True, one_link=True),
}
"""The rules of each year, 2016 and 2017 the same procedure; `text` are those of tasks for use."""

_YES_OR_NO = {"true": True, "false": False}


def changed_rules(year: str, changes: Iterable[str]) -> GapRules:
    """The rules of a year with changes as a user writes them, NAME=VALUE."""
    values = asdict(RULES[year])
    for change in changes:
        name, _, text = change.partition("=")
        values[name] = _YES_OR_NO.get(text, text)
    return check_settings(GapRules, values, "--rule")


_ENCLITICS = word_set("gaps", "fr", "inverted")


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a pronoun's gap goes: a word that is replaced, or the place before which it goes.

    `position` is None where the pronoun is left out.
    """

    source_index: int
    decision: str
    position: int | None
    inserted: bool = False


def source_pronouns(source: Sequence[str], task: Task) -> list[int]:
    pronouns = task.source_pronouns
    return [index for index, word in enumerate(source) if word.lower() in pronouns]


def linked_targets(links: Iterable[Link]) -> dict[int, list[int]]:
    """The target positions that each source position is linked to."""
    linked: dict[int, list[int]] = {}
    for source, target in links:
        linked.setdefault(source, []).append(target)
    return linked


def place_gaps(
    source_length: int,
    target: Sequence[str],
    links: Sequence[Link],
    pronouns: Sequence[int],
    task: Task,
    rules: GapRules,
) -> list[Placement]:
    """A placement for each pronoun, in order; `target` are the words of the target sentence."""
    linked = linked_targets(links)
    words = {pronoun: sorted(set(linked.get(pronoun, ()))) for pronoun in pronouns}
    if rules.skip_inversions and any(_inverted(target, ps, task) for ps in words.values()):
        return [Placement(pronoun, "left_out_inversion", None) for pronoun in pronouns]
    taken: set[int] = set()
    placements: dict[int, Placement] = {}
    for pronoun in reversed(pronouns):
        free = [position for position in words[pronoun] if position not in taken]
        if free:
            chosen = _replace(pronoun, free, target, task)
            taken.add(-1 if chosen.position is None else chosen.position)
        elif rules.insert_shared if words[pronoun] else rules.insert_unaligned:
            chosen = insert_unaligned(pronoun, source_length, len(target), linked)
        else:
            decision = "left_out_shared" if words[pronoun] else "left_out_unaligned"
            chosen = Placement(pronoun, decision, None)
        placements[pronoun] = chosen
    return [placements[pronoun] for pronoun in pronouns]


def _inverted(target: Sequence[str], positions: Sequence[int], task: Task) -> bool:
    """Whether a pronoun's translation is a French verb with its subject attached."""
    words = [target[position].lower() for position in positions]
    if any(task.class_of(word) != OTHER for word in words):
        return False
    return any("-" in word and word.rpartition("-")[2] in _ENCLITICS for word in words)


def _replace(
    pronoun: int, positions: Sequence[int], target: Sequence[str], task: Task
) -> Placement:
    """The gap of the leftmost word of a class, else of the leftmost of the shortest words."""
    accepted = [p for p in positions if task.class_of(target[p].lower()) != OTHER]
    chosen = accepted[0] if accepted else min(positions, key=lambda p: len(target[p]))
    if len(positions) == 1:
        decision = "one_word"
    elif accepted:
        decision = "accepted_of_several" if len(accepted) == 1 else "several_accepted"
    else:
        decision = "shortest_of_several"
    return Placement(pronoun, decision, chosen)


def insert_unaligned(
    pronoun: int, source_length: int, target_length: int, linked: Mapping[int, Sequence[int]]
) -> Placement:
    """Where the placeholder of a word without links goes; `linked` has the links by source."""
    for distance in range(1, source_length):
        if left := linked.get(pronoun - distance):
            return Placement(pronoun, "inserted_after_left", max(left) + 1, inserted=True)
        if right := linked.get(pronoun + distance):
            return Placement(pronoun, "inserted_before_right", min(right), inserted=True)
    similar = min(round(pronoun / source_length * target_length), target_length)
    return Placement(pronoun, "inserted_similar_position", similar, inserted=True)


def make_example(
    source: Sequence[str],
    target: Sequence[str],
    columns: TargetColumns,
    links: Sequence[Link],
    placements: Sequence[Placement],
    task: Task,
    document: str | None = None,
    one_link: bool = False,
) -> Example:
    """The example with its placeholders; `columns` are the target as the task shows it.

    The class of a gap is that of the word, but what the gap hides is the token: `ils il|PRON`.
    Links count positions with the placeholders in place; with `one_link` each of these has one.
    """
    replaced = {p.position: p for p in placements if p.position is not None and not p.inserted}
    inserted: dict[int, list[Placement]] = {}
    for placement in placements:
        if placement.inserted and placement.position is not None:
            inserted.setdefault(placement.position, []).append(placement)
    lemmas, tags = columns[0], columns[1] or (None,) * len(columns[0])
    shown: list[tuple[str, str | None]] = []
    gaps: list[Gap] = []
    moved: list[int] = []
    for position in range(len(lemmas) + 1):
        for placement in inserted.get(position, ()):
            gaps.append(Gap(len(shown), placement.source_index, OTHER, NONE))
            shown.append((placeholder(placement.source_index), None))
        if position == len(lemmas):
            break
        moved.append(len(shown))
        here, lemma, tag = replaced.get(position), lemmas[position], tags[position]
        if here is None:
            shown.append((as_word(lemma), tag))
            continue
        label = task.class_of(target[position].lower())
        gaps.append(Gap(len(shown), here.source_index, label, joined_tag(lemma, tag)))
        shown.append((placeholder(here.source_index), None))
    unlinked = {gap.position for gap in gaps} if one_link else set()
    kept = ((s, moved[t]) for s, t in links if moved[t] not in unlinked)
    shifted = with_gap_links(kept, gaps)
    new_lemmas = tuple(lemma for lemma, _ in shown)
    new_tags = tuple(tag for _, tag in shown) if task.tagged else None
    return Example(tuple(source), new_lemmas, new_tags, shifted, tuple(gaps), document)


def with_gap_links(links: Iterable[Link], gaps: Iterable[Gap]) -> tuple[Link, ...]:
    """Links with one from each gap to its source word, where there was none.

    In the official files every placeholder is linked to its pronoun, those that were inserted for
    a pronoun without a link to nothing else. Without that link such a gap would show that its
    class is OTHER. In es-en the source word is the verb, which links lead to the English verb.
    """
    present = tuple(links)
    missing = {(gap.source_index, gap.position) for gap in gaps}.difference(present)
    return tuple(sorted((*present, *missing))) if missing else present


def with_gold_words(example: Example, *kept: Gap) -> Example:
    """An example of an inflected task whose gaps have their words, but for those that are kept.

    Placeholders of no word go away, and links with them. Layers, which count the tokens of the
    example as it was, do so too.
    """
    words = {gap.position: gap.word for gap in example.gaps if gap not in kept}
    places = [
        position
        for position in range(len(example.lemmas))
        if position not in words or words[position] not in (None, NONE)
    ]
    new = {position: index for index, position in enumerate(places)}
    return Example(
        example.source,
        tuple(words.get(position) or example.lemmas[position] for position in places),
        None,
        tuple((source, new[target]) for source, target in example.links if target in new),
        tuple(replace(gap, position=new[gap.position]) for gap in kept),
        example.document,
    )
