"""The metrics by name. To add one: its module here, and its line in `METRICS`.

They are imported when they are asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

METRICS = {
    "submissions": "submissions.metric:Submissions",
    "bleu": "bleu:Bleu",
    "chrf": "bleu:Chrf",
    "pronoun-f1": "pronoun_f1:PronounF1",
    "apt": "apt.metric:Apt",
    "autoprf": "autoprf:AutoPrf",
    "doubt": "pronoun_doubt:PronounsInDoubt",
    "contrastive": "contrastive:Contrastive",
    "expected_forms": "expected_forms:ExpectedForms",
}
"""The module and the class of each metric, in the order in which a report shows them."""


def metric_class(name: str) -> Any:
    module, _, class_name = METRICS[name].partition(":")
    return getattr(import_module(f"{__name__}.{module}"), class_name)


def make_metric(name: str, **settings: Any) -> Any:
    """A metric with these settings, and its usual ones for the rest."""
    metric = metric_class(name)
    return metric(metric.settings_class(**settings) if metric.settings_class else None)
