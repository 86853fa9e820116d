"""The suite of 250 tokens from ParCorFull, scored for the reference and a damaged copy of it.

    python -m crosspro.scripts.reproduce.protest_suite ARCHIVE

ARCHIVE is the ParCorFull archive of the DiscoMT talks; the parallel text is in it, too. The suite
has the sizes of 002 Table 2 (addressee reference from `protest_decisions.tsv`). Outputs of systems
on this text are not to be had, so the table, that of 002 Table 3, is for the reference and a copy
of it in which three of ten pronouns of each category are exchanged.
"""

from __future__ import annotations

import tarfile
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Annotated
from xml.etree import ElementTree

import typer

from crosspro.data_prep.core.files import write_text
from crosspro.data_prep.formats.links import write_links
from crosspro.evaluation.evaluation import evaluate
from crosspro.evaluation.link_repair import Repair, repair_links
from crosspro.evaluation.links import LinkedSentence, Links
from crosspro.evaluation.pronouns import find_anchors, load_lists
from crosspro.evaluation.protest.build import (
    BuiltSuite,
    SuiteFiles,
    build_suite,
    report_tables,
)
from crosspro.evaluation.protest.categories import CATEGORIES
from crosspro.evaluation.protest.language import TargetWords, target_words
from crosspro.evaluation.protest.match import score_system
from crosspro.evaluation.protest.metric import Protest, ProtestSettings, ScoredSystems
from crosspro.evaluation.protest.suite import Token
from crosspro.evaluation.protest.text import ParallelText, SystemOutput
from crosspro.evaluation.report.tables import PLAIN, text_report
from crosspro.evaluation.resampling import Resampling
from crosspro.scripts.cli import run
from crosspro.scripts.common import App

app = App()

ANNOTATION = "corpus/DiscoMT/EN"
SOURCE, REFERENCE = (
    f"corpus/DiscoMT/FR/Source/DiscoMT2015.test.raw.{side}.xml" for side in ("en", "fr")
)
DECISIONS = Path(__file__).with_name("protest_decisions.tsv")
SEED = 1
SHARE = 0.3

Spot = tuple[int, int]
"""A word of the reference: line and position."""


@app.command()
def protest_suite(archive: Annotated[Path, typer.Argument(help="Archive of ParCorFull.")]) -> None:
    """Build the suite of 250 tokens, and score the reference and a damaged copy of it."""
    built, lists = built_suite(archive), target_words("fr")
    print("\n".join(map(PLAIN.shown, report_tables(built))))
    damaged, _ = damaged_reference(built, lists)
    outputs = (replace(damaged, name="reference", output=built.suite.references[0]), damaged)
    results = {output.name: score_system(built.suite, output, lists) for output in outputs}
    scored = ScoredSystems(built.suite, lists, results, {})
    print(text_report(evaluate(Protest(ProtestSettings()), scored, Resampling())))


def built_suite(archive: Path) -> BuiltSuite:
    """The suite of the archive, with the pronouns that only a repair of links finds (000 §2.3).

    Without these, one category has 14 tokens and not 15: object clitics often have no link.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with tarfile.open(archive) as members:
            members.extractall(folder, filter="data")
        sides = [
            ElementTree.parse(folder / path).iter("doc")  # noqa: S314 - the published archive
            for path in (SOURCE, REFERENCE)
        ]
        doc_ids, *texts = (folder / name for name in ("doc-ids", "source", "reference"))
        for path, side in zip(texts, sides, strict=True):
            segments = [(doc.get("docid"), segment) for doc in side for segment in doc.iter("seg")]
            write_text(
                path, "".join(f"{(segment.text or '').strip()}\n" for _, segment in segments)
            )
            write_text(doc_ids, "".join(f"{name}\n" for name, _ in segments))
        files = SuiteFiles(folder / ANNOTATION, texts[0], texts[1:], doc_ids, decisions=DECISIONS)
        text = build_suite(files, target_words("fr")).text
        links = folder / "links"
        write_links(links, repaired_links(text, text.links[0]))
        for path, lines in zip(texts, (text.source, *text.references), strict=True):
            write_text(path, "".join(f"{' '.join(words)}\n" for words in lines))
        return build_suite(replace(files, links=[links]), target_words("fr"), SEED)


def repaired_links(text: ParallelText, links: Links) -> Links:
    """The links to the first reference, and those that APT's repair adds."""
    lists = load_lists("en-fr")
    repaired = [list(line) for line in links]
    for anchor in find_anchors(text.source, lists):
        line, position = anchor.line, anchor.position
        sentence = LinkedSentence(text.source[line], text.references[0][line], links[line])
        target = repair_links(sentence, position, anchor.pronoun, lists, set())
        if target.repair is Repair.MOVED:
            repaired[line].append((position, target.positions[0]))
    return repaired


def damaged_reference(
    built: BuiltSuite, lists: TargetWords, share: float = SHARE, seed: int = SEED
) -> tuple[SystemOutput, set[str]]:
    """The reference with a share of each category's pronouns exchanged, and their tokens.

    Only a pronoun is exchanged whose word serves this token only, and which occurs once in its
    line, so that this token is lost and no other.
    """
    suite, random = built.suite, Random(seed)
    text = [list(line) for line in suite.references[0]]
    users = Counter(spot for token in suite.tokens for spot in _spots(token))

    def stands_alone(token: Token) -> bool:
        spot = pronoun_spot(token)
        forms = lists.pronoun_forms(token.references[0].pronoun)
        line = suite.references[0][spot[0]]
        alike = [at for at, word in enumerate(line) if forms & lists.pronoun_forms([word])]
        return users[spot] == 1 and alike == [spot[1]]

    chosen: list[Token] = []
    for category in CATEGORIES:
        tokens = [token for token in suite.tokens if token.category == category.name]
        able = list(filter(stands_alone, tokens))
        chosen += random.sample(able, min(len(able), max(1, round(share * len(tokens)))))
    for token in chosen:
        line, at = pronoun_spot(token)
        text[line][at] = random.choice(_other_pronouns(token, lists))
    output = SystemOutput("damaged", list(map(tuple, text)), built.text.links[0])
    return output, {token.name for token in chosen}


def pronoun_spot(token: Token) -> Spot:
    """The reference's pronoun."""
    return token.place.line, token.references[0].pronoun_at[0]


def _spots(token: Token) -> set[Spot]:
    """The reference's pronoun, and its words for the head."""
    antecedent = token.antecedent
    heads = token.references[0].head_at if antecedent else ()
    return {pronoun_spot(token), *((antecedent.line, at) for at in heads if antecedent)}


def _other_pronouns(token: Token, lists: TargetWords) -> list[str]:
    """Pronouns that fill the same slot but have no form in common with the reference's."""
    forms = lists.pronoun_forms(token.references[0].pronoun)
    return sorted(
        form
        for form, readings in lists.pronouns.items()
        if token.slot.readings(readings)
        and "-" not in form
        and forms.isdisjoint(lists.pronoun_forms([form]))
    )


if __name__ == "__main__":
    run(app)
