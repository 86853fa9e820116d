"""Optional sub-word units: words and lemmas are cut into sentencepiece units before encoding.

Everything that counts positions (gaps, links, heads) moves with them, so that networks see longer
sentences of fewer types and nothing else changes. Each side has a model of its own, or both have
one and the same.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

import sentencepiece

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import (
    SIDES,
    AnnotatedSentence,
    Example,
    Gap,
)
from crosspro.data_prep.formats.shared_task import is_placeholder

Cut = Callable[[str], list[str]]
WORD_START = "▁"
"""With this the first unit of a word begins."""
UnitKind = Literal["words", "sentencepiece", "joint"]
"""Words as they are, units of each side, and units of both sides together."""
_MOST_SENTENCES = 400_000
"""Units of both sides are learnt from so many sentences at most, taken evenly from the text."""
_THREADS = 16
"""Sums of so many parts are added up, so units depend on this number, and not on the machine."""
_MODELS_KEPT, _WORDS_KEPT, _LONGEST_KEPT = 8, 1 << 17, 50
"""Models take time to load, and a text has few words that are not repeated; no longer ones are kept
than a language has."""


@dataclass(frozen=True)
class Units:
    """The sentencepiece models of both sides, as their files' bytes."""

    source: bytes
    target: bytes

    def split(self, examples: Iterable[Example], lowercase: bool) -> list[Example]:
        """The examples in units; the source is folded before it is cut, as in training."""
        cut, target = (_cutter(model) for model in (self.source, self.target))

        def source(word: str) -> list[str]:
            return cut(word.lower() if lowercase else word)

        return [split_example(example, source, target) for example in examples]

    def save(self, folder: Path) -> None:
        """Write both models, which any sentencepiece can read."""
        for side in SIDES:
            (folder / f"units.{side}.model").write_bytes(getattr(self, side))


def load_units(folder: Path) -> Units:
    """The models of a saved system; a damaged file is refused."""
    models = []
    for side in SIDES:
        path = folder / f"units.{side}.model"
        try:
            models.append(path.read_bytes())
            _cutter(models[-1])("a")
        except (OSError, RuntimeError) as error:
            first = str(error).splitlines()[0]
            raise input_error(path, "units", "a sentencepiece model", first) from error
    return Units(*models)


def train_units(
    examples: Sequence[Example], size: int, lowercase: bool, joint: bool = False
) -> Units:
    """Unigram models of at most `size` units, learnt from each side, or one of both (`joint`).

    In that an apostrophe may be part of a unit, so that c' is one.
    """

    def source(example: Example) -> str:
        words = " ".join(example.source)
        return words.lower() if lowercase else words

    def target(example: Example) -> str:
        return " ".join(lemma for lemma in example.lemmas if not is_placeholder(lemma))

    if not joint:
        return Units(_train(map(source, examples), size), _train(map(target, examples), size))
    some = examples[:: 1 + 2 * len(examples) // _MOST_SENTENCES]
    sentences = (side(example) for example in some for side in (source, target))
    model = _train(filter(None, sentences), size, split_by_unicode_script=False)
    return Units(model, model)


def split_example(example: Example, source_cut: Cut, target_cut: Cut) -> Example:
    """One example in units; a tag or parse of a word goes to all of its units."""
    source = [source_cut(word) for word in example.source]
    target = [[lemma] if is_placeholder(lemma) else target_cut(lemma) for lemma in example.lemmas]
    tags = None
    if example.tags is not None:
        pairs = zip(example.tags, target, strict=True)
        tags = tuple(tag for tag, pieces in pairs for _ in pieces)
    source_at, target_at = _starts(source), _starts(target)
    links = tuple(
        (piece, target_at[right])
        for left, right in example.links
        for piece in range(source_at[left], source_at[left + 1])
    )
    gaps = tuple(
        Gap(target_at[gap.position], source_at[gap.source_index], gap.label, gap.word)
        for gap in example.gaps
    )
    parse = example.source_parse
    if parse is not None:
        tokens = [
            replace(token, form=piece, head=source_at[token.head] if token.head >= 0 else -1)
            for token, pieces in zip(parse.tokens, source, strict=True)
            for piece in pieces
        ]
        parse = AnnotatedSentence(tuple(tokens), parse.scheme)
    return replace(
        example,
        source=tuple(piece for pieces in source for piece in pieces),
        lemmas=tuple(piece for pieces in target for piece in pieces),
        tags=tags,
        links=links,
        gaps=gaps,
        source_parse=parse,
        target_parse=None,  # no network reads these, and they count words
        chains=None,
    )


def _starts(pieces: Sequence[Sequence[str]]) -> list[int]:
    starts = [0]
    for piece in pieces:
        starts.append(starts[-1] + len(piece))
    return starts


def _train(sentences: Iterable[str], size: int, split_by_unicode_script: bool = True) -> bytes:
    model = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(sentences),
            model_writer=model,
            vocab_size=size,
            hard_vocab_limit=False,
            character_coverage=1.0,
            split_by_unicode_script=split_by_unicode_script,
            num_threads=_THREADS,
            minloglevel=2,
        )
    except RuntimeError as error:
        expected = "at least a unit for every character of the text"
        raise input_error(
            "settings", "system.training.unit_vocabulary", expected, str(size)
        ) from error
    return model.getvalue()


@lru_cache(maxsize=_MODELS_KEPT)
def _cutter(model: bytes) -> Cut:
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)

    def cut(word: str) -> list[str]:
        return processor.encode(word, out_type=str) or [word]

    known = lru_cache(maxsize=_WORDS_KEPT)(cut)
    return lambda word: known(word) if len(word) <= _LONGEST_KEPT else cut(word)
