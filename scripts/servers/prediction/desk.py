"""What the page can ask: which systems there are, what they predict, and why.

Nothing here knows of HTTP: the app hands over checked requests, one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.core.errors import (
    CrossproError,
    InputError,
    Problem,
    choices,
    input_error,
    quoted,
)
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.shared_task import LEMMATISED, parse_examples
from crosspro.data_prep.pipeline.pairs.pipeline import DOCUMENT, PairPipeline
from crosspro.data_prep.pipeline.pairs.typed_text import SentencePair
from crosspro.prediction.evidence import Explanation
from crosspro.prediction.explanation import explained
from crosspro.prediction.output import layer_notes
from crosspro.prediction.pair_prediction import (
    PointedWord,
    as_learnt,
    pointed_words,
    predict_last,
)
from crosspro.prediction.runs import names_of
from crosspro.prediction.system import System, load_systems
from crosspro.scripts.servers.prediction.api import (
    AnswerText,
    DescribedExample,
    DescribedSystem,
    DescribedTask,
    ExampleAnswer,
    ExplanationAnswer,
    ExplanationRequest,
    PredictionAnswer,
    PredictionRequest,
    SystemsAnswer,
    explanation_answer,
    prediction_answer,
)
from crosspro.scripts.servers.prediction.offered import OfferedExample

_Answer = TypeVar("_Answer")
_Explained = tuple[Explanation, tuple[PointedWord, ...]]

MOST_TOKENS = 200
"""Of a side of a sentence; what takes time grows with the square."""


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
        self.untyped: dict[str, str] = {}
        """Why text of a task cannot be typed, where something is missing for it."""

    def warm(self) -> None:
        """Load what the first request would wait for; an annotator that is missing is noted."""
        for name, pipeline in self.pipelines.items():
            _ = pipeline.aligner  # a prior that cannot be read is an error
            word = next(iter(self.tasks[name].source_pronouns), "a")
            parse = any(one.reads_source_parse for one in self._of(name).values())
            try:
                pipeline.prepare(SentencePair(f"{word} .", "a ."), parse=parse)
            except CrossproError as error:
                self.untyped[name] = str(error)

    def described(self) -> SystemsAnswer:
        """The tasks with their systems, and whether text can be typed."""
        return SystemsAnswer(tasks=[self._described(task) for task in self.tasks.values()])

    def _described(self, task: Task) -> DescribedTask:
        return DescribedTask(
            name=task.name,
            source_language=task.source_language,
            target_language=task.target_language,
            classes=list(task.classes),
            source_pronouns=list(task.source_pronouns),
            systems=[
                DescribedSystem(name=key, kind=system.shown_name, context=system.context)
                for key, system in self._of(task.name).items()
            ],
            text=task.name not in self.untyped,
            text_lacks=self.untyped.get(task.name),
            examples=[
                DescribedExample(name=one.name, group=one.group, title=one.title)
                for one in self.offered[task.name].values()
            ],
        )

    def example(self, task: str, name: str) -> ExampleAnswer:
        """The content of an offered example."""
        return self._offered(self._task(task), name).content()

    def predict(self, asked: PredictionRequest) -> PredictionAnswer:
        """The sentences with their gaps, and what each system predicts for those of the last."""
        task, chosen = self._checked(asked)
        prepared = self._prepare(asked, task, chosen)
        answers, notes = _answers(chosen, prepared, predict_last)
        notes += [LEMMATISED] if task.tagged else []
        notes += [
            note
            for name in answers
            for note in layer_notes(chosen[name], "text", _layers(chosen[name], prepared))
        ]
        return prediction_answer(task, prepared, answers, notes)

    def explain(self, asked: ExplanationRequest) -> ExplanationAnswer:
        """Why each system chose the class of a gap."""
        task, chosen = self._checked(asked)
        prepared = self._prepare(asked, task, chosen)
        gaps = len(prepared.examples[-1].gaps)
        if asked.gap > gaps:
            raise input_error("request", "gap", f"one of {gaps} gaps", str(asked.gap))

        def answer(system: System, examples: Sequence[Example]) -> _Explained:
            why = explained(system, examples, len(examples) - 1, asked.gap - 1)
            return why, pointed_words(system, examples, asked.gap - 1)

        found, _ = _answers(chosen, prepared, answer)
        return explanation_answer(task, asked.gap, found, asked.rows)

    def _checked(self, asked: PredictionRequest) -> tuple[Task, dict[str, System]]:
        task = self._task(asked.task)
        own = self._of(task.name)
        if asked.systems is None:
            return task, own
        problems = [
            Problem("request", None, "systems", choices(own), self._unfit(name, task))
            for name in asked.systems
            if name not in own
        ]
        if problems:
            raise InputError(problems)
        return task, {name: own[name] for name in dict.fromkeys(asked.systems)}

    def _of(self, task: str) -> dict[str, System]:
        return {name: one for name, one in self.systems.items() if one.task.name == task}

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

    def _prepare(
        self, asked: PredictionRequest, task: Task, chosen: Mapping[str, System]
    ) -> AnswerText:
        """Examples of one of text, five-column lines and an offered example."""
        if asked.lines is not None:
            examples = parse_examples(asked.lines, task, "lines", DOCUMENT)
            _check_sizes(examples)
            return AnswerText(tuple(examples))
        if asked.text is not None:
            context = [one.pair() for one in asked.text.context]
            pairs, marks = [*context, asked.text.pair()], asked.text.marks()
        else:
            offered = self._offered(task, asked.example or "")
            if offered.lines:
                return AnswerText(offered.lines)
            pairs, marks = [*offered.pairs], None
        if task.name in self.untyped:
            raise CrossproError(self.untyped[task.name])
        pipeline = self.pipelines[task.name]
        pipeline.check_sizes(pairs, MOST_TOKENS)
        parse = any(system.reads_source_parse for system in chosen.values())
        found = pipeline.prepare(pairs[-1], pairs[:-1], marks, parse)
        return AnswerText(found.examples, found)


def _read_by(system: System, text: AnswerText) -> Sequence[Example]:
    """The examples for a system; lines have the layers that their file has."""
    return text.examples if text.pair is None else as_learnt(system, text.examples)


def _layers(system: System, text: AnswerText) -> frozenset[str]:
    return layers_in(_read_by(system, text))


def _answers(
    chosen: Mapping[str, System],
    text: AnswerText,
    answer: Callable[[System, Sequence[Example]], _Answer],
) -> tuple[dict[str, _Answer], list[str]]:
    """What systems answer, and notes on those that cannot; if none of them can, that is raised."""
    found: dict[str, _Answer] = {}
    failed: dict[str, CrossproError] = {}
    for name, system in chosen.items():
        try:
            found[name] = answer(system, _read_by(system, text))
        except CrossproError as error:
            failed[name] = error
    if failed and not found:
        raise next(iter(failed.values()))
    return found, [f"{name} does not answer: {error}" for name, error in failed.items()]


def load_named(runs: Sequence[Path], names: Sequence[str] = ()) -> dict[str, System]:
    """The systems of runs under names that tell them apart; the first have those given."""
    return dict(zip(names_of(runs, names), load_systems(runs), strict=True))


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
        for side, size in (("source", len(example.source)), ("target", len(example.lemmas)))
        if size > MOST_TOKENS
    ]
    if not examples:
        problems.append(Problem("lines", None, "lines", "at least one", "none"))
    if problems:
        raise InputError(problems)
