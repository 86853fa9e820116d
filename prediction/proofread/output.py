"""The result of proofreading, as text, JSON, JSON lines and annotations of GitHub.

All begin with the pronoun that is most probably wrong. Lines count from 1; characters count from 0
in JSON, and from 1 in text and annotations, as in editors.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from crosspro.data_prep.core.errors import InputError, counted, printable
from crosspro.data_prep.core.task import Task
from crosspro.evaluation.report import Displayed
from crosspro.evaluation.report.records import json_text
from crosspro.prediction.pair_prediction import Predictor
from crosspro.prediction.proofread.bundled import check_languages
from crosspro.prediction.proofread.find import proofread
from crosspro.prediction.proofread.text import DoubtKind, PronounDoubt, TranslatedText
from crosspro.version import __version__

FORMAT = 1
"""The version of the JSON; it grows when a key changes its meaning or goes."""
DOUBTFUL = 0.4
"""A rater marked a third of the pronouns with this chance of being wrong, and misses some."""
_CERTAIN = 0.6
"""From this chance on, a doubt is an error on GitHub; a smaller one is a warning."""
_NOTHING = "–"


@dataclass(frozen=True)
class Proofreader:
    """The name, digest and task of the model that has read a translation."""

    name: str
    digest: str
    task: Task


@dataclass(frozen=True, repr=False)
class Proofreading(Displayed):
    """All pronouns of a translation, in the order of the text.

    Those whose chance of being wrong reaches the threshold are doubtful. `str` is the text that
    `crosspro proofread` prints. With warnings, the text may be in another language than the model
    reads: then that no pronoun is doubtful says nothing.
    """

    model: Proofreader
    text: TranslatedText
    pronouns: tuple[PronounDoubt, ...]
    threshold: float = DOUBTFUL
    warnings: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[PronounDoubt]:
        return iter(self.pronouns)

    def __len__(self) -> int:
        return len(self.pronouns)

    def __repr__(self) -> str:
        pronouns = counted(len(self), "pronoun")
        return f"<Proofreading by {self.model.name}: {pronouns}, {len(self.doubtful):,} doubtful>"

    def __str__(self) -> str:
        return as_text(self).rstrip("\n")

    def html(self) -> str:
        from crosspro.prediction.proofread.page import proofreading_page

        return proofreading_page(self)

    @cached_property
    def worst_first(self) -> list[PronounDoubt]:
        return sorted(self.pronouns, key=lambda doubt: -doubt.wrong)

    @property
    def doubtful(self) -> list[PronounDoubt]:
        return [doubt for doubt in self.worst_first if doubt.wrong >= self.threshold]

    @property
    def signature(self) -> str:
        digest = f"|digest:{self.model.digest[:12]}" if self.model.digest else ""
        return (
            f"metric:proofread|model:{self.model.name}{digest}|threshold:{self.threshold:g}|"
            f"crosspro:{__version__}"
        )

    def to_dict(self) -> dict[str, Any]:
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
            "files": {"source": self.text.source_name, "translation": self.text.target_name},
            "threshold": self.threshold,
            "signature": self.signature,
            "warnings": list(self.warnings),
            "counts": {
                "segments": len(self.text.segments),
                "documents": self.text.document_count,
                "pronouns": len(self),
                "doubtful": len(self.doubtful),
            },
            "pronouns": self.records(),
        }

    def records(self) -> list[dict[str, Any]]:
        return [_record(doubt, doubt.wrong >= self.threshold) for doubt in self.worst_first]


def proofreading(
    predictor: Predictor,
    digest: str,
    text: TranslatedText,
    threshold: float = DOUBTFUL,
    *,
    any_language: bool = False,
    progress: Callable[[int], None] = lambda segments: None,
) -> Proofreading:
    """Read a translation with a model; `progress` gets the number of segments newly read.

    Unless `any_language`, a text that looks like another language is refused if it is long or has
    no pronoun that the model knows; otherwise there is a warning.
    """
    problems = [] if any_language else check_languages(text, predictor.task)
    model = Proofreader(predictor.name, digest, predictor.task)
    doubts = proofread(predictor, text, progress=progress)
    if problems and not doubts:
        raise InputError(problems, f"{predictor.name} knows no pronoun here: nothing was judged")
    return Proofreading(model, text, doubts, threshold, tuple(map(str, problems)))


# For programs -------------------------------------------------------------------------------------


def as_json(result: Proofreading) -> str:
    return json_text(result.to_dict())


def as_json_lines(result: Proofreading) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in result.records())


def _record(doubt: PronounDoubt, doubtful: bool) -> dict[str, Any]:
    source, nouns = doubt.source_place, []
    for noun in doubt.stands_for:
        values = asdict(noun)
        place = values.pop("place")
        nouns.append({**values, "line": place.line, "start": place.start, "end": place.end})
    return {
        "kind": str(doubt.kind),
        "document": doubt.document or None,
        "segment": doubt.place.segment + 1,
        "line": doubt.place.line,
        "start": doubt.place.start,
        "end": doubt.place.end,
        "word": doubt.word,
        "label": doubt.label,
        "source_line": source.line,
        "source_start": source.start,
        "source_end": source.end,
        "source_word": doubt.source_word,
        "probability": doubt.probability,
        "wrong": doubt.wrong,
        "doubtful": doubtful,
        "suggestion": doubt.suggestion,
        "suggestion_label": doubt.suggestion_label,
        "suggestion_probability": doubt.suggestion_probability,
        "stands_for": nouns,
        "reason": doubt.reason,
        "probabilities": dict(doubt.probabilities),
    }


_TITLES = {
    DoubtKind.WORD: "A pronoun that is probably wrong",
    DoubtKind.MISSING: "A pronoun of the source that nothing translates",
}


def as_github(result: Proofreading) -> str:
    """Workflow commands that annotate the lines of a pull request.

    Names and messages are escaped, so that they write no command of their own.
    """
    lines = []
    for doubt in result.doubtful:
        line, start, end = doubt.place[1:]
        properties: dict[str, Any] = {
            "file": result.text.target_name, "line": line, "endLine": line,
        }  # fmt: skip
        if result.text.is_line:
            properties |= {"col": start + 1, "endColumn": max(end, start + 1)}
        properties["title"] = _TITLES[doubt.kind]
        where = ",".join(f"{key}={_escaped(str(value))}" for key, value in properties.items())
        message = f"{_doubt_text(doubt)} (chance of being wrong: {_chance(result, doubt.wrong)})"
        level = "error" if doubt.wrong >= _CERTAIN else "warning"
        lines.append(f"::{level} {where}::{_escaped(message, in_property=False)}\n")
    return "".join(lines)


def _escaped(text: str, in_property: bool = True) -> str:
    """A line break ends a command; in a property, so do commas and colons."""
    for character in "%\r\n:," if in_property else "%\r\n":
        text = text.replace(character, f"%{ord(character):02X}")
    return printable(text)


# For a terminal -----------------------------------------------------------------------------------


def as_text(result: Proofreading) -> str:
    """A line for each doubtful pronoun, as compilers write it; then a summary."""
    lines = [
        f"{_where(result, doubt)}: {_chance(result, doubt.wrong)} {_doubt_text(doubt)}"
        for doubt in result.doubtful
    ]
    lines += ["", summary(result)] if lines else [summary(result)]
    return "".join(f"{printable(line)}\n" for line in lines)


def summary(result: Proofreading) -> str:
    name, segments = result.model.name, counted(len(result.text.segments), "segment")
    if not result.pronouns:
        return f"Nothing to judge: no pronoun that {name} knows in {segments}."
    if result.warnings and not result.doubtful:
        return f"Nothing can be judged by {name} in {segments}: {'; '.join(result.warnings)}."
    return (
        f"{counted(len(result), 'pronoun')} read by {name} in {segments}: "
        f"{len(result.doubtful):,} probably wrong (chance of {result.threshold:g} or more)."
    )


def _where(result: Proofreading, doubt: PronounDoubt) -> str:
    where = f"{result.text.target_name}:{doubt.place.line}"
    return f"{where}:{doubt.place.start + 1}" if result.text.is_line else where


def _doubt_text(doubt: PronounDoubt) -> str:
    """`es → er?` and why; for a pronoun that the model expects, the word and why."""
    if not doubt.expects_other:
        return f"{doubt.word}: {doubt.reason}"
    change = doubt.word or _NOTHING
    if doubt.suggestion:
        change += f" → {doubt.suggestion}"
    return f"{change}? {doubt.reason}"


def _chance(result: Proofreading, chance: float) -> str:
    """Two decimals, or as many as show on which side of the threshold a chance is."""
    digits = 2
    while (round(chance, digits) >= result.threshold) != (chance >= result.threshold):
        digits += 1
    return f"{chance:.{digits}f}"
