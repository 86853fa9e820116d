"""A linear-chain CRF, by CRFsuite: sequences of tokens whose features are strings.

CRFsuite's model is data without code, but damaged data crashes its parser. So the SHA-256 of a
model is saved beside it and checked before CRFsuite sees the model.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from crosspro.data_prep.core.errors import CrossproError, how_to_install, input_error
from crosspro.data_prep.core.files import atomic_output, read_bytes, read_json_object, write_text
from crosspro.data_prep.core.settings import settings
from crosspro.prediction.evidence import Evidence, EvidenceTable, contribution_table
from crosspro.prediction.system import Probabilities

Features = Sequence[str]
"""The features of a token."""
_MODEL, _DIGEST = "model.crfsuite", "model.json"


@settings
class CRFSettings:
    """How a chain is trained: the penalty is l2/2 · |weights|², the optimiser L-BFGS."""

    l2: Annotated[float, Field(ge=0, le=1e9)] = 10.0
    iterations: Annotated[int, Field(ge=1)] = 100


def _crfsuite() -> Any:
    try:
        import pycrfsuite
    except ImportError as error:
        raise CrossproError(
            f"CRF: expected the package python-crfsuite, found none: {how_to_install('train')}"
        ) from error
    return pycrfsuite


class ChainCRF:
    """A trained chain."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.tagger = _crfsuite().Tagger()
        self.tagger.open_inmemory(content)
        self.labels = frozenset(self.tagger.labels())

    @classmethod
    def train(
        cls,
        sequences: Iterable[tuple[Sequence[Features], Sequence[str]]],
        settings: CRFSettings,
        min_count: int = 1,
    ) -> ChainCRF:
        """Learn the weights of features and of transitions from labelled sequences.

        A feature that goes with a label less often than `min_count` has no weight there.
        """
        trainer = _crfsuite().Trainer(algorithm="lbfgs", verbose=False)
        for tokens, labels in sequences:
            trainer.append(tokens, labels)
        trainer.set_params(
            {
                "c1": 0.0,
                "c2": settings.l2 / 2,
                "max_iterations": settings.iterations,
                "feature.minfreq": min_count,
                "feature.possible_transitions": True,
            }
        )
        with TemporaryDirectory() as folder:
            path = Path(folder) / _MODEL
            trainer.train(str(path))
            return cls(path.read_bytes())

    def marginals(
        self, tokens: Sequence[Features], places: Iterable[int], labels: Sequence[str]
    ) -> Probabilities:
        self.tagger.set(tokens)
        return np.array(
            [
                [
                    self.tagger.marginal(label, place) if label in self.labels else 0.0
                    for label in labels
                ]
                for place in places
            ]
        ).reshape(-1, len(labels))

    def evidence(
        self, tokens: Sequence[Features], names: Sequence[str], place: int, pair: tuple[str, str]
    ) -> Evidence:
        """Why a token got the first label of a pair; `names` are those of all tokens."""
        path = self.tagger.tag(tokens)
        chances = [float(self.tagger.marginal(label, at)) for at, label in enumerate(path)]
        weights = self.tagger.info().state_features
        features = tokens[place]
        added = [[weights.get((feature, label), 0.0) for feature in features] for label in pair]
        how = f"the probabilities of a chain; features: their weights for {' and '.join(pair)}"
        rows = tuple(zip(names, path, chances, strict=True))
        tables = (
            EvidenceTable("Best path", ("token", "label", "probability"), rows),
            contribution_table("Features", pair, features, *added),
        )
        return Evidence(how, tables)

    def save(self, folder: Path) -> None:
        with atomic_output(folder / _MODEL) as file:
            file.write(self.content)
        digest = hashlib.sha256(self.content).hexdigest()
        write_text(folder / _DIGEST, json.dumps({"sha256": digest}) + "\n")

    @classmethod
    def load(cls, folder: Path) -> ChainCRF:
        content = read_bytes(folder / _MODEL)
        digest = hashlib.sha256(content).hexdigest()
        saved = read_json_object(folder / _DIGEST).get("sha256")
        if digest != saved:
            raise input_error(folder / _MODEL, "sha256", str(saved), digest)
        return cls(content)
