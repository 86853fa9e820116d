"""The antecedent of an anaphoric pronoun, its head, and the head's translation (002 §4, §5.1).

The antecedent is the nearest mention before the pronoun, in the same coreference chain, that is no
pronoun. Its head is what the annotation says, or that of a parse if there is one, or is found by
rules over the words of the mention: 002 used a parser and corrected its heads by hand, and no
English parser may be counted on here.
The head is projected through word links; articles, clitics and punctuation are no part of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crosspro.data_prep.core.example import Link
from crosspro.data_prep.formats.mmax import Markable, MmaxDocument
from crosspro.evaluation.protest.categories import NoCategory
from crosspro.evaluation.protest.language import HeadRules, SourceWords, TargetWords
from crosspro.evaluation.protest.links import project
from crosspro.evaluation.protest.parsed_heads import ParsedHeads

CHAIN = "coref_class"
MOST_HEAD_WORDS = 3
"""A head that is linked to more content words than this is not aligned but guessed."""


@dataclass(frozen=True, slots=True)
class Antecedent:
    """A mention: positions of its words in the document, and of its heads among them."""

    words: tuple[int, ...]
    heads: tuple[int, ...]


class Chains:
    """The coreference chains of a document; heads come from a parse where there is one."""

    def __init__(
        self, document: MmaxDocument, lists: SourceWords, parsed: ParsedHeads | None = None
    ) -> None:
        self.document = document
        self.lists = lists
        self.parsed = parsed
        self.names = {name: position for position, name in enumerate(document.word_names)}
        self.members: dict[str, list[Markable]] = defaultdict(list)
        for markable in document.markables:
            if CHAIN in markable.attributes:
                self.members[markable.attributes[CHAIN]].append(markable)

    def antecedent(self, pronoun: Markable) -> Antecedent | NoCategory:
        """The nearest mention before a pronoun that is no pronoun, or why there is none."""
        chain = pronoun.attributes.get(CHAIN)
        others = [one for one in self.members.get(chain or "", ()) if one is not pronoun]
        if not others:
            return NoCategory("no antecedent in its chain")
        nominal = [one for one in others if one.attributes.get("mention", "np") == "np"]
        if not nominal:
            pronouns = all(one.attributes.get("mention") == "pronoun" for one in others)
            reason = "linked to another pronoun" if pronouns else "antecedent is no noun phrase"
            return NoCategory(reason)
        place = pronoun.words[0]
        before = [one for one in nominal if place not in one.words and one.words[-1] < place]
        if not before:
            return NoCategory("antecedent follows")
        nearest = max(before, key=lambda one: (one.words[-1], one.words[0]))
        return Antecedent(nearest.words, self.heads(nearest))

    def heads(self, mention: Markable) -> tuple[int, ...]:
        """The heads of a mention: annotated (the name of a word, or a word), parsed, or by rule."""
        annotated = mention.attributes.get("head", "")
        if annotated in self.names:
            return (self.names[annotated],)
        words = [self.document.words[position] for position in mention.words]
        if annotated:
            same = [i for i, word in enumerate(words) if word.lower() == annotated.lower()]
            if same:
                return (mention.words[same[-1]],)
        parsed = self.parsed.heads(mention.words) if self.parsed is not None else ()
        if parsed:
            return parsed
        found = noun_phrase_heads(words, self.lists.heads)
        return tuple(mention.words[index] for index in found)


def noun_phrase_heads(words: Sequence[str], rules: HeadRules) -> tuple[int, ...]:
    """The positions of the heads of a noun phrase, one for each part of a coordination."""
    lowered = [word.lower() for word in words]
    begins = [0]
    heads: list[int] = []
    while begins:
        begin = begins.pop()
        head, end = _first_head(lowered, begin, rules)
        if head is not None:
            heads.append(head)
        if end < len(words) and lowered[end] in rules.conjunctions and head is not None:
            begins.append(end + 1)
    if heads:
        return tuple(dict.fromkeys(heads))
    content = [index for index, word in enumerate(lowered) if any(map(str.isalnum, word))]
    return (content[-1],) if content else ()


def _first_head(lowered: Sequence[str], begin: int, rules: HeadRules) -> tuple[int | None, int]:
    """The head of the noun phrase that begins here, and where its core ends."""
    end = begin
    core: list[int] = []
    while end < len(lowered):
        word = lowered[end]
        if not core and word in rules.determiners:
            end += 1
            continue
        if word in rules.conjunctions:
            if _joins_modifiers(lowered, begin, end, rules):
                end += 1
                continue
            break
        if word in rules.stops:
            if not core and not any(map(str.isalnum, word)):  # an opening quotation mark
                end += 1
                continue
            partitive = not core or lowered[core[-1]] in rules.measures
            if word == "of" and partitive:
                core = []
                end += 1
                continue
            break
        if core and _is_participle(lowered, end, rules):
            break
        core.append(end)
        end += 1
    while len(core) > 1 and (lowered[core[-1]] in rules.trailing or _is_number(lowered[core[-1]])):
        core.pop()
    return (core[-1] if core else None), end


def _joins_modifiers(lowered: Sequence[str], begin: int, at: int, rules: HeadRules) -> bool:
    """Whether a conjunction stands between adjectives: `a big and heavy machine`.

    The first part then has a determiner, the second has none and at least two words, and the word
    before the conjunction is no plural.
    """
    rest = [word for word in lowered[at + 1 :] if any(map(str.isalnum, word))]
    determined = lowered[begin] in rules.determiners
    bare = bool(rest) and rest[0] not in rules.determiners
    follow = 0
    for word in rest:
        if word in rules.stops or word in rules.conjunctions:
            break
        follow += 1
    return determined and bare and follow >= 2 and not lowered[at - 1].endswith("s")


def _is_participle(lowered: Sequence[str], at: int, rules: HeadRules) -> bool:
    """Whether a verb form after the noun begins a clause: `people living in cities`."""
    word = lowered[at]
    following = lowered[at + 1] if at + 1 < len(lowered) else None
    ahead = following in rules.stops or following in rules.determiners
    if word in rules.participles or (word.endswith("ed") and len(word) > 3):
        return following is None or ahead
    return word.endswith("ing") and len(word) > 4 and following is not None and ahead


def _is_number(word: str) -> bool:
    """Whether a word only counts or names what comes before it: `chapter 7`."""
    return word.isascii() and word.isdigit()


def is_group_noun(word: str, lists: SourceWords) -> bool:
    """Whether a head names a group of persons, in the singular or the plural."""
    lowered = word.lower()
    singulars = [lowered, lowered.removesuffix("s"), lowered.removesuffix("es")]
    if lowered.endswith("ies"):
        singulars.append(lowered.removesuffix("ies") + "y")
    return any(form in lists.group_nouns for form in singulars)


def head_translation(
    positions: Iterable[int], links: Iterable[Link], target: Sequence[str], lists: TargetWords
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The content words that heads are linked to: their positions and the words as written."""
    found = [at for at in project(positions, links) if lists.head_forms([target[at]])]
    words = [part for at in found for part in lists.parts(target[at]) if lists.is_content(part)]
    return tuple(found), tuple(dict.fromkeys(words))
