"""No command writes over one of its inputs, whatever the file is called there."""

from __future__ import annotations

import importlib
import inspect
import os
import shutil
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from crosspro.baselines.majority import Majority
from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from crosspro.scripts.app import OUTPUTS
from crosspro.scripts.main import COMMANDS
from tests.conftest import GOLDEN
from tests.scripts.run import crosspro

INPUTS = {
    "against",
    "align_prior",
    "align_with",
    "annotation",
    "candidate",
    "cases",
    "checked",
    "config",
    "data",
    "decisions",
    "doc_ids",
    "doc_starts",
    "evaluate",
    "examples",
    "exclude",
    "file",
    "files",
    "folder",
    "gold",
    "instructions",
    "items",
    "judged",
    "key",
    "links",
    "candidate_links",
    "lm",
    "classifier",
    "model",
    "other_fillers",
    "others",
    "parts",
    "prior",
    "reference",
    "run_dir",
    "runs",
    "scores",
    "sheets",
    "silver",
    "source",
    "source_lemmas",
    "source_parse",
    "submissions",
    "suite",
    "table",
    "tables",
    "target",
    "target_lemmas",
    "test_set",
    "texts",
    "tokens",
    "translation",
    "tune",
    "tutorial",
    "unseen",
    "verdicts",
}
FOLDERS = {"cache", "corpora", "results", "temp", "text", "work"}
"""Folders and prefixes: what is written there is checked file by file."""


class Parameter(typing.NamedTuple):
    name: str
    words: list[str]
    required: bool
    count: int
    """How many paths follow; 0 for what is no path."""


class Command(typing.NamedTuple):
    words: list[str]
    parameters: list[Parameter]

    @property
    def outputs(self) -> list[Parameter]:
        return [one for one in self.parameters if one.count and one.name in OUTPUTS]

    @property
    def inputs(self) -> list[Parameter]:
        return [one for one in self.parameters if one.count and one.name in INPUTS]


def parameters_of(function) -> Iterator[Parameter]:
    hints = typing.get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        if hints[name] is typer.Context:
            continue
        kind = typing.get_args(hints[name])
        info = next((one for one in kind[1:] if hasattr(one, "param_decls")), None)
        if info is None:
            continue
        count = max(str(kind[0]).count("pathlib.Path") - str(kind[0]).count("list[tuple"), 0)
        # Typer takes the first spelling of an annotation for a default until it is registered.
        spelt = (info.default, *(info.param_decls or ()))
        given = [one for one in spelt if isinstance(one, str) and one.startswith("--")]
        is_option = isinstance(info, typer.models.OptionInfo)
        words = [given[0] if given else f"--{name.replace('_', '-')}"] if is_option else []
        yield Parameter(name, words, parameter.default is inspect.Parameter.empty, count)


def commands_of(app: typer.Typer, words: list[str]) -> Iterator[Command]:
    several = len(app.registered_commands) + len(app.registered_groups) > 1
    for registered in app.registered_commands:
        name = registered.name or registered.callback.__name__.replace("_", "-")
        own = [*words, name] if several else words
        yield Command(own, list(parameters_of(registered.callback)))
    for group in app.registered_groups:
        yield from commands_of(group.typer_instance, [*words, group.name])


def all_commands() -> list[Command]:
    found = []
    for name in COMMANDS:
        module = importlib.import_module(f"crosspro.scripts.{name.replace('-', '_')}")
        if hasattr(module, "app"):
            found += commands_of(module.app, [name])
    return found


CASES = [
    pytest.param(command, output, source, id=" ".join((*command.words, output.name, source.name)))
    for command in all_commands()
    for output in command.outputs
    for source in command.inputs
]


def test_every_path_of_every_command_is_known():
    paths = {one.name for command in all_commands() for one in command.parameters if one.count}
    assert paths == INPUTS | OUTPUTS | FOLDERS


def test_there_is_something_to_try():
    assert len(CASES) > 150
    assert {"evaluate", "stats", "align", "fill", "lm", "apt", "protest"} <= {
        case.values[0].words[0] for case in CASES
    }


def spellings(path: Path) -> list[Path]:
    folder = path.parent
    soft, hard = folder / "soft", folder / "hard"
    soft.symlink_to(path.name)
    os.link(path, hard)
    return [path, folder / "." / ".." / folder.name / path.name, soft, hard]


@pytest.mark.parametrize(("command", "output", "source"), CASES)
def test_output_that_is_an_input_is_refused(command, output, source, tmp_path):
    path = tmp_path / "precious"
    path.write_text("work of years\n")
    for number, spelling in enumerate(spellings(path)):
        line: list[object] = []
        positional: list[object] = []
        for one in command.parameters:
            values: list[object] = []
            if one.name == output.name:
                values = [spelling]
            elif one.name == source.name:
                values = [path] * one.count
            elif one.required:
                other = tmp_path / f"other.{one.name}"
                other.write_text("other\n")
                values = [other] * one.count or ["other"]
            if values:
                (line if one.words else positional).extend([*one.words, *values])
        result = crosspro(*command.words, *line, *positional)
        message = result.stderr.decode()
        assert result.code == 2, (number, message)
        assert "an input of this command" in message, number
        assert path.read_text() == "work of years\n"


@pytest.mark.parametrize("existing", [False, True])
def test_two_outputs_need_two_files(existing, tmp_path):
    output = tmp_path / "both"
    if existing:
        output.write_text("old\n")
    (tmp_path / "link").symlink_to("both")
    line = ("predict", tmp_path, tmp_path / "data", "-o", output)
    result = crosspro(*line, "--probabilities", tmp_path / "link")
    assert result.code == 2
    assert b"another output" in result.stderr


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def refused(folder: Path, *arguments: object) -> None:
    """A command names no file twice, and yet would write over what it reads."""
    before = files_of(folder)
    result = crosspro(*arguments)
    assert result.code == 2, result.stderr
    assert b"an input of this command" in result.stderr
    assert files_of(folder) == before


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "dev.data"
    examples = demo_examples(load_task("en-fr"), "dev", 10)
    write_examples(path, examples)
    write_doc_ids(tmp_path / "dev.doc-ids", examples)
    return path


def test_file_found_beside_an_input(data):
    refused(data.parent, "stats", data, "-t", "en-fr", "-o", data.with_name("dev.doc-ids"))


def test_task_file(data):
    task = data.with_name("own.yaml")
    shutil.copy(CONF_DIR / "task" / "en-fr.yaml", task)
    refused(data.parent, "stats", data, "-t", task, "-o", task)


def test_input_that_is_read_while_output_is_written(tmp_path):
    path = tmp_path / "text.en"
    path.write_text("It rains.\n")
    refused(tmp_path, "tokenise", path, "-l", "en", "-o", path)


def test_output_of_a_prefix(tmp_path):
    folder = shutil.copytree(GOLDEN / "protest", tmp_path / "protest")
    text = ("--source", folder / "text.en", "--reference", folder / "text.fr")
    more = ("--doc-ids", folder / "text.doc-ids", "--links", folder / "text.links")
    annotation = ("--annotation", folder / "en")
    before = files_of(folder)
    output = tmp_path / "suite.jsonl"
    result = crosspro(
        "protest", "build", *annotation, *text, *more, "--text", folder / "text", "-o", output
    )
    assert result.code == 2
    assert b"an input of this command" in result.stderr
    assert files_of(folder) == before


def test_file_in_the_folder_of_a_run(tmp_path):
    task = load_task("en-fr")
    examples = demo_examples(task, "dev", 10)
    system = Majority()
    system.fit(task, examples, examples)
    system.save(tmp_path / "run")
    write_examples(tmp_path / "dev.data", examples)
    for path in (tmp_path / "run").iterdir():
        refused(tmp_path, "predict", tmp_path / "run", tmp_path / "dev.data", "-o", path)
    other = tmp_path / "run" / "submission"
    for _ in range(2):  # what is no input is replaced as ever
        assert crosspro("predict", tmp_path / "run", tmp_path / "dev.data", "-o", other).code == 0
