"""Bundled models: the one that fits the languages of a translation, and the metric `doubt`'s."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from crosspro.data_prep.core.errors import Problem, input_error
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.words.language import language_problems
from crosspro.evaluation.metrics.pronoun_doubt import ProofreadPronoun
from crosspro.prediction.models import summary
from crosspro.prediction.pair_prediction import Predictor, load_predictor
from crosspro.prediction.proofread.files import Translation
from crosspro.prediction.proofread.find import proofread
from crosspro.prediction.proofread.judge import load_judge
from crosspro.prediction.proofread.text import DoubtKind, TranslatedText, text_of_lines
from crosspro.prediction.registry import bundled_models

# Languages ----------------------------------------------------------------------------------------


def model_for(translation: Translation) -> str:
    """The bundled model of the languages that files state, or that their names say."""
    source, target = translation.stated()
    if translation.source is not translation.target:
        source = source or _named(translation.source.name)
    target = target or _named(translation.target.name)
    models = {name: name.split("-")[:2] for name in bundled_models()}
    fitting = [name for name, pair in models.items() if pair[0] in source and pair[1] in target]
    if len(fitting) == 1:
        return fitting[0]
    stated = " and ".join(", ".join(sorted(side)) or "no language" for side in (source, target))
    if fitting:
        stated = f"files for {', '.join(fitting)}"
    expected = "a model, or names that say the languages (book.en book.de), for one of "
    raise input_error(translation.target.name, "languages", expected + ", ".join(models), stated)


def _named(name: str, *others: str) -> set[str]:
    """The language at the end of a name (book.en.srt, de.po), or of its folder (en/talk).

    It is that of a bundled model, or one of `others`.
    """
    languages = {language for model in bundled_models() for language in model.split("-")[:2]}
    languages.update(others)
    path = Path(name)
    parts = [*path.parts[:-1], *re.split(r"[._-]", path.name.lower())]
    return set([part for part in parts if part in languages][-1:])


def check_languages(text: TranslatedText, task: Task) -> list[Problem]:
    """Where the words or the name of a file say another language; a long text is refused."""
    sides = (
        (text.source_name, task.source_language, [segment.source for segment in text.segments]),
        (text.target_name, task.target_language, [segment.target for segment in text.segments]),
    )
    problems = language_problems(sides)
    if text.source_name != text.target_name:
        for name, language, _ in sides:
            stated = _named(name, language)
            if stated and language not in stated:
                problems.append(Problem(name, None, "name", f"a file in {language}", *stated))
    return problems


# The metric `doubt` -------------------------------------------------------------------------------


@dataclass(frozen=True)
class BundledJudge:
    """A bundled model that judges whole translations for the metric `doubt`."""

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
        self, source: Sequence[str], target: Sequence[str], documents: Sequence[str] | None
    ) -> tuple[ProofreadPronoun, ...]:
        """The pronouns that translate one of the source; without documents the text is one."""
        doubts = proofread(_loaded(self.path, self.name), text_of_lines(source, target, documents))
        return tuple(
            ProofreadPronoun(
                *(doubt.place.segment, doubt.word, doubt.source_word),
                *(doubt.wrong, doubt.suggestion, doubt.reason),
            )
            for doubt in doubts
            if doubt.kind is DoubtKind.WORD
        )


def judge_of(source: str, target: str) -> BundledJudge | None:
    """The first bundled model of two languages."""
    for name, path in bundled_models().items():
        if name.split("-")[:2] == [source, target]:
            return BundledJudge(name, path)
    return None


@lru_cache(maxsize=1)
def _loaded(path: Path, name: str) -> Predictor:
    return load_predictor(path, name)
