"""What data must have for a training or a prediction with certain settings; else a clear error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from crosspro.data_prep.errors import CrossproError
from crosspro.data_prep.example import Example
from crosspro.prediction.neural.encoding import Ints
from crosspro.prediction.neural.networks.turku_gru import TurkuGRU
from crosspro.prediction.neural.networks.uppsala_bilstm import UppsalaBiLSTM

Network = TurkuGRU | UppsalaBiLSTM


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


def check_context(context: int, train: Sequence[Example]) -> None:
    """Sentences before a gap's are found by document."""
    if context and not any(example.document for example in train):
        raise CrossproError(
            "settings: system.training.context: expected documents to find sentences before a gap "
            "in (X.doc-ids beside X.data), found none in train; give them, or 0"
        )


def check_parse(network: Network, examples: Iterable[Example]) -> None:
    """A network with source tags, labels or heads needs a parse of every sentence."""
    if network.needs_parse and any(example.source_parse is None for example in examples):
        raise CrossproError(
            "settings: system.network_settings: source_tags, source_labels and head expected a "
            "parse of the source (X.source.conllu beside X.data, --source-parse of crosspro "
            "predict), found data without one; give one, or train with 0, 0 and false"
        )


def check_heads(network: Network, train: Sequence[Example]) -> None:
    """Labels and heads are not learnt from a parse that has tags alone."""
    if not network.needs_heads:
        return
    parses = [example.source_parse for example in train if example.source_parse]
    if not any(token.head >= 0 for parse in parses for token in parse.tokens):
        raise CrossproError(
            "settings: system.network_settings: source_labels and head expected dependencies in "
            "X.source.conllu, found none in train; give them, or train with 0 and false"
        )
