"""HTML pages from Jinja templates: `html/base.html` and the pages that extend it.

Pages are self-contained files. Jinja escapes every text, and data goes into a script element
through its `tojson` filter, which leaves no `<` in it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

TEMPLATES = Path(__file__).resolve().parent / "html"


def render_page(template: Path, **content: Any) -> str:
    """A page; its template may extend and include those of `html/`."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([template.parent, TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.policies["json.dumps_kwargs"] = {
        "ensure_ascii": False,
        "separators": (",", ":"),
        "default": _as_json,
    }
    return environment.get_template(template.name).render(content)


def _as_json(value: object) -> Any:
    """Ranges as lists, dataclasses as objects."""
    return list(value) if isinstance(value, range) else vars(value)
