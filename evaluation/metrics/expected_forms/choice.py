"""Some of the instances of a set: by the distance of the antecedent, by the expected form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from crosspro.data_prep.core.errors import input_error
from crosspro.evaluation.metrics.contrastive.formats import FAR, ContrastiveSet
from crosspro.evaluation.metrics.expected_forms.outputs import GeneratedOutput
from crosspro.evaluation.metrics.expected_forms.tsv_set import TsvSet


def choose_instances(
    path: Path,
    test_set: ContrastiveSet,
    tsv: TsvSet | None,
    distances: tuple[int | None, int | None],
    forms: Sequence[str],
) -> list[int]:
    """The places of the instances that are wanted; raises if there is none.

    Sets of JSON tell distances above 3 apart from others, but not from each other.
    """
    low, high = distances
    wanted = {form.strip().lower() for form in forms}
    kept = []
    for place, instance in enumerate(test_set.instances):
        if low is not None or high is not None:
            distance = tsv.rows[place].distance if tsv else _distance(instance.groups)
            if distance is None or distance < (low or 0) or (high is not None and distance > high):
                continue
        if not wanted or (instance.reference_pronoun or "").lower() in wanted:
            kept.append(place)
    if not kept:
        raise input_error(path, "instances", "at least one that is asked for", "none")
    return kept


def _distance(groups: dict[str, str]) -> int | None:
    known = groups.get("distance", "")
    return 4 if known == FAR else int(known) if known.isdigit() else None


def among(
    test_set: ContrastiveSet, systems: Sequence[GeneratedOutput], kept: Sequence[int]
) -> tuple[ContrastiveSet, list[GeneratedOutput]]:
    """The set and the outputs with only these instances."""
    if len(kept) == len(test_set.instances):
        return test_set, list(systems)
    return (
        replace(test_set, instances=tuple(test_set.instances[place] for place in kept)),
        [replace(one, payloads=tuple(one.payloads[place] for place in kept)) for one in systems],
    )
