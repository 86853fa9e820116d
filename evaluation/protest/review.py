"""What people judge of a suite, and what becomes of it: review files, items, silver pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from crosspro.evaluation.human.exchange import (
    BETWEEN_LINES,
    marked_words,
    review_row,
    write_review_file,
)
from crosspro.evaluation.human.items import ReviewCandidate, ReviewItem, ReviewLine, ReviewSet
from crosspro.evaluation.human.verdicts import Judgement, Judgements
from crosspro.evaluation.inputs.case_records import BAD, CORRECT, INCORRECT, PlacedVerdict
from crosspro.evaluation.protest.categories import BY_NAME
from crosspro.evaluation.protest.match import Alternative, TokenResult
from crosspro.evaluation.protest.suite import Suite


def to_judge(
    results: Iterable[TokenResult], judgements: Judgements, matches: bool = False
) -> list[TokenResult]:
    """The mismatches, and on demand the matches, on which there is no verdict yet."""
    return [
        result
        for result in results
        if (matches or result.outcome == "mismatch") and result.item.key not in judgements
    ]


def write_review(path: str | Path, results: Iterable[TokenResult]) -> int:
    """Write a review file of some results; how many there are."""
    rows = {}
    for result in results:
        cells = review_row(
            result.item,
            result.token.category,
            texts_of(result),
            reference_words(result),
            result.why,
        )
        rows[result.item.key] = cells
    return write_review_file(Path(path), rows)


def reference_words(result: TokenResult) -> tuple[str, str]:
    """The pronouns and the heads of the references that have them."""
    references = [reference for reference in result.token.references if reference.pronoun]
    pronouns = " | ".join(" ".join(one.pronoun) for one in references)
    return pronouns, " | ".join(" ".join(one.head) for one in references)


def texts_of(result: TokenResult) -> tuple[str, str, str]:
    """Source, first reference and output around a token, pronoun and head marked."""
    suite, token = result.suite, result.token
    words = token.references[0]
    sides = (
        (suite.source, token.place.at, token.antecedent.at if token.antecedent else ()),
        (suite.references[0], words.pronoun_at, words.head_at),
        (
            result.output.output,
            result.pronoun.candidate,
            result.head.candidate if result.head else (),
        ),
    )
    found = []
    for text, pronoun, head in sides:
        marks = {token.place.line: set(pronoun)}
        if token.antecedent is not None:
            marks.setdefault(token.antecedent.line, set()).update(head)
        lines = (marked_words(text[line], marks.get(line, ())) for line in suite.context(token))
        found.append(BETWEEN_LINES.join(lines))
    return found[0], found[1], found[2]


def protest_items(suite: Suite, results: Mapping[str, Sequence[TokenResult]]) -> ReviewSet:
    """All tokens of all systems as review items, in the whole text of the suite."""
    systems = [own[0].output for own in results.values() if own]
    lines = tuple(
        ReviewLine(
            suite.documents[number],
            source,
            tuple(reference[number] for reference in suite.references),
            {
                system.name: ReviewCandidate(
                    tuple(system.output[number]),
                    tuple(system.links[number]),
                    None
                    if tuple(system.source[number]) == source
                    else tuple(system.source[number]),
                )
                for system in systems
            },
        )
        for number, source in enumerate(suite.source)
    )
    items = tuple(
        ReviewItem(
            one.item,
            BY_NAME[one.token.category].label,
            one.pronoun,
            one.head,
            one.outcome == "match",
            one.why,
        )
        for own in results.values()
        for one in own
    )
    languages = (suite.source_language, suite.target_language)
    return ReviewSet("PROTEST", suite.digest, lines, items, languages)


def silver_from(
    judgements: Iterable[Judgement], known: Mapping[str, Sequence[Alternative]] | None = None
) -> dict[str, list[Alternative]]:
    """The translations that people found right, as silver alternatives beside known ones.

    An anaphoric token gives a pair, and only if both halves are right. What somebody proposes in
    place of a pronoun is an alternative, too.
    """
    found = {name: list(some) for name, some in (known or {}).items()}
    for judgement in judgements:
        item, head = judgement.item, tuple(judgement.item.head.split())
        if item.anaphoric and (judgement.antecedent != "right" or not head):
            continue
        right: list[Alternative] = []
        if judgement.pronoun == "right":
            words = (
                tuple(item.pronoun.split())
                if judgement.corrected is None
                else judgement.corrected.words
            )
            right.append(Alternative(words, head, f"from {item.system}"))
        for proposed, annotator in judgement.alternatives:
            right.append(Alternative(tuple(proposed.split()), head, f"proposed by {annotator}"))
        for alternative in right:
            known_pairs = {(other.pronoun, other.head) for other in found.get(item.token, ())}
            if alternative.pronoun and (alternative.pronoun, head) not in known_pairs:
                found.setdefault(item.token, []).append(alternative)
    return found


def token_verdicts(results: Iterable[TokenResult], judgements: Judgements) -> list[PlacedVerdict]:
    """What people say of tokens, for comparison with metrics (001 §6).

    What matched automatically was judged by nobody.
    """
    said = {"right": CORRECT, "wrong": INCORRECT}
    found = []
    for result in results:
        judgement = judgements.get(result.item.key)
        human = "" if judgement is None else said.get(judgement.pronoun, "")
        found.append(
            PlacedVerdict(
                result.item.system,
                result.token.place.line,
                result.suite.position(result.token),
                result.token.category,
                BAD if judgement is not None and judgement.bad else human,
                result.token.name,
                result.token.document,
                result.token.anaphoric,
            )
        )
    return found
