"""The suite of 250 tokens from ParCorFull, scored for the reference and a damaged copy of it.

Run: python -m crosspro.scripts.reproduce.protest_suite ARCHIVE [--share 0.3] [--seed 1]
     [--suite FILE]

ARCHIVE is the ParCorFull archive of the DiscoMT talks; the parallel text is in it, too. The suite
has the sizes of 002 Table 2 (addressee reference from `protest_decisions.tsv`). Outputs of systems
on this text are not to be had, so the table, that of 002 Table 3, is for the reference and a copy
of it in which a share of the pronouns is exchanged. The exit status is 1 if the matches of a
category are not those that follow from the damage.
"""

from __future__ import annotations

import argparse
import re
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from xml.etree import ElementTree

from crosspro.data_prep.core.files import write_text
from crosspro.data_prep.formats.mmax import read_mmax
from crosspro.evaluation.evaluation import evaluate
from crosspro.evaluation.link_repair import Repair, repair_links
from crosspro.evaluation.links import LinkedSentence, Links
from crosspro.evaluation.pronouns import find_anchors, load_lists
from crosspro.evaluation.protest.build import (
    BuiltSuite,
    SuiteFiles,
    build_suite,
    report_tables,
    select,
    suite_of,
)
from crosspro.evaluation.protest.candidates import find_candidates, read_decisions
from crosspro.evaluation.protest.categories import CATEGORIES
from crosspro.evaluation.protest.language import TargetWords, source_words, target_words
from crosspro.evaluation.protest.match import Outcome, TokenResult, score_system
from crosspro.evaluation.protest.metric import Protest, ProtestSettings, ScoredSystems
from crosspro.evaluation.protest.suite import Suite, Token, write_suite
from crosspro.evaluation.protest.text import ParallelText, SystemOutput
from crosspro.evaluation.report.tables import PLAIN, text_report
from crosspro.evaluation.resampling import Resampling

ANNOTATION = "corpus/DiscoMT/EN"
SOURCE, REFERENCE = (
    f"corpus/DiscoMT/FR/Source/DiscoMT2015.test.raw.{side}.xml" for side in ("en", "fr")
)
_BARE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9A-Fa-f]+);)")
DECISIONS = Path(__file__).with_name("protest_decisions.tsv")

Spot = tuple[int, int]
"""A word of the reference: line and position."""


def built_suite(archive: Path, seed: int = 1) -> BuiltSuite:
    """The suite of the archive, with the pronouns that only a repair of links finds (000 §2.3).

    Without these, one category has 14 tokens and not 15: object clitics often have no link.
    """
    source, target = source_words(), target_words("fr")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with tarfile.open(archive) as members:
            members.extractall(folder, filter="data")
        source_path, reference_path, doc_ids = (folder / name for name in ("en", "fr", "doc-ids"))
        write_plain(folder / SOURCE, source_path, doc_ids)
        write_plain(folder / REFERENCE, reference_path, doc_ids)
        files = SuiteFiles(folder / ANNOTATION, source_path, [reference_path], doc_ids)
        built = build_suite(files, target, seed)
        documents = read_mmax(folder / ANNOTATION)
    text = replace(built.text, links=[repaired_links(built.text)])
    decisions = read_decisions(DECISIONS, documents)
    candidates = find_candidates(documents, text, source, target, decisions)
    tokens = select(candidates.tokens, target, seed)
    suite = suite_of(text, ("en", "fr"), tokens, {"seed": seed})
    return replace(built, suite=suite, text=text, candidates=candidates)


def write_plain(talks: Path, text: Path, doc_ids: Path) -> None:
    """Write talks in IWSLT's XML as lines, and their documents."""
    raw = _BARE_AMPERSAND.sub("&amp;", talks.read_text("utf-8"))
    lines, documents = [], []
    for document in ElementTree.fromstring(raw).iter("doc"):  # noqa: S314 - no entities of its own
        for segment in document.iter("seg"):
            lines.append(" ".join("".join(segment.itertext()).split()))
            documents.append(document.get("docid", ""))
    write_text(text, "".join(f"{line}\n" for line in lines))
    write_text(doc_ids, "".join(f"{name}\n" for name in documents))


def repaired_links(text: ParallelText) -> Links:
    """The links to the first reference, and those that APT's repair adds."""
    lists = load_lists("en-fr")
    links = [list(line) for line in text.links[0]]
    for anchor in find_anchors(text.source, lists):
        line, position = anchor.line, anchor.position
        sentence = LinkedSentence(text.source[line], text.references[0][line], text.links[0][line])
        repaired = repair_links(sentence, position, anchor.pronoun, lists, set())
        if repaired.repair is Repair.MOVED:
            links[line].append((position, repaired.positions[0]))
    return links


class Damage:
    """Damages a share of each category's tokens in the first reference of a suite."""

    def __init__(self, built: BuiltSuite, lists: TargetWords, share: float, seed: int) -> None:
        self.suite: Suite = built.suite
        self.links: Links = built.text.links[0]
        self.lists = lists
        self.share = share
        self.random = Random(seed)
        self.users = Counter(
            spot
            for token in self.suite.tokens
            for spot in {pronoun_spot(token), *head_spots(token)}
        )

    def swapped_pronouns(self) -> tuple[SystemOutput, frozenset[str]]:
        """The reference with pronouns exchanged for others of the same role, and their tokens."""
        chosen = self.sample()
        changes = {pronoun_spot(token): self.other_pronoun(token) for token in chosen}
        return self.output("damaged", changes), frozenset(token.name for token in chosen)

    def sample(self) -> list[Token]:
        """A share of each category, at least one token where any stands alone."""
        chosen: list[Token] = []
        for category in CATEGORIES:
            tokens = [token for token in self.suite.tokens if token.category == category.name]
            able = list(filter(self.stands_alone, tokens))
            wanted = min(len(able), max(1, round(self.share * len(tokens))))
            chosen += self.random.sample(able, wanted)
        return chosen

    def stands_alone(self, token: Token) -> bool:
        """Whether a change of the pronoun's word is lost for this token, and for no other.

        The word serves this token only, and it occurs once in its line.
        """
        spot = pronoun_spot(token)
        forms = self.lists.pronoun_forms(token.references[0].pronoun)
        line = self.suite.references[0][spot[0]]
        alike = [at for at, word in enumerate(line) if forms & self.lists.pronoun_forms([word])]
        return self.users[spot] == 1 and alike == [spot[1]]

    def other_pronoun(self, token: Token) -> str:
        """A pronoun that fills the same slot but has no form in common with the reference's."""
        forms = self.lists.pronoun_forms(token.references[0].pronoun)
        others = [
            form
            for form, readings in self.lists.pronouns.items()
            if token.slot.readings(readings)
            and "-" not in form
            and forms.isdisjoint(self.lists.pronoun_forms([form]))
        ]
        return self.random.choice(sorted(others))

    def output(self, name: str, changes: Mapping[Spot, str]) -> SystemOutput:
        """The reference with some words exchanged."""
        text = [
            tuple(changes.get((line, at), word) for at, word in enumerate(words))
            for line, words in enumerate(self.suite.references[0])
        ]
        return SystemOutput(name, text, self.links)


def pronoun_spot(token: Token) -> Spot:
    """The reference's pronoun."""
    return token.place.line, token.references[0].pronoun_at[0]


def head_spots(token: Token) -> list[Spot]:
    """The reference's words for the head."""
    if token.antecedent is None:
        return []
    return [(token.antecedent.line, at) for at in token.references[0].head_at]


def faults(name: str, lost: frozenset[str], results: Iterable[TokenResult]) -> list[str]:
    """Categories whose matches are not those that follow from the damage."""
    expected: Counter[tuple[str, Outcome]] = Counter()
    actual: Counter[tuple[str, Outcome]] = Counter()
    for result in results:
        token = result.token
        actual[token.category, result.outcome] += 1
        expected[token.category, "mismatch" if token.name in lost else "match"] += 1
    return [
        f"{name}: {category}: {actual[category, outcome]} {outcome}, "
        f"expected {expected[category, outcome]}"
        for category, outcome in sorted(expected.keys() | actual.keys())
        if actual[category, outcome] != expected[category, outcome]
    ]


def main() -> None:
    """Build the suite, score the systems, compare with what must be."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("archive", type=Path)
    parser.add_argument("--share", type=float, default=0.3, help="of each category is damaged")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--suite", type=Path, help="write the suite here")
    options = parser.parse_args()
    lists = target_words("fr")
    built = built_suite(options.archive, options.seed)
    print("\n".join(map(PLAIN.shown, report_tables(built))))
    if options.suite:
        write_suite(options.suite, built.suite)
    scored, wrong = score_damaged(built, lists, options.share, options.seed)
    print(text_report(evaluate(Protest(ProtestSettings()), scored, Resampling())))
    print("\n".join(wrong) or "All matches are what they must be.", file=sys.stderr)
    raise SystemExit(1 if wrong else 0)


def score_damaged(
    built: BuiltSuite, lists: TargetWords, share: float, seed: int
) -> tuple[ScoredSystems, list[str]]:
    """The reference and its damaged copy, scored, and what is wrong with their scores."""
    damage = Damage(built, lists, share, seed)
    copies = [(damage.output("reference", {}), frozenset[str]()), damage.swapped_pronouns()]
    results = {output.name: score_system(built.suite, output, lists, {}) for output, _ in copies}
    wrong = [
        fault for copy, lost in copies for fault in faults(copy.name, lost, results[copy.name])
    ]
    return ScoredSystems(built.suite, lists, results, {}), wrong


if __name__ == "__main__":
    main()
