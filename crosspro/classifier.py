"""A system with the habits of scikit-learn: fitted on examples, kept in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from crosspro.arguments import AnyPath
from crosspro.task_examples import given_examples
from crosspro.training import configured

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from crosspro.data_prep.core.example import Example
    from crosspro.data_prep.core.task import Task
    from crosspro.prediction.system import System

_HELD_OUT = 0.1


class PronounClassifier:
    """Classes of gaps, learnt from labelled examples: extra `train`.

    `system` is the name of a configuration, such as one of features (`stymne_svm`), and `settings`
    are values by their keys (`system.min_count`), as of `crosspro.train`. What is learnt from and
    predicted are lists of examples, or paths; what comes out has an entry for each gap, in reading
    order. It may be cloned and cross-validated by scikit-learn.

    >>> import crosspro
    >>> train, test = (crosspro.demo("en-fr", name, 12) for name in ("train", "test"))
    >>> classifier = crosspro.PronounClassifier("stymne_svm", "en-fr").fit(train)
    >>> labels = classifier.predict(test)
    >>> len(labels) == sum(len(example.gaps) for example in test)
    True
    >>> classifier.predict_proba(test).shape == (len(labels), len(classifier.classes_))
    True
    """

    task_: Task
    system_: System

    def __init__(
        self,
        system: str = "stymne_svm",
        task: str = "en-fr",
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.system = system
        self.task = task
        self.settings = settings

    def fit(
        self,
        examples: Iterable[Example] | AnyPath,
        y: Sequence[str] | None = None,
        dev: Iterable[Example] | AnyPath | None = None,
    ) -> Self:
        """Learn from the labels of examples, or from `y`, one for each gap.

        Settings and probabilities are chosen on `dev`; without it a tenth of the documents, and
        nothing if there are too few, is kept back for that.
        """
        from crosspro.data_prep.pipeline.sets.splits import part_of
        from crosspro.prediction.run_settings import checked

        configuration = configured(self.task, self.system, settings=self.settings)
        settings: dict[str, Any] = dict(configuration.settings)
        task, system, _ = checked(settings, configuration.choices)
        train = list(given_examples(examples, task))
        if y is not None:
            train = _labelled(train, list(y))
        _check_labels("examples", train, task)
        if dev is None:
            kept = part_of(train, _HELD_OUT)
            rest = [one for one in train if id(one) not in set(map(id, kept))]
            enough = any(one.gaps for one in kept) and any(one.gaps for one in rest)
            train, held = (rest, kept) if enough else (train, train)
        else:
            held = list(given_examples(dev, task, "dev"))
            _check_labels("dev", held, task)
        system.configured = self.system
        system.fit(task, train, held)
        self.task_, self.system_ = task, system
        return self

    @property
    def classes_(self) -> NDArray[np.object_]:
        """The classes, in the order of the columns of `predict_proba`."""
        import numpy as np

        return np.array(self._fitted().task.classes, dtype=object)

    def predict(self, examples: Iterable[Example] | AnyPath) -> NDArray[np.object_]:
        """The class of each gap."""
        from crosspro.prediction.output import predicted

        system = self._fitted()
        found = predicted(system, given_examples(examples, system.task)).classes
        classes: NDArray[np.object_] = self.classes_[found]
        return classes

    def predict_proba(self, examples: Iterable[Example] | AnyPath) -> NDArray[np.float64]:
        """The probability of each class for each gap."""
        from crosspro.prediction.system import probabilities_of

        system = self._fitted()
        return probabilities_of(system, given_examples(examples, system.task))

    def score(self, examples: Iterable[Example] | AnyPath, y: Sequence[str] | None = None) -> float:
        """The official score of the task (macro recall), from 0 to 1."""
        from crosspro.submission_scores import evaluate

        system = self._fitted()
        gold = list(given_examples(examples, system.task))
        gold = gold if y is None else _labelled(gold, list(y))
        found = evaluate(gold, system, system.task, resamples=0).systems[0]
        return found.scores[system.task.official_score].value / 100

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {"system": self.system, "task": self.task, "settings": self.settings}

    def set_params(self, **params: Any) -> Self:
        """Change arguments of the constructor; `fit` makes use of them."""
        from crosspro.arguments import check_choice

        for name, value in params.items():
            check_choice("params", name, self.get_params())
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=False),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(two_d_array=False),
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "system_")

    def __repr__(self) -> str:
        given = f"{self.system!r}, {self.task!r}"
        return f"PronounClassifier({given}{f', {self.settings!r}' if self.settings else ''})"

    def _fitted(self) -> System:
        if not hasattr(self, "system_"):
            from crosspro.data_prep.core.errors import CrossproError

            raise CrossproError(f"{self!r}: expected a fitted classifier: call fit(examples) first")
        return self.system_


def _labelled(examples: Sequence[Example], labels: Sequence[str]) -> list[Example]:
    """The examples with labels, one for each gap."""
    from crosspro.data_prep.core.errors import input_error

    gaps = sum(len(one.gaps) for one in examples)
    if gaps != len(labels):
        raise input_error(
            "arguments", "y", f"{gaps:,} labels, one for each gap", f"{len(labels):,}"
        )
    each = iter(labels)
    return [one.with_labels([next(each) for _ in one.gaps]) for one in examples]


def _check_labels(name: str, examples: Sequence[Example], task: Task) -> None:
    """Refuse labels that are no classes of the task, and examples without any."""
    from crosspro.data_prep.core.errors import InputError, Problem, choices

    known = task.class_index
    problems = [
        Problem(name, number, "label", choices(known), repr(gap.label))
        for number, one in enumerate(examples, start=1)
        for gap in one.gaps
        if not isinstance(gap.label, str) or gap.label not in known
    ]
    if not any(one.gaps for one in examples):
        problems.append(Problem("arguments", None, name, "at least one gap", "none"))
    if problems:
        raise InputError(problems)
