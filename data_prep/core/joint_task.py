"""Several tasks as one, so that one network can be pre-trained for all of them.

Its classes are those of all tasks by name, in the order of the tasks, with one OTHER at the end.
Nothing is prepared, read or predicted for a joint task: each file belongs to one of its tasks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.task import OTHER, Task, task_from_mapping, task_to_mapping

SEVERAL = "mul"
"""The language of a side that has several (ISO 639-2)."""
_JOINT = "joint"


@dataclass(frozen=True)
class JointTask(Task):
    """What `tasks` have together; rules of preparing data are those of the first."""

    tasks: tuple[Task, ...]


def joint_task(tasks: Sequence[Task], origin: str = "settings: --task") -> Task:
    """The task that joins others, or the only one; `origin` is the name used in messages."""
    if not tasks:
        raise input_error(origin, "tasks", "at least one", "none")
    first = tasks[0]
    if len(tasks) == 1:
        return first
    names = [task.name for task in tasks]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise input_error(origin, "tasks", "each task once", f"{twice} twice")
    other = next((task for task in tasks if task.target != first.target), None)
    if other:
        expected = f"{first.target} in all tasks, as in {first.name}"
        raise input_error(origin, "target", expected, f"{other.target} in {other.name}")
    joint = replace(
        first,
        name="+".join(names),
        source_language=_common(task.source_language for task in tasks),
        target_language=_common(task.target_language for task in tasks),
        years=(),
        forms=_joint_forms(tasks),
        coarse={},
    )
    values = {f.name: getattr(joint, f.name) for f in fields(Task) if f.init}
    return JointTask(**values, tasks=tuple(tasks))


def tasks_of(task: Task) -> tuple[Task, ...]:
    """The tasks that a task joins; itself, if it is no joint one."""
    return task.tasks if isinstance(task, JointTask) else (task,)


def task_to_save(task: Task) -> dict[str, Any]:
    """A task as it is saved with what was learnt for it."""
    if isinstance(task, JointTask):
        return {_JOINT: [task_to_mapping(one) for one in task.tasks]}
    return task_to_mapping(task)


def saved_task(mapping: object, origin: str) -> Task:
    """The task that was saved so; `origin` is the name used in messages."""
    found = mapping[_JOINT] if isinstance(mapping, Mapping) and set(mapping) == {_JOINT} else None
    if not isinstance(found, list):
        return task_from_mapping(_known(mapping), origin)
    numbered = enumerate(map(_known, found), start=1)
    return joint_task([task_from_mapping(one, f"{origin}: {n}") for n, one in numbered], origin)


def _known(mapping: object) -> object:
    """Without a key that version 0.1.0 saved with every model; nothing was ever done with it."""
    if not isinstance(mapping, Mapping):
        return mapping
    return {key: value for key, value in mapping.items() if key != "alignment"}


def _common(languages: Iterable[str]) -> str:
    found = set(languages)
    return found.pop() if len(found) == 1 else SEVERAL


def _joint_forms(tasks: Sequence[Task]) -> dict[str, tuple[str, ...]]:
    """The forms of each class; one of several classes is that of its name, or else of the first."""
    names = dict.fromkeys(name for task in tasks for name in task.classes if name != OTHER)
    owners = {name: name for name in (*names, OTHER)}
    joint: dict[str, list[str]] = {name: [] for name in owners}
    for task in tasks:
        for name, words in task.forms.items():
            new = (word for word in words if word not in joint[name])
            joint[name] += [word for word in new if owners.setdefault(word, name) == name]
    return {name: tuple(words) for name, words in joint.items()}
