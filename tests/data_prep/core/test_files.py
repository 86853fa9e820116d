"""Output appears when it is complete, and leaves what it should not touch alone."""

from __future__ import annotations

import gzip
import os
import random
import stat

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.files import (
    atomic_folder,
    atomic_output,
    content_digest,
    make_folder,
    parse_json,
    read_bytes,
    read_lines,
    write_text,
)

NOISE = random.Random(1).randbytes(20000)


def test_nothing_is_left_after_a_failure(tmp_path):
    path = tmp_path / "x"
    path.write_text("old")
    with pytest.raises(RuntimeError), atomic_output(path) as handle:
        handle.write(b"new")
        raise RuntimeError
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def test_links_are_followed_and_permissions_kept(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to(real)
    write_text(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o600


def test_a_pipe_is_written_to_as_it_is(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_text(pipe, "text")
    assert os.read(reader, 10) == b"text"
    os.close(reader)
    assert pipe.is_fifo()


@pytest.mark.parametrize("name", ["none/x", "."])
def test_a_place_that_cannot_be_written_is_an_input_error(tmp_path, name):
    with pytest.raises(InputError):
        write_text(tmp_path / name, "text")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError):
        make_folder(tmp_path / "file")


def test_compressed_output_is_the_same_every_time(tmp_path):
    for name in ("a.gz", "b.gz"):
        write_text(tmp_path / name, "text\n")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert list(read_lines(tmp_path / "a.gz")) == [b"text\n"]


@pytest.mark.parametrize("content", [NOISE, gzip.compress(NOISE), "un été\n".encode("utf-16") * 20])
def test_binary_data_is_one_problem(tmp_path, content):
    path = tmp_path / "x.data"
    path.write_bytes(content)
    with pytest.raises(InputError, match="expected text, found binary data") as caught:
        list(read_lines(path))
    assert caught.value.total == 1
    assert b"".join(read_lines(path, binary=True)) == content


@pytest.mark.parametrize("line", [b"x" * 100, b"x" * 8191, b"x" * 8192, b"x" * 9000, b"\n" * 9000])
def test_lines_are_whole_whatever_their_length(tmp_path, line):
    path = tmp_path / "x"
    path.write_bytes((line + b"\n") * 3)
    assert list(read_lines(path)) == ((line + b"\n") * 3).splitlines(keepends=True)


MARK = b"\xef\xbb\xbf"


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
@pytest.mark.parametrize(
    "lines", [[], [b"\n"], [b"a\n", MARK + b"b\n", b"c"], [b"x" * 9000 + b"\n"]]
)
def test_a_byte_order_mark_before_the_first_line_is_left_out(tmp_path, suffix, lines):
    path = tmp_path / f"text{suffix}"
    with atomic_output(path) as handle:
        handle.write(MARK + b"".join(lines))
    assert list(read_lines(path)) == lines
    assert b"".join(read_lines(path, binary=True)) == MARK + b"".join(lines)
    assert read_bytes(path) == b"".join(lines)


def test_a_folder_is_whole_or_not_there(tmp_path):
    out = tmp_path / "deep" / "out"
    with pytest.raises(ZeroDivisionError), atomic_folder(out) as new:
        (new / "file").write_text("half")
        raise ZeroDivisionError
    assert list(out.parent.iterdir()) == []
    out.mkdir()
    with atomic_folder(out) as new:
        (new / "file").write_text("whole")
        assert list(out.iterdir()) == []
    assert [path.name for path in out.iterdir()] == ["file"]
    assert stat.S_IMODE(out.stat().st_mode) == stat.S_IMODE(out.parent.stat().st_mode)
    with pytest.raises(InputError), atomic_folder(out):
        raise AssertionError
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_digests_depend_on_content_not_on_names(tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text("x\n")
    second.write_text("x\n")
    assert content_digest(first, 1) == content_digest(second, 1) != content_digest(second, 2)
    second.write_text("y\n")
    assert content_digest(first) != content_digest(second)
    assert content_digest(iter(["a", "é"]), 1) == content_digest(iter(["a", "é"]), 1)
    assert content_digest(iter(["a"]), "b") != content_digest(iter(["a", "b"]))


@pytest.mark.parametrize(
    "text",
    ['{"a": 1, "a": 2}', '[{"x": {"b": 0, "b": 0}}]', "NaN", "1e400", "9" * 5000, "[" * 10**5,
     '"\\ud800"', b'"\xff"', "{"],
)  # fmt: skip
def test_json_is_strict(text):
    with pytest.raises(ValueError):
        parse_json(text)
    assert parse_json('{"a": [1.5, "\\ud83d\\ude00"]}') == {"a": [1.5, "😀"]}
