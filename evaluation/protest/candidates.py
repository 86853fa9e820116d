"""The pronouns of annotated documents that a suite can use, and why others cannot (002 §5.1).

Every it, they and you of the documents is counted: it has no category, or has one but no known
translation, or is usable. *Decisions* stand for the manual selection of 002: they give a category
to a pronoun that the annotation leaves open, correct the head of an antecedent, or reject a token.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.formats.mmax import Markable, MmaxDocument
from crosspro.evaluation.links import Link
from crosspro.evaluation.protest.antecedents import (
    Antecedent,
    Chains,
    ParsedText,
    head_translation,
)
from crosspro.evaluation.protest.categories import (
    ANAPHORIC,
    BY_NAME,
    LeftOutError,
    category_of,
    function_of,
)
from crosspro.evaluation.protest.language import Role, Slot, SourceWords, TargetWords
from crosspro.evaluation.protest.locate import locate
from crosspro.evaluation.protest.suite import Place, Positions, Token, Translation, slot_of
from crosspro.evaluation.protest.text import ParallelText, project
from crosspro.evaluation.rows import read_rows

DECISION_COLUMNS = ("document", "word", "category", "head")
REJECTED = "reject"
MOST_HEAD_WORDS = 3
"""A head that is linked to more content words than this is not aligned but guessed."""
LEAST_LOCATED = 0.5
"""The share of words that must be in the text of a document."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A category, `reject`, or none; and the names of the head's words, or none."""

    category: str
    heads: tuple[str, ...]


Decisions = Mapping[tuple[str, str], Decision]
"""Decisions by document and name of the pronoun's word."""


def read_decisions(
    path: Path, documents: Sequence[MmaxDocument]
) -> dict[tuple[str, str], Decision]:
    """The decisions of a TSV file; `#` begins a comment, and the last cell may be missing."""
    words = {document.name: set(document.word_names) for document in documents}
    decisions: dict[tuple[str, str], Decision] = {}
    for number, row in read_rows(path, DECISION_COLUMNS, padded=True):
        name, word, category, head = (row[column] for column in DECISION_COLUMNS)
        decision = Decision(category, tuple(head.split()))
        if category and category != REJECTED and category not in BY_NAME:
            expected = choices([*BY_NAME, REJECTED])
            raise input_error(path, "category", expected, quoted(category), number)
        if name not in words:
            raise input_error(path, "document", choices(words), quoted(name), number)
        for written in (word, *decision.heads):
            if written not in words[name]:
                raise input_error(path, "word", f"a word of {name}", quoted(written), number)
        if (name, word) in decisions:
            raise input_error(path, "word", "one decision a word", f"{name} {word} again", number)
        decisions[name, word] = decision
    return decisions


@dataclass
class Candidates:
    """Usable tokens, and counts of all pronouns: by form, category, and reason for leaving out."""

    tokens: list[Token] = field(default_factory=list)
    forms: Counter[str] = field(default_factory=Counter)
    uncategorised: Counter[tuple[str, str]] = field(default_factory=Counter)
    categories: Counter[str] = field(default_factory=Counter)
    unusable: Counter[tuple[str, str]] = field(default_factory=Counter)

    def usable(self) -> dict[str, int]:
        counts = Counter(token.category for token in self.tokens)
        return {name: counts[name] for name in BY_NAME}


def find_candidates(
    documents: Sequence[MmaxDocument],
    text: ParallelText,
    source: SourceWords,
    target: TargetWords,
    decisions: Decisions | None = None,
) -> Candidates:
    candidates = Candidates()
    for document, lines in zip(documents, match_documents(documents, text), strict=True):
        reader = _Reader(document, lines, text, source, target, decisions or {})
        for position, word in enumerate(document.words):
            form = source.form(word)
            if form is None:
                continue
            candidates.forms[form] += 1
            try:
                category, antecedent = reader.category(position, form)
            except LeftOutError as reason:
                candidates.uncategorised[form, str(reason)] += 1
                continue
            candidates.categories[category] += 1
            try:
                candidates.tokens.append(reader.token(position, category, antecedent))
            except LeftOutError as reason:
                candidates.unusable[category, str(reason)] += 1
    return candidates


def match_documents(documents: Sequence[MmaxDocument], text: ParallelText) -> list[list[int]]:
    """The lines of the text that each document has; `000_1756` is the document 1756 as well."""
    lines: dict[str, list[int]] = defaultdict(list)
    for number, name in enumerate(text.documents):
        lines[name].append(number)
    matched = []
    for document in documents:
        names = [document.name, document.name.rpartition("_")[2]]
        if len(documents) == len(lines) == 1:
            names += lines
        same = [name for name in names if name in lines]
        if not same:
            expected = f"a document of {text.path} (--doc-ids): {choices(list(lines)[:20])}"
            raise input_error(document.path, "document", expected, document.name)
        matched.append(lines[same[0]])
    return matched


class _Reader:
    """Reads the pronouns of one document."""

    def __init__(
        self,
        document: MmaxDocument,
        lines: Sequence[int],
        text: ParallelText,
        source: SourceWords,
        target: TargetWords,
        decisions: Decisions,
    ) -> None:
        self.document = document
        self.text = text
        self.source = source
        self.target = target
        self.decisions = decisions
        self.places = self.located(lines)
        parse = ParsedText(text.parse, self.places) if text.parse else None
        self.chains = Chains(document, source, parse)
        self.marked: dict[int, list[Markable]] = defaultdict(list)
        for markable in document.markables:
            if len(markable.words) == 1:
                self.marked[markable.words[0]].append(markable)

    def located(self, lines: Sequence[int]) -> list[Place | None]:
        """The place of each annotated word in the text; none if it is on two lines."""
        spots = [(line, at) for line in lines for at in range(len(self.text.source[line]))]
        words = [self.text.source[line][at] for line, at in spots]
        places: list[Place | None] = []
        for indices in locate(self.document.words, words):
            lines_of_word = {spots[index][0] for index in indices}
            at = tuple(spots[index][1] for index in indices)
            places.append(Place(lines_of_word.pop(), at) if len(lines_of_word) == 1 else None)
        if sum(place is not None for place in places) < LEAST_LOCATED * len(places):
            expected = f"the text from line {lines[0] + 1} of {self.text.path}"
            raise input_error(self.document.path, "words", expected, "another text")
        return places

    def category(self, position: int, form: str) -> tuple[str, Antecedent | None]:
        key = self.document.name, self.document.word_names[position]
        decision = self.decisions.get(key, Decision("", ()))
        if decision.category == REJECTED:
            raise LeftOutError("rejected by hand")
        if decision.category and not BY_NAME[decision.category].anaphoric:
            return decision.category, None
        marked = self.marked.get(position, [])
        if len(marked) != 1:
            raise LeftOutError("annotated twice" if marked else "not annotated")
        function = ANAPHORIC if decision.category else function_of(marked[0].attributes)
        antecedent = None
        same_line = group = False
        if function == ANAPHORIC and form != "you":
            antecedent = self.antecedent(marked[0], decision)
            place, head = self.places[position], self.places[antecedent.heads[-1]]
            same_line = place is not None and head is not None and place.line == head.line
            heads = (self.document.words[at] for at in antecedent.heads)
            group = any(map(self.source.is_group_noun, heads))
        if decision.category:
            return decision.category, antecedent
        category = category_of(form, function, marked[0].attributes, same_line, group)
        return category, antecedent

    def antecedent(self, pronoun: Markable, decision: Decision) -> Antecedent:
        antecedent = self.chains.antecedent(pronoun)
        if decision.heads:
            heads = tuple(self.chains.positions[name] for name in decision.heads)
            antecedent = Antecedent(antecedent.words, heads)
        places = [self.places[at] for at in (*antecedent.heads, pronoun.words[0])]
        lines = {place.line for place in places[:-1] if place is not None}
        if None in places or len(lines) != 1:
            raise LeftOutError("not in the parallel text")
        return antecedent

    def token(self, position: int, category: str, antecedent: Antecedent | None) -> Token:
        place = self.places[position]
        if place is None:
            raise LeftOutError("not in the parallel text")
        heads: Place | None = None
        mention: Positions = ()
        if antecedent is not None:
            head_places = [at for head in antecedent.heads if (at := self.places[head])]
            line = head_places[0].line
            heads = Place(line, tuple(sorted({at for spot in head_places for at in spot.at})))
            words = [spot for word in antecedent.words if (spot := self.places[word])]
            mention = tuple(sorted({at for spot in words if spot.line == line for at in spot.at}))
        role = self.role(position, category)
        references: list[Translation] = []
        reasons: list[str] = []
        for number in range(len(self.text.references)):
            try:
                slot = slot_of(category, role)
                references.append(self.translation(number, place, heads, slot))
            except LeftOutError as reason:
                reasons.append(str(reason))
                references.append(Translation())
        if len(reasons) == len(references):
            raise LeftOutError(reasons[0])
        document = self.text.documents[place.line]
        name = f"{document}:{self.document.word_names[position]}"
        return Token(name, category, document, place, role, heads, mention, tuple(references))

    def role(self, position: int, category: str) -> Role:
        """The role that a translation should have: that of the source pronoun, if it is known."""
        if category.startswith("addressee"):
            return "any"
        marked = self.marked.get(position, [])
        annotated = marked[0].attributes.get("position") if marked else None
        return "object" if annotated == "non-subject" else "subject"

    def translation(
        self, number: int, place: Place, heads: Place | None, slot: Slot
    ) -> Translation:
        links: Sequence[Link] = self.text.links[number][place.line]
        words = self.text.references[number][place.line]
        linked = project(place.at, links)
        if not linked:
            raise LeftOutError("pronoun has no link")
        forms = [(at, self.target.pronoun_in(words[at], slot)) for at in linked]
        pronouns = [(at, form) for at, form in forms if form is not None]
        if not pronouns:
            raise LeftOutError("linked to no such pronoun")
        at, form = pronouns[0]  # one pronoun is enough (001 §4)
        if heads is None:
            return Translation((form,), (at,))
        head_at, head = head_translation(
            heads.at,
            self.text.links[number][heads.line],
            self.text.references[number][heads.line],
            self.target,
        )
        if not head:
            raise LeftOutError("head linked to no content word")
        if len(head) > MOST_HEAD_WORDS:
            raise LeftOutError("head linked to too many words")
        if at in head_at and heads.line == place.line:
            raise LeftOutError("pronoun and head linked to one word")
        return Translation((form,), (at,), head, head_at)
