"""Random gaps in the middle of rows of one length, for networks that are compared."""

from __future__ import annotations

import torch

from crosspro.prediction.neural.reading.tensors import GapTensors
from crosspro.prediction.neural.reading.vocabulary import Inventory, Vocabulary

GAPS = 64
SIZES = dict.fromkeys(("source", "lemma", "lemma_tag", "linked", "pronoun"), 500) | {
    "tag": 20,
    "character": 100,
}
WORDS = {name: tuple(map(str, range(size))) for name, size in SIZES.items()} | {
    "noun": ("<pad>", "<unk>", "", "? ?"),  # every second word is a noun
    "start": ("<pad>", "<unk>", "", "first"),
}
INVENTORY = Inventory(
    {name: Vocabulary(words, (1,) * len(words)) for name, words in WORDS.items()},
    classes=tuple(map(str, range(8))),
)


def make_rows(length: int, context: int = 0) -> GapTensors:
    """Sentences without padding; so many of them before its own are the context of a gap."""
    generator = torch.Generator().manual_seed(1)
    columns = {
        name: torch.randint(2, len(words), (GAPS * length,), generator=generator)
        for name, words in WORDS.items()
        if name not in ("pronoun", "character")
    }
    columns["pronoun"] = torch.randint(2, 100, (GAPS,), generator=generator)
    columns["character"] = columns["source"]  # a word and its spelling have one number
    characters = torch.randint(2, SIZES["character"], (SIZES["source"], 8), generator=generator)
    start = torch.arange(GAPS) * length
    low, middle, end = (start - context * length).clamp(min=0), start + length // 2, start + length
    sides = {
        f"{side}_{name}": value
        for side in ("source", "target")
        for name, value in (("position", middle), ("low", low), ("start", start), ("high", end),
                            ("from", middle), ("to", middle))
    }  # fmt: skip
    return GapTensors(
        columns,
        spellings={"character": characters},
        head_position=middle,
        label=torch.randint(0, 8, (GAPS,), generator=generator),
        **sides,
    )
