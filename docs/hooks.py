"""Hooks of MkDocs and griffe: files of the repository's root as pages, links, doctests.

Pages are Markdown that is also read in the repository, so they link to files outside docs/. On the
site such a link leads to the page made of the file, or is plain text where there is none.
"""

from __future__ import annotations

import os
import re
import textwrap
from pathlib import Path
from typing import Any

import griffe
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
PAGES = {"RESULTS.md": "tables.md", "CONTRIBUTING.md": "contributing.md"}
"""Files of the root that are pages of the site."""
_LINK = re.compile(r"(?<!!)\[(?P<text>[^\[\]]*)\]\((?P<path>[^)\s#:]+)(?P<anchor>#[^)\s]*)?\)")
_DOCTEST = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


def on_files(files: Files, config: Any) -> Files:
    for source, place in PAGES.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    here = page.file.src_uri
    origin = "." if here in PAGES.values() else f"docs/{Path(here).parent}"

    def resolved(link: re.Match[str]) -> str:
        target = os.path.normpath(os.path.join(origin, link["path"]))  # noqa: PTH118
        place = PAGES.get(target) or target.removeprefix("docs/")
        if place == target:
            return link["text"] if (ROOT / target).exists() else link[0]
        path = os.path.relpath(place, Path(here).parent)
        return f"[{link['text']}]({path}{link['anchor'] or ''})"

    return _LINK.sub(resolved, markdown)


class Doctests(griffe.Extension):
    """Shows the doctests of docstrings as code."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            text = obj.docstring.value
            obj.docstring.value = _DOCTEST.sub(lambda part: textwrap.indent(part[0], "    "), text)
