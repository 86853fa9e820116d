"""The metrics, each in a room of its own; `metric.py` there has the metric and its settings.

They are found by name and imported when they are asked for. To add one: a folder here with a
`metric.py` that names its `METRIC`, and its name in `METRICS`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crosspro.evaluation.core.metric import Metric

METRICS = (
    "submissions",
    "bleu",
    "pronoun_f1",
    "apt",
    "autoprf",
    "pronoun_doubt",
    "contrastive",
    "expected_forms",
)
"""The names of the metrics, in the order in which a report shows them."""


def metric_class(name: str) -> type[Metric[Any, Any, Any]]:
    """The class of a metric."""
    module = import_module(f"crosspro.evaluation.metrics.{name}.metric")
    found: type[Metric[Any, Any, Any]] = module.METRIC
    return found


def make_metric(name: str, **settings: Any) -> Metric[Any, Any, Any]:
    """A metric with these settings, and its usual ones for the rest."""
    found = metric_class(name)
    return found(found.settings_class(**settings))
