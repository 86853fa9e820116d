"""The reference of commands and of the Python API, as Markdown made from the code.

A page is what `--help` and `help(crosspro)` say, in tables: nothing of it is written twice, so it
cannot be out of date. `python -m crosspro.scripts.reproduce.site.reference FOLDER` writes them.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import typer

import crosspro
from crosspro.scripts.main import _module
from crosspro.scripts.overview import COMMANDS, EXAMPLES, PANELS

_SETTINGS = """\
`crosspro train` takes settings instead of options: `name=value`, as [Hydra](https://hydra.cc) reads
them. `crosspro train --help` shows all of them with their values, and `--cfg job` what a line of
settings comes to. The [guide](../../guides/train.md) explains those that are often changed.
"""


def command_pages() -> dict[str, str]:
    """A page for each command, and one that lists them."""
    pages = {
        f"reference/commands/{name}.md": "\n".join(_command_page(name, panel))
        for panel, names in PANELS.items()
        for name in names
    }
    return {"reference/commands/index.md": "\n".join(_overview()), **pages}


def _overview() -> Iterator[str]:
    yield "# Commands\n"
    yield "```console\n$ crosspro evaluate gold.data submission.data --task en-fr\n```\n"
    yield "Each page is made from the command itself. Options that several commands have mean the "
    yield "same in all of them: [options](../options.md).\n"
    for panel, names in PANELS.items():
        yield f"## {panel}\n"
        yield "| command | |\n| --- | --- |"
        yield from (f"| [{name}]({name}.md) | {_cell(text)} |" for name, text in names.items())
        yield ""


def _command_page(name: str, panel: str) -> Iterator[str]:
    yield f"# crosspro {name}\n"
    module = _module(name)
    if not hasattr(module, "app"):
        yield f"{COMMANDS[name]}\n"
        yield from _example(f"crosspro {name}")
        yield _SETTINGS
        return
    command = typer.main.get_command(module.app)
    inner = dict(_leaves(f"crosspro {name}", command))
    if len(inner) > 1:
        yield _text(command.help or COMMANDS[name])
        yield "| command | |\n| --- | --- |"
        for full, one in inner.items():
            anchor = full.replace(" ", "-")
            yield f"| [`{full}`](#{anchor}) | {_cell(_first_line(one.help or ''))} |"
        yield ""
    for full, one in inner.items():
        if len(inner) > 1:
            yield f"## {full}\n"
        first, _, rest = (one.help or COMMANDS[name]).partition("\n\n")
        yield _text(first)
        yield from _example(full)
        yield _text(rest)
        yield from _options(one)


def _leaves(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield name, command
    for inner, one in getattr(command, "commands", {}).items():
        if not one.hidden:
            yield from _leaves(f"{name} {inner}", one)


def _example(name: str) -> Iterator[str]:
    shown = [line for line in EXAMPLES.splitlines() if line.startswith(f"{name} ")][:1]
    if shown:
        yield f"```console\n$ {shown[0]}\n```\n"


def _options(command: Any) -> Iterator[str]:
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option" and not one.hidden]
    if arguments:
        yield "| argument | |\n| --- | --- |"
        for one in arguments:
            yield f"| `{one.make_metavar(_context(command))}` | {_cell(one.help or '')} |"
        yield ""
    panels: dict[str, list[Any]] = {}
    for one in options:
        panels.setdefault(getattr(one, "rich_help_panel", None) or "option", []).append(one)
    for panel, those in panels.items():
        yield f"| {_cell(panel).lower()} | value | |\n| --- | --- | --- |"
        for one in those:
            spelled = ", ".join(f"`{word}`" for word in (*one.opts, *one.secondary_opts))
            takes = "" if one.is_flag else _value(one.make_metavar(_context(command)))
            yield f"| {spelled} | {_cell(takes)} | {_cell(one.help or '')}{_default(one)} |"
        yield ""


def _value(metavar: str) -> str:
    """What an option takes, in the words of the help."""
    named = {"path": "FILE", "str": "TEXT", "int": "NUMBER", "int range": "NUMBER",
             "float": "NUMBER", "float range": "NUMBER", "path path": "FILE FILE"}  # fmt: skip
    return re.sub(r"<([\w ]+)>", lambda match: named.get(match[1], match[0]), metavar)


def _context(command: Any) -> Any:
    return command.context_class(command)


def _default(option: Any) -> str:
    if option.required:
        return " **Must be given.**"
    value = option.default
    if option.is_flag or callable(value) or value in (None, "", (), []):
        return ""
    value = getattr(value, "value", value)
    return f" Default: `{value}`."


def api_page() -> str:
    """The functions and classes of `import crosspro`, with signatures and docstrings."""
    public = {name: getattr(crosspro, name) for name in crosspro.__all__}
    functions = {name: one for name, one in public.items() if inspect.isfunction(one)}
    classes = {name: one for name, one in public.items() if inspect.isclass(one)}
    lines = ["# Python reference\n", "```python\nimport crosspro\n```\n",
             "Made from the code. [From Python](../api.md) shows how the parts go together.\n",
             "| name | |\n| --- | --- |"]  # fmt: skip
    lines += [f"| [`{name}`](#{name.lower()}) | {_cell(_first_line(_doc(one)))} |"
              for name, one in {**functions, **classes}.items()]  # fmt: skip
    for name, one in functions.items():
        lines += [f"\n## {name}\n", _signature(name, one), _text(_doc(one))]
    for name, owner in classes.items():
        lines += [f"\n## {name}\n", _text(_doc(owner)), *_members(name, owner)]
    return "\n".join(lines) + "\n"


def _members(name: str, owner: type) -> Iterator[str]:
    if is_dataclass(owner):
        yield "| field | type |\n| --- | --- |"
        for field in fields(owner):
            if not field.name.startswith("_"):
                yield f"| `{field.name}` | `{_cell(str(field.type))}` |"
        yield ""
    for member, one in vars(owner).items():
        function = inspect.unwrap(getattr(one, "__func__", one)) if callable(one) else None
        if member.startswith("_") or not inspect.isfunction(function):
            continue
        yield f"### {name}.{member}\n"
        yield _signature(f"{name}.{member}", function)
        yield _text(inspect.getdoc(getattr(owner, member)) or "")


def _signature(name: str, function: Any) -> str:
    signature = inspect.signature(function)
    given = [str(one) for one in signature.parameters.values() if one.name != "self"]
    line = f"{name}({', '.join(given)})"
    if len(line) > 80:
        keyword = False
        rows = []
        for one in signature.parameters.values():
            if one.name == "self":
                continue
            if one.kind is one.KEYWORD_ONLY and not keyword:
                rows.append("    *,")
                keyword = True
            rows.append(f"    {one},")
        line = "\n".join([f"{name}(", *rows, ")"])
    returned = signature.return_annotation
    arrow = "" if returned is signature.empty else f" -> {returned}"
    return f"```python\n{line}{arrow}\n```\n"


def _doc(one: Any) -> str:
    return inspect.getdoc(one) or ""


def _first_line(text: str) -> str:
    return " ".join(text.strip().partition("\n\n")[0].split())


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def _text(help_text: str) -> str:
    """Help or a docstring as Markdown: indented lines are code, doctests are Python."""
    text = help_text.replace("\b\n", "").replace("<", "&lt;")
    text = re.sub(r"(?m)^((?:>>> .*\n?)(?:(?!\n).*\n?)*)", r"```pycon\n\1\n```\n", text)
    return text.replace("\n\n```\n", "\n```\n") + "\n"


def main() -> None:
    """Write the pages into a folder, for readers without MkDocs."""
    folder = Path(sys.argv[1])
    for name, text in {**command_pages(), "reference/api.md": api_page()}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
