"""How good the steps of data preparation are, measured on text whose truth is known.

python -m crosspro.scripts.reproduce.quality subjects en_ewt-ud-test.conllu.xz
python -m crosspro.scripts.reproduce.quality sample
python -m crosspro.scripts.reproduce.quality typed FILE.data --task en-fr-2015
python -m crosspro.scripts.reproduce.quality lexicon DATA
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, pairwise, product
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.align.backends import default_settings
from crosspro.data_prep.annotate.corpus import annotate_text
from crosspro.data_prep.annotate.layers import read_layered
from crosspro.data_prep.annotate.tokenise import TokenisedBitext, tokenise_lines
from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.core.stored import Cache
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.formats.conllu import read_conllu
from crosspro.data_prep.formats.links import write_links
from crosspro.data_prep.formats.mmax import read_mmax
from crosspro.data_prep.gaps.extract import GapRules
from crosspro.data_prep.gaps.subjects.filter import judge_by_rules
from crosspro.data_prep.gaps.subjects.words import SubjectJudgement
from crosspro.data_prep.lexicon.induce import induce
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.data_prep.lexicon.load import load_lexicon
from crosspro.data_prep.pipeline.pairs.pair_links import aligner_of_package, aligner_with_prior
from crosspro.data_prep.pipeline.pairs.pipeline import PairPipeline
from crosspro.data_prep.pipeline.pairs.typed_text import WRITTEN_GAP, SentencePair
from crosspro.data_prep.pipeline.prepare import PrepareSettings, prepare
from crosspro.data_prep.sample import PAIRS, TASKS, read_gold, read_pronoun_links, read_tokens
from crosspro.evaluation.output.tables import text_table
from crosspro.scripts.main import command_app, run

app = command_app()

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


@app.command()
def subjects(
    files: Annotated[list[Path] | None, typer.Argument(help="Treebanks, LANGUAGE…conllu.")] = None,
    annotator: Annotated[str, typer.Option(help="What tags the text.")] = "hanta",
    parcorfull: Annotated[
        Path | None, typer.Option(help="The folder corpus/ of ParCorFull.")
    ] = None,
    errors: Annotated[bool, typer.Option("--errors", help="Show each in its sentence.")] = False,
) -> None:
    """Precision and recall of the subject rules on treebanks, from predicted tags.

    The trees only tell which pronouns are subjects: nsubj, its subtypes, and expl, which the
    papers' parser labelled as subjects too. ParCorFull adds talks whose annotators marked the
    position of anaphoric pronouns.
    """
    for path in files or ():
        language = path.name[:2]
        _report_subjects(path.name, language, treebank(path, language), annotator, errors)
    if parcorfull is not None:
        for language, part in product(PRONOUNS, ("TED", "DiscoMT")):
            items = marked_positions(parcorfull / part / language.upper(), language)
            _report_subjects(f"ParCorFull {part}", language, items, annotator, errors)


def _report_subjects(
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


def marked_positions(folder: Path, language: str) -> Iterator[JudgedItem]:
    """The sentences of ParCorFull in which the position of such a pronoun is marked."""
    for document in read_mmax(folder):
        forms = ["_".join(word.split()) or "_" for word in document.words]
        marked = {}
        for markable in document.markables:
            at, position = markable.words[0], markable.attributes.get("position")
            is_pronoun = len(markable.words) == 1 and forms[at].lower() in PRONOUNS[language]
            if is_pronoun and position in ("subject", "non-subject"):
                marked[at] = "nsubj" if position == "subject" else "obj"
        for sentence in document.sentences:
            labels = {number: marked[at] for number, at in enumerate(sentence) if at in marked}
            if labels:
                yield JudgedItem(tuple(forms[at] for at in sentence), labels)


Found = dict[tuple[int, int], str]
"""The class of each gap by line (from 1) and source index."""


@dataclass(frozen=True)
class Comparison:
    """Gold gaps, extracted gaps, and how many agree in the source word, and in the class too."""

    gold: int
    extracted: int
    same_source: int
    same_class: int

    def cells(self) -> tuple[str, ...]:
        """The numbers as a row of a table shows them."""
        shares = (f"{n} ({100 * n / self.gold:.1f}%)" for n in (self.same_source, self.same_class))
        return str(self.gold), str(self.extracted), *shares


@app.command()
def sample(
    errors: Annotated[bool, typer.Option("--errors", help="List gold gaps not found.")] = False,
) -> None:
    """How many gold gaps of the sample the pipeline finds, with its own links and with gold ones.

    A gold gap is found if a gap with the same source word and the same class is extracted. German
    expletives are no gaps by the rules of the tasks but are in the gold: tasks from German are
    shown with and without them. Gold links are those of pronouns only, so they cannot be used for
    es-en, where links of verbs lead to the gaps. The annotators are the defaults (`auto`).
    """
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for task_name in TASKS:
            task = load_task(task_name)
            gold = {(gap.line, gap.source_index): gap.label for gap in read_gold(task_name)}
            for way, settings in _ways(task, Path(name)):
                found = _extract(task, settings, Cache(Path(name) / "cache"))
                rows.append((task_name, way, *compare(gold, found).cells()))
                if errors:
                    print(f"\n{task_name}, {way}\n")
                    print("\n".join(_errors(task, gold, found)))
    heading = ("task", "links and rules", "gold", "extracted", "same source", "same class")
    print(text_table(heading, rows), end="")


def compare(gold: Found, found: Found) -> Comparison:
    """How far two sets of gaps agree."""
    same = [key for key in gold if key in found]
    right = sum(gold[key] == found[key] for key in same)
    return Comparison(len(gold), len(found), len(same), right)


def _ways(task: Task, folder: Path) -> Iterator[tuple[str, PrepareSettings]]:
    """The settings to try: own links, expletives kept where the tasks lost them, gold links."""
    settings = PrepareSettings(GapRules(), default_settings(task))
    yield "own links", settings
    if task.source_language == "de":
        settings = replace(settings, rules=GapRules(keep_expletives=True))
        yield "own links, expletives kept", settings
    if not task.null_subjects:
        path = folder / f"{task.name}.links"
        write_links(path, _gold_links(task))
        kept = ", expletives kept" if settings.rules.keep_expletives else ""
        yield f"gold links{kept}", replace(settings, links=path)


def _gold_links(task: Task) -> Iterable[list[tuple[int, int]]]:
    pair = f"{task.source_language}-{task.target_language}"
    if pair in PAIRS:
        return [list(links) for links in read_pronoun_links(pair)]
    reverse = f"{task.target_language}-{task.source_language}"
    return [sorted((t, s) for s, t in links) for links in read_pronoun_links(reverse)]


def _extract(task: Task, settings: PrepareSettings, cache: Cache) -> Found:
    sides = read_tokens(task.source_language), read_tokens(task.target_language)
    bitext = TokenisedBitext(*sides, [None] * len(sides[0]))
    examples, _ = prepare(task, bitext, settings, cache)
    return _gaps(examples)


def _gaps(examples: Iterable[Example]) -> Found:
    return {
        (line, gap.source_index): str(gap.label)
        for line, example in enumerate(examples, start=1)
        for gap in example.gaps
    }


def _errors(task: Task, gold: Found, found: Found) -> Iterator[str]:
    source, target = read_tokens(task.source_language), read_tokens(task.target_language)
    for (line, index), label in gold.items():
        got = found.get((line, index), "nothing")
        if got != label:
            words = list(source[line - 1])
            words[index] = f"[{words[index]}]"
            yield f"{line}: {label}, found {got}: {' '.join(words)} / {' '.join(target[line - 1])}"


@dataclass(frozen=True)
class TypedAgain:
    """Gaps, those found again from the text, and first gaps that got their source word."""

    gaps: int
    again: int
    written: int
    right: int

    def rows(self) -> list[tuple[str, ...]]:
        """The same as rows of a table."""
        return [
            ("gaps of whole text", str(self.gaps), f"{self.again / max(self.gaps, 1):.1%}"),
            ("source of REPLACE", str(self.written), f"{self.right / max(self.written, 1):.1%}"),
        ]


def typed_again(pipeline: PairPipeline, examples: Iterable[Example]) -> TypedAgain:
    """Prepare each line by itself from its words; lines with a gap between words are left out."""
    gaps = again = written = right = 0
    for example in examples:
        hidden = {gap.position: gap.word or "NONE" for gap in example.gaps}
        if not hidden or "NONE" in hidden.values():
            continue
        words = [hidden.get(place, word) for place, word in enumerate(example.target)]
        source, gold = (
            " ".join(example.source),
            {(g.source_index, g.position) for g in example.gaps},
        )
        first = example.gaps[0]
        gapped = [*words[: first.position], WRITTEN_GAP, *words[first.position + 1 :]]
        whole = pipeline.prepare(SentencePair(source, " ".join(words))).example
        marked = pipeline.prepare(SentencePair(source, " ".join(gapped))).example
        if len(whole.source) != len(example.source) or len(marked.target) != len(example.lemmas):
            continue
        gaps += len(gold)
        again += len(gold & {(gap.source_index, gap.position) for gap in whole.gaps})
        written += 1
        right += marked.gaps[0].source_index == first.source_index
    return TypedAgain(gaps, again, written, right)


@app.command()
def typed(
    file: Annotated[Path, typer.Argument(help="An inflected five-column file.")],
    task: Annotated[str, typer.Option(help="Its task.")] = "en-fr-2015",
    prior: Annotated[Path | None, typer.Option(help="What the aligner has learnt.")] = None,
) -> None:
    """How often a typed pair gets the gap, and a written gap the source word, of an official file.

    The words of the file are put back into its gaps, and each line is prepared by itself, as
    `crosspro serve` does it: once as whole text, once with REPLACE in the place of the first gap. A
    gap is found again if it has the same source word and the same place.
    """
    rules = load_task(task)
    if rules.tagged:
        raise CrossproError(f"{rules.name}: expected a task with an inflected target")
    aligner = partial(aligner_with_prior, path=prior) if prior else aligner_of_package
    found = typed_again(PairPipeline(rules, make_aligner=aligner), read_layered(file, rules))
    print(text_table(("", "number", "found"), found.rows()), end="")


@dataclass(frozen=True)
class Language:
    """Published lexicons, texts to learn from, texts to measure on, and gold determiners."""

    code: str
    published: tuple[str, ...]
    learn: Mapping[str, tuple[str, ...]]
    measure: tuple[str, ...]
    gold: Mapping[str, str]


NOVELS, EUROPARL = "monolingual/novels.{0}.txt.xz", "bitext/en-{0}/train/europarl.{0}.xz"
LEARN = {
    "induced: novels": (NOVELS,),
    "induced: Europarl": (EUROPARL,),
    "induced: both": (NOVELS, EUROPARL),
}
FRENCH = {
    **dict.fromkeys(("un", "le", "cet", "du", "au"), "Masc"),
    **dict.fromkeys(("une", "la", "cette", "ma", "ta", "sa"), "Fem"),
}
SPANISH = {
    **dict.fromkeys(("un", "este", "ese", "del", "al"), "Masc"),
    **dict.fromkeys(("una", "esta", "esa", "la"), "Fem"),
}
GERMAN = {"einen": "Masc", "eine": "Fem", "zur": "Fem", "das": "Neut", "ins": "Neut"}
TED_AND_CONTRAPRO = (
    "bitext/en-de/train/ted_tst2011-2014.de.xz",
    "bitext/en-de/test/contrapro.de.xz",
)
LANGUAGES = (
    Language("fr", ("lefff", "lexique"), LEARN, ("bitext/en-fr/train/ted_train30k.fr.xz",), FRENCH),
    Language("de", ("german-nouns",), LEARN, TED_AND_CONTRAPRO, GERMAN),
    Language(
        "es",
        (),
        {"induced: Europarl": (EUROPARL,)},
        ("bitext/en-es/train/ted_tst2011-2014.es.xz",),
        SPANISH,
    ),
)


@app.command()
def lexicon(
    data: Annotated[Path, typer.Argument(help="Folder with bitext and monolingual.")],
    languages: Annotated[list[str] | None, typer.Option("--language", "-l")] = None,
) -> None:
    """Measure lexicons: how many nouns of a text they cover, and how often they are right.

    The gold gender of a noun is that of a determiner before it which has one gender only, in text
    that the induced lexicons have not seen. A word counts as a noun if one of the published
    lexicons takes it for one, in German if it has a capital; where there is no published one, all
    words count. Shares are of these nouns: the rest of those covered have no gender or two. The
    induced lexicons are then held against the first published one, noun by noun (`make extras
    EXTRAS=lexicon` installs it).
    """
    for language in LANGUAGES:
        if languages is None or language.code in languages:
            _report_lexicons(data, language)


def _report_lexicons(data: Path, language: Language) -> None:
    published = {name: _published(name) for name in language.published}
    lexicons = {name: found for name, found in published.items() if found is not None}
    references = list(lexicons.items())
    for name, files in language.learn.items():
        texts = (_sentences(data / file.format(language.code), language.code) for file in files)
        lexicons[name] = induce(chain.from_iterable(texts), language.code)
    nouns = [
        (word, language.gold[determiner.lower()])
        for file in language.measure
        for sentence in _sentences(data / file, language.code)
        for determiner, word in pairwise(sentence)
        if determiner.lower() in language.gold and _counts(word, language, references)
    ]
    rows = [
        (name, f"{_nouns(lexicon):,}", *_shares(lexicon, nouns))
        for name, lexicon in lexicons.items()
    ]
    print(f"{language.code}: {len(nouns):,} nouns of {', '.join(language.measure)}\n")
    print(text_table(("lexicon", "nouns", "covered", "right", "wrong"), rows))
    if references:
        title, reference = references[0]
        compared = [(name, *_against(lexicons[name], reference)) for name in language.learn]
        heading = (f"against {title}", "listed by both", "same gender", "other", "same number",
                   "other")  # fmt: skip
        print(text_table(heading, compared))


def _counts(word: str, language: Language, published: Sequence[tuple[str, Lexicon]]) -> bool:
    """Whether a word after a determiner counts: German nouns are known by their capitals."""
    if language.code == "de":
        return word[:1].isupper() and word.isalpha()
    return any(one.is_noun(word) for _, one in published) if published else word.isalpha()


def _published(name: str) -> Lexicon | None:
    try:
        return load_lexicon(name)
    except CrossproError as error:
        print(f"{name}: left out: {error}", file=sys.stderr)
        return None


def _sentences(path: Path, language: str) -> Iterator[list[str]]:
    return tokenise_lines(read_text_lines(path), language)


def _nouns(lexicon: Lexicon) -> int:
    return sum(1 for entry in lexicon if entry.category == "NOUN")


def _shares(lexicon: Lexicon, nouns: Sequence[tuple[str, str]]) -> tuple[str, str, str]:
    counts: Counter[str] = Counter()
    for word, gender in nouns:
        found = lexicon.gender(word)
        counts["covered"] += lexicon.lists(word)
        counts["right"] += found == gender
        counts["wrong"] += found not in (None, gender)
    covered, right, wrong = (
        f"{counts[name] / max(len(nouns), 1):.3f}" for name in ("covered", "right", "wrong")
    )
    return covered, right, wrong


def _against(lexicon: Lexicon, reference: Lexicon) -> tuple[str, ...]:
    """Nouns with a gender in both lexicons, and how many are alike; the same for number."""
    words = {e.word for e in lexicon if e.category == "NOUN" and reference.lists(e.word)}
    genders = [(lexicon.gender(word), reference.gender(word)) for word in words]
    numbers = [(lexicon.number(word), reference.number(word)) for word in words]
    counts = [
        sum(1 for one, other in pairs if one and other and (one == other) is same)
        for pairs in (genders, numbers)
        for same in (True, False)
    ]
    return (f"{len(words):,}", *(f"{count:,}" for count in counts))


if __name__ == "__main__":
    run(app)
