"""Automatic matching of a system's output with the references of a suite (002 §5.2).

The words that a system has for the pronoun must overlap with those of a reference and, for
anaphoric tokens, the words for the antecedent's head as well, with the same reference: a pair is
never put together from two (002 §8.2). Case and elision make no difference. What matches no
reference but a *silver* alternative, which people have verified (002 §8.2), is counted apart (002
§6): such scores are not comparable with published ones. A mismatch is not an error: it goes to
people.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from crosspro.data_prep.core.errors import InputError, Problem, quoted
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.files import atomic_output, read_text_lines
from crosspro.evaluation.human.verdicts import Item, Judgements, read_judgements
from crosspro.evaluation.inputs.plain_text import lines_of
from crosspro.evaluation.protest.language import Slot, TargetWords, target_words
from crosspro.evaluation.protest.marks import MarkedWords, Words
from crosspro.evaluation.protest.suite import Place, Suite, SuiteToken, read_suite
from crosspro.evaluation.protest.text import (
    Attempts,
    Progress,
    SystemOutput,
    known,
    make_links,
    read_corpus,
    read_systems,
)

Outcome = Literal["match", "silver", "mismatch"]

# The translation of a pronoun ---------------------------------------------------------------------

# Links of pronouns are often missing, above all those of object clitics that change place (`I love
# it`, `je l' aime`). A pronoun without a link to a pronoun is looked for as in 000 §2.3: between
# the translations of its neighbours, one word more on either side, the pronoun nearest to the
# centre. Here it must have no link of its own, and a form that may be an article must stand before
# the translation of the word before the source pronoun, its verb: a repair has to be right, not
# frequent.

WIDEST = 8
"""Neighbours whose translations are further apart than this say nothing."""


Neighbours = tuple[Collection[int], Collection[int]]
"""The source positions of the word before and the word after a pronoun."""


def project(positions: Iterable[int], links: Iterable[Link]) -> tuple[int, ...]:
    """The target positions that are linked to some source positions, in order."""
    wanted = set(positions)
    return tuple(sorted({target for source, target in links if source in wanted}))


def pronoun_words(
    at: Collection[int],
    links: Sequence[Link],
    words: Sequence[str],
    lists: TargetWords,
    slot: Slot,
    neighbours: Neighbours | None,
) -> tuple[int, ...]:
    """The target positions of a source pronoun: those linked, or a repaired one if none is right.

    Linked words stay what they are if there is no better one: they are what people will judge.
    Without neighbours nothing is repaired.
    """
    linked = project(at, links)
    if neighbours is None or any(pronoun_in(words[place], lists, slot) for place in linked):
        return linked
    found = _repaired(neighbours, links, words, lists, slot)
    return linked if found is None else (found,)


def pronoun_in(word: str, lists: TargetWords, slot: Slot) -> str | None:
    """The first pronoun in a word that can fill a slot."""
    for form in lists.pronouns_in(word):
        pronoun = lists.pronoun(form)
        if pronoun is not None and slot.takes(pronoun):
            return form
    return None


def _repaired(
    neighbours: Neighbours,
    links: Sequence[Link],
    words: Sequence[str],
    lists: TargetWords,
    slot: Slot,
) -> int | None:
    before, after = (project(positions, links) for positions in neighbours)
    markers = (*before, *after)
    if not markers or max(markers) - min(markers) > WIDEST:
        return None
    low, high = max(0, min(markers) - 1), min(len(words) - 1, max(markers) + 1)
    taken = {target for _, target in links}
    centre = (low + high) / 2
    candidates = []
    for place in range(low, high + 1):
        form = pronoun_in(words[place], lists, slot)
        if form is None or place in taken:
            continue
        article = slot.role != "subject" and form in lists.dropped
        if article and place + 1 not in before:
            continue
        candidates.append(place)
    return min(candidates, key=lambda place: (abs(place - centre), place), default=None)


# Silver alternatives ------------------------------------------------------------------------------

SILVER_COLUMNS = ("token", "pronoun", "head", "remark")


@dataclass(frozen=True, slots=True)
class Alternative:
    """A right translation that is in no reference."""

    pronoun: Words
    head: Words = ()
    remark: str = ""


def read_silver(path: str | Path | None, suite: Suite) -> dict[str, list[Alternative]]:
    """The alternatives of a file by token, if there is one; every problem is raised.

    The file is tab-separated with the columns token, pronoun, head and remark; words are separated
    by spaces. For anaphoric tokens an alternative is a pair of pronoun and head.
    """
    if path is None:
        return {}
    tokens = {token.name: token for token in suite.tokens}
    problems: list[Problem] = []
    found: dict[str, list[Alternative]] = defaultdict(list)

    def problem(number: int, field: str, expected: str, written: str) -> None:
        problems.append(Problem(str(path), number, field, expected, written))

    for number, (name, pronoun, head, remark) in tsv_rows(path, SILVER_COLUMNS, problems):
        if name not in tokens:
            problem(number, "token", "a token of the suite", quoted(name))
            continue
        if not pronoun.split():
            problem(number, "pronoun", "at least one word", "none")
        if bool(head.split()) != tokens[name].anaphoric:
            expected = "the head of the antecedent" if tokens[name].anaphoric else "nothing"
            problem(number, "head", f"{expected} for {tokens[name].category}", quoted(head))
        found[name].append(Alternative(tuple(pronoun.split()), tuple(head.split()), remark))
    if problems:
        raise InputError(problems)
    return dict(found)


def tsv_rows(
    path: str | Path, columns: Sequence[str], problems: list[Problem], comment: str = "\0"
) -> Iterator[tuple[int, Sequence[str]]]:
    """The rows of a tab-separated file of four columns; the last cell of a row may be missing."""
    for number, line in enumerate(read_text_lines(Path(path)), start=1):
        cells = line.rstrip("\r").split("\t")
        if number == 1:
            if cells != list(columns):
                expected = " ".join(columns)
                problems.append(Problem(str(path), 1, "columns", expected, quoted(line)))
                return
        elif not line.strip() or line.startswith(comment):
            continue
        elif len(cells) not in (3, 4):
            found = f"{len(cells)}: {quoted(line)}"
            expected = "3 or 4 separated by tabs"
            problems.append(Problem(str(path), number, "columns", expected, found))
        else:
            yield number, (*cells, "")[:4]


def silver_signature(alternatives: Mapping[str, Iterable[Alternative]]) -> str:
    """How many alternatives there are and a short name of their content; remarks do not count."""
    rows = sorted(
        (name, one.pronoun, one.head) for name, some in alternatives.items() for one in some
    )
    if not rows:
        return "none"
    return f"{len(rows)}.{hashlib.sha256(repr(rows).encode()).hexdigest()[:8]}"


def write_silver(path: str | Path, alternatives: Mapping[str, Iterable[Alternative]]) -> None:
    """Write alternatives atomically."""
    with atomic_output(Path(path)) as handle:
        handle.write("\t".join(SILVER_COLUMNS).encode("utf-8") + b"\n")
        for name, some in alternatives.items():
            for one in some:
                cells = (name, " ".join(one.pronoun), " ".join(one.head), one.remark)
                handle.write("\t".join(cells).encode("utf-8") + b"\n")


# Matching -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TokenResult:
    """A token of a suite in one system's output.

    `pronoun` and `head` say where the words are in the system's source and output, `words` and
    `head_words` what they are; `reference` is the one that both agree with. The digest of `item`
    names the output that was seen, so that verdicts about another output are not taken for this
    one; its words are what people verify.
    """

    suite: Suite
    output: SystemOutput
    token: SuiteToken
    item: Item
    pronoun: MarkedWords
    head: MarkedWords | None
    words: Words
    head_words: Words
    outcome: Outcome
    reference: int | None
    why: str
    """The outcome in words: what did not match, or was not found."""


def score_system(
    suite: Suite,
    output: SystemOutput,
    lists: TargetWords,
    silver: Mapping[str, Sequence[Alternative]] | None = None,
    repair: bool = False,
) -> list[TokenResult]:
    """The results of a system for every token of a suite, in the suite's order."""
    return [
        _result(suite, output, token, lists, (silver or {}).get(token.name, ()), repair)
        for token in suite.tokens
    ]


def _result(
    suite: Suite,
    output: SystemOutput,
    token: SuiteToken,
    lists: TargetWords,
    silver: Sequence[Alternative],
    repair: bool,
) -> TokenResult:
    pronoun = _pronoun(suite, output, token, lists, repair)
    words = _at(output, pronoun)
    head = None
    if token.antecedent is not None:
        place = token.antecedent
        at = output.positions(place)
        heads_at = tuple(one.head_at for one in token.references)
        head = MarkedWords(place.line, at, heads_at, project(at, output.links[place.line]))
    head_words = () if head is None else _at(output, head)
    forms, heads = lists.pronoun_forms(words), lists.head_forms(head_words)
    same = [bool(forms & lists.pronoun_forms(reference.pronoun)) for reference in token.references]
    same_head = [bool(heads & lists.head_forms(one.head)) for one in token.references]
    both = [one and (other or head is None) for one, other in zip(same, same_head, strict=True)]
    outcome: Outcome = "match" if any(both) else "mismatch"
    if outcome == "mismatch" and any(
        forms & lists.pronoun_forms(one.pronoun)
        and (head is None or heads & lists.head_forms(one.head))
        for one in silver
    ):
        outcome = "silver"
    missing = []
    if not any(same):
        missing.append("pronoun differs" if words else "pronoun not found")
    if head is not None and not any(same_head):
        missing.append("head differs" if head_words else "head not found")
    mismatch = ", ".join(missing) or "pair of two references"
    fitting = (pronoun_in(word, lists, token.slot) for word in words)
    verified = next((form for form in fitting if form is not None), " ".join(words))
    return TokenResult(
        suite,
        output,
        token,
        Item(
            token.name,
            _digest(token, output, pronoun, head),
            output.name,
            verified,
            " ".join(sorted(heads)),
        ),
        pronoun,
        head,
        words,
        head_words,
        outcome,
        both.index(True) if any(both) else None,
        mismatch if outcome == "mismatch" else outcome,
    )


def _pronoun(
    suite: Suite, output: SystemOutput, token: SuiteToken, lists: TargetWords, repair: bool
) -> MarkedWords:
    """What a system has for a pronoun.

    Its neighbours are the suite's words before and after it, wherever the system's tokenisation has
    put them.
    """
    line, first, last = token.place.line, min(token.place.at), max(token.place.at)
    beside = None
    if repair:
        end = len(suite.source[line]) - 1
        before = output.positions(Place(line, (first - 1,))) if first > 0 else ()
        after = output.positions(Place(line, (last + 1,))) if last < end else ()
        beside = (before, after)
    at = output.positions(token.place)
    found = pronoun_words(at, output.links[line], output.output[line], lists, token.slot, beside)
    return MarkedWords(
        line, at, tuple(reference.pronoun_at for reference in token.references), found
    )


def _at(output: SystemOutput, marks: MarkedWords) -> Words:
    return tuple(output.output[marks.line][at] for at in marks.candidate)


def _digest(
    token: SuiteToken, output: SystemOutput, pronoun: MarkedWords, head: MarkedWords | None
) -> str:
    """A short name for what was seen of a token: the lines in question and the words in them."""
    lines = sorted({pronoun.line} | ({head.line} if head else set()))
    seen = [" ".join(output.output[line]) for line in lines]
    places = (pronoun.candidate, head.candidate if head else ())
    content = "\n".join([token.name, *seen, repr(places)])
    return hashlib.sha256(content.encode("utf-8")).hexdigest()[:12]


# From files ---------------------------------------------------------------------------------------


def system_name(path: Path) -> str:
    """A file's name without compression and ending; never by the company it is in.

    Verdicts are kept under this name.
    """
    name = path.name.removesuffix(".xz").removesuffix(".gz")
    return Path(name).stem


@dataclass(frozen=True)
class ScoredSystems:
    """A suite, the words of its target language, and the results of each system.

    `links` says how the links of systems came.
    """

    suite: Suite
    lists: TargetWords
    results: dict[str, list[TokenResult]]
    silver: Mapping[str, list[Alternative]] = field(default_factory=dict)
    judgements: Judgements = field(default_factory=dict)
    links: str = "given"

    @property
    def tokens(self) -> list[TokenResult]:
        """The results of all systems."""
        return [one for own in self.results.values() for one in own]


def read_and_score(
    suite_file: Path,
    outputs: Mapping[str, Path],
    links: Sequence[Path] | None = None,
    sources: Sequence[Path] | None = None,
    align_with: tuple[Path, Path] | None = None,
    lists: str | None = None,
    silver: Path | None = None,
    verdicts: Path | None = None,
    repair: bool = False,
    jobs: int = 1,
    progress: Progress = lambda text: None,
) -> ScoredSystems:
    """Read everything, or raise all that is wrong with it; then make links and match tokens.

    Outputs are given by the names of the systems; `sources` are one for all of them, or one each.
    """
    attempts = Attempts()
    suite = attempts.read(read_suite, suite_file)
    if suite is None:  # how many lines there should be is not known
        for path in (*outputs.values(), *(sources or ()), *(links or ())):
            lines_of(path, attempts.problems)
        raise InputError(attempts.problems)
    own_sources: Sequence[Path | None] = sources or [None]
    if len(own_sources) == 1:
        own_sources = [*own_sources] * len(outputs)
    words = attempts.read(target_words, lists or suite.target_language)
    alternatives = attempts.read(read_silver, silver, suite)
    judgements = attempts.read(read_judgements, verdicts, suite.digest)
    systems = attempts.read(read_systems, suite, outputs, links, own_sources)
    languages = (suite.source_language, suite.target_language)
    corpus = attempts.read(read_corpus, align_with, languages, progress)
    attempts.finish()
    results = {}
    for one in known(systems):
        linked = one
        if not links:  # those of each system by itself: others change nothing
            made = make_links(one.source, one.output, known(corpus), jobs, progress)
            linked = replace(one, links=made)
        results[one.name] = score_system(suite, linked, known(words), known(alternatives), repair)
    how = "given" if links else known(corpus).signature
    return ScoredSystems(suite, known(words), results, known(alternatives), known(judgements), how)
