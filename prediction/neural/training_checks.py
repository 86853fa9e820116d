"""What data must have for a training or a prediction with certain settings; else a clear error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import Example
from crosspro.prediction.neural.encoding import Ints
from crosspro.prediction.neural.network import Reads


def check_labels(train: Ints, dev: Ints) -> None:
    """Something must be learnt, and every gap of dev decides which epoch is kept."""
    if not (train >= 0).any():
        raise CrossproError("train: expected labelled gaps, found none")
    if not len(dev) or (dev < 0).any():
        found = f"{int((dev < 0).sum())} without" if len(dev) else "no gap"
        raise CrossproError(f"dev: expected a label for every gap, found {found}")


def check_batches(batches: int, labels: Ints, share: float) -> None:
    """An epoch must have a step."""
    if not batches:
        found = f"{(labels >= 0).sum()} labelled gaps with a share of {share:g}"
        raise CrossproError(f"train: expected gaps for at least one batch an epoch, found {found}")


def check_context(reads: Reads, context: int, train: Sequence[Example]) -> None:
    """A network may need sentences before a gap's, which are found by document."""
    if reads.earlier is not None and not context:
        who, way_out = _asking(reads.earlier)
        raise CrossproError(
            f"settings: system.{who} expected sentences before the gap's own "
            f"(system.training.context from 1), found a context of 0; give it{way_out}"
        )
    if context and not any(example.document for example in train):
        raise CrossproError(
            "settings: system.training.context: expected documents to find sentences before a gap "
            "in (X.doc-ids beside X.data), found none in train; give them, or 0"
        )


def needs_parse(reads: Reads) -> bool:
    """Whether a network reads tags, labels or heads of the source."""
    return reads.parse is not None or any(field.parse for field in reads.fields)


def check_parse(reads: Reads, examples: Iterable[Example]) -> None:
    """A network that reads tags, labels or heads of the source needs a parse of every sentence."""
    if needs_parse(reads) and any(example.source_parse is None for example in examples):
        who, way_out = _asking(reads.parse or {})
        raise CrossproError(
            f"settings: system.{who} expected a parse of the source (X.source.conllu beside "
            "X.data, --source-parse of crosspro predict), found data without one; give one"
            f"{way_out}"
        )


def check_heads(reads: Reads, train: Sequence[Example]) -> None:
    """Labels and heads are not learnt from a parse that has tags alone."""
    if reads.heads is None:
        return
    parses = [example.source_parse for example in train if example.source_parse]
    if not any(token.head >= 0 for parse in parses for token in parse.tokens):
        who, way_out = _asking(reads.heads)
        raise CrossproError(
            f"settings: system.{who} expected dependencies in X.source.conllu, found none in "
            f"train; give them{way_out}"
        )


def _asking(settings: Mapping[str, object]) -> tuple[str, str]:
    """Which settings ask for something, and how to do without it; the network, if all do."""
    if not settings:
        return "network: it", ""
    without = [str(value).lower() for value in settings.values()]
    return f"network_settings: {_listed(settings)}", f", or train with {_listed(without)}"


def _listed(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
