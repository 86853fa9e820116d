"""Annotation of whole texts: annotators by name, batches, and shards that are kept.

A user writes after `--annotator`:

    auto                          the default: spaCy for fr and es, HanTa for de and en
    spacy:MODEL                   an installed spaCy model, or the folder of one
    hanta                         HanTa (de, en)
    treetagger-output:FILE        what TreeTagger wrote for this text
    conllu:FILE                   a CoNLL-U file of this text

Batches have a fixed size that does not depend on the number of processes, so the result does not
either; each process has an annotator of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache, partial
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path

from crosspro.data_prep.annotate.files import (
    AnnotationFile,
    ConlluFile,
    TreeTaggerOutput,
)
from crosspro.data_prep.annotate.parsers import (
    DEFAULT_MODELS,
    HANTA_MODELS,
    HantaAnnotator,
    SpacyAnnotator,
)
from crosspro.data_prep.annotate.tags import tables_digest
from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.core.example import AnnotatedSentence, Token
from crosspro.data_prep.core.files import (
    content_digest,
    make_folder,
    open_bytes,
    read_text_lines,
    write_text,
)
from crosspro.data_prep.core.processes import Engine, Report, parallel_map

FORMS = ("auto", "spacy:MODEL", "hanta", "treetagger-output:FILE", "conllu:FILE")
_FILES: dict[str, type[ConlluFile | TreeTaggerOutput]] = {
    "treetagger-output": TreeTaggerOutput,
    "conllu": ConlluFile,
}

BATCH = 256
"""Sentences that a process gets at a time."""
SHARD = 1000
"""Sentences of a shard."""

Sentences = Sequence[Sequence[str]]
Annotator = SpacyAnnotator | HantaAnnotator | ConlluFile | TreeTaggerOutput


@dataclass(frozen=True)
class AnnotationSettings:
    """How a text is annotated; `spec` names the annotator."""

    spec: str
    language: str
    tagset: str
    parse: bool = True


def make_annotator(spec: str, language: str, tagset: str, *, parse: bool = True) -> Annotator:
    """The annotator of this name; its model is loaded with the first sentence.

    A missing package, model or file raises at once. Without `parse`, backends that parse leave it
    out and are faster.
    """
    name, _, argument = spec.partition(":")
    if spec == "auto":
        return make_annotator(default_annotator(language), language, tagset, parse=parse)
    if spec == "hanta":
        return HantaAnnotator(language, tagset)
    if argument and name == "spacy":
        return SpacyAnnotator(argument, language, tagset, parse)
    if argument and name in _FILES:
        with open_bytes(Path(argument)):  # a file that cannot be opened raises here
            pass
        return _FILES[name](argument, language, tagset)
    raise input_error("settings", "annotator", choices(FORMS), quoted(spec))


def annotation_file(spec: str) -> Path | None:
    """The user's file that an annotator of this name reads its annotation from, if it does."""
    name, _, argument = spec.partition(":")
    return Path(argument) if name in _FILES else None


def has_annotator(language: str) -> bool:
    """Whether `auto` stands for one in a language."""
    return language in DEFAULT_MODELS or language in HANTA_MODELS


def default_annotator(language: str) -> str:
    """The annotator that `auto` stands for."""
    if not has_annotator(language):
        languages = choices(sorted([*DEFAULT_MODELS, *HANTA_MODELS]))
        expected = f"a language that is {languages}, or another annotator"
        raise input_error("settings", "annotator auto", expected, quoted(language))
    return f"spacy:{DEFAULT_MODELS[language]}" if language in DEFAULT_MODELS else "hanta"


def default_tagset(language: str) -> str:
    """The tagset that the tasks use for a target language."""
    return "treetagger-fr" if language == "fr" else "universal"


def annotate_text(
    sentences: Iterable[Sequence[str]],
    spec: str,
    language: str,
    tagset: str,
    *,
    parse: bool = True,
    jobs: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> Iterator[AnnotatedSentence]:
    """The annotated sentences, in order; `progress` is called with the size of each batch.

    An annotator that cannot be had is an error at the call, before any sentence is asked for.
    """
    annotator = make_annotator(spec, language, tagset, parse=parse)
    function: Callable[[Sentences], list[AnnotatedSentence]] = annotator.annotate
    if isinstance(annotator, AnnotationFile):
        jobs = 1
    elif jobs > 1:
        function = partial(_annotate, AnnotationSettings(spec, language, tagset, parse))

    def annotated() -> Iterator[AnnotatedSentence]:
        for batch in parallel_map(function, _batches(sentences), jobs):
            yield from batch
            progress(len(batch))
        if isinstance(annotator, AnnotationFile):
            annotator.finish()

    return annotated()


def _batches(sentences: Iterable[Sequence[str]]) -> Iterator[Sentences]:
    rest = iter(sentences)
    while batch := [tuple(sentence) for sentence in islice(rest, BATCH)]:
        yield batch


def _annotate(settings: AnnotationSettings, sentences: Sentences) -> list[AnnotatedSentence]:
    """Some sentences, in any process; not for annotators that read a file from its beginning."""
    return _annotator_of_process(settings).annotate(sentences)


@lru_cache(maxsize=4)
def _annotator_of_process(settings: AnnotationSettings) -> Annotator:
    return make_annotator(**asdict(settings))


# Shards -------------------------------------------------------------------------------------------


def annotate_shards(
    settings: AnnotationSettings,
    sentences: Sentences,
    cache: Path,
    report: Report,
    engine: Engine = "local",
    jobs: int = 1,
) -> Iterator[AnnotatedSentence]:
    """The annotated sentences; they are annotated at the call, but for the shards in the cache.

    Annotation from a user's file is read while sentences are taken, and not kept.
    """
    if settings.spec == "auto":
        settings = replace(settings, spec=default_annotator(settings.language))
    if annotation_file(settings.spec) is not None:
        return annotate_text(sentences, **asdict(settings))

    def shards() -> Iterator[list[tuple[str, ...]]]:
        for start in range(0, len(sentences), SHARD):
            yield list(map(tuple, sentences[start : start + SHARD]))

    digests = [content_digest(settings, tables_digest(), iter(shard)) for shard in shards()]
    paths = [cache / f"annotation.{digest}" for digest in digests]
    todo = [path for path in paths if not path.is_file()]
    waiting = {*todo}
    parts = (shard for shard, path in zip(shards(), paths, strict=True) if path in waiting)
    step, total = f"annotating {settings.language}", len(todo)
    report(step, f"{settings.spec}, {total:,} of {len(paths):,} shards to do", 0, total)
    texts = parallel_map(partial(_annotated_lines, settings), parts, min(jobs, total), engine)
    for number, (path, text) in enumerate(zip(todo, texts, strict=True), start=1):
        make_folder(cache)
        write_text(path, text)
        report(step, "", number, total)
    return chain.from_iterable(map(_read_lines, paths))


_FIELDS = attrgetter(*(field.name for field in fields(Token)))


def _annotated_lines(settings: AnnotationSettings, sentences: Sentences) -> str:
    """The annotated sentences of a shard as JSON, one a line."""
    lines = []
    for sentence in _annotate(settings, sentences):
        content = [sentence.scheme, list(map(_FIELDS, sentence.tokens))]
        lines.append(json.dumps(content, ensure_ascii=False) + "\n")
    return "".join(lines)


def _read_lines(path: Path) -> Iterator[AnnotatedSentence]:
    for line in read_text_lines(path):
        scheme, tokens = json.loads(line)
        yield AnnotatedSentence(tuple(Token(*values) for values in tokens), scheme)
