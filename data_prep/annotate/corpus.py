"""Annotation of whole texts: annotators by name, batches, shards of documents that are kept.

What a user writes after `--annotator`:

    auto                          the default: spaCy for fr and es, HanTa for de and en
    spacy:MODEL                   an installed spaCy model, or the folder of one
    hanta                         HanTa (de, en)
    simplemma+ANNOTATOR           lemmas of simplemma, tags of another one: simplemma+hanta
    treetagger-output:FILE        what TreeTagger wrote for this text
    conllu:FILE                   a CoNLL-U file of this text
    tokens:FILE                   a file of this text with token|lemma|tag for each word

Batches have a fixed size that does not depend on the number of processes, so the result does not
either; each process has an annotator of its own. A side of a bitext is annotated in shards of whole
documents, each kept in the cache; few of them are in memory at a time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path

from crosspro.data_prep.annotate.files import ConlluFile, TokensFile
from crosspro.data_prep.annotate.parsers import (
    DEFAULT_MODELS,
    HANTA_MODELS,
    HantaAnnotator,
    SimplemmaAnnotator,
    SpacyAnnotator,
)
from crosspro.data_prep.annotate.tags import tables_digest
from crosspro.data_prep.annotate.treetagger import TreeTaggerOutput
from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.core.example import AnnotatedSentence, Annotator, Progress, Token
from crosspro.data_prep.core.files import open_bytes, read_text_lines
from crosspro.data_prep.core.processes import parallel_map
from crosspro.data_prep.core.stored import Cache, content_key


def to_line(sentence: AnnotatedSentence) -> str:
    """A sentence as one line."""
    tokens = [
        (t.form, t.lemma, t.tag, t.upos, t.xpos, t.head, t.deprel, t.features)
        for t in sentence.tokens
    ]
    return json.dumps([sentence.scheme, tokens], ensure_ascii=False, separators=(",", ":"))


def from_line(line: str) -> AnnotatedSentence:
    """A sentence as written by `to_line`."""
    scheme, tokens = json.loads(line)
    return AnnotatedSentence(tuple(Token(*fields) for fields in tokens), scheme)


def to_lines(sentences: Iterable[AnnotatedSentence]) -> str:
    """Several sentences."""
    return "".join(to_line(sentence) + "\n" for sentence in sentences)


def read_store(path: Path) -> Iterator[AnnotatedSentence]:
    """The sentences of a file."""
    return (from_line(line) for line in read_text_lines(path))


FORMS = (
    "auto",
    "spacy:MODEL",
    "hanta",
    "simplemma+ANNOTATOR",
    "treetagger-output:FILE",
    "conllu:FILE",
    "tokens:FILE",
)
"""What an annotator may be called."""

SIMPLEMMA = "simplemma"


def make_annotator(spec: str, language: str, tagset: str, *, parse: bool = True) -> Annotator:
    """The annotator of this name, ready to use; its model is loaded with the first sentence.

    What is missing (a package, a model, a file) is told at once. Without `parse`, backends that
    parse leave it out and are faster.
    """
    name, colon, argument = spec.partition(":")
    if name.startswith(f"{SIMPLEMMA}+"):
        inner = make_annotator(spec.removeprefix(f"{SIMPLEMMA}+"), language, tagset, parse=parse)
        return SimplemmaAnnotator(inner, language)
    if spec == "auto":
        return make_annotator(default_annotator(language), language, tagset, parse=parse)
    if spec == "hanta":
        return HantaAnnotator(language, tagset)
    if not colon or not argument:
        raise input_error("settings", "annotator", choices(FORMS), quoted(spec))
    match name:
        case "spacy":
            return SpacyAnnotator(argument, language, tagset, parse)
        case "treetagger-output":
            return TreeTaggerOutput(_readable(argument), language, tagset)
        case "conllu":
            return ConlluFile(_readable(argument), language, tagset)
        case "tokens":
            return TokensFile(_readable(argument), language, tagset)
    raise input_error("settings", "annotator", choices(FORMS), quoted(spec))


def annotation_file(spec: str) -> Path | None:
    """The user's file that an annotator of this name reads its annotation from, if it does."""
    name, _, argument = spec.rpartition("+")[2].partition(":")
    return Path(argument) if name in ("conllu", "tokens", "treetagger-output") else None


def default_annotator(language: str) -> str:
    """What `auto` stands for."""
    if language in DEFAULT_MODELS:
        return f"spacy:{DEFAULT_MODELS[language]}"
    if language in HANTA_MODELS:
        return "hanta"
    known = choices(sorted([*DEFAULT_MODELS, *HANTA_MODELS]))
    raise input_error(
        "settings",
        "annotator auto",
        f"a language that is {known}, or another annotator",
        quoted(language),
    )


def has_annotator(language: str) -> bool:
    """Whether `auto` stands for one in a language."""
    return language in DEFAULT_MODELS or language in HANTA_MODELS


def default_tagset(language: str) -> str:
    """The tagset that the tasks use for a target language."""
    return "treetagger-fr" if language == "fr" else "universal"


def _readable(path: str) -> str:
    """The path, once it is known that the file can be opened."""
    with open_bytes(Path(path)):
        pass
    return path


BATCH = 256
"""Sentences that a process gets at a time."""

Sentences = Sequence[Sequence[str]]


@dataclass(frozen=True)
class AnnotationSettings:
    """How a text is annotated; `spec` names the annotator, see `registry`."""

    spec: str
    language: str
    tagset: str
    parse: bool = True

    def make(self) -> Annotator:
        """The annotator, ready to use."""
        return make_annotator(self.spec, self.language, self.tagset, parse=self.parse)


def annotate_text(
    sentences: Iterable[Sequence[str]],
    spec: str,
    language: str,
    tagset: str,
    *,
    parse: bool = True,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Iterator[AnnotatedSentence]:
    """The annotated sentences, in order; `spec` names the annotator, see `registry`.

    An annotator that cannot be had is an error at the call, before any sentence is asked for.
    """
    if jobs < 1:
        raise input_error("settings", "jobs", "at least 1", str(jobs))
    settings = AnnotationSettings(spec, language, tagset, parse)
    annotator = settings.make()
    batches = _batches(sentences)
    if jobs == 1 or annotator.sequential:
        annotated = _here(annotator, batches)
    else:
        annotated = parallel_map(partial(annotate_batch, settings), batches, jobs)
    return _reported(annotated, progress)


def annotate_batch(settings: AnnotationSettings, sentences: Sentences) -> list[AnnotatedSentence]:
    """Some sentences, in any process; not for annotators that read a file from its beginning."""
    return _annotator_of_this_process(settings).annotate(sentences)


@lru_cache(maxsize=4)
def _annotator_of_this_process(settings: AnnotationSettings) -> Annotator:
    """Made once: loading a model takes seconds."""
    return settings.make()


def _reported(
    batches: Iterator[list[AnnotatedSentence]], progress: Progress | None
) -> Iterator[AnnotatedSentence]:
    for batch in batches:
        yield from batch
        if progress is not None:
            progress(len(batch))


def _batches(sentences: Iterable[Sequence[str]]) -> Iterator[Sentences]:
    rest = iter(sentences)
    while batch := [tuple(sentence) for sentence in islice(rest, BATCH)]:
        yield batch


def _here(annotator: Annotator, batches: Iterator[Sentences]) -> Iterator[list[AnnotatedSentence]]:
    for batch in batches:
        yield annotator.annotate(batch)
    annotator.finish()


SHARD = 1000
"""Sentences of a shard, more where a document goes on."""

LONGEST = 16_384
"""A document that goes on for longer is cut, at places where backends begin a new batch anyway."""

Report = Callable[[str, int, int], None]
"""Called with what is being done, how many sentences are done, and out of how many."""


def document_shards(documents: Iterable[str | None]) -> list[range]:
    """Ranges of sentences that cut no document in two unless it is endless; None is a document of
    its own."""
    bounds = [0]
    size = 0
    before = None
    for document in documents:
        length = size - bounds[-1]
        new = document is None or document != before
        if (new and length >= SHARD) or length >= LONGEST:
            bounds.append(size)
        before = document
        size += 1
    return [range(a, b) for a, b in zip(bounds, [*bounds[1:], size], strict=True)]


def annotate_shards(
    settings: AnnotationSettings,
    sentences: Sentences,
    shards: Sequence[range],
    cache: Cache,
    report: Report,
    engine: str = "local",
    jobs: int = 1,
) -> list[Path]:
    """The files of the annotated shards, in order; what is in the cache is not annotated again."""
    if settings.spec == "auto":
        settings = replace(settings, spec=default_annotator(settings.language))
    file = annotation_file(settings.spec)
    if file is not None:  # read from the user's file, in order, in this process
        return [_from_file(settings, sentences, file, cache, report)]
    report(f"{settings.spec}, looking for what is done", 0, 0)
    keys = [_key(settings, _part(sentences, shard)) for shard in shards]
    todo = [n for n, key in enumerate(keys) if not cache.path("annotation", key).is_file()]
    total = sum(len(shards[n]) for n in todo)
    report(f"{settings.spec}, {len(todo):,} of {len(shards):,} shards to do", 0, total)
    pieces = ((settings, tuple(_part(sentences, shards[n]))) for n in todo)
    texts = parallel_map(_annotate_shard, pieces, min(jobs, len(todo)), engine) if todo else ()
    done = 0
    for n, text in zip(todo, texts, strict=True):
        cache.lines("annotation", keys[n], lambda text=text: [text])  # type: ignore[misc]
        done += len(shards[n])
        report("", done, total)
    return [cache.path("annotation", key) for key in keys]


def _part(sentences: Sentences, shard: range) -> Iterator[tuple[str, ...]]:
    return map(tuple, sentences[shard.start : shard.stop])


def _key(settings: AnnotationSettings, sentences: Iterator[tuple[str, ...]], *files: Path) -> str:
    return content_key(asdict(settings), tables_digest(), *files, sentences)


def _from_file(
    settings: AnnotationSettings, sentences: Sentences, file: Path, cache: Cache, report: Report
) -> Path:
    done, total = 0, len(sentences)
    report(f"from {file}", done, total)

    def progress(number: int) -> None:
        nonlocal done
        done += number
        report("", done, total)

    def annotated() -> Iterator[str]:
        found = annotate_text(iter(sentences), **asdict(settings), progress=progress)
        return (f"{to_line(sentence)}\n" for sentence in found)

    return cache.lines("annotation", _key(settings, map(tuple, sentences), file), annotated)


def _annotate_shard(piece: tuple[AnnotationSettings, Sentences]) -> str:
    return to_lines(annotate_batch(*piece))
