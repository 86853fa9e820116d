"""The pronouns of annotated documents that a suite can use, and why others cannot (002 §5.1).

Every it, they and you of the annotated documents ends in one of three places: it has no category,
it has one but cannot be used (its translation is not known), or it is usable. The first two are
counted by reason. *Decisions* stand for the manual examination of 002: they give a category to a
pronoun that the annotation leaves open, correct the head of an antecedent, or reject a token.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem, choices, quoted
from crosspro.data_prep.formats.mmax import Markable, MmaxDocument
from crosspro.evaluation.protest.antecedents import (
    MOST_HEAD_WORDS,
    Antecedent,
    Chains,
    ParsedHeads,
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
from crosspro.evaluation.protest.language import Slot, SourceWords, TargetWords
from crosspro.evaluation.protest.locate import locate
from crosspro.evaluation.protest.match import pronoun_in, pronoun_words, tsv_rows
from crosspro.evaluation.protest.suite import Place, ReferenceWords, SuiteToken, slot_of
from crosspro.evaluation.protest.text import Attempts, ParallelText

# Decisions ----------------------------------------------------------------------------------------

DECISION_COLUMNS = ("document", "word", "category", "head")
REJECTED = "reject"


@dataclass(frozen=True, slots=True)
class Decision:
    """A category (or none) and the words of the head (or none).

    In the file, which is tab-separated, the category may be one of the 13, `reject` to leave the
    token out, or empty to keep the annotation's. The head, if there is one, names the words of the
    antecedent's head, separated by spaces.
    """

    category: str
    heads: tuple[str, ...]


Decisions = Mapping[tuple[str, str], Decision]
"""Decisions by document and word."""


def read_decisions(
    path: str | Path, documents: Sequence[MmaxDocument] | None = None
) -> dict[tuple[str, str], Decision]:
    """The decisions of a file, by document and word; every problem is raised.

    Where documents are known, decisions about words that none of them has are problems, too.
    """
    problems: list[Problem] = []
    found: dict[tuple[str, str], Decision] = {}
    words = {document.name: set(document.word_names) for document in documents or ()}

    def problem(number: int, field: str, expected: str, written: str) -> None:
        problems.append(Problem(str(path), number, field, expected, written))

    for number, (name, word, category, head) in tsv_rows(path, DECISION_COLUMNS, problems, "#"):
        heads = tuple(head.split())
        if category and category != REJECTED and category not in BY_NAME:
            problem(number, "category", choices([*BY_NAME, REJECTED]), quoted(category))
        if (name, word) in found:
            problem(number, "word", "one decision a word", f"a second one for {name} {word}")
        elif documents is not None and name not in words:
            problem(number, "document", f"one of {', '.join(words)}", name)
        elif missing := [one for one in (word, *heads) if documents and one not in words[name]]:
            problem(number, "word", f"words of {name}", ", ".join(missing))
        found[name, word] = Decision(category, heads)
    if problems:
        raise InputError(sorted(problems, key=lambda one: one.line or 0))
    return found


# Candidates ---------------------------------------------------------------------------------------


@dataclass
class Candidates:
    """The usable tokens, and what became of the others: counts by form or category, and reason.

    `sentence_differs` counts anaphoric tokens whose lines and whose annotated sentences disagree on
    intra or inter.
    """

    tokens: list[SuiteToken] = field(default_factory=list)
    forms: Counter[str] = field(default_factory=Counter)
    uncategorised: Counter[tuple[str, str]] = field(default_factory=Counter)
    categories: Counter[str] = field(default_factory=Counter)
    unusable: Counter[tuple[str, str]] = field(default_factory=Counter)
    sentence_differs: int = 0

    def usable(self) -> dict[str, int]:
        """Usable tokens of each category."""
        counts = Counter(token.category for token in self.tokens)
        return {name: counts[name] for name in BY_NAME}


def find_candidates(
    documents: Sequence[MmaxDocument],
    text: ParallelText,
    source: SourceWords,
    target: TargetWords,
    decisions: Decisions | None = None,
    repair: bool = False,
) -> Candidates:
    """All tokens of the annotated documents that have a category and a known translation."""
    candidates = Candidates()
    attempts = Attempts()
    for document, lines in zip(documents, match_documents(documents, text), strict=True):
        finder = attempts.read(
            _Finder, document, lines, text, source, target, decisions or {}, candidates, repair
        )
        if finder is not None:
            finder.run()
    attempts.finish()
    return candidates


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
        decisions: Decisions,
        candidates: Candidates,
        repair: bool,
    ) -> None:
        self.document = document
        self.text = text
        self.source = source
        self.target = target
        self.decisions = decisions
        self.candidates = candidates
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
            self.candidates.forms[form] += 1
            decided = self.category(position, form)
            if isinstance(decided, NoCategory):
                self.candidates.uncategorised[form, decided.reason] += 1
                continue
            category, antecedent = decided
            self.candidates.categories[category] += 1
            token = self.token(position, category, antecedent)
            if isinstance(token, NoCategory):
                self.candidates.unusable[category, token.reason] += 1
            else:
                self.candidates.tokens.append(token)

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
            self.candidates.sentence_differs += same != same_line
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
        links = self.text.links[number][place.line]
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
        head_links = self.text.links[number][heads.line]
        head_words = self.text.references[number][heads.line]
        head_at, head = head_translation(heads.at, head_links, head_words, self.target)
        if not head:
            return NoCategory("head linked to no content word")
        if len(head) > MOST_HEAD_WORDS:
            return NoCategory("head linked to too many words")
        if at in head_at and heads.line == place.line:
            return NoCategory("pronoun and head linked to one word")
        return ReferenceWords((form,), (at,), head, head_at)
