"""A suite from annotated documents and parallel text (002 §5.1): a balanced selection of tokens.

A category has as many tokens as wanted, not as its frequency suggests. Within it, tokens are shared
out evenly by the gender of the pronoun's translation in the reference, then by whether its number
shifts in translation, then by the translation itself, then by document; where one share has too few
tokens, the others get more. Chance, from a seed, decides only between tokens that are equal in all
of this.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from crosspro.data_prep.core.files import write_text
from crosspro.data_prep.formats.links import write_links
from crosspro.data_prep.formats.mmax import MmaxDocument, read_mmax
from crosspro.evaluation.inputs.pronoun_lists import lists_names, load_lists
from crosspro.evaluation.output.tables import PLAIN, Style
from crosspro.evaluation.protest.antecedents import PronounTypes, count_types, read_source_parse
from crosspro.evaluation.protest.candidates import (
    Candidates,
    Decisions,
    find_candidates,
    match_documents,
    read_decisions,
)
from crosspro.evaluation.protest.categories import BY_NAME, CATEGORIES
from crosspro.evaluation.protest.language import SourceWords, TargetWords
from crosspro.evaluation.protest.suite import Suite, SuiteToken, token_list
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
    words = next((reference.pronoun for reference in token.references if reference.pronoun), ())
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
    """A suite, the candidates that it was selected from, and the links of each reference.

    `types` counts all annotated pronouns.
    """

    suite: Suite
    candidates: Candidates
    links: Sequence[Links]
    types: PronounTypes


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
    decided: Decisions = {}
    if files.decisions is not None:
        decided = attempts.read(read_decisions, files.decisions, documents) or {}
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
    types = count_types(talks, source)
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
    suite = suite_of(linked, languages, chosen, origin)
    return BuiltSuite(suite, candidates, linked.links, types)


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
    """The tokenised text of a suite with its links, doc-ids and tokens, in files that begin alike.

    Of the tokens those are left out that APT's lists of the language pair do not have.
    """
    suite = built.suite
    write_text(Path(f"{prefix}.{suite.source_language}"), _lines(map(" ".join, suite.source)))
    write_text(Path(f"{prefix}.doc-ids"), _lines(suite.documents))
    for number, (reference, own) in enumerate(zip(suite.references, built.links, strict=True)):
        mark = f".{number}" if number else ""
        path = Path(f"{prefix}{mark}.{suite.target_language}")
        write_text(path, _lines(map(" ".join, reference)))
        write_links(f"{prefix}{mark}.links", own)
    pair = f"{suite.source_language}-{suite.target_language}"
    lists = load_lists(pair) if pair in lists_names() else None
    places = "".join(f"{line} {position}\n" for line, position in token_list(suite, lists))
    write_text(Path(f"{prefix}.tokens"), places)


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
