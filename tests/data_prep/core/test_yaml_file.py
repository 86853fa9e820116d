"""YAML is read strictly: no key twice, no alias, and every fault is an input error."""

from __future__ import annotations

import pytest
import yaml

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.yaml_files import parse_yaml, read_yaml

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 10)}]\n" for n in range(30)
)


@pytest.mark.parametrize(
    ("text", "line"),
    [("a: 1\nb: 2\na: 3\n", 3), ("x: {a: 1, a: 1}\n", 1), (BOMB, 2), ("a: &a [*a]\n", 1)],
)
def test_keys_stand_once_and_aliases_are_refused(tmp_path, text, line):
    (tmp_path / "x.yaml").write_text(text)
    with pytest.raises(InputError) as caught:
        read_yaml(tmp_path / "x.yaml")
    assert caught.value.problems[0].line == line


@pytest.mark.parametrize("text", ["[" * 10_000, "a: !!timestamp x", "a: 2026-99-99", "? [a]\n: b"])
def test_every_fault_of_a_text_is_one_of_yaml(text):
    with pytest.raises(yaml.YAMLError):
        parse_yaml(text)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none\.yaml"):
        read_yaml(tmp_path / "none.yaml")
