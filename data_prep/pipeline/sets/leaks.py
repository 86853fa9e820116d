"""Is a set that must be unseen among the data that a system learns or chooses from?"""

from __future__ import annotations

from collections.abc import Sequence

from crosspro.data_prep.core.example import Example
from crosspro.data_prep.pipeline.sets.overlap import TextIndex, overlap, segment_digest
from crosspro.data_prep.pipeline.sets.splits import Splits


def leaks(splits: Splits) -> list[str]:
    """A warning for each set with documents whose text stands in train, or in dev.

    Only what is in dev and in tests too is kept of train, which may be large.
    """
    unseen = {"dev": splits.dev, **splits.test}
    index = TextIndex()
    for examples in unseen.values():
        index.add(examples)
    digests = (segment_digest(example) for example in splits.train)
    train = TextIndex({digest for digest in digests if digest in index.segments})
    dev = TextIndex()
    dev.add(splits.dev)
    found = [_leak(name, examples, "train", train) for name, examples in unseen.items()]
    found += [_leak(name, examples, "dev", dev) for name, examples in splits.test.items()]
    return [warning for warning in found if warning]


def _leak(name: str, examples: Sequence[Example], other: str, seen: TextIndex) -> str | None:
    shared = overlap(examples, seen)
    if not shared.rich_documents:
        return None
    share = 100 * shared.shared_segments / shared.segments
    return (
        f"{name}: {shared.shared_segments:,} of its {shared.segments:,} lines ({share:.0f}%) stand "
        f"in {other} too, so its scores say nothing of unseen text (`crosspro overlap` shows where)"
    )
