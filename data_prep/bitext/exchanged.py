"""Are source and target exchanged? The pronouns of the two languages tell."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import islice

SENTENCES = 2000
LEAST = 5


def exchanged(
    source: Iterable[Sequence[str]],
    target: Iterable[Sequence[str]],
    source_pronouns: Collection[str],
    target_pronouns: Collection[str],
) -> bool:
    """Whether at least twice as many pronouns stand on the wrong side as on the right one."""
    of_source, of_target = set(source_pronouns), set(target_pronouns)
    both = of_source & of_target
    of_source, of_target = of_source - both, of_target - both
    right = wrong = 0
    for text, here, there in ((source, of_source, of_target), (target, of_target, of_source)):
        for words in islice(text, SENTENCES):
            for word in words:
                lower = word.lower()
                right += lower in here
                wrong += lower in there
    return wrong >= LEAST and wrong > 2 * right
