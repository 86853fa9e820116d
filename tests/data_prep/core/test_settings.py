"""Settings classes: what they take, what they refuse, and as plain values."""

from typing import Annotated, Any, Literal, Self

import pytest
from pydantic import Field, ValidationError, model_validator

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.settings import Words, check_settings, read_yaml, settings, to_mapping


@settings
class Inner:
    name: Literal["inner"] = "inner"
    size: Annotated[int, Field(ge=1)] = 3

    @model_validator(mode="after")
    def _odd(self) -> Self:
        if self.size % 2 == 0:
            raise ValueError("size must be odd")
        return self


@settings
class Outer:
    inner: Inner = Inner()
    rate: float = 0.5
    words: Words = ()
    kinds: dict[str, Words] = Field(alias="classes", default_factory=dict)


def test_plain_values_become_classes_and_plain_values_again() -> None:
    mapping = {
        "inner": {"name": "inner", "size": 5},
        "rate": 1.0,
        "words": ["a", "b"],
        "classes": {"x": ["c"]},
    }
    outer = check_settings(Outer, mapping, "settings")
    assert (outer.inner, outer.words) == (Inner(size=5), ("a", "b"))
    assert to_mapping(outer) == mapping
    assert Outer(words=["a", "b"], inner=Inner(size=5)).words == ("a", "b")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mapping", "keys"),
    [
        ({"inner": {"size": "3"}, "rate": True}, ["inner.size", "rate"]),
        ({"inner": {"size": 0}}, ["inner.size"]),
        ({"inner": {"size": 2}}, ["inner"]),
        ({"rate": float("nan"), "other": 1}, ["rate", "other"]),
        ({"words": "abc"}, ["words"]),
        ({"words": ["a", 1]}, ["words.1"]),
        ([1], ["file"]),
        ({"rate": object()}, ["file"]),
    ],
)
def test_every_fault_is_named_by_its_key(mapping: Any, keys: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        check_settings(Outer, mapping, "x.yaml")
    assert [problem.field for problem in caught.value.problems] == keys
    assert str(caught.value).startswith(f"x.yaml: {keys[0]}: ")


def test_classes_check_themselves_and_do_not_change() -> None:
    with pytest.raises(ValidationError):
        Inner(size=0)
    with pytest.raises(AttributeError):
        Inner().size = 5  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "line"),
    [("a: 1\nb: 2\na: 3\n", 3), ("x: {a: 1, a: 1}\n", 1), ("a: [\n", 2), ("a: 1\non: 2\n", 2)],
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
