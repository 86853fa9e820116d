"""What a training tells: its best epoch, why it ended, what to hold it against, and a log of it."""

from __future__ import annotations

import re

from tests.integration.training import SMALL, train

TINY = "system.network={words: 6, characters: 4, character_hidden: 4, hidden: 6, mlp: 6}"


def test_a_training_tells_how_it_went_and_stands_beside_other_scores(tmp_path):
    result = train(
        tmp_path, "task=en-fr", "system=uppsala_bilstm", *SMALL, TINY, "trainer.max_epochs=2",
        "trainer.progress_bar=false", "system.training.context=1",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    told = re.search(
        r"^best dev mean (\d+\.\d\d), of epoch [01]; training ended with epoch 1 \((\d+) steps\) "
        r"after all epochs$",
        result.stderr,
        re.MULTILINE,
    )
    assert told
    table = result.stdout[result.stdout.index("set   system") :]
    for fragment in ("uppsala_bilstm seed 1", "majority"):
        assert table.partition("\n\n")[0].count(fragment) == 2  # on dev and on test
    log = (tmp_path / "train.log").read_text("utf-8")
    assert told.group() in log
    assert "epoch 0: loss " in log
    assert "epoch 0: loss " not in result.stdout + result.stderr
    lines = table.splitlines()
    *_, scores, last = (line for line in lines if not line.startswith(("warning: ", "note: ")))
    chosen = rf"epoch [01], chosen by dev mean {told[1]}"
    assert re.fullmatch(
        rf"uppsala_bilstm seed 1: macro recall / accuracy: dev .*; {chosen}", scores
    )
    assert last.startswith("Model, submissions, ")
    assert all(line in log for line in table.splitlines()[1:])


def test_unlabelled_sets_have_what_there_is(tmp_path):
    line = "{label}\t{word}\tit is red\tREPLACE_0 être|VER rouge|ADJ\t0-0\n"
    seen = line.format(label="elle", word="elle|PRON") + line.format(label="il", word="il|PRON")
    for name, text in (("train", seen), ("dev", seen), ("test", line.format(label="", word=""))):
        (tmp_path / f"{name}.data").write_text(text * 3, encoding="utf-8")
    result = train(tmp_path / "run", "task=en-fr", "data=shared_task", f"data.dir={tmp_path}",
                   "resamples=0")  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert re.search(r"^dev +majority seed 1 +50\.00 ", result.stdout, re.MULTILINE)
    assert not re.search(r"^test", result.stdout, re.MULTILINE)


def test_a_run_below_the_majority_class_ends_with_a_warning(tmp_path):
    result = train(tmp_path, "task=en-fr", "system=class_prior", *SMALL)
    assert result.returncode == 0, result.stderr
    *_, warning, last, note = result.stdout.splitlines()
    assert "generated" in note
    assert re.match(r"warning: test: accuracy \d+\.\d\d is below the \d+\.\d\d of always ", warning)
    assert last.startswith("Model, submissions, ")
    assert warning in (tmp_path / "train.log").read_text("utf-8")
