"""Types of pronouns in an annotated corpus (002 §5.1, Table 1).

Every markable that is a pronoun has one type, and anaphoric ones a sub-type: whether their nearest
antecedent that is no pronoun is in the same annotated sentence or in another, or why there is none.
ParCor's types come first and in the order of the paper; what an annotation has beside them follows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.formats.mmax import Markable, MmaxDocument
from crosspro.evaluation.protest.antecedents import Chains
from crosspro.evaluation.protest.categories import (
    ADDRESSEE,
    ANAPHORIC,
    EVENT,
    PLEONASTIC,
    NoCategory,
    anaphoric_function,
)
from crosspro.evaluation.protest.language import SourceWords

INTER, INTRA = "inter-sentential", "intra-sentential"
CATAPHORIC = "cataphoric"
EXTRATEXTUAL = "extratextual reference"
SPEAKER = "speaker reference"

Kind = tuple[str, str]
"""A type and a sub-type, which may be empty."""

TYPES: tuple[Kind, ...] = (
    (ANAPHORIC, INTER),
    (ANAPHORIC, INTRA),
    (ANAPHORIC, "linked to another pronoun"),
    (ANAPHORIC, "no specific antecedent"),
    (CATAPHORIC, ""),
    (EVENT, ""),
    (EXTRATEXTUAL, ""),
    (PLEONASTIC, ""),
    (SPEAKER, ""),
    (ADDRESSEE, ""),
)
"""The rows of the paper's table, in its order."""


@dataclass(frozen=True)
class PronounTypes:
    """How many pronouns of some documents are of each type, in the order of a table."""

    documents: int
    counts: Mapping[Kind, int]

    @property
    def total(self) -> int:
        """All annotated pronouns."""
        return sum(self.counts.values())

    def of_type(self, name: str) -> int:
        """All pronouns of a type, whatever their sub-type."""
        return sum(count for kind, count in self.counts.items() if kind[0] == name)


def count_types(documents: Iterable[MmaxDocument], lists: SourceWords) -> PronounTypes:
    """The types of all pronouns of some documents; raises if none is annotated."""
    counts: Counter[Kind] = Counter()
    paths = []
    for document in documents:
        paths.append(document.path)
        chains, sentences = Chains(document, lists), document.sentence_of()
        for markable in document.markables:
            if markable.attributes.get("mention") == "pronoun":
                counts[type_of(markable, chains, sentences)] += 1
    if not counts:
        expected = 'markables with mention="pronoun"'
        raise input_error(paths[0] if paths else "annotation", "pronouns", expected, "none")
    others = sorted(counts.keys() - set(TYPES), key=lambda kind: (kind[0] != ANAPHORIC, kind))
    anaphoric = [kind for kind in others if kind[0] == ANAPHORIC]
    order = [*TYPES[:4], *anaphoric, *TYPES[4:], *others[len(anaphoric) :]]
    return PronounTypes(len(paths), {kind: counts[kind] for kind in order})


def type_of(markable: Markable, chains: Chains, sentences: list[int]) -> Kind:
    """The type and sub-type of a pronoun; `sentences` has the sentence of each word."""
    kind = markable.attributes.get("type", "").replace("_", " ")
    if kind != ANAPHORIC:
        return kind or "type not annotated", ""
    function = anaphoric_function(markable.attributes)
    if isinstance(function, NoCategory):
        return ANAPHORIC, function.reason
    if function == EVENT:
        return EVENT, ""
    antecedent = chains.antecedent(markable)
    if isinstance(antecedent, NoCategory):
        return ANAPHORIC, antecedent.reason
    same = sentences[antecedent.words[-1]] == sentences[markable.words[0]]
    return ANAPHORIC, INTRA if same else INTER
