"""Limits of input: one option of all commands, one setting of training, one block in Python."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import tarfile
from io import BytesIO
from itertools import chain

import numpy as np
import pytest
import yaml

import crosspro as api
from crosspro.conf import CONF_DIR
from crosspro.data_prep.align.prior import load_prior
from crosspro.data_prep.bitext.xml_corpora import read_tmx
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.files import atomic_output, read_bytes, read_lines
from crosspro.data_prep.core.limits import LIMITS, LINE_BYTES, changed_limits, limits_now
from crosspro.data_prep.core.processes import map_processes
from crosspro.data_prep.core.yaml_files import read_yaml
from crosspro.data_prep.formats.mmax import read_mmax
from crosspro.evaluation.protest.suite import FORMAT, VERSION, read_suite
from tests.conftest import GOLDEN, ROOT
from tests.integration.training import train
from tests.scripts.apt_files import APT, options
from tests.scripts.run import crosspro
from tests.scripts.test_vocabulary import commands

GOLD = GOLDEN / "scorer" / "en-fr_random" / "gold.tsv"
STATS = ("stats", GOLD, "--task", "en-fr")


def test_every_command_has_the_option():
    spelled = {name: [*chain.from_iterable(p.opts for p in one.params)] for name, one in commands()}
    assert [name for name, found in spelled.items() if "--limit" not in found] == []


def test_all_limits_are_documented_and_settings_of_training():
    text = (ROOT / "docs/commands.md").read_text("utf-8").split("## What input may ask for\n")[1]
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", text, re.MULTILINE)
    usual = {name: limit.usual for name, limit in LIMITS.items()}
    assert {name: int(number.replace(",", "")) for name, number in rows} == usual
    settings = yaml.safe_load((CONF_DIR / "train.yaml").read_text("utf-8"))
    assert settings["limits"] == dict.fromkeys(LIMITS)


@pytest.mark.parametrize("given", ["x=5", "line_bytes", "line_bytes=", "line_bytes=-1", "=5"])
def test_a_limit_is_a_name_and_a_number(given):
    result = crosspro(*STATS, "--limit", given)
    assert result.code == 2
    shown = b" ".join(result.stderr.split())
    assert b"--limit: expected NAME=N with a whole number" in shown
    assert b"line_bytes, file_bytes" in shown


def test_a_limit_holds_for_one_command_and_is_named_in_the_message():
    refused = crosspro(*STATS, "--limit", "line_bytes=50")
    assert refused.code == 2
    assert (
        b"line: expected at most 50 bytes (--limit line_bytes=N allows more, limits.line_bytes=N"
        in refused.stderr
    )
    assert crosspro(*STATS).code == 0
    assert limits_now() == {}


def test_a_wrong_limit_changes_nothing():
    with pytest.raises(InputError) as refused, api.limits(line_bytes=0, line_byte=5):
        pass
    assert [problem.field for problem in refused.value.problems] == ["line_byte", "line_bytes"]
    assert limits_now() == {}


def packed(tmp_path):
    path = tmp_path / "text.gz"
    with atomic_output(path) as handle:
        handle.write(b"x" * 2000)
    return path


def small_prior(tmp_path):
    path = tmp_path / "prior.npz"
    np.savez_compressed(path, about=np.zeros(100_000, np.uint8))
    return path


def items(tmp_path):
    path = tmp_path / "items.yaml"
    path.write_text("a: &a [1, 2, 3]\nb: [*a, *a]\n", "utf-8")
    return path


def bomb(tmp_path):
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress((b"x" * 1023 + b"\n") * (LINE_BYTES.usual // 900)))
    return path


def suite(tmp_path):
    path = tmp_path / "suite.jsonl"
    languages = {"source_language": "en", "target_language": "fr"}
    header = {"format": FORMAT, "version": VERSION, **languages, "references": 3, "lines": 1}
    path.write_text(json.dumps({**header, "tokens": 0}) + "\n", "utf-8")
    return path


def project(tmp_path):
    path = tmp_path / "project.tar"
    with tarfile.open(path, "w") as archive:
        for name in ("en/x.mmax", "en/x_words.xml"):
            member = tarfile.TarInfo(name)
            member.size = 600
            archive.addfile(member, BytesIO(b"<a>" + b"x" * 593 + b"</a>"))
    return path


def segments(tmp_path):
    path = tmp_path / "text.tmx"
    path.write_text(f"<tmx><body><tu><tuv><seg>{'x' * 600}</seg></tuv></tu></body></tmx>", "utf-8")
    return path


READERS = {
    "line_bytes": (packed, lambda path: list(read_lines(path)), 1999, 2000),
    "file_bytes": (packed, read_bytes, 1999, 2000),
    "packed_times": (bomb, lambda path: list(read_lines(path)), 10, 2000),
    "array_bytes": (small_prior, load_prior, 1000, 200_000),
    "yaml_items": (items, read_yaml, 10, 20),
    "suite_references": (suite, read_suite, 2, 3),
    "xml_characters": (segments, lambda path: list(read_tmx(path, "en", "fr")), 599, 600),
    "member_bytes": (project, lambda path: read_mmax(path / "en"), 599, 600),
    "project_file_bytes": (project, lambda path: read_mmax(path / "en"), 599, 600),
    "project_bytes": (project, lambda path: read_mmax(path / "en"), 1199, 1200),
}


@pytest.mark.parametrize("name", READERS)
def test_what_is_refused_is_read_if_it_is_allowed(tmp_path, monkeypatch, name):
    make, read, low, high = READERS[name]
    monkeypatch.setattr("crosspro.data_prep.core.stored.MOST_TIMES", 1)
    path = make(tmp_path)
    with changed_limits({name: low}), pytest.raises(InputError, match=f"--limit {name}=N allows"):
        read(path)
    with changed_limits({name: high}):
        try:
            read(path)
        except InputError as error:  # which it may have for other reasons
            assert "--limit" not in str(error)


def test_words_of_a_line_that_apt_aligns():
    ours = {"links": None, "candidate_links": None}
    call = ("apt", *options(**ours), "--resamples", 0)
    refused = crosspro(*call, "--limit", "aligned_words=3")
    assert refused.code == 2
    assert b"(--limit aligned_words=N allows more," in refused.stderr
    assert crosspro(*call, "--limit", "aligned_words=5000").code == 0


def test_words_beyond_the_usual_are_aligned_if_they_are_allowed(tmp_path):
    names = {}
    for name, file in (("source", "src.en"), ("reference", "ref.fr"), ("candidate", "mt.fr")):
        names[name] = tmp_path / file
        names[name].write_text((APT / file).read_text("utf-8") + "x " * 2001 + "\n", "utf-8")
    ours = {"links": None, "candidate_links": None}
    call = ("apt", *options(**names, **ours), "--resamples", 0)
    assert crosspro(*call).code == 2
    assert crosspro(*call, "--limit", "aligned_words=2001").code == 0


def test_other_processes_have_the_limits_of_this_one():
    with changed_limits({"line_bytes": 77}):
        assert list(map_processes(_most, [0, 1], 2)) == [77, 77]


def _most(_):
    return LINE_BYTES.most()


def test_training_has_them_as_settings(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    for name in ("train", "dev", "test"):
        shutil.copy(GOLD, data / f"{name}.data")
    call = (tmp_path / "run", "data=shared_task", f"data.dir={data}", "resamples=0")
    refused = train(*call, "limits.line_bytes=50")
    assert refused.returncode == 2
    assert (
        "line: expected at most 50 bytes (--limit line_bytes=N allows more, limits.line_bytes=N"
        in refused.stderr
    )
    assert train(*call, "limits.line_bytes=5000").returncode == 0


@pytest.mark.parametrize("given", ["limits=5", "limits.line_bytes=x", "+limits.lines=5"])
def test_training_refuses_limits_that_are_none(tmp_path, given):
    result = train(tmp_path / "run", given)
    assert result.returncode == 2
    assert "limits" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_high_limit_makes_no_room_for_what_is_not_there(tmp_path):
    with atomic_output(tmp_path / "x.gz") as handle:
        handle.write(b"text")
    with changed_limits({"file_bytes": 10**18, "line_bytes": 10**18}):
        assert read_bytes(tmp_path / "x.gz") == b"text"
        assert list(read_lines(tmp_path / "x.gz")) == [b"text"]


@pytest.mark.parametrize("number", [0, 10**18 + 1, 10**5000], ids=["none", "high", "huge"])
def test_limits_have_one_bound_in_python_and_training(number):
    expected = "line_bytes: expected a whole number from 1 to 1,000,000,000,000,000,000, found"
    with pytest.raises(InputError, match=expected), api.limits(line_bytes=number):
        pass


def test_blocks_that_end_in_another_order_take_back_their_own_change():
    first, second = api.limits(line_bytes=10), api.limits(line_bytes=20)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert LINE_BYTES.most() == 20
    second.__exit__(None, None, None)
    assert LINE_BYTES.most() == LINE_BYTES.usual
