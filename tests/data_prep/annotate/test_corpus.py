"""Whole texts: batches, processes, progress, and the command."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from crosspro.data_prep.annotate import corpus
from crosspro.data_prep.annotate.corpus import annotate_text
from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.scripts.annotate import app

TEXT = [["Sie", "haben", "es", str(number), "."] for number in range(30)] + [[]] * 3


def tokens_file(tmp_path, sentences):
    path = tmp_path / "x.tokens"
    lines = (" ".join(f"{word}|{word.lower()}|X" for word in s) for s in sentences)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return f"tokens:{path}"


def test_batches_progress_and_order(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus, "BATCH", 7)
    done: list[int] = []
    spec = tokens_file(tmp_path, TEXT)
    for jobs in (1, 4):  # a file is read in one process
        done.clear()
        found = annotate_text(iter(TEXT), spec, "de", "universal", jobs=jobs, progress=done.append)
        assert [list(sentence.forms) for sentence in found] == TEXT
        assert done == [7, 7, 7, 7, 5]
    with pytest.raises(InputError, match=r"x.tokens:31: "):
        list(annotate_text(TEXT[:30], spec, "de", "universal"))


def test_errors_come_at_the_call():
    with pytest.raises(InputError, match="jobs"):
        annotate_text([], "hanta", "de", "universal", jobs=0)
    with pytest.raises(InputError, match="annotator"):
        annotate_text([], "nothing", "de", "universal")


def test_two_processes_give_what_one_gives(monkeypatch):
    pytest.importorskip("HanTa")
    monkeypatch.setattr(corpus, "BATCH", 5)
    done: list[int] = []
    alone = list(annotate_text(TEXT, "hanta", "de", "universal"))
    together = annotate_text(TEXT, "hanta", "de", "universal", jobs=2, progress=done.append)
    assert list(together) == alone
    assert sum(done) == len(TEXT)


def test_the_command_writes_each_layout(tmp_path):
    text = tmp_path / "text"
    text.write_text("Sie gehen .\n\nEs gibt sie\n", encoding="utf-8")
    spec = tokens_file(tmp_path, [["Sie", "gehen", "."], [], ["Es", "gibt", "sie"]])
    arguments = [str(text), "--language", "de", "--annotator", spec]
    result = CliRunner().invoke(app, arguments)
    assert result.stdout == "Sie|sie|X gehen|gehen|X .|.|X\n\nEs|es|X gibt|gibt|X sie|sie|X\n"
    output = tmp_path / "out.conllu"
    result = CliRunner().invoke(app, [*arguments, "--layout", "conllu", "-o", str(output)])
    assert (result.exit_code, result.stdout) == (0, "")
    again = [str(text), "-l", "de", "--annotator", f"conllu:{output}", "--layout", "lemmas"]
    assert CliRunner().invoke(app, again).stdout == "sie|X gehen|X .|X\n\nes|X gibt|X sie|X\n"


def test_the_command_leaves_no_half_written_output(tmp_path):
    text, output = tmp_path / "text", tmp_path / "out"
    text.write_text("Sie gehen\nEr\n", encoding="utf-8")
    spec = tokens_file(tmp_path, [["Sie", "gehen"]])
    arguments = [str(text), "-l", "de", "--annotator", spec, "-o", str(output)]
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, CrossproError)
    assert not output.exists()
    assert CliRunner().invoke(app, [str(text), "-l", "de", "--layout", "x"]).exit_code == 2
