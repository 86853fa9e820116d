"""The templates of windows as a JSON file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from crosspro.baselines.crf.tokens import TokenColumn
from crosspro.baselines.crf.windows import Template
from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.files import write_text
from crosspro.prediction.arguments import faults
from crosspro.prediction.system import read_json_object


def save_templates(path: Path, templates: Sequence[Template]) -> None:
    """Write templates."""
    content = {"templates": [asdict(template) for template in templates]}
    write_text(path, json.dumps(content, ensure_ascii=False) + "\n")


def load_templates(path: Path, columns: Sequence[TokenColumn]) -> list[Template]:
    """Read the templates of columns."""
    written = read_json_object(path).get("templates")
    if not isinstance(written, list):
        raise input_error(path, "templates", "a list", quoted(repr(written)))
    for number, one in enumerate(written):
        for fault in faults(f"templates.{number}", one, Template):
            raise input_error(path, *fault)
    templates = [
        Template(one["name"], tuple(one["places"]), tuple(one["values"])) for one in written
    ]
    expected = [(column.name, tuple(column.places)) for column in columns]
    if [(one.name, one.places) for one in templates] != expected:
        names = ", ".join(name for name, _ in expected)
        raise input_error(
            path, "templates", f"those of {names}, in windows of the settings", "others"
        )
    return templates
