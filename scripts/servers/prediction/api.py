"""The JSON interface: what may be asked, what is answered, and how answers are made.

OpenAPI shows these classes. A request of another form is refused with all faults at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.shared_task import format_example
from crosspro.data_prep.pipeline.pairs.pipeline import PreparedPair
from crosspro.data_prep.pipeline.pairs.typed_text import GapMark, SentencePair
from crosspro.prediction.evidence import Cell, Evidence, Explanation
from crosspro.prediction.pair_prediction import GapPrediction, PointedWord

MOST_CHARACTERS = 2000
MOST_CONTEXT = 20
MOST_GAPS = 20
MOST_ROWS = 1000
MOST_LINE = 10_000
"""Characters of a five-column line, which has both sides, tags and links."""

Text = Annotated[str, Field(max_length=MOST_CHARACTERS)]
Place = Annotated[int, Field(ge=0, strict=True)]
Name = Annotated[str, Field(max_length=200)]


Pair = Annotated[list[int], Field(min_length=2, max_length=2)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class GapRequest(_Strict):
    """A gap: the target token that is hidden, the source token that it translates, or both."""

    target: Place | None = Field(default=None, description="Token of the target, from 0.")
    source: Place | None = Field(default=None, description="Token of the source, from 0.")


class PairRequest(_Strict):
    """A sentence and its translation, as text."""

    source: Text
    target: Text
    links: Text | None = Field(default=None, description="Word links `0-0 1-2`; made if not given.")

    def pair(self) -> SentencePair:
        """The same for the pipeline."""
        return SentencePair(self.source, self.target, self.links)


class TextRequest(PairRequest):
    """A pair that is asked about, with the pairs before it."""

    context: list[PairRequest] = Field([], max_length=MOST_CONTEXT)
    gaps: list[GapRequest] | None = Field(
        default=None,
        max_length=MOST_GAPS,
        description="Without it: REPLACE in the target, else what the rules of the task find.",
    )

    def marks(self) -> tuple[GapMark, ...] | None:
        """The gaps for the pipeline."""
        if self.gaps is None:
            return None
        return tuple(GapMark(gap.target, gap.source) for gap in self.gaps)


class PredictionRequest(_Strict):
    """What is predicted: one of `text`, `lines` and `example`."""

    task: Name | None = Field(
        default=None, description="Needed if systems of several tasks are loaded."
    )
    systems: list[Name] | None = Field(
        default=None, max_length=50, description="All, if not given."
    )
    text: TextRequest | None = None
    lines: list[Annotated[str, Field(max_length=MOST_LINE)]] | None = Field(
        default=None,
        min_length=1,
        max_length=MOST_CONTEXT + 1,
        description="Lines of a five-column file; the last one is asked about.",
    )
    example: Name | None = Field(
        default=None, description="The name of an example of /api/systems."
    )

    @model_validator(mode="after")
    def _one_of_three(self) -> PredictionRequest:
        given = [one for one in (self.text, self.lines, self.example) if one is not None]
        if len(given) != 1:
            raise ValueError(f"expected one of text, lines and example, found {len(given)}")
        return self


class ExplanationRequest(PredictionRequest):
    """The same, and the gap whose class is explained."""

    gap: int = Field(1, ge=1, le=1000, strict=True, description="From 1.")
    rows: int = Field(15, ge=1, le=MOST_ROWS, strict=True, description="Rows of a table.")


class DescribedSystem(_Strict):
    """A system that is loaded; `context` is how many sentences before it looks at."""

    name: str
    kind: str
    context: int


class DescribedExample(_Strict):
    """An example to start from; those of the group `text` are raw text."""

    name: str
    group: str
    title: str


class DescribedTask(_Strict):
    """A task, its systems and examples; `text_lacks` says why no text can be typed for it."""

    name: str
    source_language: str
    target_language: str
    classes: list[str]
    source_pronouns: list[str]
    systems: list[DescribedSystem]
    text: bool
    text_lacks: str | None
    examples: list[DescribedExample]


class SystemsAnswer(_Strict):
    """Everything that can be asked for."""

    tasks: list[DescribedTask]


class OfferedText(_Strict):
    """A sentence pair with the pairs before it."""

    source: str
    target: str
    context: list[PairRequest]


class ExampleAnswer(_Strict):
    """An example: five-column lines, of which the last is asked about, or text."""

    name: str
    lines: list[str] | None = None
    text: OfferedText | None = None


class AnsweredSentence(_Strict):
    """A sentence as systems see it. `words` has the place and the word typed for each target token.

    Links in `positional` rest on positions alone. `gaps` are places of the target.
    """

    source: list[str]
    target: list[str]
    words: list[tuple[int, str] | None] | None
    links: list[Pair]
    positional: list[Pair]
    gaps: list[int]


class SystemPrediction(_Strict):
    """The class that a system decides on, and the probability of each."""

    system: str
    label: str
    probabilities: dict[str, float]


class AnsweredGap(_Strict):
    """A gap (from 1) of the last sentence: where it is, what it hides, and what is predicted."""

    number: int
    position: int
    source_index: int
    pronoun: str
    hidden_word: str | None
    hidden_label: str | None
    inserted: bool | None
    predictions: list[SystemPrediction]


class PredictionAnswer(_Strict):
    """The sentences, the same as five-column lines, the gaps of the last one, and notes."""

    task: str
    sentences: list[AnsweredSentence]
    lines: list[str]
    gaps: list[AnsweredGap]
    notes: list[str]


class SystemExplanation(_Strict):
    """Why a system chose a class, and the words that it points at, the most probable first."""

    system: str
    explanation: Explanation
    antecedents: list[PointedWord]


class ExplanationAnswer(_Strict):
    """What each system says of a gap."""

    task: str
    gap: int
    explanations: list[SystemExplanation]


class ProblemAnswer(_Strict):
    """A fault; a file's or a field's has all parts."""

    message: str
    where: str | None = None
    line: int | None = None
    field: str | None = None
    expected: str | None = None
    found: str | None = None


class ProblemsAnswer(_Strict):
    """Why there is no answer: all faults at once."""

    problems: list[ProblemAnswer]


@dataclass(frozen=True)
class AnswerText:
    """Examples, the last of which is asked about, and how they were typed, if they were."""

    examples: tuple[Example, ...]
    pair: PreparedPair | None = None


def prediction_answer(
    task: Task,
    text: AnswerText,
    answers: Mapping[str, Sequence[GapPrediction]],
    notes: Sequence[str],
) -> PredictionAnswer:
    """The sentences, and each gap of the last one with what the systems predict for it."""
    pair, last = text.pair, text.examples[-1]
    gaps = []
    for number, gap in enumerate(last.gaps):
        typed = pair.gaps[number] if pair else None
        gaps.append(
            AnsweredGap(
                number=number + 1,
                position=gap.position,
                source_index=gap.source_index,
                pronoun=last.source[gap.source_index],
                hidden_word=typed.word if typed else gap.word,
                hidden_label=typed.label if typed else gap.label,
                inserted=typed.inserted if typed else None,
                predictions=[
                    SystemPrediction(
                        system=name,
                        label=found[number].label,
                        probabilities=dict(found[number].probabilities),
                    )
                    for name, found in answers.items()
                ],
            )
        )
    return PredictionAnswer(
        task=task.name,
        sentences=[_sentence(text, number) for number in range(len(text.examples))],
        lines=[format_example(example) for example in text.examples],
        gaps=gaps,
        notes=list(dict.fromkeys([*(pair.notes if pair else ()), *notes])),
    )


def _sentence(text: AnswerText, number: int) -> AnsweredSentence:
    example = text.examples[number]
    typed = text.pair.sentences[number] if text.pair else None
    return AnsweredSentence(
        source=list(example.source),
        target=list(example.target),
        words=list(typed.words) if typed else None,
        links=[list(link) for link in example.links],
        positional=sorted(map(list, typed.positional)) if typed else [],
        gaps=[gap.position for gap in example.gaps],
    )


def explanation_answer(
    task: Task,
    gap: int,
    found: Mapping[str, tuple[Explanation, Sequence[PointedWord]]],
    rows: int,
) -> ExplanationAnswer:
    """What each system says of a gap and points at; tables have at most so many rows."""
    explanations = [
        SystemExplanation.model_validate(
            {
                "system": name,
                "explanation": asdict(_cut(why, rows)),
                "antecedents": [asdict(word) for word in pointed],
            }
        )
        for name, (why, pointed) in found.items()
    ]
    return ExplanationAnswer(task=task.name, gap=gap, explanations=explanations)


def _cut(explanation: Explanation, rows: int) -> Explanation:
    evidence = explanation.evidence
    if evidence is None:
        return explanation
    cut_tables = (table.cut(rows) for table in evidence.tables)
    tables = [
        replace(table, rows=tuple(tuple(map(_finite, row)) for row in table.rows))
        for table in cut_tables
    ]
    members = tuple(
        replace(member, explanation=_cut(member.explanation, rows)) for member in evidence.members
    )
    cut: Evidence = replace(evidence, tables=tuple(tables), members=members)
    return replace(explanation, evidence=cut)


def _finite(cell: Cell) -> Cell:
    """JSON has no infinite numbers, which logarithms of nothing are."""
    return cell if isinstance(cell, str) or isfinite(cell) else str(cell)
