"""What proofreading found, as text for a terminal and as JSON and JSON lines for programs.

All of them begin with the pronoun that is most probably wrong. Lines count from 1; characters of a
line count from 0 for programs, and from 1 in text, where editors count so.
"""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from crosspro.data_prep.core.errors import counted, printable
from crosspro.data_prep.core.task import Task
from crosspro.evaluation.evaluation import Score
from crosspro.evaluation.report import Displayed
from crosspro.evaluation.report.records import json_text
from crosspro.evaluation.resampling import wilson_interval
from crosspro.prediction.pair_prediction import Predictor
from crosspro.prediction.proofread.doubts import DoubtKind, PronounDoubt, StoodFor
from crosspro.prediction.proofread.find import proofread
from crosspro.prediction.proofread.text import TranslatedText
from crosspro.version import __version__

FORMAT = 1
"""The version of the JSON; it grows when a key changes its meaning or goes."""
DOUBTFUL = 0.4
"""Of pronouns with this chance of being wrong a third was marked by a rater, who misses some."""
PER_100 = "doubtful_per_100"
NOTHING = "–"
"""What stands for a pronoun that is not there."""
_WIDTH = 100
_INDENT = "    "


@dataclass(frozen=True)
class Proofreader:
    """The model that has read a translation: what it is called, its digest, and its task."""

    name: str
    digest: str
    task: Task


@dataclass(frozen=True, repr=False)
class Proofreading(Displayed):
    """What a model says of all pronouns of a translation, which are in the order of the text.

    It prints as `crosspro proofread` prints it. Those whose chance of being wrong reaches the
    threshold are the doubtful ones.
    """

    model: Proofreader
    text: TranslatedText
    pronouns: tuple[PronounDoubt, ...]
    threshold: float = DOUBTFUL

    def __repr__(self) -> str:
        counts = f"{len(self.doubtful)} of {len(self.pronouns)} pronouns doubtful"
        return f"<Proofreading {self.model.name}: {counts}>"

    def __iter__(self) -> Iterator[PronounDoubt]:
        return iter(self.pronouns)

    def __len__(self) -> int:
        return len(self.pronouns)

    def __str__(self) -> str:
        return as_text(self, width=_WIDTH).rstrip("\n")

    def html(self) -> str:
        """The page of `--html`, on which a person decides."""
        from crosspro.prediction.proofread.page import proofreading_page

        return proofreading_page(self)

    @property
    def worst_first(self) -> list[PronounDoubt]:
        """All pronouns, the most probably wrong first."""
        return sorted(self.pronouns, key=lambda one: -one.wrong)

    @property
    def doubtful(self) -> list[PronounDoubt]:
        """Those that reach the threshold, the most probably wrong first."""
        return [one for one in self.worst_first if self.is_doubtful(one)]

    def is_doubtful(self, pronoun: PronounDoubt) -> bool:
        """Whether a pronoun reaches the threshold."""
        return pronoun.wrong >= self.threshold

    @property
    def signature(self) -> str:
        """How the score was computed."""
        digest = self.model.digest[:12]
        parts = [
            "metric:proofread",
            f"model:{self.model.name}",
            *([f"digest:{digest}"] if digest else []),
            f"threshold:{self.threshold:g}",
            "interval:wilson",
        ]
        return "|".join([*parts, f"crosspro:{__version__}"])

    @cached_property
    def score(self) -> Score:
        """The doubtful ones in a hundred pronouns, with a 95% interval (Wilson's)."""
        part, whole = len(self.doubtful), len(self.pronouns)
        if not whole:
            return Score(float("nan"))
        low, high = (100 * bound for bound in wilson_interval(part, whole))
        return Score(100 * part / whole, low, high)

    def to_dict(self) -> dict[str, Any]:
        """What `crosspro proofread --format json` writes."""
        return {
            "format": FORMAT,
            "crosspro": __version__,
            "model": {
                "name": self.model.name,
                "digest": self.model.digest or None,
                "task": self.model.task.name,
                "source_language": self.model.task.source_language,
                "target_language": self.model.task.target_language,
            },
            "files": {"source": self.text.source.name, "translation": self.text.target.name},
            "threshold": self.threshold,
            "signature": self.signature,
            "counts": self.counts,
            PER_100: {**asdict(self.score), "signature": self.signature},
            "pronouns": self.records(),
        }

    @property
    def counts(self) -> dict[str, int]:
        """How much was read, and what was found in it."""
        kinds = Counter(one.kind for one in self.pronouns)
        doubtful = self.doubtful
        found = Counter(one.kind for one in doubtful)
        documents = {one.document for one in self.text.segments}
        return {
            "segments": len(self.text.segments),
            "documents": len(documents),
            "pronouns": len(self.pronouns),
            "doubtful": len(doubtful),
            **{str(kind): kinds[kind] for kind in DoubtKind},
            **{f"doubtful_{kind}": found[kind] for kind in DoubtKind},
        }

    def records(self) -> list[dict[str, Any]]:
        """All pronouns for programs, the most probably wrong first."""
        return [_record(one, self.is_doubtful(one)) for one in self.worst_first]


def proofreading(
    predictor: Predictor,
    digest: str,
    text: TranslatedText,
    threshold: float = DOUBTFUL,
    progress: Callable[[int], None] = lambda segments: None,
) -> Proofreading:
    """Read a translation with a model; `progress` is told how many segments are newly read.

    A text without any document is one document.
    """
    if all(one.document is None for one in text.segments):
        whole = tuple(replace(one, document="") for one in text.segments)
        text = replace(text, segments=whole)
    model = Proofreader(predictor.name, digest, predictor.task)
    return Proofreading(model, text, proofread(predictor, text, progress=progress), threshold)


# For programs -------------------------------------------------------------------------------------


def as_json(found: Proofreading) -> str:
    """Everything, as one object."""
    return json_text(found.to_dict())


def as_json_lines(found: Proofreading) -> str:
    """An object for each pronoun, on a line of its own."""
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in found.records())


def _record(one: PronounDoubt, doubtful: bool) -> dict[str, Any]:
    source = one.source_place
    return {
        "kind": str(one.kind),
        "document": one.document or None,
        "segment": one.segment + 1,
        "line": one.place.line,
        "start": one.place.start,
        "end": one.place.end,
        "word": one.word,
        "label": one.label,
        "source_line": source and source.line,
        "source_start": source and source.start,
        "source_end": source and source.end,
        "source_word": one.source_word,
        "probability": one.probability,
        "wrong": one.wrong,
        "doubtful": doubtful,
        "suggestion": one.suggestion,
        "suggestion_label": one.suggestion_label,
        "suggestion_probability": one.suggestion_probability,
        "stands_for": [_noun_record(noun) for noun in one.stands_for],
        "reason": one.reason,
        "probabilities": dict(one.probabilities),
    }


def _noun_record(noun: StoodFor) -> dict[str, Any]:
    return {
        "word": noun.word,
        "side": str(noun.side),
        "line": noun.place.line,
        "start": noun.place.start,
        "end": noun.place.end,
        "probability": noun.probability,
        "gender": noun.gender,
        "number": noun.number,
    }


# For a terminal -----------------------------------------------------------------------------------


def as_text(found: Proofreading, every: bool = False, width: int | None = None) -> str:
    """A line for each doubtful pronoun, or for every one, as compilers write it; then a summary.

    Lines that are wider than `width` go on under themselves.
    """
    shown = found.worst_first if every else found.doubtful
    lines = [
        line
        for one in shown
        for line in wrapped(f"{place(found, one)}: {one.wrong:.2f} {doubt_text(one)}", width)
    ]
    if lines:
        lines.append("")
    return "".join(f"{line}\n" for line in [*lines, *wrapped(summary(found), width, "")])


def summary(found: Proofreading) -> str:
    """How many pronouns were read, and how many of them are doubtful."""
    if not found.pronouns:
        return f"No pronoun that {found.model.name} knows in {_segments(found)}."
    score = found.score
    text = (
        f"{counted(len(found), 'pronoun')} read by {found.model.name} in {_segments(found)}: "
        f"{len(found.doubtful):,} probably wrong (chance of {found.threshold:g} or more), "
        f"{score.value:.1f} [{score.low:.1f}, {score.high:.1f}] in a hundred."
    )
    if not found.doubtful:
        worst = found.worst_first[0]
        text += f" The highest chance is {worst.wrong:.2f}: {place(found, worst)}."
    return text


def place(found: Proofreading, one: PronounDoubt) -> str:
    """Where a pronoun is, as editors and compilers write it: both numbers from 1."""
    return f"{found.text.target.name}:{one.place.line}:{one.place.start + 1}"


def change(one: PronounDoubt) -> str:
    """What might stand for a pronoun: `es → er`, or a dash on the side that has nothing."""
    if one.kind is DoubtKind.ADDITIONAL:
        return f"{one.word} → {one.suggestion or NOTHING}"
    if not one.suggestion:
        return one.word or NOTHING
    return f"{one.word or NOTHING} → {one.suggestion}"


def doubt_text(one: PronounDoubt) -> str:
    """What might stand for a pronoun and why; of one that the model expects, that it does."""
    return f"{change(one)}? {one.reason}" if one.expects_other else f"{one.word}: {one.reason}"


def wrapped(text: str, width: int | None, indent: str = _INDENT) -> list[str]:
    """Lines of a text for a terminal; words, and names of files, stay whole."""
    text = printable(text)
    if width is None:
        return [text]
    return textwrap.wrap(
        text,
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _segments(found: Proofreading) -> str:
    return counted(len(found.text.segments), "segment")
