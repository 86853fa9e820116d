"""The metrics by name. To add one: its module here, and its line in `METRICS`.

They are imported when they are asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pydantic import TypeAdapter, ValidationError

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.settings import settings_error

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


def make_metric(name: str, **settings: Any) -> Any:
    """A metric with these settings; text from a command line is read as their types ask for."""
    module, _, class_name = METRICS[name].partition(":")
    metric = getattr(import_module(f"{__name__}.{module}"), class_name)
    if metric.settings_class is None:
        if settings:
            raise input_error("settings", f"{name}.{next(iter(settings))}", "no settings", "one")
        return metric(None)
    try:
        return metric(TypeAdapter(metric.settings_class).validate_python(settings))
    except ValidationError as error:
        raise settings_error(error, "settings", name) from error
