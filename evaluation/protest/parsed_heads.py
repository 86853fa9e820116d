"""Heads of antecedents from a parse of the source (002 §5.1), where one is given.

002 took the head of each annotated antecedent from a dependency parse. Here the parse is a CoNLL-U
file with a sentence for each line of the source text that has words, and with the same words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from crosspro.data_prep.annotate.files import ConlluFile
from crosspro.data_prep.core.errors import InputError, Problem, input_error
from crosspro.data_prep.core.example import AnnotatedSentence
from crosspro.data_prep.formats.conllu import read_conllu
from crosspro.evaluation.protest.suite import Place, Words

_NOMINAL = ("NOUN", "PROPN", "PRON")


def read_source_parse(path: Path, language: str, lines: Sequence[Words]) -> list[AnnotatedSentence]:
    """A parsed sentence for each line; every problem is raised."""
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
