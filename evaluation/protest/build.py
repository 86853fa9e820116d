"""From annotated documents and parallel text to the tokens that a suite is made of (002 §5.1).

Every it, they and you of the annotated documents ends in one of three places: it has no category,
it has one but cannot be used (its translation is not known), or it is usable. The first two are
counted by reason. `decisions` stand for the manual examination of 002: they give a category to a
pronoun that the annotation leaves open, correct the head of an antecedent, or reject a token.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.core.example import AnnotatedSentence, Link
from crosspro.data_prep.formats.mmax import Markable, MmaxDocument
from crosspro.evaluation.protest.antecedents import (
    MOST_HEAD_WORDS,
    Antecedent,
    Chains,
    head_translation,
    is_group_noun,
)
from crosspro.evaluation.protest.categories import (
    ANAPHORIC,
    BY_NAME,
    NoCategory,
    category_of,
    function_of,
)
from crosspro.evaluation.protest.decisions import REJECTED, Decision
from crosspro.evaluation.protest.language import Slot, SourceWords, TargetWords
from crosspro.evaluation.protest.links import pronoun_in, pronoun_words
from crosspro.evaluation.protest.locate import locate
from crosspro.evaluation.protest.parsed_heads import ParsedHeads
from crosspro.evaluation.protest.suite import Place, ReferenceWords, SuiteToken, Words, slot_of

Links = Sequence[Iterable[Link]]


@dataclass(frozen=True)
class ParallelText:
    """The text of a suite, line by line: words, references, links to each, documents.

    `path` is how the source is called in messages. `parse` is empty, or has a sentence a line.
    """

    path: str
    source: Sequence[Words]
    references: Sequence[Sequence[Words]]
    links: Sequence[Links]
    documents: Sequence[str]
    parse: Sequence[AnnotatedSentence] = ()


@dataclass(frozen=True)
class Candidates:
    """The usable tokens, and what became of the others: counts by form or category, and reason."""

    tokens: tuple[SuiteToken, ...]
    forms: Mapping[str, int]
    uncategorised: Mapping[tuple[str, str], int]
    categories: Mapping[str, int]
    unusable: Mapping[tuple[str, str], int]
    sentence_differs: int = 0
    """Anaphoric tokens whose lines and whose annotated sentences disagree on intra or inter."""

    def usable(self) -> dict[str, int]:
        """Usable tokens of each category."""
        counts = Counter(token.category for token in self.tokens)
        return {name: counts[name] for name in BY_NAME}


@dataclass
class _Tally:
    tokens: list[SuiteToken] = field(default_factory=list)
    forms: Counter[str] = field(default_factory=Counter)
    uncategorised: Counter[tuple[str, str]] = field(default_factory=Counter)
    categories: Counter[str] = field(default_factory=Counter)
    unusable: Counter[tuple[str, str]] = field(default_factory=Counter)
    sentence_differs: int = 0


def find_candidates(
    documents: Sequence[MmaxDocument],
    text: ParallelText,
    source: SourceWords,
    target: TargetWords,
    decisions: Mapping[tuple[str, str], Decision] | None = None,
    repair: bool = False,
) -> Candidates:
    """All tokens of the annotated documents that have a category and a known translation."""
    matched = match_documents(documents, text)
    tally = _Tally()
    problems: list[Problem] = []
    for document, lines in zip(documents, matched, strict=True):
        try:
            finder = _Finder(document, lines, text, source, target, decisions or {}, tally, repair)
        except InputError as error:
            problems += error.problems
        else:
            finder.run()
    if problems:
        raise InputError(problems)
    return Candidates(
        tuple(tally.tokens),
        tally.forms,
        tally.uncategorised,
        tally.categories,
        tally.unusable,
        tally.sentence_differs,
    )


def match_documents(documents: Sequence[MmaxDocument], text: ParallelText) -> list[range]:
    """The lines of the text that each document is; `000_1756` is the document 1756 as well."""
    lines: dict[str, range] = {}
    problems = []
    for number, name in enumerate(text.documents):
        known = lines.get(name)
        if known is not None and known.stop != number:
            expected = f"the lines of document {name} together"
            problems.append(Problem(text.path, number + 1, "document", expected, "more of it"))
        lines[name] = range(known.start if known else number, number + 1)
    found = []
    for document in documents:
        names = (document.name, document.name.rpartition("_")[2])
        same = [name for name in names if name in lines]
        if not same and len(documents) == len(lines) == 1:
            same = list(lines)
        if not same:
            expected = f"a document of {text.path}: {', '.join(list(lines)[:20])}"
            if set(lines) == {""}:
                expected = f"the documents of {text.path} (--doc-ids), as there are several"
            problems.append(Problem(document.path, None, "document", expected, document.name))
        else:
            found.append(lines[same[0]])
    if problems:
        raise InputError(problems)
    return found


class _Finder:
    """Goes through the pronouns of one document."""

    def __init__(
        self,
        document: MmaxDocument,
        lines: range,
        text: ParallelText,
        source: SourceWords,
        target: TargetWords,
        decisions: Mapping[tuple[str, str], Decision],
        tally: _Tally,
        repair: bool,
    ) -> None:
        self.document = document
        self.text = text
        self.source = source
        self.target = target
        self.decisions = decisions
        self.tally = tally
        self.repair = repair
        self.sentences = document.sentence_of()
        self.places = self.located(lines)
        parsed = ParsedHeads(self.places, text.parse) if text.parse else None
        self.chains = Chains(document, source, parsed)
        self.marked: dict[int, list[Markable]] = {}
        for markable in document.markables:
            if len(markable.words) == 1:
                self.marked.setdefault(markable.words[0], []).append(markable)

    def located(self, lines: range) -> list[Place | None]:
        """Where each annotated word is in the text."""
        flat = [(line, at) for line in lines for at in range(len(self.text.source[line]))]
        words = [self.text.source[line][at] for line, at in flat]
        found = locate(self.document.words, words)
        if found is None:
            where = f"lines {lines.start + 1}-{lines.stop} of {self.text.path}"
            expected = f"the text of {where}"
            problem = Problem(self.document.path, None, "words", expected, "another text")
            raise InputError([problem])
        places: list[Place | None] = []
        for indices in found:
            spots = [flat[index] for index in indices]
            inside = bool(spots) and spots[0][0] == spots[-1][0]
            places.append(Place(spots[0][0], tuple(at for _, at in spots)) if inside else None)
        return places

    def run(self) -> None:
        """Count every pronoun, and keep the usable ones."""
        for position, word in enumerate(self.document.words):
            form = self.source.form(word)
            if form is None:
                continue
            self.tally.forms[form] += 1
            decided = self.category(position, form)
            if isinstance(decided, NoCategory):
                self.tally.uncategorised[form, decided.reason] += 1
                continue
            category, antecedent = decided
            self.tally.categories[category] += 1
            token = self.token(position, category, antecedent)
            if isinstance(token, NoCategory):
                self.tally.unusable[category, token.reason] += 1
            else:
                self.tally.tokens.append(token)

    def category(self, position: int, form: str) -> tuple[str, Antecedent | None] | NoCategory:
        """The category of a pronoun with its antecedent, or why it has none."""
        decision = self.decisions.get((self.document.name, self.document.word_names[position]))
        if decision is not None and decision.category == REJECTED:
            return NoCategory("rejected by hand")
        marked = self.marked.get(position, [])
        if decision is not None and decision.category and not BY_NAME[decision.category].anaphoric:
            return decision.category, None
        if not marked:
            return NoCategory("not annotated")
        if len(marked) > 1:
            return NoCategory("annotated twice")
        (markable,) = marked
        function = function_of(markable.attributes)
        if decision is not None and decision.category:
            function = ANAPHORIC
        if isinstance(function, NoCategory):
            return function
        antecedent = None
        same_line = group = False
        if function == ANAPHORIC and form != "you":
            found = self.chains.antecedent(markable)
            if isinstance(found, NoCategory):
                return found
            antecedent = self.with_heads(found, decision)
            if self.places[position] is None or not self.heads_on_one_line(antecedent):
                return NoCategory("not in the parallel text")
            same_line = self.line_of(antecedent.heads[-1]) == self.line_of(position)
            same = self.sentences[antecedent.heads[-1]] == self.sentences[position]
            self.tally.sentence_differs += same != same_line
            heads = (self.document.words[head] for head in antecedent.heads)
            group = any(is_group_noun(head, self.source) for head in heads)
        if decision is not None and decision.category:
            return decision.category, antecedent
        category = category_of(form, function, markable.attributes, same_line, group)
        return category if isinstance(category, NoCategory) else (category, antecedent)

    def with_heads(self, antecedent: Antecedent, decision: Decision | None) -> Antecedent:
        if decision is None or not decision.heads:
            return antecedent
        names = {name: at for at, name in enumerate(self.document.word_names)}
        return Antecedent(antecedent.words, tuple(names[name] for name in decision.heads))

    def heads_on_one_line(self, antecedent: Antecedent) -> bool:
        lines = {self.line_of(head) for head in antecedent.heads}
        return len(lines) == 1 and None not in lines

    def line_of(self, position: int) -> int | None:
        place = self.places[position]
        return None if place is None else place.line

    def token(
        self, position: int, category: str, antecedent: Antecedent | None
    ) -> SuiteToken | NoCategory:
        """The token with its translation in each reference, or why it cannot be used."""
        place = self.places[position]
        if place is None:
            return NoCategory("not in the parallel text")
        heads: Place | None = None
        mention: tuple[int, ...] = ()
        if antecedent is not None:
            spots = [spot for head in antecedent.heads if (spot := self.places[head])]
            heads = Place(spots[0].line, tuple(sorted({at for one in spots for at in one.at})))
            words = [spot for word in antecedent.words if (spot := self.places[word])]
            mention = tuple(
                sorted({at for one in words if one.line == heads.line for at in one.at})
            )
        role = self.role(position, category)
        found = [
            self.reference_words(number, place, heads, slot_of(category, role))
            for number in range(len(self.text.references))
        ]
        usable = [one for one in found if not isinstance(one, NoCategory)]
        if not usable:
            return next(one for one in found if isinstance(one, NoCategory))
        references = tuple(
            ReferenceWords() if isinstance(one, NoCategory) else one for one in found
        )
        name = f"{self.text.documents[place.line]}:{self.document.word_names[position]}"
        document = self.text.documents[place.line]
        return SuiteToken(name, category, document, place, role, heads, mention, references)

    def role(self, position: int, category: str) -> str:
        """Which role the translation should have: that of the source pronoun, where it is known."""
        if category.startswith("addressee"):
            return "any"
        marked = self.marked.get(position, [])
        annotated = marked[0].attributes.get("position") if marked else None
        return "object" if annotated == "non-subject" else "subject"

    def reference_words(
        self, number: int, place: Place, heads: Place | None, slot: Slot
    ) -> ReferenceWords | NoCategory:
        """The words of one reference, or what is missing there."""
        links = list(self.text.links[number][place.line])
        words = self.text.references[number][place.line]
        beside = ([min(place.at) - 1], [max(place.at) + 1]) if self.repair else None
        linked = pronoun_words(place.at, links, words, self.target, slot, beside)
        if not linked:
            return NoCategory("pronoun has no link")
        forms = [(at, pronoun_in(words[at], self.target, slot)) for at in linked]
        pronouns = [(at, form) for at, form in forms if form is not None]
        if not pronouns:
            return NoCategory("linked to no such pronoun")
        at, form = pronouns[0]  # one pronoun is enough (001 §4)
        if heads is None:
            return ReferenceWords((form,), (at,))
        head_links = list(self.text.links[number][heads.line])
        head_words = self.text.references[number][heads.line]
        head_at, head = head_translation(heads.at, head_links, head_words, self.target)
        if not head:
            return NoCategory("head linked to no content word")
        if len(head) > MOST_HEAD_WORDS:
            return NoCategory("head linked to too many words")
        if at in head_at and heads.line == place.line:
            return NoCategory("pronoun and head linked to one word")
        return ReferenceWords((form,), (at,), head, head_at)


def unknown_decisions(
    decisions: Mapping[tuple[str, str], Decision],
    documents: Sequence[MmaxDocument],
    path: str | Path,
) -> list[Problem]:
    """Decisions about words that no document has."""
    words = {document.name: set(document.word_names) for document in documents}
    problems = []
    for (name, word), decision in decisions.items():
        if name not in words:
            expected = f"one of {', '.join(words)}"
            problems.append(Problem(str(path), decision.line, "document", expected, name))
            continue
        missing = [one for one in (word, *decision.heads) if one not in words[name]]
        if missing:
            found = ", ".join(missing)
            problems.append(Problem(str(path), decision.line, "word", f"words of {name}", found))
    return problems
