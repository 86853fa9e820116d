"""YAML that is larger than it looks is refused; honest aliases are not."""

from __future__ import annotations

import pytest
import yaml

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.yaml_files import parse_yaml, read_yaml


def test_aliases_are_read(tmp_path):
    (tmp_path / "x.yaml").write_text("a: &a [1, 2]\nb: *a\nc: {e: *a}\n")
    content, _ = read_yaml(tmp_path / "x.yaml")
    assert content == {"a": [1, 2], "b": [1, 2], "c": {"e": [1, 2]}}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
            + "".join(f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 10)}]\n" for n in range(30)),
            "items, aliases written out",
        ),
        (
            "a0: &a0 {x: 1}\n"
            + "".join(f"a{n + 1}: &a{n + 1} {{p: *a{n}, q: *a{n}}}\n" for n in range(60)),
            "items, aliases written out",
        ),
        ("a: &a [*a]\n", "an alias inside what it stands for"),
    ],
)
def test_few_aliases_cannot_stand_for_billions(tmp_path, text, found):
    (tmp_path / "x.yaml").write_text(text)
    with pytest.raises(InputError, match=found):
        read_yaml(tmp_path / "x.yaml")


@pytest.mark.parametrize("text", ["[" * 10_000, "a: !!timestamp x", "a: 2026-99-99"])
def test_every_fault_of_a_text_is_one_of_yaml(text):
    with pytest.raises(yaml.YAMLError):
        parse_yaml(text)
