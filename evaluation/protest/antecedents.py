"""Antecedents of anaphoric pronouns, their heads, and the translations of these heads.

The antecedent is the nearest mention before the pronoun, in the same coreference chain, that is no
pronoun (002 §4). Its head is the annotated one, else that of a parse of the source, else the last
word before whatever follows the noun. 002 §5.1 used a parser, and corrected its heads by hand. The
head is projected through word links; articles, clitics and punctuation are dropped.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.annotate.files import ConlluFile
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import AnnotatedSentence, Link
from crosspro.data_prep.formats.mmax import Markable, MmaxDocument
from crosspro.evaluation.protest.categories import LeftOutError
from crosspro.evaluation.protest.language import SourceWords, TargetWords
from crosspro.evaluation.protest.suite import Place, Positions, Words
from crosspro.evaluation.protest.text import project

CHAIN = "coref_class"
_NOMINAL = ("NOUN", "PROPN", "PRON")


@dataclass(frozen=True, slots=True)
class Antecedent:
    """A mention: positions of its words in the document, and of its heads among them."""

    words: Positions
    heads: Positions


@dataclass(frozen=True)
class ParsedText:
    """A parsed sentence for each line of text; `places` has the words of one document in it."""

    sentences: Sequence[AnnotatedSentence]
    places: Sequence[Place | None]

    def heads(self, mention: Iterable[int]) -> Positions:
        """The words that govern a mention, one for each part of a coordination; perhaps none.

        The mention is on the line that has most of its words.
        """
        spots = [
            (place.line, at, word)
            for word in mention
            if (place := self.places[word]) is not None
            for at in place.at
        ]
        if not spots:
            return ()
        line = Counter(line for line, _, _ in spots).most_common(1)[0][0]
        words = {at: word for number, at, word in spots if number == line}
        tokens = self.sentences[line].tokens
        if not self.sentences[line].parsed:
            return ()
        tops = [at for at in words if tokens[at].head not in words]
        if not tops:  # a circle, no tree
            return ()
        heads = [min([at for at in tops if tokens[at].upos in _NOMINAL] or tops)]
        for head in heads:  # conjuncts are appended on the way
            heads += [
                at
                for at in words
                if tokens[at].head == head
                and tokens[at].deprel.partition(":")[0] == "conj"
                and at not in heads
            ]
        return tuple(dict.fromkeys(words[at] for at in sorted(heads)))


def read_source_parse(path: Path, language: str, lines: Sequence[Words]) -> list[AnnotatedSentence]:
    """A parsed sentence for each line, from CoNLL-U with the sentences of all lines with words."""
    parse = ConlluFile(str(path), language, "universal")
    sentences = [parse.annotate([words])[0] for words in lines]
    parse.finish()
    if not any(sentence.parsed for sentence in sentences):
        raise input_error(path, "parse", "heads and relations in columns 7 and 8", "none")
    return sentences


class Chains:
    """The coreference chains of a document; heads come from a parse where there is one."""

    def __init__(
        self, document: MmaxDocument, lists: SourceWords, parse: ParsedText | None = None
    ) -> None:
        self.document = document
        self.lists = lists
        self.parse = parse
        self.positions = {name: position for position, name in enumerate(document.word_names)}
        self.members: dict[str, list[Markable]] = defaultdict(list)
        for markable in document.markables:
            if CHAIN in markable.attributes:
                self.members[markable.attributes[CHAIN]].append(markable)

    def antecedent(self, pronoun: Markable) -> Antecedent:
        """The nearest mention before a pronoun that is no pronoun."""
        chain = self.members.get(pronoun.attributes.get(CHAIN, ""), [])
        others = [member for member in chain if member is not pronoun]
        if not others:
            raise LeftOutError("no antecedent in its chain")
        nominal = [other for other in others if other.attributes.get("mention", "np") == "np"]
        if not nominal:
            pronouns = all(other.attributes.get("mention") == "pronoun" for other in others)
            reason = "linked to another pronoun" if pronouns else "antecedent is no noun phrase"
            raise LeftOutError(reason)
        before = [mention for mention in nominal if mention.words[-1] < pronoun.words[0]]
        if not before:
            raise LeftOutError("antecedent follows")
        nearest = max(before, key=lambda mention: (mention.words[-1], mention.words[0]))
        return Antecedent(nearest.words, self.heads(nearest))

    def heads(self, mention: Markable) -> Positions:
        """Annotated heads (the name of a word, or a word), else parsed ones, else by word lists."""
        annotated = mention.attributes.get("head", "")
        if annotated in self.positions:
            return (self.positions[annotated],)
        words = [self.document.words[position] for position in mention.words]
        same = [i for i, word in enumerate(words) if word.lower() == annotated.lower()]
        if same:
            return (mention.words[same[-1]],)
        parsed = self.parse.heads(mention.words) if self.parse is not None else ()
        by_lists = noun_phrase_heads(words, self.lists)
        return parsed or tuple(mention.words[index] for index in by_lists)


def noun_phrase_heads(words: Sequence[str], source: SourceWords) -> Positions:
    """The last word of each coordinated noun before prepositions, clauses and the like.

    After a measure, `of` leads on to the noun: a lot of people.
    """
    lists = source.lists
    heads: list[int] = []
    head: int | None = None
    for at, word in enumerate(map(str.lower, words)):
        if word in lists["conjunctions"]:
            heads += [] if head is None else [head]
            head = None
        elif word in lists["stops"]:
            measure = head is not None and words[head].lower() in lists["measures"]
            if (heads or head is not None) and not (word == "of" and measure):
                break
            head = None
        elif not any(map(str.isalnum, word)):
            continue
        elif head is None:
            head = None if word in lists["determiners"] else at
        elif word not in lists["trailing"] and not word.isdigit():
            head = at
    heads += [] if head is None else [head]
    content = [at for at, word in enumerate(words) if any(map(str.isalnum, word))]
    return tuple(heads or content[-1:])


def head_translation(
    positions: Iterable[int], links: Iterable[Link], target: Sequence[str], lists: TargetWords
) -> tuple[Positions, Words]:
    """The content words that heads are linked to: their positions, and the words in lower case."""
    nouns = [at for at in project(positions, links) if lists.head_words(target[at])]
    words = [part for at in nouns for part in lists.head_words(target[at])]
    return tuple(nouns), tuple(dict.fromkeys(words))
