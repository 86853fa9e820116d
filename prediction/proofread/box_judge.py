"""A bundled model as the judge of a whole translation, for `crosspro score -m doubt`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from crosspro.evaluation.metrics.pronoun_doubt import ProofreadPronoun
from crosspro.prediction.models import summary
from crosspro.prediction.pair_prediction import Predictor, load_predictor
from crosspro.prediction.proofread.doubts import DoubtKind
from crosspro.prediction.proofread.find import proofread
from crosspro.prediction.proofread.judge import load_judge
from crosspro.prediction.proofread.text import text_of_lines
from crosspro.prediction.registry import bundled_models


@dataclass(frozen=True)
class BoxJudge:
    """A model that comes with the package; each process loads it once."""

    name: str
    path: Path

    @property
    def described(self) -> tuple[str, ...]:
        """The model, its digest and that of the calibration, for signatures."""
        calibration = json.dumps(asdict(load_judge()), sort_keys=True).encode()
        return (
            f"model:{self.name}.{summary(self.path).digest[:8]}",
            f"calibration:{hashlib.sha256(calibration).hexdigest()[:8]}",
        )

    def judged(
        self,
        source: Sequence[str],
        target: Sequence[str],
        documents: Sequence[str] | None,
        progress: Callable[[int], None] = lambda lines: None,
    ) -> tuple[ProofreadPronoun, ...]:
        """The pronouns that translate one of the source; without documents the text is one."""
        text = text_of_lines(source, target, documents)
        found = proofread(_loaded(self.path, self.name), text, progress=progress)
        return tuple(
            ProofreadPronoun(
                one.segment, one.word, one.source_word, one.wrong, one.suggestion, one.reason
            )
            for one in found
            if one.kind is DoubtKind.WORD
        )


def judge_of(source: str, target: str) -> BoxJudge | None:
    """The bundled model from one language to another, if there is one."""
    pair = f"{source}-{target}"
    box = bundled_models()
    fitting = sorted(name for name in box if name == pair or name.startswith(f"{pair}-"))
    return BoxJudge(fitting[0], box[fitting[0]]) if fitting else None


@lru_cache(maxsize=1)
def _loaded(path: Path, name: str) -> Predictor:
    return load_predictor(path, name)
