"""The antecedent of an anaphoric pronoun, its head, the head's translation, and types of pronouns.

The antecedent is the nearest mention before the pronoun, in the same coreference chain, that is no
pronoun (002 §4). Its head is what the annotation says, or that of a parse if there is one, or is
found by rules over the words of the mention: 002 §5.1 used a parser and corrected its heads by
hand, and no English parser may be counted on here. The head is projected through word links;
articles, clitics and punctuation are no part of it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.annotate.files import ConlluFile
from crosspro.data_prep.core.errors import InputError, Problem, counted, input_error
from crosspro.data_prep.core.example import AnnotatedSentence, Link
from crosspro.data_prep.formats.conllu import read_conllu
from crosspro.data_prep.formats.mmax import Markable, MmaxDocument
from crosspro.evaluation.output.tables import PLAIN, Style
from crosspro.evaluation.protest.categories import (
    ADDRESSEE,
    ANAPHORIC,
    EVENT,
    PLEONASTIC,
    NoCategory,
    anaphoric_function,
)
from crosspro.evaluation.protest.language import HeadRules, SourceWords, TargetWords
from crosspro.evaluation.protest.marks import Words
from crosspro.evaluation.protest.match import project
from crosspro.evaluation.protest.suite import Place

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
        nominal = [other for other in others if other.attributes.get("mention", "np") == "np"]
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


# Heads from a parse ------------------------------------------------------------------------------

_NOMINAL = ("NOUN", "PROPN", "PRON")


def read_source_parse(path: Path, language: str, lines: Sequence[Words]) -> list[AnnotatedSentence]:
    """A parsed sentence for each line, from CoNLL-U with the same words; every problem is raised.

    The file has a sentence for each line of the source text that has words.
    """
    filled = sum(map(bool, lines))
    count = sum(1 for _ in read_conllu(path))
    problems: list[Problem] = []
    if count != filled:
        expected = f"{filled}, one for each line of the source that has words"
        problems.append(Problem(str(path), None, "sentences", expected, str(count)))
    parse = ConlluFile(str(path), language, "universal")
    found: list[AnnotatedSentence] = []
    for words in lines:
        try:
            found += parse.annotate([words])
        except InputError as error:
            problems += error.problems
            if count != filled:  # the rest is out of step
                break
    if problems:
        raise InputError(problems)
    if not any(sentence.parsed for sentence in found):
        expected = "heads and relations in columns 7 and 8"
        raise input_error(path, "parse", expected, "none in any sentence")
    return found


class ParsedHeads:
    """The heads of mentions of one document; `places` says where its words are in the text."""

    def __init__(
        self, places: Sequence[Place | None], sentences: Sequence[AnnotatedSentence]
    ) -> None:
        self.places = places
        self.sentences = sentences

    def heads(self, mention: Iterable[int]) -> tuple[int, ...]:
        """The words that govern a mention, one for each part of a coordination; perhaps none.

        A mention is known by the positions of its words in the document. It lies on the line that
        has most of it.
        """
        spots = [
            (word, place.line, at)
            for word in mention
            if (place := self.places[word]) is not None
            for at in place.at
        ]
        if not spots:
            return ()
        line = Counter(line for _, line, _ in spots).most_common(1)[0][0]
        words = {at: word for word, own, at in spots if own == line}
        tokens = self.sentences[line].tokens
        if not self.sentences[line].parsed:
            return ()
        tops = [at for at in words if tokens[at].head not in words]
        nominal = [at for at in tops if tokens[at].upos in _NOMINAL]
        top = min(nominal or tops, key=lambda at: (self._depth(line, at), at), default=None)
        if top is None:  # a circle inside the mention: no tree
            return ()
        chosen = {top}
        while more := {
            at
            for at in words
            if at not in chosen
            and tokens[at].head in chosen
            and tokens[at].deprel.partition(":")[0] == "conj"
        }:
            chosen |= more
        return tuple(dict.fromkeys(words[at] for at in sorted(chosen)))

    def _depth(self, line: int, at: int) -> int:
        """How many words govern a word; a circle ends after all of them."""
        tokens = self.sentences[line].tokens
        depth = 0
        while tokens[at].head >= 0 and depth < len(tokens):
            at = tokens[at].head
            depth += 1
        return depth


# Types of pronouns -------------------------------------------------------------------------------

INTER, INTRA = "inter-sentential", "intra-sentential"
CATAPHORIC = "cataphoric"
EXTRATEXTUAL = "extratextual reference"
SPEAKER = "speaker reference"

Kind = tuple[str, str]
"""A type and a sub-type, which may be empty."""

TYPES: tuple[Kind, ...] = (
    (ANAPHORIC, INTER),
    (ANAPHORIC, INTRA),
    (ANAPHORIC, "linked to another pronoun"),
    (ANAPHORIC, "no specific antecedent"),
    (CATAPHORIC, ""),
    (EVENT, ""),
    (EXTRATEXTUAL, ""),
    (PLEONASTIC, ""),
    (SPEAKER, ""),
    (ADDRESSEE, ""),
)
"""The rows of the paper's table, in its order."""


@dataclass(frozen=True)
class PronounTypes:
    """How many pronouns of some documents are of each type, in the order of a table."""

    documents: int
    counts: Mapping[Kind, int]

    @property
    def total(self) -> int:
        """All annotated pronouns."""
        return sum(self.counts.values())

    def of_type(self, name: str) -> int:
        """All pronouns of a type, whatever their sub-type."""
        return sum(count for kind, count in self.counts.items() if kind[0] == name)


def count_types(documents: Iterable[MmaxDocument], lists: SourceWords) -> PronounTypes:
    """The types of all pronouns of some documents (002 Table 1); raises if none is annotated.

    Every markable that is a pronoun has one type, and anaphoric ones a sub-type: whether their
    nearest antecedent that is no pronoun is in the same annotated sentence or in another, or why
    there is none. What an annotation has beside the types of the paper follows these.
    """
    counts: Counter[Kind] = Counter()
    paths = []
    for document in documents:
        paths.append(document.path)
        chains, sentences = Chains(document, lists), document.sentence_of()
        for markable in document.markables:
            if markable.attributes.get("mention") == "pronoun":
                counts[type_of(markable, chains, sentences)] += 1
    if not counts:
        expected = 'markables with mention="pronoun"'
        raise input_error(paths[0] if paths else "annotation", "pronouns", expected, "none")
    others = sorted(counts.keys() - set(TYPES), key=lambda kind: (kind[0] != ANAPHORIC, kind))
    anaphoric = [kind for kind in others if kind[0] == ANAPHORIC]
    order = [*TYPES[:4], *anaphoric, *TYPES[4:], *others[len(anaphoric) :]]
    return PronounTypes(len(paths), {kind: counts[kind] for kind in order})


def type_of(markable: Markable, chains: Chains, sentences: list[int]) -> Kind:
    """The type and sub-type of a pronoun; `sentences` has the sentence of each word."""
    kind = markable.attributes.get("type", "").replace("_", " ")
    if kind != ANAPHORIC:
        return kind or "type not annotated", ""
    function = anaphoric_function(markable.attributes)
    if isinstance(function, NoCategory):
        return ANAPHORIC, function.reason
    if function == EVENT:
        return EVENT, ""
    antecedent = chains.antecedent(markable)
    if isinstance(antecedent, NoCategory):
        return ANAPHORIC, antecedent.reason
    same = sentences[antecedent.words[-1]] == sentences[markable.words[0]]
    return ANAPHORIC, INTRA if same else INTER


def type_text(types: PronounTypes, style: Style = PLAIN) -> str:
    """The types with their sub-types under them, in the order of the paper's table."""
    rows = []
    last = ""
    for (name, subtype), count in types.counts.items():
        if subtype and name != last:
            rows.append(_row(name, types.of_type(name), types))
        last = name
        rows.append(_row(f"– {subtype}" if subtype else name, count, types))
    rows.append(_row("all", types.total, types))
    title = style.title(
        f"{counted(types.total, 'pronoun')} in {counted(types.documents, 'document')}"
    )
    return f"{title}\n{style.table(('pronoun type', 'count', '%'), rows)}"


def _row(name: str, count: int, types: PronounTypes) -> tuple[str, str, str]:
    return name, f"{count:,}", f"{100 * count / types.total:.1f}"
