"""What MkDocs calls while it builds the site (`mkdocs.yml`, hooks).

Pages are Markdown that reads well in the repository. Here they get what only a site can have: the
reference of commands and functions, which is made from the code; reports, which the commands make
of the texts that come with the package; and the files outside `docs/` that a page links to (cards
of models, records of results, settings), which go along, so that links lead somewhere.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

from crosspro.scripts.overview import PANELS
from crosspro.scripts.reproduce.site.examples import make_examples
from crosspro.scripts.reproduce.site.notebooks import notebook_pages
from crosspro.scripts.reproduce.site.reference import api_page, command_pages

ROOT = Path(__file__).resolve().parents[3]
PLACES = {
    "RESULTS.md": "results/index.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "LICENSE": "licence.txt",
}
"""Where files of the repository's root stand on the site; others keep their path under `files/`."""

_MADE = tempfile.TemporaryDirectory(prefix="crosspro-examples-")
"""Where examples stand until the site is built."""
_LINK = re.compile(r"(?P<before>\]\()(?P<path>[^)\s#:]+)(?P<rest>(?:#[^)\s]*)?\))")
_CODE = re.compile(r"^( *)```.*?^\1```[^\n]*$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_SESSION = re.compile(r"^```(?P<kind>console|text)\n(?P<block>.*?)^```$", re.MULTILINE | re.DOTALL)
_OUTPUT = "```{ .text .output .no-copy }"
_LOADED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\ssrc=["']?(?:https?:)?//"""
    r"""|<link\b(?=[^>]*\brel=["']?(?:stylesheet|preconnect|preload|icon))[^>]*href=["']?(?:https?:)?//"""
    r"""|url\(["']?(?:https?:)?//|@import ["'](?:https?:)?//""",
    re.IGNORECASE,
)
"""What a browser would fetch from elsewhere."""


def on_config(config: Any) -> Any:
    """Put every command into the navigation, by its panel."""
    panels = [{panel: [{f"crosspro {name}": f"reference/commands/{name}.md"} for name in names]}
              for panel, names in PANELS.items()]  # fmt: skip
    for section in config.nav:
        for page in section.get("Reference", ()):
            if isinstance(page, dict) and "Commands" in page:
                page["Commands"] = [page["Commands"], *panels]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages and files that stand outside `docs/` or are made."""
    wanted = [path for path in PLACES if path.endswith(".md")]
    for path in wanted:
        files.append(File.generated(config, place(path), abs_src_path=str(ROOT / path)))
    made_pages = {**command_pages(), **notebook_pages(), "reference/api.md": api_page()}
    for path, text in made_pages.items():
        files.append(File.generated(config, path, content=text))
    for example in make_examples(Path(_MADE.name)):
        files.append(File.generated(config, f"examples/{example.name}", abs_src_path=str(example)))
    waiting = [f"docs/{file.src_uri}" for file in files if file.src_uri.endswith(".md")
               and (ROOT / "docs" / file.src_uri).is_file()]  # fmt: skip
    waiting += wanted
    seen = {*wanted}
    while waiting:
        page = waiting.pop()
        for target in _targets(page, (ROOT / page).read_text("utf-8")):
            if target.startswith("docs/") or target in seen or not (ROOT / target).is_file():
                continue
            seen.add(target)
            there = place(target)
            files.append(File.generated(config, there, abs_src_path=str(ROOT / target)))
            if there.endswith(".md"):
                waiting.append(target)
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Let the links of a page lead to where things stand on the site."""
    origin = _origins().get(page.file.src_uri, f"docs/{page.file.src_uri}")
    here = page.file.src_uri

    def mended(match: re.Match[str]) -> str:
        target = _resolved(origin, match["path"])
        if not (ROOT / target).exists():
            return match[0]
        there = place(target)
        if there.endswith(".ipynb") and not here.startswith("notebooks/"):
            there = f"{there.removesuffix('.ipynb')}.md"
        path = os.path.relpath(there, os.path.dirname(here) or ".")  # noqa: PTH120
        return f"{match['before']}{path}{match['rest']}"

    markdown = _SESSION.sub(_session, markdown)
    parts, last = [], 0
    for code in _CODE.finditer(markdown):
        parts += [_LINK.sub(mended, markdown[last : code.start()]), code[0]]
        last = code.end()
    return "".join([*parts, _LINK.sub(mended, markdown[last:])])


def _session(match: re.Match[str]) -> str:
    """What is typed and what is printed in blocks of their own, so that commands can be copied."""
    if match["kind"] == "text":
        return f"{_OUTPUT}\n{match['block']}```"
    blocks: list[str] = []
    typed = ""
    for part in re.split(r"(?m)^\$ ", match["block"])[1:]:
        command = re.match(r"(?:[^\n]*\\\n)*[^\n]*\n", part)
        length = command.end() if command else len(part)
        typed += part[:length]
        if printed := part[length:]:
            blocks += [f"```sh\n{typed}```", f"{_OUTPUT}\n{printed}```"]
            typed = ""
    return "\n\n".join([*blocks, f"```sh\n{typed}```"] if typed else blocks)


def on_post_build(config: Any) -> None:
    """Refuse a site whose pages load anything from elsewhere."""
    found = [
        f"{path.relative_to(config.site_dir)}: {match[0]}"
        for path in sorted(Path(config.site_dir).rglob("*"))
        if path.suffix in (".html", ".css")
        for match in _LOADED.finditer(path.read_text("utf-8"))
    ]
    if found:
        raise PluginError("loaded from elsewhere:\n" + "\n".join(found))


def place(path: str) -> str:
    """Where a file of the repository stands on the site."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return PLACES.get(path, f"files/{path}")


@cache
def _origins() -> dict[str, str]:
    outside = [*ROOT.glob("*.md"), *(ROOT / "models").glob("*.md"), *ROOT.glob("data_prep/**/*.md")]
    names = (path.relative_to(ROOT).as_posix() for path in outside)
    return {place(name): name for name in names}


def _targets(page: str, text: str) -> Iterator[str]:
    for match in _LINK.finditer(_CODE.sub("", text)):
        yield _resolved(page, match["path"])


def _resolved(page: str, path: str) -> str:
    return os.path.normpath(os.path.join(os.path.dirname(page), path))  # noqa: PTH118, PTH120
