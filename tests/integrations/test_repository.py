"""Translations of a repository: the module, the hook of pre-commit, the action, the image."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from crosspro.integrations.repository import main, sides, translations
from tests.conftest import ROOT
from tests.integrations.pairs import RIGHT, WRONG

PO = """msgid ""
msgstr ""
"Language: de\\n"
"Content-Type: text/plain; charset=UTF-8\\n"

#: a.c:1
msgid "{0}"
msgstr "{1}"
"""
XLIFF = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="a" source-language="en" target-language="de" datatype="plaintext"><body>
<trans-unit id="1"><source>{0}</source><target>{1}</target></trans-unit>
</body></file></xliff>
"""
SRT = "1\n00:00:01,000 --> 00:00:03,000\n{}\n"


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Three translations with a wrong pronoun, and one that has a right one."""
    files = {
        "locale/de.po": PO.format(*WRONG),
        "locale/right/de.po": PO.format(*RIGHT),
        "locale/cs.po": PO.format(*WRONG).replace("Language: de", "Language: cs"),
        "help/de.xliff": XLIFF.format(*WRONG),
        "film/one.en.srt": SRT.format(WRONG[0]),
        "film/one.de.srt": SRT.format(WRONG[1]),
        "film/alone.de.srt": SRT.format(WRONG[1]),
        ".hidden/de.po": PO.format(*WRONG),
        "notes.txt": "It is not a translation.\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


FOUND = ["film/one.de.srt", "help/de.xliff", "locale/de.po"]


def annotated(text):
    return re.findall(r"^::(?:error|warning|notice) file=([^,]+),line=\d+,", text, re.MULTILINE)


def test_a_folder_is_annotated(repository, capsys):
    assert main([".", "--format", "github"]) == 1
    told = capsys.readouterr()
    assert annotated(told.out) == FOUND
    assert "passed over: locale/cs.po" in told.err
    assert told.err.endswith("4 translations read\n")


def test_text_and_files_without_doubts(repository, capsys):
    assert main(["locale/right/de.po", "notes.txt", "film/alone.de.srt"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["locale/de.po"]) == 1
    assert "er → sie" in capsys.readouterr().out
    assert main(["locale/de.po", "--threshold", "0.99"]) == 0
    (repository / "bad.po").write_bytes(b'msgid "\xff')
    assert main(["bad.po", "locale/de.po", "--model", "en-de"]) == 2
    assert "er → sie" in capsys.readouterr().out
    for chance in ("7", "nan", "much"):
        with pytest.raises(SystemExit, match="2"):
            main([".", "--threshold", chance])


def test_a_model_reads_what_may_be_of_its_languages(repository, capsys):
    text = (repository / "locale/de.po").read_text("utf-8").replace('"Language: de\\n"\n', "")
    (repository / "locale/unsaid.po").write_text(text, "utf-8")
    assert main(["locale", "--model", "en-de"]) == 1
    told = capsys.readouterr()
    assert "passed over: locale/cs.po" in told.err
    assert "locale/unsaid.po:" in told.out
    assert main(["locale/de.po", "locale/unsaid.po", "--model", "en-fr"]) == 1
    assert "locale/de.po:" in capsys.readouterr().out  # by en-de
    assert main(["locale", "--model", "none"]) == 2
    assert capsys.readouterr().err.count("none: ") == 1


def test_names_are_never_commands(repository, capfdbinary):
    """Whoever proposes a change to a repository chooses the names of its files."""
    names = [b"::stop-commands::x.po", b'it\'s "a", 50%: b.po', b"\xff.po"]
    for name in names:
        Path(os.fsdecode(name)).write_text(PO.format(*WRONG), "utf-8")
    Path("::error::bad.po").write_bytes(b'msgid "\xff')
    (repository / "folder.po").mkdir()
    assert main([".", "::add-mask::a", "--format", "github", "--model", "en-de"]) == 2
    told = capfdbinary.readouterr()
    commands = [line.split(" ")[0] for line in told.out.decode("utf-8").splitlines()]
    assert commands[-2:] == ["::error::::add-mask::a:", "::error::::error::bad.po:1:"]
    assert set(commands[:-2]) == {"::warning"}
    assert 'file=it\'s "a"%2C 50%25%3A b.po,' in told.out.decode("utf-8")
    assert b"file=\\udcff.po," in told.out
    assert not re.search(rb"^::", told.err, re.MULTILINE)


def test_a_source_is_no_translation(repository):
    assert sides(Path("film/one.en.srt")) is None
    assert sides(Path("film/one.de.srt")) == (Path("film/one.en.srt"), Path("film/one.de.srt"))
    assert [*translations([Path("locale/de.po"), Path("locale")])].count(Path("locale/de.po")) == 1


def test_the_steps_of_the_action_run(repository):
    """The shell of the last step, with the environment in which this project is installed."""
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    step = action["runs"]["steps"][-1]
    (repository / "numpy.py").write_text("open('made', 'w'); raise SystemExit(0)\n", "utf-8")
    inputs = {name: one["default"] for name, one in action["inputs"].items()}
    (repository / "temp").mkdir()
    (repository / "temp" / "crosspro").symlink_to(Path(sys.prefix))

    def run(**changed):
        given = {**inputs, **changed}
        own = {key: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: given[found[1]], value)
               for key, value in step["env"].items()}  # fmt: skip
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            env={**os.environ, **own, "RUNNER_TEMP": str(repository / "temp")},
            capture_output=True, text=True, cwd=repository,
        )  # fmt: skip

    found = run(paths="\n  locale\n \nfilm\n", threshold="0.4")
    assert (found.returncode, annotated(found.stdout)) == (1, [FOUND[2], FOUND[0]])
    assert run(paths="locale/de.po", threshold="0.4", fail="false").returncode == 0
    assert run(paths="locale", fail="False").returncode == 1
    assert run(paths=" \n").returncode == 0
    told = run(paths='*\n$(touch made); `touch made`\n--help\n"; touch made')
    assert (told.returncode, told.stdout.count("::error::")) == (2, 4)
    for name, status in {"model": 2, "threshold": 2, "fail": 0}.items():
        assert run(paths="locale/right", **{name: "$(touch made)"}).returncode == status
    assert not (repository / "made").exists()


def checked(*command):
    program = Path(sys.prefix) / "bin" / command[0]
    if not program.is_file():
        pytest.skip(f"no {command[0]}")
    ran = subprocess.run([program, *command[1:]], capture_output=True, text=True, cwd=ROOT)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_files_fit_their_schemas():
    checked("check-jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml")
    checked("pre-commit", "validate-manifest", ".pre-commit-hooks.yaml")


def test_the_image_is_linted():
    checked("hadolint", "Dockerfile")


@pytest.mark.slow
def test_the_image_is_built_and_reads(repository):
    """Where docker is at hand, and has or gets the base."""

    def docker(*command):
        return subprocess.run(["docker", *command], capture_output=True, text=True)

    if not shutil.which("docker") or docker("info").returncode != 0:
        pytest.skip("no docker that answers")
    built = docker("build", "--tag", "crosspro-test", ROOT)
    assert built.returncode == 0, built.stderr
    run = ["run", "--rm", "--network", "none"]
    assert docker(*run, "--entrypoint", "id", "crosspro-test").stdout.startswith("uid=10001")
    mine = ["--user", f"{os.getuid()}:{os.getgid()}", "--volume", f"{repository}:/text"]
    found = docker(*run, *mine, "crosspro-test", "proofread", "locale/de.po", "--html", "page.html")
    assert found.returncode == 1, found.stderr
    assert "er → sie" in found.stdout
    assert (repository / "page.html").is_file()


@pytest.mark.slow
def test_pre_commit_runs_the_hook(repository, tmp_path_factory):
    """pre-commit installs the project into an environment of its own: this takes minutes."""
    pytest.importorskip("pre_commit")

    def git(*arguments):
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "Translations")
    ran = subprocess.run(
        [sys.executable, "-m", "pre_commit", "try-repo", ROOT, "crosspro-proofread",
         "--all-files", "--verbose"],
        capture_output=True, text=True,
        env={**os.environ, "PRE_COMMIT_HOME": str(tmp_path_factory.mktemp("pre-commit"))},
    )  # fmt: skip
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "exit code: 1" in ran.stdout
    assert "locale/de.po:" in ran.stdout
