"""What proofreading found, as text for a terminal and as JSON, JSON lines and CSV for programs.

All of them begin with the pronoun that is most probably wrong. Lines count from 1; characters of a
line count from 0 for programs, and from 1 in text, where editors count so.
"""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from crosspro.data_prep.core.errors import counted, printable
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.evaluation.core.score import Score, make_signature
from crosspro.evaluation.core.statistics import wilson_interval
from crosspro.evaluation.output.records import json_text, score_record
from crosspro.evaluation.output.result import Displayed, data_frame, html_table
from crosspro.evaluation.output.tables import csv_number, csv_text
from crosspro.prediction.pair_prediction import Predictor
from crosspro.prediction.proofread.doubts import DoubtKind, PronounDoubt, StoodFor
from crosspro.prediction.proofread.find import proofread
from crosspro.prediction.proofread.mend import MendedPronoun, Mending, SuggestedPronoun, mend
from crosspro.prediction.proofread.text import TranslatedText
from crosspro.version import __version__

FORMAT = 1
"""The version of the JSON; it grows when a key changes its meaning or goes."""
DOUBTFUL = 0.4
"""Of pronouns with this chance of being wrong a third was marked by a rater, who misses some."""
MENDED = 0.6
"""What is changed without anybody who looks at it should more often be wrong than right."""
PER_100 = "doubtful_per_100"
NOTHING = "–"
"""What stands for a pronoun that is not there."""
_WIDTH = 100
_INDENT = "    "


@dataclass(frozen=True)
class Proofreader:
    """The model that has read a translation: what it is called, its digest, and its task.

    `lexicon` knows words of the target language, if the model has one.
    """

    name: str
    digest: str
    task: Task
    lexicon: Lexicon | None = None


@dataclass(frozen=True)
class Proofreading(Displayed):
    """What a model says of all pronouns of a translation, which are in the order of the text.

    It prints as `crosspro proofread` prints it. Those whose chance of being wrong reaches the
    threshold are the doubtful ones. `mending` is what is changed of them, where something is.
    """

    model: Proofreader
    text: TranslatedText
    pronouns: tuple[PronounDoubt, ...]
    threshold: float = DOUBTFUL
    mending: Mending | None = None

    def __iter__(self) -> Iterator[PronounDoubt]:
        return iter(self.pronouns)

    def __len__(self) -> int:
        return len(self.pronouns)

    def __str__(self) -> str:
        return as_text(self, width=_WIDTH).rstrip("\n")

    @property
    def signature(self) -> str:
        """How the share of doubtful pronouns was computed."""
        return self.score.signature

    def html(self) -> str:
        """The page of `--html`, on which a person decides."""
        from crosspro.prediction.proofread.page import proofreading_page

        return proofreading_page(self)

    def _repr_html_(self) -> str:
        rows = [(place(self, one), f"{one.wrong:.2f}", doubt_text(one)) for one in self.doubtful]
        heading = ("place", "wrong", "what might stand there, and why")
        return html_table(heading if rows else (), rows, 3, (summary(self),))

    def to_dataframe(self, library: str | None = None) -> Any:
        """A table of pandas or polars: a row for each pronoun, the most probably wrong first."""
        return data_frame(_COLUMNS, list(_rows(self)), library)

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

    @cached_property
    def score(self) -> Score:
        """The doubtful ones in a hundred pronouns, with a 95% interval (Wilson's)."""
        digest = self.model.digest[:12]
        parts = [
            "metric:proofread",
            f"model:{self.model.name}",
            *([f"digest:{digest}"] if digest else []),
            f"threshold:{self.threshold:g}",
            "interval:wilson",
        ]
        signature = make_signature(parts, None, "pronoun")
        part, whole = len(self.doubtful), len(self.pronouns)
        if not whole:
            return Score(PER_100, float("nan"), signature)
        low, high = (100 * bound for bound in wilson_interval(part, whole))
        return Score(PER_100, 100 * part / whole, signature, low, high)

    def mend(self, threshold: float | None = None) -> Mending:
        """What can be changed of the doubtful ones, or of those that reach another threshold."""
        known = self.threshold if threshold is None else threshold
        return mend(self.pronouns, self.text, self.model.task, known, self.model.lexicon)

    def mended(self, threshold: float = MENDED) -> list[str]:
        """The lines of the translation, with those pronouns changed that can be."""
        content = self.text.target.mended(self.mend(threshold).edits)
        return content.removesuffix("\n").split("\n") if content else []

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
            "signature": self.score.signature,
            "counts": self.counts,
            PER_100: score_record(self.score),
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
            **({} if self.mending is None else {"mended": len(self.mending.changes)}),
        }

    def records(self) -> list[dict[str, Any]]:
        """All pronouns for programs, the most probably wrong first."""
        return [
            {**_record(one, self.is_doubtful(one)), **self._mended_record(one)}
            for one in self.worst_first
        ]

    def _mended_record(self, one: PronounDoubt) -> dict[str, Any]:
        """Whether a pronoun is changed: the words that change with it, or why it is not."""
        if self.mending is None:
            return {}
        made, left = self.mended_as(one)
        changed = made and {"old": made.old, "new": made.new}
        return {"mended": changed, "not_mended": left and left.why}

    def mended_as(self, one: PronounDoubt) -> tuple[MendedPronoun | None, SuggestedPronoun | None]:
        """How a pronoun is changed, or what is only suggested for it."""
        changes, suggestions = self._mended
        return changes.get(id(one)), suggestions.get(id(one))

    @cached_property
    def _mended(self) -> tuple[dict[int, MendedPronoun], dict[int, SuggestedPronoun]]:
        if self.mending is None:
            return {}, {}
        return (
            {id(own.doubt): own for own in self.mending.changes},
            {id(own.doubt): own for own in self.mending.suggestions},
        )


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
    lexicon = predictor.system.noun_lexicons.get("target")
    model = Proofreader(predictor.name, digest, predictor.task, lexicon)
    return Proofreading(model, text, proofread(predictor, text, progress=progress), threshold)


# For programs -------------------------------------------------------------------------------------


def as_json(found: Proofreading) -> str:
    """Everything, as one object."""
    return json_text(found.to_dict())


def as_json_lines(found: Proofreading) -> str:
    """An object for each pronoun, on a line of its own."""
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in found.records())


_COLUMNS = (
    *("file", "kind", "document", "line", "start", "end", "word", "label"),
    *("source_line", "source_start", "source_end", "source_word", "probability", "wrong"),
    *("doubtful", "suggestion", "suggestion_label", "suggestion_probability"),
    *("stands_for", "reason"),
)


def as_csv(found: Proofreading) -> str:
    """A row for each pronoun; nouns that it may stand for share a cell, the likeliest first."""
    return csv_text([_COLUMNS, *([_cell(value) for value in row] for row in _rows(found))])


def _rows(found: Proofreading) -> Iterator[list[Any]]:
    for one in found.records():
        nouns = " ".join(noun["word"] for noun in one["stands_for"])
        whole = {**one, "file": found.text.target.name, "stands_for": nouns}
        yield [whole[name] for name in _COLUMNS]


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return csv_number(value)
    return "" if value is None else str(value)


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
    lines = [line for one in shown for line in _lines(found, one, width)]
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
    if found.mending is not None:
        changed = len(found.mending.changes)
        text += f" {changed:,} changed, {len(found.mending.suggestions):,} only suggested."
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


def _lines(found: Proofreading, one: PronounDoubt, width: int | None) -> Sequence[str]:
    said = doubt_text(one)
    made, left = found.mended_as(one)
    if made is not None:
        said = f"changed {made.old} → {made.new}: {one.reason}"
    elif left is not None:
        said += f"; not changed: {left.why}"
    return wrapped(f"{place(found, one)}: {one.wrong:.2f} {said}", width)


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
