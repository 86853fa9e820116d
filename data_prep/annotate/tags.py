"""Tags of the taggers as tags of the task: 12 universal ones, or 15 for French.

The conversions are those of 003 §3.3 and 004 §3.3: the tables of Petrov et al. (2012) for English
and German (pronominal adverbs are PROAV there), clipping at the colon for French. The tables are
`tables/SCHEME-TAGSET.tsv`. A scheme is a set of fine tags:

    ud             Universal Dependencies (spaCy, UDPipe, Stanza), any language
    ptb            Penn, and what TreeTagger makes of it, English
    c5             BNC, as HanTa uses it, English
    stts           German
    treetagger-fr  French
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from crosspro.data_prep.annotate.tables import read_table
from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.core.task import TAGSETS

UNKNOWN = {"universal": "X", "treetagger-fr": "SYM"}
"""What becomes of a tag that a table does not list."""

XPOS_SCHEMES = {"en": "ptb", "de": "stts"}
"""The fine tags of parsers and treebanks (XPOS), where they tell more than UPOS."""

TREETAGGER_SCHEMES = {"en": "ptb", "de": "stts", "fr": "treetagger-fr"}
"""The tags of TreeTagger's parameter files."""


@dataclass(frozen=True, slots=True)
class TagConverter:
    """Turns the tags of one scheme into those of a tagset; with `none` they stay as they are."""

    scheme: str
    tagset: str
    language: str

    def __post_init__(self) -> None:
        if self.tagset not in TAGSETS:
            raise input_error("settings", "tagset", choices(TAGSETS), quoted(self.tagset))
        if self.tagset != "none" and (self.scheme, self.tagset) not in conversions():
            known = [tagset for scheme, tagset in conversions() if scheme == self.scheme]
            raise input_error(
                "settings",
                "tagset",
                f"{choices([*known, 'none'])} for the {self.scheme} tags of {self.language}",
                quoted(self.tagset),
            )

    def knows(self, tag: str) -> bool:
        """Whether the table lists the tag."""
        return self.tagset == "none" or clip(tag) in _table(self.scheme, self.tagset)

    def __call__(self, tag: str, word: str) -> str:
        """The coarse tag of a word with this fine tag."""
        if self.tagset == "none":
            return tag
        table, tag = _table(self.scheme, self.tagset), clip(tag)
        specific = f"{tag}/{word.lower()}"
        for key in (f"{self.language}:{specific}", specific, f"{self.language}:{tag}", tag):
            if key in table:
                return table[key]
        return UNKNOWN[self.tagset]


def clip(tag: str) -> str:
    """The tag up to its colon (`VER:futu` is `VER`); the Penn tag `:` stays."""
    return tag.partition(":")[0] or tag


def conversions() -> tuple[tuple[str, str], ...]:
    """The pairs of scheme and tagset that there is a table for."""
    return (
        ("ud", "universal"),
        ("ud", "treetagger-fr"),
        ("ptb", "universal"),
        ("c5", "universal"),
        ("stts", "universal"),
        ("treetagger-fr", "universal"),
        ("treetagger-fr", "treetagger-fr"),
    )


@cache
def _table(scheme: str, tagset: str) -> dict[str, str]:
    return {row[0]: row[1] for row in read_table(f"{scheme}-{tagset}", 2)}
