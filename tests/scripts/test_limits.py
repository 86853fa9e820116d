"""Limits of input: one option of all commands, one setting of training, one block in Python."""

from __future__ import annotations

import gzip
import re
import tarfile
from io import BytesIO
from itertools import chain

import numpy as np
import pytest

import crosspro as api
from crosspro.data_prep.align.prior import load_prior
from crosspro.data_prep.bitext.xml_corpora import read_tmx
from crosspro.data_prep.core import limits
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.files import atomic_output, read_bytes, read_lines
from crosspro.data_prep.core.limits import (
    ARRAY_BYTES,
    FILE_BYTES,
    LINE_BYTES,
    YAML_ITEMS,
    Limit,
    changed_limits,
    limit_factor,
)
from crosspro.data_prep.core.processes import map_processes
from crosspro.data_prep.core.yaml_files import read_yaml
from crosspro.data_prep.formats.mmax import read_mmax
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


def test_all_limits_are_documented():
    page = (ROOT / "docs/reference/options.md").read_text("utf-8")
    text = page.split("## What input may ask for\n")[1]
    documented = [int(row.replace(",", "")) for row in re.findall(r"(?m)^\| ([\d,]+) ", text)]
    usual = [limit.usual for limit in vars(limits).values() if isinstance(limit, Limit)]
    assert sorted(documented) == sorted(usual)


@pytest.mark.parametrize("given", ["x", "0", "-1", "nan", "inf", "1e10"])
def test_a_factor_is_a_number_above_nothing(given):
    result = crosspro(*STATS, "--limit", given)
    assert result.code == 2
    assert b"limit" in result.stderr
    assert b"Traceback" not in result.stderr


def long_line(path):
    """Gold with one line more, of 700,000 bytes."""
    path.write_bytes(GOLD.read_bytes() + b"\t\t" + b"w" * 700_000 + b"\tfin|NOM\t0-0\n")
    return path


TOLD = "line: expected at most 671,089 bytes (--limit 0.02 allows twice as much, limit=0.02 in a tr"


def test_a_factor_holds_for_one_command_and_the_message_says_how_to_allow_more(tmp_path):
    call = ("stats", long_line(tmp_path / "gold.tsv"), "--task", "en-fr")
    refused = crosspro(*call, "--limit", 0.01)
    assert refused.code == 2
    assert TOLD.encode() in refused.stderr
    assert crosspro(*call).code == 0
    assert limit_factor() == 1


@pytest.mark.parametrize(
    "factor", [0, float("nan"), 1e10, 10**5000, -(10**5000), True, "10"], ids=type
)
def test_a_wrong_factor_changes_nothing(factor):
    expected = "settings: limit: expected a number above 0 up to 1,000,000,000, found"
    with pytest.raises(InputError, match=expected), api.limits(factor):
        pass
    assert limit_factor() == 1


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
    """Four times 2**20 bytes, one of which is allowed beyond the longest line."""
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress((b"x" * 1023 + b"\n") * 4096))
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


def lines(path):
    return list(read_lines(path))


READERS = {
    "line": (packed, lines, LINE_BYTES, 2000),
    "file": (packed, read_bytes, FILE_BYTES, 2000),
    "packed": (bomb, lines, LINE_BYTES, 3 << 20),
    "arrays": (small_prior, load_prior, ARRAY_BYTES, 100_128),
    "yaml": (items, read_yaml, YAML_ITEMS, 16),
    "segment": (segments, lambda path: list(read_tmx(path, "en", "fr")), LINE_BYTES, 600),
    "member": (project, lambda path: read_mmax(path / "fr"), FILE_BYTES, 600),
    "project": (project, lambda path: read_mmax(path / "en"), FILE_BYTES, 1200),
}


@pytest.mark.parametrize("name", READERS)
def test_what_is_refused_is_read_if_it_is_allowed(tmp_path, name):
    make, read, limit, size = READERS[name]
    path = make(tmp_path)
    refused = pytest.raises(InputError, match=r"--limit .* allows twice as much")
    with changed_limits((size - 1) / limit.usual), refused:
        read(path)
    with changed_limits(size / limit.usual):
        try:
            read(path)
        except InputError as error:  # which it may have for other reasons
            assert "--limit" not in str(error)


def test_words_beyond_the_usual_are_aligned_if_they_are_allowed(tmp_path):
    names = {}
    for name, file in (("source", "src.en"), ("reference", "ref.fr"), ("candidate", "mt.fr")):
        names[name] = tmp_path / file
        names[name].write_text((APT / file).read_text("utf-8") + "x " * 2001 + "\n", "utf-8")
    ours = {"links": None, "candidate_links": None}
    call = ("apt", *options(**names, **ours), "--resamples", 0)
    assert crosspro(*call).code == 2
    assert crosspro(*call, "--limit", 1.001).code == 0


def test_other_processes_have_the_limits_of_this_one():
    with changed_limits(0.25):
        assert list(map_processes(_most, [0, 1], 2)) == [1 << 24, 1 << 24]


def _most(_):
    return LINE_BYTES.most()


def test_training_has_them_as_settings(tmp_path):
    (tmp_path / "data").mkdir()
    for name in ("train", "dev", "test"):
        long_line(tmp_path / "data" / f"{name}.data")
    data = ("data=shared_task", f"data.dir={tmp_path / 'data'}", "resamples=0")
    refused = train(tmp_path / "run", *data, "limit=0.01")
    assert refused.returncode == 2
    assert TOLD in refused.stderr
    assert train(tmp_path / "run", *data, "limit=0.02").returncode == 0


@pytest.mark.parametrize("given", ["limit=x", "limit=0", "limits.lines=5", "limit.lines=5"])
def test_training_refuses_limits_that_are_none(tmp_path, given):
    result = train(tmp_path / "run", given)
    assert result.returncode == 2
    assert "limit" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_high_limit_makes_no_room_for_what_is_not_there(tmp_path):
    with atomic_output(tmp_path / "x.gz") as handle:
        handle.write(b"text")
    with changed_limits(10**9):
        assert read_bytes(tmp_path / "x.gz") == b"text"
        assert list(read_lines(tmp_path / "x.gz")) == [b"text"]


def test_blocks_that_end_in_another_order_take_back_their_own_change():
    first, second = api.limits(10), api.limits(20)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert LINE_BYTES.most() == 20 * LINE_BYTES.usual
    second.__exit__(None, None, None)
    assert LINE_BYTES.most() == LINE_BYTES.usual
