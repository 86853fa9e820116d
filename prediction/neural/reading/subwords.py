"""Optional sub-word units: words and lemmas are cut into sentencepiece units before encoding.

Gaps, links and heads move with the units, so networks see longer sentences of fewer types and
nothing else changes. Each side has a model of its own, or both share one (`joint`).
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, chain
from pathlib import Path
from typing import Literal

import sentencepiece

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import SIDES, AnnotatedSentence, Example, Gap, Side
from crosspro.data_prep.formats.shared_task import is_placeholder

Cut = Callable[[str], list[str]]
UnitKind = Literal["words", "sentencepiece", "joint"]
"""Words as they are, units of each side, or units of both sides together."""
WORD_START = "▁"
"""The first unit of a word begins with it."""
_MOST_SENTENCES = 400_000
"""Joint units are learnt from at most so many sentences, taken evenly from the text."""
_THREADS = 16
"""Sentencepiece sums in so many parts: units depend on this number, not on the machine."""
_MODELS_CACHED, _WORDS_CACHED, _LONGEST_CACHED = 8, 1 << 17, 50


@dataclass(frozen=True)
class Units:
    """The sentencepiece models of both sides, as the bytes of their files."""

    source: bytes
    target: bytes

    def __repr__(self) -> str:
        return f"Units({len(self.source)} and {len(self.target)} bytes)"

    def split(self, examples: Iterable[Example], lowercase: bool) -> list[Example]:
        cut_source, cut_target = (self.cut(side, lowercase) for side in SIDES)
        return [split_example(example, cut_source, cut_target) for example in examples]

    def cut(self, side: Side, lowercase: bool) -> Cut:
        """What cuts a word of a side; the source is lower-cased before, as in training."""
        cut = _cutter(getattr(self, side))
        if side == "target":
            return lambda word: [word] if is_placeholder(word) else cut(word)
        return lambda word: cut(word.lower() if lowercase else word)

    def save(self, folder: Path) -> None:
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
            reason = str(error).splitlines()[0]
            raise input_error(path, "units", "a sentencepiece model", reason) from error
    return Units(*models)


def train_units(
    examples: Sequence[Example], size: int, lowercase: bool, joint: bool = False
) -> Units:
    """Unigram models of at most `size` units of each side, or one of both (`joint`)."""

    def source(example: Example) -> str:
        words = " ".join(example.source)
        return words.lower() if lowercase else words

    def target(example: Example) -> str:
        return " ".join(lemma for lemma in example.lemmas if not is_placeholder(lemma))

    if not joint:
        return Units(_train(map(source, examples), size), _train(map(target, examples), size))
    sample = examples[:: 1 + 2 * len(examples) // _MOST_SENTENCES]
    sentences = (side(example) for example in sample for side in (source, target))
    model = _train(filter(None, sentences), size, split_by_unicode_script=False)
    return Units(model, model)


def split_example(example: Example, cut_source: Cut, cut_target: Cut) -> Example:
    """One example in units; every unit of a word gets the word's tag and parse."""
    source, target = list(map(cut_source, example.source)), list(map(cut_target, example.lemmas))
    source_at = [0, *accumulate(map(len, source))]
    target_at = [0, *accumulate(map(len, target))]
    tags, parse = example.tags, example.source_parse
    if tags is not None:
        tags = tuple(tag for tag, units in zip(tags, target, strict=True) for _ in units)
    if parse is not None:
        tokens = (
            replace(token, form=unit, head=source_at[token.head] if token.head >= 0 else -1)
            for token, units in zip(parse.tokens, source, strict=True)
            for unit in units
        )
        parse = AnnotatedSentence(tuple(tokens), parse.scheme)
    links = (
        (unit, target_at[right])
        for left, right in example.links
        for unit in range(source_at[left], source_at[left + 1])
    )
    gaps = (
        Gap(target_at[gap.position], source_at[gap.source_index], gap.label, gap.word)
        for gap in example.gaps
    )
    return replace(
        example,
        source=tuple(chain.from_iterable(source)),
        lemmas=tuple(chain.from_iterable(target)),
        tags=tags,
        links=tuple(links),
        gaps=tuple(gaps),
        source_parse=parse,
        target_parse=None,  # these count words, and no network reads them
        chains=None,
    )


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


@lru_cache(maxsize=_MODELS_CACHED)
def _cutter(model: bytes) -> Cut:
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)

    def cut(word: str) -> list[str]:
        return processor.encode(word, out_type=str) or [word]

    cached = lru_cache(maxsize=_WORDS_CACHED)(cut)
    return lambda word: cached(word) if len(word) <= _LONGEST_CACHED else cut(word)
