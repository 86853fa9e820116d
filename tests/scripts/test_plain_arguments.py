"""A command line that is read without Typer gives what Typer gives."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from crosspro.scripts.evaluate import evaluate_command
from crosspro.scripts.lm import query
from crosspro.scripts.plain_arguments import plain_arguments
from crosspro.scripts.stats import app as stats
from tests.scripts.run import crosspro

FUNCTIONS = [evaluate_command, query, *stats.commands.values()]
WORDS = (
    *("a", "b.data", "-", "", "0", "7", "-1", "007", "1e3", "zero", "html", "--", "-h", "--help"),
    *("--task", "-t", "en-fr", "--task=en-fr", "-ten-fr", "--doc-ids", "--name", "--contrastive"),
    *("--absent", "--layout", "--resamples", "--seed", "--html", "--max-examples", "--max-errors"),
    *("--output", "-o", "--per-word", "--summary", "--engine", "--with-published", "--nothing"),
)


def by_typer(function, arguments):
    """What Typer calls a command with; None if it does not call it."""
    found = []
    app = typer.Typer(add_completion=False, rich_markup_mode=None)

    def called(**values):
        found.append(values)

    called.__signature__ = inspect.signature(function, eval_str=True)
    called.__annotations__ = {}
    app.command(context_settings={"help_option_names": ["-h", "--help"]})(called)
    with pytest.raises(SystemExit):
        app(args=arguments)
    return found[0] if found else None


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(FUNCTIONS), st.lists(st.sampled_from(WORDS), max_size=8))
def test_what_is_plain_is_what_typer_gives(function, arguments):
    values = plain_arguments(function, arguments)
    if values is not None:
        assert values == by_typer(function, arguments)


@pytest.mark.parametrize(
    ("function", "line"),
    [
        (evaluate_command, "gold a b --task en-fr --resamples 0 --layout json --name x --name y"),
        (evaluate_command, "-t en-fr gold - -o out --absent zero"),
        (query, "model text --per-word -o out"),
    ],
)
def test_usual_command_lines_are_plain(function, line):
    values = plain_arguments(function, line.split())
    assert values is not None
    assert values == by_typer(function, line.split())


def test_errors_of_commands_are_shown_as_typer_shows_them(tmp_path):
    arguments = ("gold", "system", "--task", "en-fr", "--name", "a", "--name", "b")
    plain = crosspro("evaluate", *arguments)
    slow = crosspro("evaluate", *arguments, "--seed=1")
    assert plain == slow
    assert plain.code == 2
    assert b"Usage: crosspro evaluate" in plain.stderr


def test_validators_are_not_imported_for_a_plain_command_line(tmp_path):
    line = "\t\tThank you\tmerci|NOM\t0-0\nil\til|PRO\tit\tREPLACE_0\t0-0\n"
    (tmp_path / "x.data").write_text(line, "utf-8")
    code = (
        "import sys; from crosspro.scripts.main import main; main();"
        "sys.exit('pydantic' in sys.modules)"
    )
    gold = str(tmp_path / "x.data")
    command = [sys.executable, "-c", code, "evaluate", gold, gold, "--task", "en-fr"]
    assert subprocess.run(command, capture_output=True).returncode == 0


@pytest.mark.parametrize("name", ["check", "evaluate", "fill", "lm", "stats"])
def test_commands_are_found_by_name(name):
    assert importlib.import_module(f"crosspro.scripts.{name}").app.commands
