"""The sentences of a set that an MT system has to score or to translate, line by line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crosspro.data_prep.core.errors import InputError, Problem, quoted
from crosspro.evaluation.metrics.contrastive.formats import ContrastiveSet


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


@dataclass(frozen=True)
class ContextWindow:
    """How many sentences before and after an instance go with it, all if None; what joins them."""

    before: int | None = None
    after: int | None = None
    separator: str = "<eos>"

    def joined(self, before: Sequence[str], text: str, after: Sequence[str]) -> tuple[str, int]:
        """A line of sentences with separators, and which of them, from 1, the instance is."""
        kept = len(before) if self.before is None else min(self.before, len(before))
        first = before[len(before) - kept :]
        last = after if self.after is None else after[: self.after]
        lines = [" ".join(one.split()) for one in (*first, text, *last)]
        return f" {self.separator} ".join(lines), len(first) + 1


def sentences_to_translate(
    test_set: ContrastiveSet, path: str, window: ContextWindow
) -> dict[str, list[str]]:
    """Lines by the ending of their file: source, reference, and which part the instance is.

    A line an instance, with the sentences around it. A set without references has no `.trg`. Raises
    `InputError` for every instance without its source, and for texts that hold the separator.
    """
    columns: dict[str, list[str]] = {".src": [], ".trg": [], ".parts": []}
    problems = []
    referenced = all(one.reference is not None for one in test_set.instances)
    for one in test_set.instances:
        if one.source is None:
            problems.append(Problem(path, None, one.name, "the text of the source", "none"))
            continue
        texts = (*one.source_context, one.source, *one.source_following)
        if any(window.separator.lower() in text.lower() for text in texts):
            expected = f"a source without {quoted(window.separator)}"
            problems.append(Problem(path, None, one.name, expected, "one with it"))
        line, part = window.joined(one.source_context, one.source, one.source_following)
        columns[".src"].append(line)
        columns[".parts"].append(str(part))
        if referenced:
            reference = one.reference or ""
            sides = (one.reference_context, reference, one.reference_following)
            columns[".trg"].append(window.joined(*sides)[0])
    if problems:
        raise InputError(problems)
    return {ending: lines for ending, lines in columns.items() if lines}
