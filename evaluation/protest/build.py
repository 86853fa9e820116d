"""A suite from annotated documents and parallel text (002 §5.1).

Every it, they and you of the annotated documents ends in one of three places: it has no category,
it has one but cannot be used (its translation is not known), or it is usable. The first two are
counted by reason. *Decisions* stand for the manual examination of 002: they give a category to a
pronoun that the annotation leaves open, correct the head of an antecedent, or reject a token.

From the usable tokens a balanced selection is made. A category has as many tokens as wanted, not as
its frequency suggests. Within it, tokens are shared out evenly by the gender of the pronoun's
translation in the reference, then by whether its number shifts in translation, then by the
translation itself, then by document; where one share has too few tokens, the others get more.
Chance, from a seed, decides only between tokens that are equal in all of this.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from crosspro.data_prep.core.errors import InputError, Problem, choices, quoted
from crosspro.data_prep.core.files import write_text
from crosspro.data_prep.formats.links import write_links
from crosspro.data_prep.formats.mmax import Markable, MmaxDocument, read_mmax
from crosspro.evaluation.output.tables import PLAIN, Style
from crosspro.evaluation.protest.antecedents import (
    MOST_HEAD_WORDS,
    Antecedent,
    Chains,
    ParsedHeads,
    head_translation,
    is_group_noun,
    read_source_parse,
)
from crosspro.evaluation.protest.categories import (
    ANAPHORIC,
    BY_NAME,
    CATEGORIES,
    NoCategory,
    category_of,
    function_of,
)
from crosspro.evaluation.protest.language import Slot, SourceWords, TargetWords
from crosspro.evaluation.protest.locate import locate
from crosspro.evaluation.protest.match import pronoun_in, pronoun_words, tsv_rows
from crosspro.evaluation.protest.suite import (
    Place,
    ReferenceWords,
    Suite,
    SuiteToken,
    slot_of,
)
from crosspro.evaluation.protest.text import (
    Attempts,
    Links,
    ParallelText,
    Progress,
    known,
    make_links,
    read_corpus,
    read_link_files,
    read_mmax_texts,
    read_texts,
)

# Decisions ----------------------------------------------------------------------------------------

DECISION_COLUMNS = ("document", "word", "category", "head")
REJECTED = "reject"


@dataclass(frozen=True, slots=True)
class Decision:
    """A category (or none), the words of the head (or none), and where it was written.

    In the file, which is tab-separated, the category may be one of the 13, `reject` to leave the
    token out, or empty to keep the annotation's. The head, if there is one, names the words of the
    antecedent's head, separated by spaces.
    """

    category: str
    heads: tuple[str, ...]
    line: int


Decisions = Mapping[tuple[str, str], Decision]
"""Decisions by document and word."""


def read_decisions(path: str | Path) -> dict[tuple[str, str], Decision]:
    """The decisions of a file, by document and word; every problem is raised."""
    found, problems = scan_decisions(path)
    if problems:
        raise InputError(problems)
    return found


def scan_decisions(
    path: str | Path,
) -> tuple[dict[tuple[str, str], Decision], list[Problem]]:
    """The decisions of a file, and all that is wrong with them in themselves."""
    problems: list[Problem] = []
    found: dict[tuple[str, str], Decision] = {}

    def problem(number: int, field: str, expected: str, written: str) -> None:
        problems.append(Problem(str(path), number, field, expected, written))

    for number, (document, word, category, head) in tsv_rows(path, DECISION_COLUMNS, problems, "#"):
        if category and category != REJECTED and category not in BY_NAME:
            problem(number, "category", choices([*BY_NAME, REJECTED]), quoted(category))
        if (document, word) in found:
            problem(number, "word", "one decision a word", f"a second one for {document} {word}")
        found[document, word] = Decision(category, tuple(head.split()), number)
    return found, problems


def unknown_decisions(
    decisions: Decisions,
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


# Selection ----------------------------------------------------------------------------------------

Key = Callable[[SuiteToken], Hashable]


@dataclass(frozen=True, slots=True)
class TranslationForm:
    """What balance is about: gender and number of the translation, and whether number shifts."""

    gender: str
    number: str
    shift: bool
    pronoun: str


def translation_of(token: SuiteToken, lists: TargetWords) -> TranslationForm:
    """How the first reference that has words for a token translates it."""
    words = next((one.pronoun for one in token.references if one.pronoun), ())
    pronoun = lists.pronoun(words[0]) if words else None
    if pronoun is None:
        return TranslationForm("none", "none", False, " ".join(words))
    singular = BY_NAME[token.category].pronoun == "it" or "singular" in token.category
    shift = pronoun.number == ("plural" if singular else "singular")
    # Forms of either gender (l', on, vous) and neuter ones are one share beside the two genders.
    gender = pronoun.gender if pronoun.gender in ("masculine", "feminine") else "other"
    return TranslationForm(gender, pronoun.number, shift, lists.full_forms(words[0])[0])


def select(
    tokens: Sequence[SuiteToken], wanted: Mapping[str, int], lists: TargetWords, seed: int
) -> list[SuiteToken]:
    """As many tokens of each category as are wanted and there are, in the order of the text."""
    keys: list[Key] = [
        lambda token: translation_of(token, lists).gender,
        lambda token: translation_of(token, lists).shift,
        lambda token: translation_of(token, lists).pronoun,
        lambda token: token.document,
    ]
    chosen: list[SuiteToken] = []
    for number, category in enumerate(CATEGORIES):  # each with its own chance, whatever the others
        generator = np.random.default_rng([seed, number])
        own = [token for token in tokens if token.category == category.name]
        chosen += _balanced(own, wanted.get(category.name, 0), keys, generator)
    return sorted(chosen, key=lambda token: (token.place.line, token.place.at))


def top_up(wanted: Mapping[str, int], usable: Mapping[str, int], total: int) -> dict[str, int]:
    """The wanted numbers, with what some categories lack shared out among those that have more."""
    got = {name: min(number, usable.get(name, 0)) for name, number in wanted.items()}
    spare = {name: usable.get(name, 0) - number for name, number in got.items()}
    extra = shares(list(spare.values()), max(0, total - sum(got.values())))
    return {name: got[name] + more for name, more in zip(spare, extra, strict=True)}


def shares(sizes: Sequence[int], amount: int) -> list[int]:
    """An amount shared out as evenly as sizes allow; what is left over goes to the first."""
    given = [0] * len(sizes)
    while amount > 0:
        open_shares = [index for index, size in enumerate(sizes) if given[index] < size]
        if not open_shares:
            break
        each = max(1, amount // len(open_shares))
        for index in open_shares:
            more = min(each, sizes[index] - given[index], amount)
            given[index] += more
            amount -= more
    return given


def _balanced(
    tokens: list[SuiteToken], amount: int, keys: Sequence[Key], generator: np.random.Generator
) -> list[SuiteToken]:
    if amount >= len(tokens):
        return tokens
    if not keys:
        ordered = sorted(tokens, key=lambda token: token.name)
        return [ordered[index] for index in generator.permutation(len(ordered))[:amount]]
    groups: dict[Any, list[SuiteToken]] = defaultdict(list)
    for token in tokens:
        groups[keys[0](token)].append(token)
    names = sorted(groups, key=str)
    # What cannot be shared out evenly goes to a group by chance, not always to the same one.
    names = [names[index] for index in generator.permutation(len(names))]
    sizes = shares([len(groups[name]) for name in names], amount)
    return [
        token
        for name, size in zip(names, sizes, strict=True)
        for token in _balanced(groups[name], size, keys[1:], generator)
    ]


# Suites -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SuiteFiles:
    """What a suite is made from.

    Without a source the references are MMAX projects, as the annotation is. Links are made where
    they are not given, together with the corpus `align_with`. `tokenised` is None where it is to be
    found out. Heads of antecedents come from `source_parse` where it is given.
    """

    annotation: Path
    references: Sequence[Path]
    source: Path | None = None
    doc_ids: Path | None = None
    links: Sequence[Path] = ()
    align_with: tuple[Path, Path] | None = None
    decisions: Path | None = None
    tokenised: bool | None = None
    source_parse: Path | None = None


@dataclass(frozen=True)
class SuiteSettings:
    """How tokens are found and selected: `wanted` tokens of each category."""

    wanted: Mapping[str, int]
    top_up: bool = False
    seed: int = 1
    repair: bool = False


@dataclass(frozen=True)
class BuiltSuite:
    """A suite, the candidates that it was selected from, and the links of each reference."""

    suite: Suite
    candidates: Candidates
    links: Sequence[Links]


def build_suite(
    files: SuiteFiles,
    settings: SuiteSettings,
    source: SourceWords,
    target: TargetWords,
    jobs: int = 1,
    progress: Progress = lambda text: None,
) -> BuiltSuite:
    """Read everything, or raise all that is wrong with it; then make links and select tokens."""
    languages = (source.language, target.language)
    attempts = Attempts()
    documents = attempts.read(read_mmax, files.annotation)
    decided = _decided(files.decisions, documents, attempts)
    text = _text(files, documents, languages, attempts)
    if text is not None and files.links:
        links = attempts.read(read_link_files, files.links, text.source, text.references)
        text = replace(text, links=links or ())
    if text is not None and files.source_parse is not None:
        parse = attempts.read(read_source_parse, files.source_parse, source.language, text.source)
        text = replace(text, parse=parse or ())
    corpus = attempts.read(read_corpus, files.align_with, languages, progress)
    attempts.finish()
    talks, linked, larger = known(documents), known(text), known(corpus)
    match_documents(talks, linked)  # before links are made, which takes longest
    if not files.links:
        made = [
            make_links(linked.source, reference, larger, jobs, progress)
            for reference in linked.references
        ]
        linked = replace(linked, links=made)
    candidates = find_candidates(talks, linked, source, target, decided, settings.repair)
    wanted = dict(settings.wanted)
    if settings.top_up:
        wanted = top_up(wanted, candidates.usable(), sum(wanted.values()))
    origin = {
        "seed": settings.seed,
        "repair": settings.repair,
        "links": "given" if files.links else larger.signature,
        "decisions": len(decided),
        "wanted": wanted,
        **({"heads": "parse"} if linked.parse else {}),
    }
    chosen = select(candidates.tokens, wanted, target, settings.seed)
    return BuiltSuite(suite_of(linked, languages, chosen, origin), candidates, linked.links)


def suite_of(
    text: ParallelText,
    languages: tuple[str, str],
    tokens: Iterable[SuiteToken],
    settings: Mapping[str, Any],
) -> Suite:
    """A suite of some tokens of a text."""
    references = tuple(map(tuple, text.references))
    documents = tuple(text.documents)
    return Suite(*languages, tuple(text.source), references, documents, tuple(tokens), settings)


def _decided(
    path: Path | None, documents: Sequence[MmaxDocument] | None, attempts: Attempts
) -> Decisions:
    """What was decided by hand; decisions about words that no document has are problems."""
    if path is None:
        return {}
    decided, faults = attempts.read(scan_decisions, path) or ({}, [])
    if documents is not None:
        faults += unknown_decisions(decided, documents, path)
    attempts.problems += sorted(faults, key=lambda one: one.line or 0)
    return decided


def _text(
    files: SuiteFiles,
    documents: Sequence[MmaxDocument] | None,
    languages: tuple[str, str],
    attempts: Attempts,
) -> ParallelText | None:
    if files.source is not None:
        tokenised = True if files.links else files.tokenised
        return attempts.read(
            read_texts, files.source, files.references, files.doc_ids, languages, tokenised
        )
    if documents is None:
        return None
    return attempts.read(read_mmax_texts, documents, files.references)


def write_suite_text(prefix: Path, built: BuiltSuite) -> None:
    """The tokenised text of a suite with its links and doc-ids, in files that begin alike."""
    suite = built.suite
    write_text(Path(f"{prefix}.{suite.source_language}"), _lines(map(" ".join, suite.source)))
    write_text(Path(f"{prefix}.doc-ids"), _lines(suite.documents))
    for number, (reference, own) in enumerate(zip(suite.references, built.links, strict=True)):
        mark = f".{number}" if number else ""
        path = Path(f"{prefix}{mark}.{suite.target_language}")
        write_text(path, _lines(map(" ".join, reference)))
        write_links(f"{prefix}{mark}.links", own)


def _lines(texts: Iterable[str]) -> str:
    return "".join(f"{text}\n" for text in texts)


def build_report(candidates: Candidates, suite: Suite, style: Style = PLAIN) -> str:
    """What became of every pronoun when a suite was built: candidates, left out, selected, wanted.

    `wanted` is 002 Table 2; a category that has too few tokens is named.
    """
    table = style.table
    usable = candidates.usable()
    rows: list[list[str]] = []
    short = []
    selected = {c.name: sum(t.category == c.name for t in suite.tokens) for c in CATEGORIES}
    for category in CATEGORIES:
        name = category.name
        found, have, chosen = candidates.categories.get(name, 0), usable[name], selected[name]
        left = found - have
        rows.append([category.label, *map(str, (found, left, have, chosen, category.wanted))])
        if chosen < category.wanted:
            short.append(f"too few: {category.label}, {chosen} of {category.wanted} wanted")
    columns = [[int(row[column]) for row in rows] for column in range(1, 6)]
    rows.append(["all", *(str(sum(column)) for column in columns)])
    heading = ("category", "candidates", "left out", "usable", "selected", "published")
    parts = [table(heading, rows, 1)]
    reasons = _reasons(candidates.unusable, {c.name: c.label for c in CATEGORIES})
    if reasons:
        parts.append(table(("left out of a category", "because", "tokens"), reasons, 2))
    forms = _reasons(candidates.uncategorised, {form: form for form in candidates.forms})
    forms.append(("all", "found in the text", str(sum(candidates.forms.values()))))
    parts.append(table(("no category", "because", "tokens"), forms, 2))
    if candidates.sentence_differs:
        parts.append(
            f"{candidates.sentence_differs} anaphoric tokens: lines and annotated sentences "
            "disagree on intra or inter; the lines count.\n"
        )
    if short:
        parts.append("".join(f"{line}\n" for line in short))
    return "\n".join(parts)


def _reasons(
    counts: Mapping[tuple[str, str], int], names: Mapping[str, str]
) -> list[tuple[str, str, str]]:
    """Counts by group and reason: groups in the order of the names, frequent reasons first."""
    order = {key: number for number, key in enumerate(names)}
    items = sorted(counts.items(), key=lambda item: (order[item[0][0]], -item[1], item[0][1]))
    return [(names[group], reason, str(count)) for (group, reason), count in items]
