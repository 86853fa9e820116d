"""What is answered over HTTP, as the OpenAPI document shows it; answers are made elsewhere."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from crosspro.prediction.evidence import Explanation
from crosspro.prediction.pair_prediction import PointedWord
from crosspro.scripts.servers.prediction.requests import PairRequest

Pair = Annotated[list[int], Field(min_length=2, max_length=2)]


class _Described(BaseModel):
    model_config = ConfigDict(extra="forbid")


class DescribedSystem(_Described):
    """A system that is loaded; `context` is how many sentences before it looks at."""

    name: str
    kind: str
    context: int


class DescribedExample(_Described):
    """An example to start from; those of the group `text` are raw text."""

    name: str
    group: str
    title: str


class DescribedTask(_Described):
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


class SystemsAnswer(_Described):
    """Everything that can be asked for."""

    tasks: list[DescribedTask]


class OfferedText(_Described):
    """A sentence pair with the pairs before it."""

    source: str
    target: str
    context: list[PairRequest]


class ExampleAnswer(_Described):
    """An example: five-column lines, of which the last is asked about, or text."""

    name: str
    lines: list[str] | None = None
    text: OfferedText | None = None


class AnsweredSentence(_Described):
    """A sentence as systems see it. `words` has the place and the word typed for each target token.

    Links in `positional` rest on positions alone. `gaps` are places of the target.
    """

    source: list[str]
    target: list[str]
    words: list[tuple[int, str] | None] | None
    links: list[Pair]
    positional: list[Pair]
    gaps: list[int]


class SystemPrediction(_Described):
    """The class that a system decides on, and the probability of each."""

    system: str
    label: str
    probabilities: dict[str, float]


class AnsweredGap(_Described):
    """A gap (from 1) of the last sentence: where it is, what it hides, and what is predicted."""

    number: int
    position: int
    source_index: int
    pronoun: str
    hidden_word: str | None
    hidden_label: str | None
    inserted: bool | None
    predictions: list[SystemPrediction]


class PredictionAnswer(_Described):
    """The sentences, the same as five-column lines, the gaps of the last one, and notes."""

    task: str
    sentences: list[AnsweredSentence]
    lines: list[str]
    gaps: list[AnsweredGap]
    notes: list[str]


class SystemExplanation(_Described):
    """Why a system chose a class, and the words that it points at, the most probable first."""

    system: str
    explanation: Explanation
    antecedents: list[PointedWord]


class ExplanationAnswer(_Described):
    """What each system says of a gap."""

    task: str
    gap: int
    explanations: list[SystemExplanation]


class ProblemAnswer(_Described):
    """A fault; a file's or a field's has all parts."""

    message: str
    where: str | None = None
    line: int | None = None
    field: str | None = None
    expected: str | None = None
    found: str | None = None


class ProblemsAnswer(_Described):
    """Why there is no answer: all faults at once."""

    problems: list[ProblemAnswer]
