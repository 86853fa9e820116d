"""Checks of a run's settings before anything runs, on plain values: all faults at once."""

from __future__ import annotations

import difflib
import inspect
import pkgutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from inspect import isfunction
from itertools import zip_longest
from math import inf
from typing import Any, TypeGuard

from crosspro.data_prep.core.errors import InputError, Problem, choices, quoted
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.settings import shown
from crosspro.data_prep.pipeline.sets.splits import Splits
from crosspro.prediction.arguments import BY_NAME, argument_faults, constructor, faults, hints_of
from crosspro.prediction.registry import how_to_register
from crosspro.prediction.system import System, is_registered

_BY_POSITION = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.VAR_POSITIONAL,
)
_FOLDER = "hydra.run.dir"
_OPTIONS = {"t": "task", "o": _FOLDER, "output": _FOLDER}
"""What options of other commands are called here."""
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class Settings:
    """Collects the problems of one run's settings.

    `names` are those of the configurations that systems come from, by the keys of their sections.
    """

    def __init__(self, names: Mapping[str, str] | None = None) -> None:
        self.names = names or {}
        self.problems: list[Problem] = []

    def problem(self, key: str, expected: str, found: object) -> None:
        """Note a problem with a key."""
        shown = found if isinstance(found, str) else quoted(repr(found))
        self.problems.append(Problem("settings", None, key, expected, shown))

    def choice(self, key: str, value: object, allowed: Sequence[str]) -> None:
        """The value must be one of these."""
        if value not in allowed:
            self.problem(key, choices(allowed), repr(value))

    def number(self, key: str, value: object, least: int, most: float = inf) -> None:
        """The value must be a whole number from `least` to `most`."""
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not whole or not least <= value <= most:  # type: ignore[operator]
            end = f" to {most:,}" if most < inf else ""
            self.problem(key, f"a whole number from {least}{end}", value)

    def top(self, settings: Mapping[str, Any], known: Sequence[str]) -> bool:
        """The sections and values that there must be; whether each section is a mapping."""
        for key in settings:
            if key not in known:
                self.problem(key, choices(known), "an unknown key")
        sections = ("task", "data", "system", "trainer")
        bad = [key for key in sections if not isinstance(settings.get(key), Mapping)]
        for key in bad:
            self.problem(key, "a section of settings", settings.get(key))
        return not bad

    def imported(self, key: str, name: object, expected: str) -> Any:
        """What the `_target_` of a section names, or None and a problem."""
        if not isinstance(name, str) or not name:
            self.problem(f"{key}._target_", expected, "nothing" if name is None else name)
            return None
        try:
            return pkgutil.resolve_name(name)
        except (ImportError, AttributeError, ValueError) as error:
            self.problem(f"{key}._target_", expected, " ".join(str(error).split()))
            return None

    def data(self, target: object, arguments: Mapping[str, Any]) -> None:
        """The section `data`: a function of a task and of settings, which must fit its signature.

        Its first parameter gets the task.
        """
        every = list(inspect.signature(target).parameters.items()) if isfunction(target) else []
        if not every or every[0][1].kind not in _BY_POSITION:  # what else there is, is not called
            self.problem("data._target_", "a function of a task that returns Splits", shown(target))
            return
        parameters = dict(every[1:])
        known = {name: one for name, one in parameters.items() if one.kind in _NAMED}
        if not any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
            for name in arguments:
                if name not in known:
                    expected = choices(known) if known else "no setting"
                    self.problem(f"data.{name}", expected, "an unknown key")
        hints = hints_of(target)
        for name, parameter in known.items():
            value = arguments.get(name, "???")
            if name not in arguments and parameter.default is not parameter.empty:
                continue
            wrong = faults(f"data.{name}", value, hints.get(name, Any))
            if value == "???" or (value is None and wrong):
                self.problem(f"data.{name}", "a value", f"nothing (give it as data.{name}=…)")
            else:
                for fault in wrong:
                    self.problem(*fault)

    def system(self, key: str, settings: Mapping[str, Any]) -> System | None:
        """The system of a section, made with those among its arguments; None if it is refused."""
        given = {
            name: self._argument(f"{key}.{name}", value)
            for name, value in settings.items()
            if name != "_target_"
        }
        target = self.imported(key, settings.get("_target_"), "a class that can be imported")
        if target is None:
            return None
        self.component(key, target, given)
        if not _is_class(target):  # and nothing else is called
            return None
        try:
            made = target(**{name: given[name] for name in given if _takes(target, name)})
            made.configured = self.names.get(key, "")
            return made
        except InputError as error:
            found = [_placed(problem, key) for problem in error.problems]
            told = {problem.field for problem in found}  # the constructor knows more
            self.problems = [one for one in self.problems if one.field not in told] + found
        except Exception:
            if not self.problems:
                raise
        return None

    def _argument(self, key: str, value: Any) -> Any:
        """An argument in which sections with a target are systems, and refused ones left out."""
        if _is_system(value):
            return self.system(key, value)
        if not isinstance(value, Mapping | list):
            return value
        items = value.items() if isinstance(value, Mapping) else enumerate(value)
        made = {name: self._argument(f"{key}.{name}", item) for name, item in items}
        kept = {n: part for n, part in made.items() if part is not None or not _is_system(value[n])}
        return kept if isinstance(value, Mapping) else list(kept.values())

    def component(self, key: str, target: object, arguments: Mapping[str, Any]) -> None:
        """A system: the class must be one that can be loaded again, and take these arguments."""
        if not _is_class(target):
            expected = "a subclass of crosspro.prediction.system.System"
            self.problem(f"{key}._target_", expected, target)
            return
        if not is_registered(target):
            found = f"{target.__module__}.{target.__qualname__}, which could not be loaded again"
            self.problem(f"{key}._target_", how_to_register(target), found)
        parameters = constructor(target).parameters
        for name in arguments:
            if not _takes(target, name):
                expected = choices(parameters) if parameters else "no setting"
                self.problem(f"{key}.{name}", expected, "an unknown key")
        for name, parameter in parameters.items():
            needed = parameter.default is parameter.empty and parameter.kind in BY_NAME
            if needed and name not in arguments:
                self.problem(f"{key}.{name}", "a value", "nothing")
        for fault in argument_faults(target, key, arguments):
            self.problem(*fault)


def _is_class(target: object) -> TypeGuard[type[System]]:
    return isinstance(target, type) and issubclass(target, System)


def _takes(kind: type[System], name: str) -> bool:
    """Whether the constructor has a parameter of this name, or takes any."""
    parameters = constructor(kind).parameters
    return name in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())


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


def unknown_names(arguments: Sequence[str], known: Mapping[str, Sequence[str]]) -> list[Problem]:
    """Problems with the names in `name=value` arguments.

    `known` has the names that may stand first under "", and those that may follow a name and a dot
    under that name. Arguments that add a name (+name=value) or are options (--help) pass.
    """
    problems = []
    for argument in arguments:
        name, equals, _ = argument.partition("=")
        if not equals or argument.startswith(("+", "-", "~", "hydra")):
            continue
        if name == "data.kind":
            problems.append(_no_kind(argument))
            continue
        section = ""
        for part in name.split("."):
            if section not in known:
                break
            place = f"{section}.{part}" if section else part
            if part not in known[section]:
                names = [f"{section}.{other}" if section else other for other in known[section]]
                problems.append(unknown_name(name, place, names))
                break
            section = place
    return problems


def dashed_settings(arguments: Sequence[str], known: Collection[str]) -> list[Problem]:
    """Problems with settings that are written as options of other commands (--task en-fr).

    `known` are the names that may stand first; what Hydra itself takes is none of them.
    """
    problems = []
    for argument, following in zip_longest(arguments, arguments[1:], fillvalue=""):
        name, equals, value = argument.lstrip("-").partition("=")
        name = _OPTIONS.get(name, name.replace("-", "_"))
        if not argument.startswith("-") or not {name, name.partition(".")[0]} & {*known, _FOLDER}:
            continue
        if not equals and "=" not in following and not following.startswith("-"):
            value, argument = following, f"{argument} {following}"
        problems.append(
            Problem("settings", None, name, f"{name}={value or '…'}", quoted(argument.strip()))
        )
    return problems


def unknown_name(key: str, wrong: str, known: Sequence[str], found: str = "") -> Problem:
    """The problem with a name that is not among the known ones, and the one that may be meant."""
    near = difflib.get_close_matches(wrong, known, 1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    return Problem("settings", None, key, choices(known), f"{found or 'an unknown name'}{hint}")


def _no_kind(found: str) -> Problem:
    """For configurations from before data was chosen as systems are."""
    expected = "data=NAME for a file of conf/data, or data._target_=FUNCTION"
    return Problem("settings", None, "data.kind", expected, found)
