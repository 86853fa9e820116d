"""A suite from annotated documents and parallel text (002 §5.1): a balanced selection of tokens.

A category has as many tokens as 002 Table 2 wants, not as its frequency suggests. Within it, tokens
are shared out evenly by the gender of the pronoun's translation in the reference, then by whether
its number shifts, then by the translation, then by document; where one share has too few tokens,
the others get more. Chance, from a seed, decides only between tokens that are equal in all of this.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import write_text
from crosspro.data_prep.formats.links import write_links
from crosspro.data_prep.formats.mmax import MmaxDocument, read_mmax
from crosspro.evaluation.pronouns import lists_names, load_lists
from crosspro.evaluation.protest.antecedents import Chains, read_source_parse
from crosspro.evaluation.protest.candidates import (
    Candidates,
    find_candidates,
    match_documents,
    read_decisions,
)
from crosspro.evaluation.protest.categories import (
    ADDRESSEE,
    ANAPHORIC,
    BY_NAME,
    CATEGORIES,
    EVENT,
    PLEONASTIC,
    LeftOutError,
    anaphoric_function,
)
from crosspro.evaluation.protest.language import SourceWords, TargetWords, source_words
from crosspro.evaluation.protest.suite import Suite, Token
from crosspro.evaluation.protest.text import (
    Languages,
    ParallelText,
    read_texts,
    word_links,
)
from crosspro.evaluation.report.tables import Table

# Selection ----------------------------------------------------------------------------------------


class TranslationForm(NamedTuple):
    """The gender of a translation, whether number shifts, and the pronoun."""

    gender: str
    shift: bool
    pronoun: str


def translation_form(token: Token, lists: TargetWords) -> TranslationForm:
    """The form in the first reference that has words for a token."""
    words = next((reference.pronoun for reference in token.references if reference.pronoun), ())
    readings = lists.readings(words[0]) if words else ()
    person = [reading for reading in readings if reading.person == token.slot.person]
    if not person:
        return TranslationForm("none", False, " ".join(words))
    genders, numbers = ({getattr(each, trait) for each in person} for trait in ("gender", "number"))
    singular = BY_NAME[token.category].pronoun == "it" or "singular" in token.category
    shift = numbers == {"pl" if singular else "sg"}
    # Forms of either gender (l', on, vous) and neuter ones are one share beside the two genders.
    gender = "".join(genders) if genders in ({"m"}, {"f"}) else "other"
    return TranslationForm(gender, shift, lists.full_forms(words[0])[0])


Keyed = tuple[tuple[str | bool, ...], Token]
"""A token with its gender, number shift, pronoun and document."""


def select(tokens: Sequence[Token], lists: TargetWords, seed: int) -> list[Token]:
    """At most as many tokens of each category as 002 has, in the order of the text."""
    chosen: list[Token] = []
    for number, category in enumerate(CATEGORIES):
        # A generator for each category: its tokens do not depend on the other categories.
        generator = np.random.default_rng([seed, number])
        members: list[Keyed] = [
            ((*translation_form(token, lists), token.document), token)
            for token in tokens
            if token.category == category.name
        ]
        selected = _balanced(members, category.wanted, generator)
        chosen += [token for _, token in selected]
    return sorted(chosen, key=lambda token: (token.place.line, token.place.at))


def shares(sizes: Sequence[int], amount: int) -> list[int]:
    """An amount shared out as evenly as sizes allow; the first get one more."""
    parts = [0] * len(sizes)
    while amount > 0:
        open_shares = [index for index, size in enumerate(sizes) if parts[index] < size]
        if not open_shares:
            break
        each = max(1, amount // len(open_shares))
        for index in open_shares:
            more = min(each, sizes[index] - parts[index], amount)
            parts[index] += more
            amount -= more
    return parts


def _balanced(members: list[Keyed], amount: int, generator: np.random.Generator) -> list[Keyed]:
    """A balanced selection by the first key, within its groups by the others."""
    if amount >= len(members):
        return members
    if not members[0][0]:
        members = sorted(members, key=lambda member: member[1].name)
        return [members[index] for index in generator.permutation(len(members))[:amount]]
    groups: dict[object, list[Keyed]] = defaultdict(list)
    for keys, token in members:
        groups[keys[0]].append((keys[1:], token))
    names = sorted(groups, key=str)
    # What cannot be shared out evenly goes to a random group, not always to the same one.
    names = [names[index] for index in generator.permutation(len(names))]
    sizes = shares([len(groups[name]) for name in names], amount)
    return [
        member
        for name, size in zip(names, sizes, strict=True)
        for member in _balanced(groups[name], size, generator)
    ]


# Suites -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SuiteFiles:
    """What a suite is made from; links that are not given are made, with this prior."""

    annotation: Path
    source: Path
    references: Sequence[Path]
    doc_ids: Path | None = None
    links: Sequence[Path] = ()
    prior: str | None = None
    decisions: Path | None = None
    source_parse: Path | None = None


@dataclass(frozen=True)
class BuiltSuite:
    """A suite, the text and the candidates that it was selected from, and all pronouns by type."""

    suite: Suite
    text: ParallelText
    candidates: Candidates
    types: Mapping[PronounType, int]
    warnings: Sequence[str] = ()


def build_suite(files: SuiteFiles, target: TargetWords, seed: int = 1) -> BuiltSuite:
    source = source_words()
    languages = (source.language, target.language)
    documents = read_mmax(files.annotation)
    types = count_types(documents, source)
    decisions = read_decisions(files.decisions, documents) if files.decisions else {}
    tokenised = True if files.links else None
    text = read_texts(files.source, files.references, files.doc_ids, languages, tokenised)
    match_documents(documents, text)  # before links are made, which takes longest
    if files.source_parse is not None:
        parse = read_source_parse(files.source_parse, source.language, text.source)
        text = replace(text, parse=parse)
    paths: Sequence[Path | None] = files.links or [None] * len(text.references)
    linked = [
        word_links(path, text.source, reference, languages, files.prior)
        for path, reference in zip(paths, text.references, strict=True)
    ]
    text = replace(text, links=[of_reference.links for of_reference in linked])
    candidates = find_candidates(documents, text, source, target, decisions)
    tokens = select(candidates.tokens, target, seed)
    record = {
        "seed": seed,
        "links": linked[0].signature,
        "decisions": len(decisions),
        "wanted": {category.name: category.wanted for category in CATEGORIES},
    }
    if text.parse:
        record["heads"] = "parse"
    suite = suite_of(text, languages, tokens, record)
    return BuiltSuite(suite, text, candidates, types, linked[0].warnings)


def suite_of(
    text: ParallelText, languages: Languages, tokens: Iterable[Token], settings: Mapping[str, Any]
) -> Suite:
    references = tuple(map(tuple, text.references))
    documents = tuple(text.documents)
    return Suite(*languages, tuple(text.source), references, documents, tuple(tokens), settings)


def write_suite_text(prefix: Path, built: BuiltSuite) -> None:
    """The tokenised text of a suite, its links, doc-ids and tokens, in files that begin alike.

    Tokens whose pronoun APT's lists do not have (you) are left out: APT would refuse them.
    """
    suite = built.suite
    _write_lines(Path(f"{prefix}.{suite.source_language}"), map(" ".join, suite.source))
    _write_lines(Path(f"{prefix}.doc-ids"), suite.documents)
    for number, (reference, links) in enumerate(
        zip(suite.references, built.text.links, strict=True)
    ):
        name = f"{prefix}.{number}" if number else str(prefix)
        _write_lines(Path(f"{name}.{suite.target_language}"), map(" ".join, reference))
        write_links(f"{name}.links", links)
    pair = f"{suite.source_language}-{suite.target_language}"
    lists = load_lists(pair) if pair in lists_names() else None
    _write_lines(
        Path(f"{prefix}.tokens"),
        (
            f"{line} {position}"
            for line, position in suite.places()
            if lists is None or lists.source_pronoun(suite.source[line][position].lower())
        ),
    )


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    write_text(path, "".join(f"{line}\n" for line in lines))


# Pronouns by type (002 Table 1) -------------------------------------------------------------------

PronounType = tuple[str, str]
"""A type and a sub-type, which may be empty."""

INTER, INTRA = "inter-sentential", "intra-sentential"
TYPES: tuple[PronounType, ...] = (
    (ANAPHORIC, INTER),
    (ANAPHORIC, INTRA),
    (ANAPHORIC, "linked to another pronoun"),
    (ANAPHORIC, "no specific antecedent"),
    ("cataphoric", ""),
    (EVENT, ""),
    ("extratextual reference", ""),
    (PLEONASTIC, ""),
    ("speaker reference", ""),
    (ADDRESSEE, ""),
)
"""The rows of the paper's table, in its order."""


def count_types(documents: Sequence[MmaxDocument], lists: SourceWords) -> dict[PronounType, int]:
    """All annotated pronouns by type, in the order of the paper's table."""
    counts: Counter[PronounType] = Counter()
    for document in documents:
        chains, sentences = Chains(document, lists), document.sentence_of()
        for markable in document.markables:
            kind = markable.attributes.get("type", "").replace("_", " ") or "type not annotated"
            if markable.attributes.get("mention") != "pronoun":
                continue
            subtype = ""
            try:
                if kind == ANAPHORIC:
                    kind = anaphoric_function(markable.attributes)
                if kind == ANAPHORIC:
                    last = chains.antecedent(markable).words[-1]
                    same = sentences[last] == sentences[markable.words[0]]
                    subtype = INTRA if same else INTER
            except LeftOutError as reason:
                subtype = str(reason)
            counts[kind, subtype] += 1
    if not counts:
        expected = 'markables with mention="pronoun"'
        raise input_error(documents[0].path, "pronouns", expected, "none")
    others = sorted(counts.keys() - set(TYPES))
    names = list(dict.fromkeys(name for name, _ in (*TYPES, *others)))
    kinds = sorted((*TYPES, *others), key=lambda kind: names.index(kind[0]))
    return {kind: counts[kind] for kind in kinds}


# Reports ------------------------------------------------------------------------------------------

Row = tuple[str, ...]


def report_tables(built: BuiltSuite) -> list[Table]:
    candidates, usable = built.candidates, built.candidates.usable()
    selected = Counter(token.category for token in built.suite.tokens)
    counts = [
        (
            candidates.categories[category.name],
            usable[category.name],
            selected[category.name],
            category.wanted,
        )
        for category in CATEGORIES
    ]
    labels = {category.name: category.label for category in CATEGORIES}
    sums = [sum(column) for column in zip(*counts, strict=True)]
    names = (*labels.values(), "all")
    rows = [(name, *map(str, row)) for name, row in zip(names, (*counts, sums), strict=True)]
    left_out = _reasons(candidates.unusable, labels)
    uncategorised = _reasons(candidates.uncategorised, {form: form for form in candidates.forms})
    total = sum(built.types.values())
    rows_of_types = [
        (kind, subtype, f"{count:,}", f"{100 * count / total:.1f}")
        for (kind, subtype), count in built.types.items()
    ]
    tables = [
        Table(("category", "candidates", "usable", "selected", "published"), rows),
        Table(("left out of a category", "because", "tokens"), left_out, left=2),
        Table(("no category", "because", "tokens"), uncategorised, left=2),
        Table(
            ("pronoun type", "sub-type", "count", "%"),
            [*rows_of_types, ("all", "", f"{total:,}", "100.0")],
            left=2,
        ),
    ]
    return [table for table in tables if table.rows]


def _reasons(counts: Mapping[PronounType, int], names: Mapping[str, str]) -> list[Row]:
    order = list(names)
    items = sorted(counts.items(), key=lambda item: (order.index(item[0][0]), -item[1], item[0][1]))
    return [(names[group], reason, str(count)) for (group, reason), count in items]
