"""Precision and recall of the subject rules on treebanks, from predicted tags.

Run: python -m crosspro.scripts.reproduce.subject_rules \
         en_ewt-ud-test.conllu.xz de_gsd-ud-test.conllu.xz

The language is read from the start of the file's name. Tags come from HanTa (`--annotator` names
another); the trees only tell which pronouns are subjects: nsubj, its subtypes, and expl, which the
papers' parser labelled as subjects too. `--parcorfull FOLDER` adds the ParCorFull talks, whose
annotators marked the position of anaphoric pronouns. `--errors` shows each error in its sentence.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from crosspro.data_prep.annotate.corpus import annotate_text
from crosspro.data_prep.formats.conllu import read_conllu
from crosspro.data_prep.gaps.subjects.filter import judge_by_rules
from crosspro.data_prep.gaps.subjects.words import SubjectJudgement
from crosspro.evaluation.output.tables import text_table

PRONOUNS = {"en": ("it",), "de": ("es", "sie")}
SUBJECT_LABELS = frozenset(("nsubj", "nsubj:pass", "expl"))
"""What counts as a subject; other labels that start with nsubj are counted apart."""


@dataclass(frozen=True)
class JudgedItem:
    """A sentence and the gold label of each of its pronouns, by position."""

    forms: tuple[str, ...]
    labels: dict[int, str]


@dataclass
class RuleTally:
    """Counts for one pronoun: (is a subject, was called one), and labels by rule."""

    counts: Counter[tuple[bool, bool]] = field(default_factory=Counter)
    rules: Counter[tuple[str, bool, str]] = field(default_factory=Counter)

    def add(self, label: str, gold: bool, verdict: SubjectJudgement) -> None:
        """Count one pronoun."""
        self.counts[gold, verdict.subject] += 1
        self.rules[verdict.rule, verdict.subject, label] += 1

    def row(self, name: str) -> tuple[str, ...]:
        """The name, number, precision, recall and the four counts."""
        both, spurious = self.counts[True, True], self.counts[False, True]
        missed, neither = self.counts[True, False], self.counts[False, False]
        precision = both / (both + spurious) if both + spurious else 0.0
        recall = both / (both + missed) if both + missed else 0.0
        numbers = (both, spurious, missed, neither)
        return (name, str(sum(numbers)), f"{precision:.3f}", f"{recall:.3f}", *map(str, numbers))


def main() -> None:
    """Print a table for each file, and what each rule did to each gold label."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--annotator", default="hanta")
    parser.add_argument("--parcorfull", type=Path, help="the folder corpus/ of ParCorFull")
    parser.add_argument("--errors", action="store_true")
    options = parser.parse_args()
    for path in options.files:
        language = path.name[:2]
        report(path.name, language, treebank(path, language), options.annotator, options.errors)
    if options.parcorfull:
        for language in PRONOUNS:
            for part in ("TED", "DiscoMT"):
                folder = options.parcorfull / part / language.upper()
                items = parcorfull(folder, language)
                report(f"ParCorFull {part}", language, items, options.annotator, options.errors)


def report(
    name: str, language: str, items: Iterable[JudgedItem], annotator: str, show_errors: bool
) -> None:
    """Judge all pronouns and print what came out."""
    texts = list(items)
    tallies = {word: RuleTally() for word in (*PRONOUNS[language], "all", "with nsubj:outer")}
    annotated = annotate_text((item.forms for item in texts), annotator, language, "universal")
    for item, sentence in zip(texts, annotated, strict=True):
        verdicts = judge_by_rules(sentence, [*item.labels], language)
        for place, label in item.labels.items():
            verdict, gold = verdicts[place], label in SUBJECT_LABELS
            tallies[item.forms[place].lower()].add(label, gold, verdict)
            tallies["all"].add(label, gold, verdict)
            wider = gold or label.startswith("nsubj")
            tallies["with nsubj:outer"].add(label, wider, verdict)
            if show_errors and verdict.subject != wider:
                words = [*item.forms[:place], f"[{item.forms[place]}]", *item.forms[place + 1 :]]
                print(f"{label} {verdict.rule}: {' '.join(words)}")
    heading = ("pronoun", "number", "precision", "recall", "right", "spurious", "missed", "neither")
    print(f"\n{name} ({language}), tags by {annotator}\n")
    print(text_table(heading, [tally.row(word) for word, tally in tallies.items()]))
    rows = [
        (rule, "subject" if subject else "other", label, str(number))
        for (rule, subject, label), number in sorted(tallies["all"].rules.items())
    ]
    print(text_table(("rule", "says", "gold label", "number"), rows))


def treebank(path: Path, language: str) -> Iterator[JudgedItem]:
    """The sentences of a treebank that have such a pronoun."""
    for sentence in read_conllu(path):
        labels = {
            place: word.deprel
            for place, word in enumerate(sentence.words)
            if word.form.lower() in PRONOUNS[language]
        }
        if labels:
            yield JudgedItem(sentence.forms, labels)


def parcorfull(folder: Path, language: str) -> Iterator[JudgedItem]:
    """The sentences of ParCorFull in which the position of such a pronoun is marked."""
    for path in sorted((folder / "Basedata").glob("*_words.xml")):
        name = path.name.removesuffix("_words.xml")
        words = {str(node.get("id")): node.text or "_" for node in _nodes(path)}
        place = {identity: number for number, identity in enumerate(words)}
        forms = ["_".join(word.split()) or "_" for word in words.values()]
        marked = {}
        for node in _nodes(folder / "Markables" / f"{name}_coref_level.xml"):
            span, position = _span(node, place), node.get("position")
            is_pronoun = len(span) == 1 and forms[span[0]].lower() in PRONOUNS[language]
            if is_pronoun and position in ("subject", "non-subject"):
                marked[span[0]] = "nsubj" if position == "subject" else "obj"
        for node in _nodes(folder / "Markables" / f"{name}_sentence_level.xml"):
            span = _span(node, place)
            labels = {number: marked[at] for number, at in enumerate(span) if at in marked}
            if labels:
                yield JudgedItem(tuple(forms[at] for at in span), labels)


def _nodes(path: Path) -> Iterator[ElementTree.Element]:
    yield from ElementTree.parse(path).getroot()  # noqa: S314 - a corpus of the user's own


def _span(node: ElementTree.Element, place: dict[str, int]) -> list[int]:
    places: list[int] = []
    for part in str(node.get("span")).split(","):
        first, _, last = part.partition("..")
        places += range(place[first], place[last or first] + 1)
    return places


if __name__ == "__main__":
    main()
