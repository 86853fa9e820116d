"""The sentences of a contrastive set that an MT system has to score, line by line."""

from __future__ import annotations

from crosspro.data_prep.errors import InputError, Problem
from crosspro.evaluation.contrastive.formats import ContrastiveSet


def sentences_to_score(test_set: ContrastiveSet, path: str) -> dict[str, list[str]]:
    """Lines by the ending of their file: source and translation, and the sentences before them.

    A reference is followed by its errors, in the order in which scores are read. Raises
    `InputError` for every instance without its texts; `path` is how the set is called there.
    """
    columns: dict[str, list[str]] = {".src": [], ".trg": [], ".context.src": [], ".context.trg": []}
    problems = []
    for instance in test_set.instances:
        for translation in (instance.reference, *(error.text for error in instance.errors)):
            if instance.source is None or translation is None:
                expected = "the text of source, reference and errors"
                problems.append(Problem(path, None, instance.name, expected, "one that is missing"))
                break
            sides = (" ".join(instance.source_context), " ".join(instance.reference_context))
            for suffix, line in zip(columns, (instance.source, translation, *sides), strict=True):
                columns[suffix].append(" ".join(line.split()))
    if problems:
        raise InputError(problems)
    return columns
