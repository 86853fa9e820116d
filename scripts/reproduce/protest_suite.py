"""A suite of 250 tokens from ParCorFull, and proof that scores are what they must be.

Run: python -m crosspro.scripts.reproduce.protest_suite ARCHIVE [--align-with A B] [--share 0.3]
     [--seed 1] [--suite FILE]

ARCHIVE is the ParCorFull archive of the DiscoMT talks; the parallel text is in it, too. The suite
is built with the sizes of 002 Table 2 (addressee reference from `protest_decisions.tsv`). Then the
reference, damaged copies of it, other tokenisations of the source, two references and verdicts are
scored; for each the matches by category are known beforehand: they are derived from the suite and
from what was changed, never from the scorer. The exit status is 1 if any differs.
"""

from __future__ import annotations

import argparse
import sys
import tarfile
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from crosspro.data_prep.core.errors import Problem
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.formats.mmax import read_mmax
from crosspro.evaluation.human.verdicts import VerdictStore
from crosspro.evaluation.protest.build import build_report, select, suite_of
from crosspro.evaluation.protest.candidates import Candidates, find_candidates, read_decisions
from crosspro.evaluation.protest.categories import CATEGORIES
from crosspro.evaluation.protest.language import TargetWords, source_words, target_words
from crosspro.evaluation.protest.marks import Words
from crosspro.evaluation.protest.match import (
    Alternative,
    ScoredSystems,
    TokenResult,
    score_system,
)
from crosspro.evaluation.protest.metric import Protest, ProtestSettings, Status
from crosspro.evaluation.protest.review import (
    read_review,
    silver_from,
    to_judge,
    write_review,
)
from crosspro.evaluation.protest.suite import (
    ReferenceWords,
    Suite,
    SuiteToken,
    write_suite,
)
from crosspro.evaluation.protest.text import (
    Links,
    SystemOutput,
    make_links,
    read_corpus,
    read_texts,
    relocate,
)
from crosspro.evaluation.report.tables import text_table

ANNOTATION = "corpus/DiscoMT/EN"
TEXTS = tuple(f"corpus/DiscoMT/FR/Source/DiscoMT2015.test.raw.{side}.xml" for side in ("en", "fr"))
DECISIONS = Path(__file__).with_name("protest_decisions.tsv")
LANGUAGES = ("en", "fr")

Counts = dict[str, int]

Spot = tuple[int, int]
"""A word of the reference: line and position."""


@dataclass(frozen=True)
class Corruption:
    """A damaged copy of the reference, the tokens it must lose, and what must win some back."""

    output: SystemOutput
    lost: frozenset[str] = frozenset()
    silver: dict[str, list[Alternative]] = field(default_factory=dict)
    halves: dict[str, list[Alternative]] = field(default_factory=dict)

    def expected(self, suite: Suite) -> dict[str, int]:
        """Automatic matches that must be left in each category."""
        return by_category(token for token in suite.tokens if token.name not in self.lost)

    def expected_silver(self, suite: Suite) -> dict[str, int]:
        """Tokens of each category that silver alternatives must win back."""
        return by_category(token for token in suite.tokens if token.name in self.silver)


def by_category(tokens: Iterable[SuiteToken]) -> dict[str, int]:
    """How many tokens there are of each category."""
    counts = Counter(token.category for token in tokens)
    return {category.name: counts[category.name] for category in CATEGORIES}


class Corrupter:
    """Damages the first reference of a suite in known ways."""

    def __init__(
        self,
        suite: Suite,
        links: Sequence[Sequence[Link]],
        lists: TargetWords,
        share: float = 0.3,
        seed: int = 1,
    ) -> None:
        self.suite = suite
        self.links = [tuple(own) for own in links]
        self.lists = lists
        self.share = share
        self.random = Random(seed)
        self.users: dict[Spot, set[str]] = defaultdict(set)
        for token in suite.tokens:
            for spot in (self.pronoun_spot(token), *self.head_spots(token)):
                self.users[spot].add(token.name)

    def intact(self) -> Corruption:
        """The reference itself: nothing is lost."""
        return Corruption(self.output("reference", {}))

    def swapped_pronouns(self) -> Corruption:
        """A share of each category's pronouns exchanged for others of the same role."""
        chosen = self.sample(self.stands_alone)
        changes = {self.pronoun_spot(token): self.other_pronoun(token) for token in chosen}
        return Corruption(self.output("swapped", changes), _names(chosen))

    def replaced_heads(self) -> Corruption:
        """Heads replaced by a word of no text; tokens of one antecedent are lost together."""
        chosen = self.sample(lambda token: token.anaphoric)
        spots = {spot for token in chosen for spot in self.head_spots(token)}
        lost = [
            token
            for token in self.suite.tokens
            if token.anaphoric and spots.issuperset(self.head_spots(token))
        ]
        return Corruption(self.output("heads", dict.fromkeys(spots, "zzz")), _names(lost))

    def dropped_words(self) -> Corruption:
        """A share of the pronouns left out of the text, with their links."""
        chosen = self.sample(self.stands_alone)
        spots = {self.pronoun_spot(token) for token in chosen}
        return Corruption(self.without("dropped", spots), _names(chosen))

    def other_genders(self) -> Corruption:
        """Both halves of anaphoric pairs changed, as with bicyclette/elle for vélo/il (002 §6).

        The new pairs are right, and silver alternatives say so for every second of them; for the
        others there are only halves: the pronoun with another head, and the head with another
        pronoun, which must not be put together.
        """
        chosen = self.sample(lambda token: token.anaphoric and self.pair_is_alone(token))
        changes: dict[Spot, str] = {}
        silver: dict[str, list[Alternative]] = {}
        halves: dict[str, list[Alternative]] = {}
        for number, token in enumerate(chosen):
            pronoun, noun = self.other_pronoun(token), f"zzz{number}"
            changes[self.pronoun_spot(token)] = pronoun
            changes |= dict.fromkeys(self.head_spots(token), noun)
            if number % 2:
                silver[token.name] = [Alternative((pronoun,), (noun,))]
            else:
                original = token.references[0]
                halves[token.name] = [
                    Alternative((pronoun,), ("zzzz",)),
                    Alternative(original.pronoun, (noun,)),
                ]
        return Corruption(self.output("genders", changes), _names(chosen), silver, halves)

    def sample(self, eligible: Callable[[SuiteToken], bool]) -> list[SuiteToken]:
        """A share of the eligible tokens of each category, at least one where there is any."""
        chosen: list[SuiteToken] = []
        for category in CATEGORIES:
            own = [t for t in self.suite.tokens if t.category == category.name]
            able = [token for token in own if eligible(token)]
            wanted = min(len(able), max(1, round(self.share * len(own))))
            chosen += self.random.sample(able, wanted) if able else []
        return chosen

    def pronoun_spot(self, token: SuiteToken) -> Spot:
        """Where the reference's pronoun is."""
        return token.place.line, token.references[0].pronoun_at[0]

    def head_spots(self, token: SuiteToken) -> list[Spot]:
        """Where the reference's words for the head are."""
        if token.antecedent is None:
            return []
        return [(token.antecedent.line, at) for at in token.references[0].head_at]

    def stands_alone(self, token: SuiteToken) -> bool:
        """Whether a change of the pronoun's word is lost for this token, and for no other.

        The word serves this token only, it occurs once in its line, and no other pronoun of the
        line was found by repair, which depends on the words around.
        """
        spot = self.pronoun_spot(token)
        line = self.suite.references[0][spot[0]]
        forms = self.lists.pronoun_forms(token.references[0].pronoun)
        alike = [at for at, word in enumerate(line) if forms & self.lists.pronoun_forms([word])]
        return (
            self.users[spot] == {token.name}
            and alike == [spot[1]]
            and all(
                self.is_linked(other)
                for other in self.suite.tokens
                if other.place.line == spot[0] and other.name != token.name
            )
        )

    def is_linked(self, token: SuiteToken) -> bool:
        """Whether the pronoun's word has a link, and was not found by repair."""
        line, at = self.pronoun_spot(token)
        return any(target == at for _, target in self.links[line])

    def pair_is_alone(self, token: SuiteToken) -> bool:
        """The same for the pronoun and for the words of the head; the pronoun must be linked."""
        heads = self.head_spots(token)
        alone = all(self.users[spot] == {token.name} for spot in heads)
        return alone and self.is_linked(token) and self.stands_alone(token)

    def other_pronoun(self, token: SuiteToken) -> str:
        """A pronoun that fills the same slot but has no form in common with the reference's."""
        own = self.lists.pronoun_forms(token.references[0].pronoun)
        others = [
            form
            for form, pronoun in self.lists.pronouns.items()
            if token.slot.takes(pronoun)
            and "-" not in form
            and not own & self.lists.pronoun_forms([form])
        ]
        return self.random.choice(sorted(others))

    def output(self, name: str, changes: dict[Spot, str]) -> SystemOutput:
        """The reference with some words exchanged."""
        text = [list(line) for line in self.suite.references[0]]
        for (line, at), word in changes.items():
            text[line][at] = word
        words = [tuple(line) for line in text]
        return SystemOutput(name, self.suite.source, words, self.links)

    def without(self, name: str, spots: set[Spot]) -> SystemOutput:
        """The reference with some words left out, and the links that remain."""
        words, links = [], []
        for number, line in enumerate(self.suite.references[0]):
            kept = [at for at in range(len(line)) if (number, at) not in spots]
            place = {at: new for new, at in enumerate(kept)}
            words.append(tuple(line[at] for at in kept))
            links.append(tuple((s, place[t]) for s, t in self.links[number] if t in place))
        return SystemOutput(name, self.suite.source, words, links)


def _names(tokens: Sequence[SuiteToken]) -> frozenset[str]:
    return frozenset(token.name for token in tokens)


@dataclass(frozen=True)
class Check:
    """Counts by category that must be, and that are."""

    name: str
    expected: Counts
    found: Counts

    @property
    def passed(self) -> bool:
        """Whether all counts are equal."""
        return self.expected == self.found


def main() -> None:
    """Build, damage, score, compare."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("archive", type=Path)
    parser.add_argument(
        "--align-with", type=Path, nargs=2, metavar=("A", "B"), help="a larger parallel text"
    )
    parser.add_argument("--share", type=float, default=0.3, help="of each category is damaged")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--suite", type=Path, help="write the suite here")
    options = parser.parse_args()
    start = time.perf_counter()
    suite, links, candidates = build_suite(
        options.archive, options.align_with and tuple(options.align_with), options.seed
    )
    print(build_report(candidates, suite))
    print(f"built in {time.perf_counter() - start:.1f} s", file=sys.stderr)
    if options.suite:
        write_suite(options.suite, suite)
    start = time.perf_counter()
    checks = run_checks(suite, links, options.share, options.seed)
    print(check_table(checks))
    print(f"{len(checks)} checks in {time.perf_counter() - start:.1f} s", file=sys.stderr)
    raise SystemExit(0 if all(check.passed for check in checks) else 1)


def build_suite(
    archive: Path, align_with: tuple[Path, Path] | None = None, seed: int = 1
) -> tuple[Suite, Links, Candidates]:
    """The suite, the links of its reference, and what became of all pronouns."""
    lists = target_words("fr")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with tarfile.open(archive) as members:
            members.extractall(folder, filter="data")
        documents = read_mmax(folder / ANNOTATION)
        texts = read_texts(folder / TEXTS[0], [folder / TEXTS[1]], None, LANGUAGES, None)
    larger = read_corpus(align_with, LANGUAGES, lambda text: None)
    links = make_links(texts.source, texts.references[0], larger, 1, lambda text: None)
    text = replace(texts, path=TEXTS[0], links=[links])
    decisions = read_decisions(DECISIONS)
    candidates = find_candidates(documents, text, source_words("en"), lists, decisions, repair=True)
    wanted = {category.name: category.wanted for category in CATEGORIES}
    chosen = select(candidates.tokens, wanted, lists, seed)
    return suite_of(text, LANGUAGES, chosen, {"seed": seed}), links, candidates


def run_checks(
    suite: Suite, links: Sequence[Sequence[Link]], share: float = 0.3, seed: int = 1
) -> list[Check]:
    """All checks of a suite whose first reference has these links."""
    lists = target_words(suite.target_language)
    make = Corrupter(suite, links, lists, share, seed)
    genders = make.other_genders()
    checks = [
        _matches("reference itself", suite, make.intact(), lists),
        _matches("pronouns swapped", suite, make.swapped_pronouns(), lists),
        _matches("heads replaced", suite, make.replaced_heads(), lists),
        _matches("pronouns dropped", suite, make.dropped_words(), lists),
        _matches("other genders", suite, genders, lists),
        *_silver_checks(suite, genders, lists),
        *_two_references(suite, genders, make, lists),
        *(_retokenised(name, change, suite, make, lists) for name, change in STYLES.items()),
    ]
    with tempfile.TemporaryDirectory() as folder:
        checks += _verdict_checks(suite, make.swapped_pronouns(), lists, Path(folder))
    return checks


def _matches(name: str, suite: Suite, corruption: Corruption, lists: TargetWords) -> Check:
    results = score_system(suite, corruption.output, lists, repair=True)
    return Check(name, corruption.expected(suite), _count(results, "match"))


def _count(results: Sequence[TokenResult], outcome: str) -> Counts:
    return by_category(result.token for result in results if result.outcome == outcome)


def _silver_checks(suite: Suite, genders: Corruption, lists: TargetWords) -> list[Check]:
    """Pairs count as silver, halves of pairs never do, and automatic matches stay what they are."""
    silver: dict[str, list[Alternative]] = genders.silver | genders.halves
    results = score_system(suite, genders.output, lists, silver, repair=True)
    return [
        Check("… silver pairs", genders.expected_silver(suite), _count(results, "silver")),
        Check("… matches beside them", genders.expected(suite), _count(results, "match")),
    ]


def _two_references(
    suite: Suite, genders: Corruption, make: Corrupter, lists: TargetWords
) -> list[Check]:
    """The other genders as a second reference: its pairs match, mixed pairs do not (002 §8.2)."""
    other = genders.output.output
    tokens = []
    for token in suite.tokens:
        first = token.references[0]
        line = token.place.line
        pronoun = tuple(other[line][at] for at in first.pronoun_at)
        head: Words = ()
        if token.antecedent is not None:
            head = tuple(other[token.antecedent.line][at] for at in first.head_at)
        second = ReferenceWords(pronoun, first.pronoun_at, head, first.head_at)
        tokens.append(replace(token, references=(first, second)))
    both = replace(suite, references=(*suite.references, tuple(other)), tokens=tuple(tokens))
    everything = by_category(both.tokens)
    mixed = {
        make.pronoun_spot(token): other[token.place.line][token.references[0].pronoun_at[0]]
        for token in suite.tokens
        if token.name in genders.lost
    }
    checks = [
        ("two references: second", genders.output, everything),
        ("two references: first", make.intact().output, everything),
        ("two references: mixed", make.output("mixed", mixed), genders.expected(suite)),
    ]
    return [
        Check(name, expected, _count(score_system(both, output, lists, repair=True), "match"))
        for name, output, expected in checks
    ]


def _escaped(word: str) -> list[str]:
    for character, name in (("&", "&amp;"), ("'", "&apos;"), ('"', "&quot;")):
        word = word.replace(character, name)
    return [word.lower()]


def _subwords(word: str) -> list[str]:
    pieces = [word[at : at + 3] for at in range(0, len(word), 3)]
    return [f"{piece}@@" for piece in pieces[:-1]] + pieces[-1:]


def _marked(word: str) -> list[str]:
    return [f"▁{word[:2]}", *([word[2:]] if len(word) > 2 else [])]


def _hyphens(word: str) -> list[str]:
    parts = word.split("-")
    joined = [piece for part in parts for piece in (part, "@-@") if piece][:-1]
    return joined if "" not in parts else [word]


STYLES: dict[str, Callable[[str], list[str]]] = {
    "source lower-cased, escaped": _escaped,
    "source in subwords (@@)": _subwords,
    "source in subwords (▁)": _marked,
    "source with hyphens split": _hyphens,
}


def _retokenised(
    name: str,
    change: Callable[[str], list[str]],
    suite: Suite,
    make: Corrupter,
    lists: TargetWords,
) -> Check:
    """The reference with links from another tokenisation of the source: everything must match."""
    source: list[Words] = []
    links: list[tuple[Link, ...]] = []
    for line, own in zip(suite.source, make.links, strict=True):
        words: list[str] = []
        places: list[list[int]] = []
        for word in line:
            pieces = change(word)
            places.append(list(range(len(words), len(words) + len(pieces))))
            words += pieces
        source.append(tuple(words))
        links.append(tuple(sorted((new, t) for s, t in own for new in places[s])))
    problems: list[Problem] = []
    moved = relocate(suite, source, name, problems)
    if problems:
        print(*problems[:5], sep="\n", file=sys.stderr)
    output = SystemOutput("moved", source, suite.references[0], links, moved)
    results = score_system(suite, output, lists, repair=True)
    return Check(name, by_category(suite.tokens), _count(results, "match"))


def _verdict_checks(
    suite: Suite, swapped: Corruption, lists: TargetWords, folder: Path
) -> list[Check]:
    """Mismatches out to a review file, filled in, and back: every status must have its number.

    Of the lost tokens in their order, the first annotator finds one in three right; the second
    disagrees on one in five; the others are wrong; the last two stay unjudged.
    """
    results = score_system(suite, swapped.output, lists, repair=True)
    path = folder / "review.tsv"
    rows = to_judge(results, {})
    write_review(path, rows)
    judged = rows[:-2]
    first = {row.item.token: number % 3 == 0 for number, row in enumerate(judged)}
    flipped = {row.item.token for number, row in enumerate(judged) if number % 5 == 0}
    second = {name: right != (name in flipped) for name, right in first.items()}
    store = VerdictStore(folder / "verdicts.sqlite", suite.digest)
    for annotator, opinion in (("one", first), ("two", second)):
        filled = folder / f"{annotator}.tsv"
        _fill_in(path, filled, opinion)
        store.add(read_review(filled, suite, annotator))
    judgements = store.judgements()
    scored = ScoredSystems(suite, lists, {"swapped": results}, judgements=judgements)
    (tokens,) = Protest(ProtestSettings()).items(scored).items
    names = {row.item.token: row.result.token for row in rows}

    def expected(chosen: Callable[[str], bool]) -> Counts:
        return by_category(token for name, token in names.items() if chosen(name))

    known: dict[Status, Counts] = {
        "right": expected(lambda n: bool(first.get(n)) and n not in flipped),
        "wrong": expected(lambda n: n in first and not first[n] and n not in flipped),
        "conflict": expected(lambda n: n in flipped),
        "open": expected(lambda n: n not in first),
    }
    silver = silver_from(judgements.values())
    again = score_system(suite, swapped.output, lists, silver, repair=True)
    return [
        *(
            Check(
                f"verdicts: {status}",
                number,
                by_category(one.result.token for one in tokens if one.status == status),
            )
            for status, number in known.items()
        ),
        Check("verdicts become silver", known["right"], _count(again, "silver")),
    ]


def _fill_in(path: Path, copy: Path, right: dict[str, bool]) -> None:
    """What people do with a review file, done by a program."""
    lines = path.read_text("utf-8").splitlines()
    columns = lines[0].split("\t")
    filled = [lines[0]]
    for line in lines[1:]:
        cells = line.split("\t")
        row = dict(zip(columns, cells, strict=True))
        token = row["item"].rpartition("/")[0]
        if token in right:
            row["pronoun"] = "right" if right[token] else "wrong"
            if row["category"].startswith("anaphoric"):
                row["antecedent"] = "right"
        filled.append("\t".join(row.values()))
    copy.write_text("\n".join(filled) + "\n", "utf-8")


def check_table(checks: Sequence[Check]) -> str:
    """Every check with its counts by category; where they differ, both."""
    heading = ["check", *(_short(category.name) for category in CATEGORIES), "all", ""]
    rows = []
    for check in checks:
        cells = [
            str(found) if found == check.expected[name] else f"{found}≠{check.expected[name]}"
            for name, found in check.found.items()
        ]
        total = str(sum(check.found.values()))
        rows.append([check.name, *cells, total, "ok" if check.passed else "DIFFERS"])
    return text_table(heading, rows)


def _short(name: str) -> str:
    """A category in a few letters: anaphoric_intra_subject_it is intra.s.it."""
    words = [word for word in name.split("_") if word not in ("anaphoric", "addressee")]
    shorter = {"subject": "s", "nonsubject": "n", "singular": "sg", "plural": "pl"}
    return ".".join(shorter.get(word, word[:5]) for word in words)


if __name__ == "__main__":
    main()
