"""Output appears when it is complete, and leaves what it should not touch alone."""

from __future__ import annotations

import gzip
import lzma
import os
import random
import stat

import pytest

from crosspro.data_prep.bitext.mo import scan_mo
from crosspro.data_prep.errors import InputError
from crosspro.data_prep.files.limits import LINE_BYTES, changed_limits
from crosspro.data_prep.files.textfile import (
    atomic_output,
    make_folder,
    read_bytes,
    read_lines,
    write_text,
)
from crosspro.evaluation.contrastive.formats import read_json
from crosspro.evaluation.contrastive.released.printout import released_printout
from crosspro.evaluation.mt_text.linked_text import raise_problems, read_text

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
    with pytest.raises(InputError, match="a file in an existing folder"):
        write_text(tmp_path / name, "text")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="a folder"):
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


@pytest.mark.parametrize(
    "content", ["un été\n".encode("latin-1") * 99, b"\0\1\2" * 99, b"\xff\0\1 a\n", b""]
)
def test_odd_text_is_text(tmp_path, content):
    path = tmp_path / "x.data"
    path.write_bytes(content)
    assert b"".join(read_lines(path)) == content


@pytest.mark.parametrize("line", [b"x" * 100, b"x" * 8191, b"x" * 8192, b"x" * 9000, b"\n" * 9000])
def test_lines_are_whole_whatever_their_length(tmp_path, line):
    path = tmp_path / "x"
    path.write_bytes((line + b"\n") * 3)
    assert list(read_lines(path)) == ((line + b"\n") * 3).splitlines(keepends=True)


@pytest.mark.parametrize(("suffix", "opened"), [(".gz", gzip.open), (".xz", lzma.open), ("", open)])
def test_a_line_that_would_fill_the_memory_is_refused(tmp_path, suffix, opened):
    path = tmp_path / f"x{suffix}"
    with opened(path, "wb") as handle:
        handle.write(b"short\n" + b"x" * LINE_BYTES.usual + b"\n")
    lines = read_lines(path)
    assert next(lines) == b"short\n"
    with pytest.raises(InputError, match=r":2: line: expected at most 67,108,864 bytes \(--limit"):
        next(lines)


def test_the_longest_line_is_read(tmp_path):
    (tmp_path / "x").write_bytes(b"1234\n1234")
    with changed_limits({"line_bytes": 5}):
        assert list(read_lines(tmp_path / "x")) == [b"1234\n", b"1234"]


@pytest.fixture
def small_files():
    with changed_limits({"file_bytes": 1000}):
        yield


@pytest.mark.usefixtures("small_files")
def test_what_is_unpacked_has_a_limit_and_plain_files_none(tmp_path):
    for suffix, size in ((".gz", 1000), (".xz", 1001), (".gz", 1001), ("", 5000)):
        path = tmp_path / f"text{size}{suffix}"
        with atomic_output(path) as handle:
            handle.write(b"x" * size)
        if suffix and size > 1000:
            with pytest.raises(InputError, match="at most 1,000 bytes once decompressed"):
                read_bytes(path)
            assert read_bytes(path, 10) == b"x" * 10
        else:
            assert len(read_bytes(path)) == size


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize(
    "reader",
    [
        lambda path: list(scan_mo(path)),
        read_json,
        lambda path: released_printout(path, [], path, False),
        lambda path: raise_problems(_read(path)),
    ],
)
def test_readers_of_whole_files_keep_to_it(tmp_path, reader):
    path = tmp_path / "large.gz"
    with atomic_output(path) as handle:
        handle.write(b"[1]\n" * 1000)
    with pytest.raises(InputError, match="at most 1,000 bytes once decompressed"):
        reader(path)


def _read(path):
    problems = []
    read_text(path, problems)
    return problems
