"""Annotation of whole texts: annotators by name, batches, shards of documents that are kept.

A user writes after `--annotator`:

    auto                          the default: spaCy for fr and es, HanTa for de and en
    spacy:MODEL                   an installed spaCy model, or the folder of one
    hanta                         HanTa (de, en)
    treetagger-output:FILE        what TreeTagger wrote for this text
    conllu:FILE                   a CoNLL-U file of this text
    tokens:FILE                   a file of this text with token|lemma|tag for each word

Batches have a fixed size that does not depend on the number of processes, so the result does not
either; each process has an annotator of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from itertools import islice, pairwise
from pathlib import Path

from crosspro.data_prep.annotate.files import (
    AnnotationFile,
    ConlluFile,
    TokensFile,
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

FORMS = ("auto", "spacy:MODEL", "hanta", "treetagger-output:FILE", "conllu:FILE", "tokens:FILE")
_FILES: dict[str, type[ConlluFile | TokensFile | TreeTaggerOutput]] = {
    "treetagger-output": TreeTaggerOutput,
    "conllu": ConlluFile,
    "tokens": TokensFile,
}

BATCH = 256
"""Sentences that a process gets at a time."""
SHARD = 1000
"""Sentences of a shard, more where a document goes on."""

Sentences = Sequence[Sequence[str]]
Annotator = SpacyAnnotator | HantaAnnotator | ConlluFile | TokensFile | TreeTaggerOutput


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
    if jobs < 1:
        raise input_error("settings", "jobs", "at least 1", str(jobs))
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


def document_shards(documents: Iterable[str | None]) -> list[range]:
    """Ranges of sentences that cut no document in two; None is a document of its own."""
    bounds = [0]
    size = 0
    before = None
    for document in documents:
        if (document is None or document != before) and size - bounds[-1] >= SHARD:
            bounds.append(size)
        before = document
        size += 1
    return [range(start, stop) for start, stop in pairwise([*bounds, size])]


def annotate_shards(
    settings: AnnotationSettings,
    sentences: Sentences,
    shards: Sequence[range],
    cache: Path,
    report: Report,
    engine: Engine = "local",
    jobs: int = 1,
) -> list[Path]:
    """The files of the annotated shards, in order; those in the cache are not annotated again.

    Annotation from a user's file is read in order, in this process, as one shard.
    """
    if settings.spec == "auto":
        settings = replace(settings, spec=default_annotator(settings.language))
    file = annotation_file(settings.spec)
    if file is not None:
        shards = [range(len(sentences))]
    about = (settings, tables_digest(), file)

    def part(shard: range) -> list[tuple[str, ...]]:
        return [tuple(words) for words in sentences[shard.start : shard.stop]]

    digests = [content_digest(*about, iter(part(shard))) for shard in shards]
    paths = [cache / f"annotation.{digest}" for digest in digests]
    todo = [pair for pair in zip(paths, shards, strict=True) if not pair[0].is_file()]
    done, total = 0, sum(len(shard) for _, shard in todo)
    step = f"annotating {settings.language}"
    report(step, f"{settings.spec}, {len(todo):,} of {len(paths):,} shards to do", done, total)
    texts: Iterable[str] = ()
    if todo and file is not None:
        annotated = annotate_text(sentences, **asdict(settings))
        texts = ["".join(map(to_line, annotated))]
    elif todo:
        parts = (part(shard) for _, shard in todo)
        function = partial(_annotated_lines, settings)
        texts = parallel_map(function, parts, min(jobs, len(todo)), engine)
    for (path, shard), text in zip(todo, texts, strict=True):
        make_folder(cache)
        write_text(path, text)
        done += len(shard)
        report(step, "", done, total)
    return paths


def _annotated_lines(settings: AnnotationSettings, sentences: Sentences) -> str:
    return "".join(map(to_line, _annotate(settings, sentences)))


def to_line(sentence: AnnotatedSentence) -> str:
    """A sentence as one line of a shard."""
    tokens = [
        (t.form, t.lemma, t.tag, t.upos, t.xpos, t.head, t.deprel, t.features)
        for t in sentence.tokens
    ]
    return json.dumps([sentence.scheme, tokens], ensure_ascii=False, separators=(",", ":")) + "\n"


def read_store(path: Path) -> Iterator[AnnotatedSentence]:
    """The sentences of a shard."""
    for line in read_text_lines(path):
        scheme, tokens = json.loads(line)
        yield AnnotatedSentence(tuple(Token(*fields) for fields in tokens), scheme)
