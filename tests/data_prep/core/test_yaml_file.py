"""YAML is read strictly: no repeated key, and every fault is an input error."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.yaml_files import read_yaml


@pytest.mark.parametrize(
    ("text", "line"), [("a: 1\nb: 2\na: 3\n", 3), ("x: {a: 1, a: 1}\n", 1), ("a: [\n", 2)]
)
def test_the_line_of_a_fault_is_named(tmp_path, text, line):
    (tmp_path / "x.yaml").write_text(text)
    with pytest.raises(InputError) as caught:
        read_yaml(tmp_path / "x.yaml")
    assert caught.value.problems[0].line == line


@pytest.mark.parametrize(
    "content",
    [b"[" * 10_000, b"a: !!timestamp x", b"a: 2026-99-99", b"? [a]\n: b", b"\xff\xfe", b"a: \xe9"],
)
def test_every_fault_of_a_file_is_an_input_error(tmp_path, content):
    (tmp_path / "x.yaml").write_bytes(content)
    with pytest.raises(InputError, match=r"x\.yaml"):
        read_yaml(tmp_path / "x.yaml")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.yaml"):
        read_yaml(tmp_path / "none.yaml")
