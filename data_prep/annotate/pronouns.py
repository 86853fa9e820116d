"""The lemmas that pronouns must have, whatever a lemmatiser makes of them.

Lemmatisers disagree on pronouns (`elles` becomes `lui`, `elle` or `elles`; `Cela` even `celer`),
but the task is about nothing else. `tables/lemmas.tsv` has a table for each of en, fr, de and es:

- the lemmas are TreeTagger's, which made those of the tasks. French ones hide number (il for ils,
  elle for elles, ce for ces), so a model over lemmas cannot predict plural pronouns (003 §8.2, 004
  Table 12); elided forms are written out (c' is ce), le stands for la, l' and les too;
- English and German pronouns keep their form (they, them, these; er, sie, ihnen);
- whether `la` or `en` is a pronoun, a determiner or neither is told by the tag.

A few French prepositions and conjunctions that look like verbs (`entre`, `puis`) are there too.

Languages without a table keep the lemmas of their backend.
"""

from __future__ import annotations

from functools import cache

from crosspro.data_prep.annotate.tables import read_table

_WORD_CLASSES = {
    "PRON": "PRON",
    "PRO": "PRON",
    "DET": "DET",
    "ADP": "ADP",
    "PRP": "ADP",
    "CONJ": "CONJ",
    "CCONJ": "CONJ",
    "SCONJ": "CONJ",
    "KON": "CONJ",
}
"""Coarse tags of both tagsets as the classes of the table."""


def pronoun_lemma(form: str, tag: str, language: str) -> str | None:
    """The lemma that the table gives a word with this coarse tag; None where it has none."""
    entry = _lemmas(language).get(form.lower().replace("’", "'"))
    if entry is None:
        return None
    return entry.get(_WORD_CLASSES.get(tag, "")) or entry.get("*")


def pronoun_forms(language: str) -> frozenset[str]:
    """The words that the table of a language lists."""
    return frozenset(_lemmas(language))


@cache
def _lemmas(language: str) -> dict[str, dict[str, str]]:
    table: dict[str, dict[str, str]] = {}
    for its_language, form, word_class, lemma in read_table("lemmas", 4):
        if its_language == language:
            table.setdefault(form, {})[word_class] = lemma
    return table
