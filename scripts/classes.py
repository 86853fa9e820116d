"""Propose the classes of a new language pair."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
import yaml

from crosspro.data_prep.align.backends import AlignerSettings, align_corpus
from crosspro.data_prep.annotate.corpus import annotate_text
from crosspro.data_prep.annotate.registry import default_tagset
from crosspro.data_prep.annotate.tokenise import tokenise_lines
from crosspro.data_prep.bitext.read import read_bitext
from crosspro.data_prep.errors import CrossproError, input_error, quoted
from crosspro.data_prep.formats.links import read_links
from crosspro.data_prep.formats.textfile import write_text
from crosspro.data_prep.gaps.inventory import (
    AlignedSentence,
    PronounCounts,
    Proposal,
    count_translations,
    propose,
)
from crosspro.data_prep.task import OTHER, SubjectFilter, load_task, task_from_mapping, task_names
from crosspro.evaluation.layout.tables import text_table
from crosspro.scripts.main import command_app, run

app = command_app()

DRAFT = """\
# {source} to {target}: a draft by `crosspro classes` from {segments:,} segments. Check every key.
name: {name}
source_language: {source}
target_language: {target}
# Years whose published results belong to this task.
years: []
# lemmatised: target tokens are lemma|TAG; inflected: they are words.
target: lemmatised
# Tags of the target: universal (12 tags), treetagger-fr (cut at the colon), none.
tagset: {tagset}
# Each class with the target words that fall into it, most frequent first. Forms of one word that
# the counts cannot bring together (elided, accented) belong into one class: add them.
classes:
{classes}
# Source words that make an example, lower-cased.
source_pronouns: {pronouns}
# Examples are verbs without a subject instead (Spanish).
null_subjects: false
# What the language model baseline tries in a gap; the second list counts as OTHER.
fillers: {fillers}
other_fillers: {other_fillers}
# Word alignment: model and symmetrisation. Compare others with `crosspro align --evaluate`.
alignment: hmm
symmetrisation: {symmetrisation}
# These source pronouns count only as subjects, told by these dependency labels. Without a parse of
# the source this needs rules, which are there for English it and German es and sie.
subject_filter:
  pronouns: {filtered}
  labels: {labels}
  expletive_labels: {expletives}
# Classes that the coarse evaluation of 2015 puts into others.
coarse: {{}}
# The official score of the task: macro_recall or macro_f1.
official_score: macro_recall
"""


@app.command("classes")
def classes_command(
    source: Annotated[
        Path, typer.Option(help="Source text, or both sides (TMX, .po), or X for X.en and X.it.")
    ],
    source_language: Annotated[str, typer.Option(help="Language of the source: en.")],
    target_language: Annotated[str, typer.Option(help="Language of the target: it.")],
    pronouns: Annotated[
        list[str], typer.Option(help="Source pronouns to look at: 'it they'; may be repeated.")
    ],
    target: Annotated[Path | None, typer.Option(help="Target text, line by line.")] = None,
    links: Annotated[Path | None, typer.Option(help="Word links s-t; else they are made.")] = None,
    annotator: Annotated[
        str, typer.Option(help="Of the target: auto, spacy:MODEL, conllu:FILE, tokens:FILE …")
    ] = "auto",
    merge: Annotated[
        list[str] | None,
        typer.Option(metavar="FORMS", help="Forms of one class: 'these those'; may be repeated."),
    ] = None,
    min_share: Annotated[
        float, typer.Option(min=0, max=1, help="Rarer translations of a pronoun are OTHER.")
    ] = 0.01,
    unambiguous: Annotated[
        float,
        typer.Option(min=0, max=1, help="Pronouns translated in one way more often are left out."),
    ] = 0.95,
    text_format: Annotated[
        str | None, typer.Option("--format", help="plain, iwslt, train-tags, tmx, po or mo.")
    ] = None,
    tokenised: Annotated[
        bool | None, typer.Option(help="Whether the text is tokenised; found out if not said.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a draft task file here.")
    ] = None,
) -> None:
    """Propose the classes of a new language pair.

    As for the shared tasks: the target words with a pronoun tag that are linked to each source
    pronoun are counted; frequent ones become classes, and pronouns that are nearly always
    translated in one way are left out. The draft is a complete task file for `crosspro prepare`.
    """
    wanted = _words(pronouns, "pronouns")
    groups = _groups(merge or [])
    if output is not None and output.suffix not in (".yaml", ".yml"):
        raise input_error("settings", "--output", "a name that ends in .yaml", quoted(str(output)))
    tagset = default_tagset(target_language)
    annotate_text([], annotator, target_language, tagset)  # tells at once what is missing
    texts = list(
        read_bitext(
            source,
            target,
            source_language=source_language,
            target_language=target_language,
            format=text_format,
        )
    )
    left = list(tokenise_lines((t.source for t in texts), source_language, tokenised=tokenised))
    right = list(tokenise_lines((t.target for t in texts), target_language, tokenised=tokenised))
    if links is not None:
        found = list(read_links(links, left, right))
    else:
        print(f"aligning {len(texts):,} segments", file=sys.stderr)
        found = align_corpus(left, right, AlignerSettings())
    annotated = annotate_text(right, annotator, target_language, tagset, parse=False, jobs=jobs)
    sentences = (
        AlignedSentence(_lower(s), _lower(t), [token.tag for token in tags.tokens], pairs)
        for s, t, tags, pairs in zip(left, right, annotated, found, strict=True)
    )
    counts, fillers = count_translations(sentences, wanted)
    proposal = propose(counts, fillers, min_share, unambiguous, groups)
    print(report(proposal, fillers, min_share), end="")
    if output is not None:
        text = draft(proposal, source_language, target_language, len(texts))
        task_from_mapping(yaml.safe_load(text), str(output))
        write_text(output, text)
        print(f"{output}: {len(proposal.classes)} classes", file=sys.stderr)


def _lower(words: Iterable[str]) -> list[str]:
    return [word.lower() for word in words]


def _words(values: Iterable[str], option: str) -> list[str]:
    """The different words of an option that may be repeated, lower-cased."""
    words = list(dict.fromkeys(word.lower() for value in values for word in value.split()))
    if not words:
        raise input_error("settings", f"--{option}", "at least one word", "none")
    return words


def _groups(merge: Sequence[str]) -> list[list[str]]:
    groups = [_words([group], "merge") for group in merge]
    times = Counter(word for group in groups for word in group)
    for group in groups:
        if len(group) < 2:
            raise input_error("settings", "--merge", "two forms or more", quoted(" ".join(group)))
        for word in group:
            if times[word] > 1:
                raise input_error("settings", "--merge", "each form once", f"{word!r} twice")
    return groups


# What is shown ----------------------------------------------------------------------------------


def report(proposal: Proposal, fillers: Counter[str], min_share: float) -> str:
    """The translations of each pronoun, the pronouns left out, and the classes."""
    parts = [_translations(one, min_share) for one in proposal.counts if one.total]
    for one in proposal.counts:
        if one.pronoun in proposal.dropped:
            best = max(one.translations, key=lambda word: one.translations[word])
            parts.append(
                f"{one.pronoun}: left out, {100 * one.top_share:.1f}% of its translations by a "
                f"pronoun are {best}\n"
            )
        elif not one.total:
            parts.append(f"{one.pronoun}: not in the text\n")
    parts.append(text_table(("class", "number", "share", "forms"), [*_classes(proposal)]))
    common = ", ".join(f"{word} {number:,}" for word, number in fillers.most_common(10))
    parts.append(f"most frequent translations by no pronoun: {common or 'none'}\n")
    return "\n".join(parts)


def _translations(one: PronounCounts, min_share: float) -> str:
    kept = [(word, n) for word, n in one.translations.items() if n >= min_share * one.total]
    rare = [n for n in one.translations.values() if n < min_share * one.total]
    rows = [*kept]
    if rare:
        rows.append((f"(rarer: {len(rare)})", sum(rare)))
    rows += [("(no pronoun)", one.other), ("total", one.total)]
    cells = [(word, f"{n:,}", f"{100 * n / one.total:.1f}%") for word, n in rows]
    return text_table((one.pronoun, "number", "share"), cells)


def _classes(proposal: Proposal) -> Iterator[tuple[str, ...]]:
    counts = [one for one in proposal.counts if one.pronoun in proposal.source_pronouns]
    total = sum(one.total for one in counts)
    rest = total
    for name, words in proposal.classes.items():
        number = sum(one.translations.get(word, 0) for one in counts for word in words)
        if name == OTHER:  # comes last: what no class has taken
            number = rest
        rest -= number
        forms = "everything else" if name == OTHER else " ".join(words)
        yield name, f"{number:,}", f"{100 * number / max(total, 1):.1f}%", forms


# The draft --------------------------------------------------------------------------------------


def draft(proposal: Proposal, source: str, target: str, segments: int) -> str:
    """The task file of a proposal, with comments."""
    if not proposal.source_pronouns:
        raise CrossproError(
            "pronouns: expected at least one with several translations, found none: name others, "
            "give more text, or a higher --unambiguous"
        )
    subjects = _subject_filter(source, proposal.source_pronouns)
    forms = [w for name, words in proposal.classes.items() if name != OTHER for w in words]
    lines = (f"  {_scalar(name)}: {_flow(words)}" for name, words in proposal.classes.items())
    return DRAFT.format(
        name=f"{source}-{target}",
        source=source,
        target=_scalar(target),
        segments=segments,
        tagset=default_tagset(target),
        classes="\n".join(lines),
        pronouns=_flow(proposal.source_pronouns),
        fillers=_flow(forms),
        other_fillers=_flow(proposal.other_fillers),
        symmetrisation=AlignerSettings().symmetrisation,
        filtered=_flow(subjects.pronouns),
        labels=_flow(subjects.labels),
        expletives=_flow(subjects.expletive_labels),
    )


def _subject_filter(source: str, pronouns: Sequence[str]) -> SubjectFilter:
    """The filter of a task from the same language, for those pronouns that the pair has."""
    for task in map(load_task, task_names()):
        known = task.subject_filter
        if task.source_language == source and known.pronouns:
            kept = tuple(word for word in known.pronouns if word in pronouns)
            return SubjectFilter(kept, known.labels, known.expletive_labels)
    return SubjectFilter((), ("nsubj", "nsubj:pass"), ("expl",))


def _flow(words: Iterable[str]) -> str:
    return yaml.safe_dump(
        list(words), default_flow_style=True, allow_unicode=True, width=10**6
    ).strip()


def _scalar(word: str) -> str:
    """A word as YAML writes it: with quotes where it would mean something else (on, y, no)."""
    return _flow([word])[1:-1]


if __name__ == "__main__":
    run(app)
