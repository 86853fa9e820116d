"""Checks of a run's settings before anything runs, on plain values: all faults at once."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import isfunction
from pathlib import Path
from typing import Annotated, Any, TypeGuard

from crosspro.data_prep.core.errors import InputError, Problem, input_error, quoted
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.settings import Fault, Must, Seed, one_of, shown
from crosspro.data_prep.core.task import Task, task_from_mapping
from crosspro.data_prep.pipeline.sets.splits import Splits
from crosspro.prediction.arguments import (
    BY_NAME,
    argument_faults,
    constructor,
    faults,
    hints_of,
    settings_problems,
    unknown_arguments,
    whole,
)
from crosspro.prediction.system import System, is_registered

_BY_POSITION = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.VAR_POSITIONAL,
)
DATA_TARGET = (
    "a function that can be imported, as crosspro.data_prep.pipeline.sets.splits.file_splits"
)
DataFunction = Callable[..., Splits]


_SECTIONS = ("task", "data", "system", "trainer")
Section = Annotated[Mapping[Any, Any], Must("a section of settings", lambda value: True)]


@dataclass(frozen=True)
class RunSettings:
    """The sections and values of a run's settings, by their keys."""

    task: Section
    data: Section
    system: Section
    trainer: Section
    seed: Seed
    absent: Annotated[str, one_of(("skip", "zero"))]
    resamples: Annotated[int, whole()]
    resampling_seed: Seed


def checked(
    settings: dict[str, Any], names: Mapping[str, str]
) -> tuple[Task, System, DataFunction]:
    """The task, the system and the function of the data, or one error with every problem.

    `names` are those of the configurations that the parts of the settings come from.
    """
    found = faults((), settings, RunSettings)
    problems = settings_problems(found)
    if any(fault.place[0] in _SECTIONS for fault in found):
        raise InputError(problems)
    data = dict(settings["data"])
    function = imported("data", data.pop("_target_", None), DATA_TARGET, problems)
    if function is not None:
        problems += settings_problems(data_faults(function, data))
    made = made_system("system", settings["system"], names, problems)
    if made is not None and data.get("in_domain") is not None and not made.fine_tunes:
        expected = f"null, since {made.shown_name} does not learn in stages"
        problems += input_error(
            "settings", "data.in_domain", expected, shown(data["in_domain"])
        ).problems
    try:
        task = task_from_mapping(settings["task"], f"task {names.get('task', '')}")
    except InputError as error:
        problems = [*error.problems, *problems]
    if problems or made is None:
        raise InputError(problems)
    return task, made, function


def check_folder(settings: Mapping[str, Any], folder: Path, key: str) -> None:
    """Refuse the folder of the data for a run: a submission might replace a data file."""
    data = settings["data"].get("dir")
    if data and Path(data).resolve() == folder.resolve():
        raise input_error("settings", key, "another folder than data.dir", str(folder))


def load_data(task: Task, function: DataFunction, settings: Mapping[str, Any]) -> Splits:
    """The examples of a run, from the function that was chosen."""
    splits = function(task, **{key: settings[key] for key in settings if key != "_target_"})
    found = unlike_splits(splits)
    if found:
        expected = "a function that returns crosspro.data_prep.pipeline.sets.splits.Splits"
        raise input_error("settings", "data._target_", expected, found)
    return splits


def imported(key: str, name: object, expected: str, problems: list[Problem]) -> Any:
    """What the `_target_` of a section names, or None and a problem."""
    found = "nothing" if name is None else shown(name)
    if isinstance(name, str) and name:
        try:
            return pkgutil.resolve_name(name)
        except (ImportError, AttributeError, ValueError) as error:
            found = " ".join(str(error).split())
    problems += settings_problems([Fault((key, "_target_"), expected, found)])
    return None


def data_faults(target: object, arguments: Mapping[str, Any]) -> Iterator[Fault]:
    """The section `data`: a function of a task and of settings, which must fit its signature.

    Its first parameter gets the task.
    """
    every = list(inspect.signature(target).parameters.items()) if isfunction(target) else []
    if not every or every[0][1].kind not in _BY_POSITION:  # what else there is, is not called
        expected = "a function of a task that returns Splits"
        yield Fault(("data", "_target_"), expected, shown(target))
        return
    parameters, hints = dict(every[1:]), hints_of(target)
    yield from unknown_arguments(parameters, ("data",), arguments)
    for name, parameter in parameters.items():
        value = arguments.get(name, "???")
        optional = name not in arguments and parameter.default is not parameter.empty
        if optional or parameter.kind not in BY_NAME:
            continue
        wrong = faults(("data", name), value, hints.get(name, Any))
        if value == "???" or (value is None and wrong):
            yield Fault(("data", name), "a value", f"nothing (give it as data.{name}=…)")
        else:
            yield from wrong


def component_faults(key: str, target: object, arguments: Mapping[str, Any]) -> Iterator[Fault]:
    """A system: the class must be one that can be loaded again, and take these arguments."""
    if not _is_class(target):
        expected = "a subclass of crosspro.prediction.system.System"
        yield Fault((key, "_target_"), expected, quoted(repr(target)))
        return
    if not is_registered(target):
        found = f"{target.__module__}.{target.__qualname__}, which could not be loaded again"
        yield Fault((key, "_target_"), "a class of prediction/registry.py", found)
    parameters = constructor(target).parameters
    yield from unknown_arguments(parameters, (key,), arguments)
    for name, parameter in parameters.items():
        needed = parameter.default is parameter.empty and parameter.kind in BY_NAME
        if needed and name not in arguments:
            yield Fault((key, name), "a value", "nothing")
    yield from argument_faults(target, (key,), arguments)


def made_system(
    key: str, settings: Mapping[str, Any], names: Mapping[str, str], problems: list[Problem]
) -> System | None:
    """The system of a section, made with those among its arguments; None if it is refused.

    `names` are those of the configurations that systems come from, by the keys of their sections.
    """
    given = {
        name: _argument(f"{key}.{name}", value, names, problems)
        for name, value in settings.items()
        if name != "_target_"
    }
    target = imported(key, settings.get("_target_"), "a class that can be imported", problems)
    if target is None:
        return None
    problems += settings_problems(component_faults(key, target, given))
    if not _is_class(target):  # and nothing else is called
        return None
    unknown = {
        argument.place[-1]
        for argument in unknown_arguments(constructor(target).parameters, (), given)
    }
    try:
        made = target(**{name: given[name] for name in given if name not in unknown})
        made.configured = names.get(key, "")
        return made
    except InputError as error:
        found = [_placed(problem, key) for problem in error.problems]
        told = {problem.field for problem in found}  # the constructor knows more
        problems[:] = [one for one in problems if one.field not in told] + found
    except Exception:
        if not problems:
            raise
    return None


def _argument(key: str, value: Any, names: Mapping[str, str], problems: list[Problem]) -> Any:
    """An argument in which sections with a target are systems, and refused ones left out."""
    if _is_system(value):
        return made_system(key, value, names, problems)
    if not isinstance(value, Mapping | list):
        return value
    items = value.items() if isinstance(value, Mapping) else enumerate(value)
    made = {name: _argument(f"{key}.{name}", item, names, problems) for name, item in items}
    kept = {n: part for n, part in made.items() if part is not None or not _is_system(value[n])}
    return kept if isinstance(value, Mapping) else list(kept.values())


def _is_class(target: object) -> TypeGuard[type[System]]:
    return isinstance(target, type) and issubclass(target, System)


def _is_system(value: object) -> bool:
    return isinstance(value, Mapping) and "_target_" in value


def _placed(problem: Problem, key: str) -> Problem:
    """A problem that a constructor found, with the key of its section; it says system."""
    inside = problem.field.removeprefix("system.")
    return problem if inside == problem.field else replace(problem, field=f"{key}.{inside}")


def unlike_splits(value: object) -> str | None:
    """What a function of data has returned, if it is not `Splits` of examples."""
    if not isinstance(value, Splits):
        return f"one of {type(value).__name__}"
    if not isinstance(value.test, Mapping):
        return f"one whose test sets are {type(value.test).__name__} and not a mapping of names"
    sets = {"train": value.train, "dev": value.dev, **value.test}
    for name, examples in sets.items():
        if not isinstance(examples, Sequence) or not all(isinstance(e, Example) for e in examples):
            return f"one whose {name} is {type(examples).__name__} and not a list of Example"
    return None
