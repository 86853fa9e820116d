"""Print the script that completes words in a shell."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import typer

from crosspro.data_prep.core.task import task_names
from crosspro.scripts.main import COMMANDS, command_app, run


class Shell(StrEnum):
    """Shells that can be told what to complete."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


@dataclass(frozen=True)
class Words:
    """What may follow a command: names of further commands, options, and values of options."""

    commands: tuple[str, ...]
    options: tuple[str, ...]
    values: dict[str, tuple[str, ...]]


app = command_app()


@app.command()
def completion(shell: Annotated[Shell, typer.Argument(help="bash, zsh or fish.")]) -> None:
    """Print the script that completes words in a shell.

    bash: `crosspro completion bash > ~/.local/share/bash-completion/completions/crosspro`; zsh:
    `source <(crosspro completion zsh)` in ~/.zshrc, after compinit; fish: `crosspro completion fish
    > ~/.config/fish/completions/crosspro.fish`. Elsewhere file names are completed as usual.
    """
    known = {name: words_of(name) for name in COMMANDS}
    print(fish_script(known) if shell is Shell.FISH else bash_script(known, shell), end="")


def words_of(command: str) -> Words:
    """What one command accepts, asked of its application."""
    module = importlib.import_module(f"crosspro.scripts.{command.replace('-', '_')}")
    if not hasattr(module, "app"):  # train takes settings, which Hydra completes
        return Words((), (), {})
    whole: Any = typer.main.get_command(module.app)
    options: dict[str, tuple[str, ...]] = {}
    for part in _parts(whole):
        for option in part.params:
            if option.param_type_name == "option":
                options |= dict.fromkeys((*option.opts, *option.secondary_opts), _values(option))
    options |= {"--help": ()}
    values = {name: found for name, found in options.items() if found}
    names = tuple(getattr(whole, "commands", ()))
    return Words(names, tuple(name for name in options if name.startswith("--")), values)


def _values(option: Any) -> tuple[str, ...]:
    """What an option may be: one of the tasks, or what stands beside its default."""
    if option.name == "task":
        return tuple(task_names())
    return tuple(type(option.default)) if isinstance(option.default, StrEnum) else ()


def _parts(command: Any) -> Iterator[Any]:
    """A command and those inside it."""
    yield command
    for inner in getattr(command, "commands", {}).values():
        yield from _parts(inner)


def bash_script(known: dict[str, Words], shell: Shell) -> str:
    """A function for bash, which zsh understands too; where it knows no word, files are offered."""
    values = [
        f'    "{name} {option}") words="{" ".join(found)}" ;;'
        for name, words in known.items()
        for option, found in words.values.items()
    ]
    options = [f'    {name}) words="{" ".join(one.options)}" ;;' for name, one in known.items()]
    inner = [
        f'    {name}) words="{" ".join(one.commands)}" ;;'
        for name, one in known.items()
        if one.commands
    ]
    lines = [
        *(["autoload -U +X bashcompinit && bashcompinit"] if shell is Shell.ZSH else []),
        "_crosspro() {",
        '  local command="${COMP_WORDS[1]}" before="${COMP_WORDS[COMP_CWORD-1]}" words=""',
        '  local current="${COMP_WORDS[COMP_CWORD]}"',
        f'  if [ "$COMP_CWORD" -eq 1 ]; then words="{" ".join(known)}"',
        '  elif [[ "$current" == -* ]]; then case "$command" in',
        *options,
        '  esac; else case "$command $before" in',
        *values,
        '    "$command $command") case "$command" in',
        *("  " + line for line in inner),
        "    esac ;;",
        "  esac; fi",
        '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
        "}",
        "complete -o default -F _crosspro crosspro",
    ]
    return "\n".join(lines) + "\n"


def fish_script(known: dict[str, Words]) -> str:
    """Declarations for fish."""
    lines = []
    for name, words in known.items():
        lines.append(
            f'complete -c crosspro -n __fish_use_subcommand -a {name} -d "{COMMANDS[name]}"'
        )
        here = f'complete -c crosspro -n "__fish_seen_subcommand_from {name}"'
        lines += [f"{here} -a {inner}" for inner in words.commands]
        for option in words.options:
            found = words.values.get(option, ())
            needs = f" -x -a '{' '.join(found)}'" if found else ""
            lines.append(f"{here} -l {option.removeprefix('--')}{needs}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    run(app)
