"""The scored part of an output."""

from __future__ import annotations

from crosspro.evaluation.metrics.expected_forms.outputs import SEPARATORS, chosen_part, split_parts


def test_parts_at_any_separator():
    assert split_parts("a <eos> b<SEP>c <EOS>", SEPARATORS) == ["a", "b", "c", ""]
    assert split_parts("a <eos> b", ("||",)) == ["a <eos> b"]
    assert split_parts("a.b", (".",)) == ["a", "b"]


def test_a_part_is_counted_from_either_end():
    parts = ["a", "b", "c"]
    found = [chosen_part(parts, number) for number in (1, 3, 4, -1, -3, -4)]
    assert found == ["a", "c", None, "c", "a", None]
