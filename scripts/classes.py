"""Propose the classes of a new language pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.align.align import align
from crosspro.data_prep.annotate.bitext import read_bitext
from crosspro.data_prep.annotate.corpus import annotate_text, default_tagset, has_annotator
from crosspro.data_prep.annotate.tokenise import tokenise_lines
from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.example import AnnotatedSentence, Link
from crosspro.data_prep.core.files import write_text
from crosspro.data_prep.formats.links import read_links
from crosspro.data_prep.gaps.inventory import (
    MIN_SHARE,
    PronounCounts,
    Proposal,
    check_languages,
    count_translations,
    propose,
    task_draft,
)
from crosspro.data_prep.gaps.segments import LinkedSegment
from crosspro.scripts.common import App, output_file, show_table, tell

app = App()


@app.command(
    "classes",
    epilog="Example: crosspro classes --source c.nl --source-language nl --target c.en "
    "--target-language en --source-pronouns hij --source-pronouns zij",
)
def classes_command(
    source: Annotated[
        Path, typer.Option(help="Source text, line by line, or X for X.en and X.it.")
    ],
    source_language: Annotated[str, typer.Option(help="Language of the source: en.")],
    target_language: Annotated[str, typer.Option(help="Language of the target: it.")],
    pronouns: Annotated[
        list[str],
        typer.Option("--source-pronouns", help="Those to look at: 'it they' (repeatable)."),
    ],
    target: Annotated[Path | None, typer.Option(help="Target text, line by line.")] = None,
    links: Annotated[Path | None, typer.Option(help="Word links s-t; else they are made.")] = None,
    annotator: Annotated[
        str,
        typer.Option(help="Of the target: auto, spacy:MODEL, conllu:FILE …, or none."),
    ] = "auto",
    output: Annotated[
        Path | None, output_file("--output", "-o", help="Write a draft task file here.")
    ] = None,
) -> None:
    """Propose the classes of a new language pair.

    As for the shared tasks: the target words with a pronoun tag that are linked to each source
    pronoun are counted; frequent ones become classes, and pronouns that are nearly always
    translated in one way are left out. The draft is a complete task file for `crosspro prepare`.

    A language without an annotator (auto), or with none, has no tags: all linked words are counted,
    and the draft is a task of words as they are. Take out of it what is no pronoun.
    """
    check_languages(source_language, target_language)
    words = (word.lower() for value in pronouns for word in value.split())
    source_pronouns = list(dict.fromkeys(words))
    if not source_pronouns:
        raise input_error("settings", "--source-pronouns", "at least one word", "none")
    if output is not None and output.suffix not in (".yaml", ".yml"):
        raise input_error("settings", "--output", "a name that ends in .yaml", quoted(str(output)))
    tagset = default_tagset(target_language)
    tagged = annotator != "none" and (annotator != "auto" or has_annotator(target_language))
    if tagged:  # raises at once if a package is missing
        annotate_text([], annotator, target_language, tagset)
    else:
        tell("note: without an annotator every linked word counts as a pronoun")
    pair = source_language, target_language
    texts = read_bitext(source, target, source_language=pair[0], target_language=pair[1])
    left = list(tokenise_lines((t.source for t in texts), source_language))
    right = list(tokenise_lines((t.target for t in texts), target_language))
    if links is not None:
        word_links: Sequence[tuple[Link, ...]] = list(read_links(links, left, right))
    else:
        tell(f"aligning {len(texts):,} segments")
        word_links = align(zip(left, right, strict=True))
    annotated: Iterable[AnnotatedSentence | None] = [None] * len(right)
    if tagged:
        annotated = annotate_text(right, annotator, target_language, tagset, parse=False)
    segments = (
        LinkedSegment(tuple(words), tuple(translation), pairs, None, annotation)
        for words, translation, pairs, annotation in zip(
            left, right, word_links, annotated, strict=True
        )
    )
    counts, fillers = count_translations(segments, source_pronouns)
    proposal = propose(counts, fillers)
    print(_report(proposal, fillers), end="")
    if output is not None:
        write_text(output, task_draft(proposal, *pair, len(texts), str(output), tagged))
        tell(f"{output}: {len(proposal.classes)} classes")


def _report(proposal: Proposal, fillers: Counter[str]) -> str:
    """The translations of each pronoun, the pronouns left out, and the classes."""
    parts = [_translations(count) for count in proposal.counts if count.total]
    parts += [f"{count.pronoun}: not in the text\n" for count in proposal.counts if not count.total]
    parts += [f"{name}: left out, as it has one translation\n" for name in proposal.dropped]
    parts.append(show_table(("class", "number", "share"), [*_classes(proposal)]))
    common = ", ".join(f"{word} {number:,}" for word, number in fillers.most_common(10))
    parts.append(f"most frequent translations by no pronoun: {common or 'none'}\n")
    return "\n".join(parts)


def _translations(count: PronounCounts) -> str:
    frequent = {w: n for w, n in count.translations.items() if n >= MIN_SHARE * count.total}
    rare = sum(count.translations.values()) - sum(frequent.values())
    numbers = {**frequent, "(rarer)": rare, "(no pronoun)": count.other, "total": count.total}
    cells = [(word, f"{n:,}", f"{100 * n / count.total:.1f}%") for word, n in numbers.items()]
    return show_table((count.pronoun, "number", "share"), cells)


def _classes(proposal: Proposal) -> Iterator[tuple[str, str, str]]:
    numbers = proposal.class_numbers()
    total = max(sum(numbers.values()), 1)
    for name, number in numbers.items():
        yield name, f"{number:,}", f"{100 * number / total:.1f}%"
