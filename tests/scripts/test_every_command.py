"""What holds for all commands: help, missing input, output that is an input, no extras."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from typing import Any

import pytest

from crosspro.data_prep.core.errors import TRAINING
from crosspro.scripts.cli import NAMES, command_of
from crosspro.scripts.common import number_of_paths
from tests.conftest import ROOT
from tests.scripts.run import crosspro


def leaves(command: Any, *path: str) -> dict[str, Any]:
    """The commands below a command, by the words that call them."""
    below = getattr(command, "commands", None)
    if below is None:
        return {" ".join(path): command}
    return {
        words: leaf
        for name, child in below.items()
        for words, leaf in leaves(child, *path, name).items()
    }


COMMANDS = {
    words: leaf for name in NAMES if name != "train"
    for words, leaf in leaves(command_of(name), name).items()
}  # fmt: skip
EXAMPLES = {name: leaf.epilog.partition("crosspro ")[2] for name, leaf in COMMANDS.items()}
READS_NO_FILE = {"demo", "fetch-official", "models list", "predict", "published", "serve"}
"""Commands whose example names no file that it reads."""
OPTIONAL = {*TRAINING, "fastapi", "hydra", "kenlm", "ray", "sacrebleu", "spacy", "uvicorn"}


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_an_example_that_is_understood(name):
    result = crosspro(*name.split(), "--help")
    assert result.code == 0
    shown = " ".join(result.stdout.decode().split())
    assert f"Example: crosspro {EXAMPLES[name]}" in shown
    assert EXAMPLES[name].startswith(f"{name}")
    words = shlex.split(EXAMPLES[name])[len(name.split()) :]
    assert COMMANDS[name].make_context(name, words).params or name == "serve"


def test_help_of_train_is_that_of_hydra():
    pytest.importorskip("hydra")
    result = crosspro("train", "--help")
    assert result.code == 0
    assert b"Example: crosspro train task=en-fr" in result.stdout
    assert b"turku_gru_words_inward" in result.stdout


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - READS_NO_FILE))
def test_a_missing_input_is_named_and_nothing_is_written(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = shlex.split(EXAMPLES[name])
    result = crosspro(*words)
    message = (result.stdout + result.stderr).decode()
    assert result.code == 2, message
    assert [*tmp_path.iterdir()] == []
    if "pip install" in message:
        pytest.skip("needs an extra, and says so before it reads")
    assert any(word in message for word in words[1:])


def is_output(parameter: Any) -> bool:
    return bool(getattr(parameter.type, "writable", False))


CASES = [
    pytest.param(name, output, source, id=f"{name} {output.name} {source.name}")
    for name, command in COMMANDS.items()
    for output in command.params
    if is_output(output) and output.type.file_okay
    for source in [
        parameter
        for parameter in command.params
        if number_of_paths(parameter.type) and not is_output(parameter)
    ][:2]
]


@pytest.mark.parametrize(("name", "output", "source"), CASES)
def test_an_output_that_is_an_input_is_refused(name, output, source, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("work of years\n")
    (tmp_path / "link").symlink_to(precious)
    words: list[object] = []
    for parameter in COMMANDS[name].params:
        values: list[object] = []
        if parameter is output:
            values = [tmp_path / "link"]
        elif parameter is source:
            values = [precious] * number_of_paths(parameter.type)
        elif parameter.required:
            other = tmp_path / f"other.{parameter.name}"
            other.write_text("other\n")
            values = [other] * number_of_paths(parameter.type) or ["other"]
        option = parameter.param_type_name == "option"
        words += [*([parameter.opts[0]] if option and values else []), *values]
    result = crosspro(*name.split(), *words)
    assert result.code == 2
    assert str(tmp_path) in result.stderr.decode()
    assert precious.read_text() == "work of years\n"


def test_outputs_are_declared():
    """An option that writes says so; else it would count as an input."""
    assert len(CASES) > 20
    for name, command in COMMANDS.items():
        for parameter in command.params:
            help_text = str(getattr(parameter, "help", ""))
            if "write" in help_text.lower() and number_of_paths(parameter.type):
                assert is_output(parameter) or parameter.name == "decisions", (name, parameter.name)


def without_extras(*words: str, folder: Any) -> subprocess.CompletedProcess[str]:
    code = f"import sys; sys.modules.update(dict.fromkeys({OPTIONAL!r}))\n"
    code += "from crosspro.scripts.entry import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *words], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": ""},
    )  # fmt: skip


def test_the_base_installation_predicts_and_evaluates(tmp_path):
    sample = str(ROOT / "data_prep" / "sample" / "gold.data")
    task = ("--task", "en-fr-text", "--resamples", "0")
    predicted = without_extras("predict", "en-fr", sample, "-o", "labels", folder=tmp_path)
    assert predicted.returncode == 0, predicted.stderr
    scored = without_extras("evaluate", sample, "labels", *task, folder=tmp_path)
    assert scored.returncode == 0, scored.stderr
    assert "labels" in scored.stdout


def test_a_command_without_its_extra_says_what_to_install(tmp_path):
    for command, extra in (("train", "train"), ("serve", "review")):
        refused = without_extras(command, folder=tmp_path)
        assert refused.returncode == 2
        assert f"crosspro[{extra}]" in refused.stderr


def test_version_help_and_unknown_command():
    assert crosspro("--version").stdout.startswith(b"crosspro ")
    assert {*NAMES} <= {*crosspro("--help").stdout.decode().split()}
    assert {*NAMES} <= {*crosspro().stdout.decode().split()}
    unknown = crosspro("evalute")
    assert unknown.code == 2
    assert b"evalute" in unknown.stderr


def test_a_bundled_model_goes_before_a_folder_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "en-fr").mkdir()
    sample = ROOT / "data_prep" / "sample" / "gold.data"
    assert crosspro("predict", "en-fr", sample, "-o", "labels").code == 0
    (tmp_path / "en-fr" / "run.json").write_text("{}")
    assert crosspro("predict", "en-fr", sample, "-o", "labels").code == 2


def test_a_missing_submission_is_a_missing_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gold = ROOT / "data_prep" / "sample" / "gold.data"
    for missing in ("en-xx", "other.data", "folder/x"):
        result = crosspro("evaluate", gold, missing, "--task", "en-fr-text")
        assert result.code == 2
        assert f"{missing}: " in result.stderr.decode()
        assert "model" not in result.stderr.decode()


@pytest.mark.parametrize("output", ["", ".", "folder/x"])
def test_an_output_that_cannot_be_is_refused_before_the_work(output, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gold = ROOT / "data_prep" / "sample" / "gold.data"
    result = crosspro("evaluate", gold, "en-fr", "--task", "en-fr-text", "-o", output)
    assert result.code == 2
    assert b"Traceback" not in result.stderr
    assert [*tmp_path.iterdir()] == []
