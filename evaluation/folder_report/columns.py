"""The columns of a report: every metric of the registry, with the settings that a folder offers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from crosspro.evaluation.core.metric import Metric
from crosspro.evaluation.metrics import METRICS, make_metric, metric_class


@dataclass(frozen=True)
class Column:
    """A metric with its settings."""

    key: str
    called: str
    metric: str
    settings: Mapping[str, Any]

    @property
    def kind(self) -> type[Metric[Any, Any, Any]]:
        """The class of the metric."""
        return metric_class(self.metric)

    @property
    def title(self) -> str:
        """What stands over the column."""
        return self.kind.column or self.called

    def make(self) -> Metric[Any, Any, Any]:
        """The metric; raises what is wrong with its settings."""
        return make_metric(self.metric, **self.settings)


def columns_of(needs: str, offered: Mapping[str, Any]) -> Iterator[Column]:
    """The metrics that score such data, in the order of the registry.

    Each gets those of the offered settings that it has: a language, a tokeniser.
    """
    for name in METRICS:
        metric = metric_class(name)
        if metric.needs != needs:
            continue
        known = {field.name for field in fields(metric.settings_class)}
        own = {key: value for key, value in offered.items() if key in known}
        for key, (called, more) in (metric.variants or {name: (metric.called, {})}).items():
            yield Column(key, called, name, {**own, **more})
