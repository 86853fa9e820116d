"""What the page can ask: which systems there are, what they predict, and why.

Answers are JSON values. Nothing here knows of HTTP: the app hands over checked requests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.errors import (
    CrossproError,
    InputError,
    Problem,
    choices,
    input_error,
    quoted,
)
from crosspro.data_prep.example import Example
from crosspro.data_prep.formats.shared_task import parse_examples
from crosspro.data_prep.layers import layers_in
from crosspro.data_prep.pairs.pipeline import DOCUMENT, PairPipeline
from crosspro.data_prep.pairs.typed_text import GapMark, SentencePair
from crosspro.data_prep.task import Task
from crosspro.prediction.explanation import explained
from crosspro.prediction.output import layer_notes
from crosspro.prediction.pair_prediction import pointed_words, predict_last
from crosspro.prediction.runs import names_of
from crosspro.prediction.serve.answers import (
    AnswerText,
    Json,
    explanation_json,
    prediction_json,
)
from crosspro.prediction.serve.offered import OfferedExample
from crosspro.prediction.serve.turn import Turns
from crosspro.prediction.system import System, load_systems

MOST_TOKENS = 200
"""Of a side of a sentence; what takes time grows with the square."""


@dataclass(frozen=True)
class AskedPair:
    """Raw text: a pair, the pairs before it, and the gaps that are wanted."""

    pair: SentencePair
    context: tuple[SentencePair, ...] = ()
    gaps: tuple[GapMark, ...] | None = None


@dataclass(frozen=True)
class Asked:
    """A request: one of text, five-column lines and an offered example, of one task."""

    task: str | None = None
    systems: tuple[str, ...] | None = None
    text: AskedPair | None = None
    lines: tuple[str, ...] | None = None
    example: str | None = None


class Desk:
    """Systems, loaded once, and the pipelines of their tasks."""

    def __init__(
        self,
        systems: Mapping[str, System],
        pipelines: Mapping[str, PairPipeline],
        offered: Mapping[str, Sequence[OfferedExample]],
    ) -> None:
        self.systems = dict(systems)
        self.tasks = tasks_of(self.systems)
        self.pipelines = dict(pipelines)
        self.offered = {
            name: {example.name: example for example in offered.get(name, ())}
            for name in self.tasks
        }
        self.turns = Turns()
        self.untyped: dict[str, str] = {}
        """Why text of a task cannot be typed, where something is missing for it."""

    def warm(self) -> None:
        """Load what the first request would wait for; an annotator that is missing is noted."""
        for name, pipeline in self.pipelines.items():
            _ = pipeline.aligner  # a prior that cannot be read is an error
            word = next(iter(self.tasks[name].source_pronouns), "a")
            try:
                pipeline.prepare(SentencePair(f"{word} .", "a ."))
            except CrossproError as error:
                self.untyped[name] = str(error)

    def described(self) -> Json:
        """The tasks with their systems, and whether text can be typed."""
        return {
            "tasks": [
                {
                    "name": task.name,
                    "source_language": task.source_language,
                    "target_language": task.target_language,
                    "classes": list(task.classes),
                    "source_pronouns": list(task.source_pronouns),
                    "systems": [
                        {"name": key, "kind": system.shown_name, "context": system.context}
                        for key, system in self.systems.items()
                        if system.task.name == name
                    ],
                    "text": name not in self.untyped,
                    "text_lacks": self.untyped.get(name),
                    "examples": [
                        {"name": one.name, "group": one.group, "title": one.title}
                        for one in self.offered[name].values()
                    ],
                }
                for name, task in self.tasks.items()
            ]
        }

    def example(self, task: str, name: str) -> Json:
        """The content of an offered example."""
        return self._offered(self._task(task), name).content()

    def predict(self, asked: Asked) -> Json:
        """The sentences with their gaps, and what each system predicts for those of the last."""
        task, chosen = self._checked(asked)
        with self.turns.turn():
            prepared = self._prepare(asked, task)
            answers = {
                name: predict_last(system, prepared.examples) for name, system in chosen.items()
            }
        notes = [
            note
            for system in chosen.values()
            for note in layer_notes(system, "text", layers_in(prepared.examples))
        ]
        return prediction_json(task, prepared, answers, notes)

    def explain(self, asked: Asked, gap: int, rows: int) -> Json:
        """Why each system chose the class of a gap (from 1); tables have at most so many rows."""
        task, chosen = self._checked(asked)
        with self.turns.turn():
            prepared = self._prepare(asked, task)
            gaps = len(prepared.examples[-1].gaps)
            if gap > gaps:
                raise input_error("request", "gap", f"one of {gaps} gaps", str(gap))
            line = len(prepared.examples) - 1
            found = {
                name: explained(system, prepared.examples, line, gap - 1)
                for name, system in chosen.items()
            }
            pointed = {
                name: pointed_words(system, prepared.examples, gap - 1)
                for name, system in chosen.items()
            }
        return explanation_json(task, gap, found, pointed, rows)

    def _checked(self, asked: Asked) -> tuple[Task, dict[str, System]]:
        task = self._task(asked.task)
        own = {name: one for name, one in self.systems.items() if one.task.name == task.name}
        if asked.systems is None:
            return task, own
        problems = [
            Problem("request", None, "systems", choices(own), self._unfit(name, task))
            for name in asked.systems
            if name not in own
        ]
        if problems:
            raise InputError(problems)
        return task, {name: own[name] for name in asked.systems}

    def _unfit(self, name: str, task: Task) -> str:
        if name not in self.systems:
            return quoted(name)
        other = self.systems[name].task.name
        return f"{quoted(name)}, which is a system of {other} and not of {task.name}"

    def _task(self, name: str | None) -> Task:
        if name is None and len(self.tasks) == 1:
            return next(iter(self.tasks.values()))
        if name not in self.tasks:
            found = "nothing" if name is None else quoted(name)
            raise input_error("request", "task", choices(self.tasks), found)
        return self.tasks[name]

    def _offered(self, task: Task, name: str) -> OfferedExample:
        if name not in self.offered[task.name]:
            raise input_error("request", "example", "an example of the list", quoted(name))
        return self.offered[task.name][name]

    def _prepare(self, asked: Asked, task: Task) -> AnswerText:
        if asked.example is not None:
            offered = self._offered(task, asked.example)
            if offered.lines:
                return AnswerText(offered.lines)
            *context, pair = offered.pairs
            return self._typed(AskedPair(pair, tuple(context)), task)
        if asked.text is not None:
            return self._typed(asked.text, task)
        if asked.lines is not None:
            examples = parse_examples(asked.lines, task, "lines", DOCUMENT)
            _check_sizes(examples)
            return AnswerText(tuple(examples))
        raise input_error("request", "request", "text, lines or example", "none of them")

    def _typed(self, asked: AskedPair, task: Task) -> AnswerText:
        if task.name in self.untyped:
            raise CrossproError(self.untyped[task.name])
        pipeline = self.pipelines[task.name]
        pipeline.check_sizes([*asked.context, asked.pair], MOST_TOKENS)
        found = pipeline.prepare(asked.pair, asked.context, asked.gaps)
        return AnswerText(found.examples, found)


def load_named(runs: Sequence[Path]) -> dict[str, System]:
    """The systems of runs under names that tell them apart."""
    return dict(zip(names_of(runs), load_systems(runs), strict=True))


def tasks_of(systems: Mapping[str, System]) -> dict[str, Task]:
    """The tasks of some systems; two that have a name in common must be one."""
    tasks: dict[str, Task] = {}
    problems = []
    for name, system in systems.items():
        task = tasks.setdefault(system.task.name, system.task)
        if task != system.task:
            expected = f"the task {task.name} as the other systems have it"
            problems.append(Problem(name, None, "task", expected, "other rules of that name"))
    if problems:
        raise InputError(problems)
    return tasks


def _check_sizes(examples: Sequence[Example]) -> None:
    problems = [
        Problem("lines", number, side, f"at most {MOST_TOKENS} tokens", str(size))
        for number, example in enumerate(examples, start=1)
        for side, size in (("source", len(example.source)), ("target", len(example.target)))
        if size > MOST_TOKENS
    ]
    if not examples:
        problems.append(Problem("lines", None, "lines", "at least one", "none"))
    if problems:
        raise InputError(problems)
