"""Tags and lemmas as the tasks have them, from what a backend says of a word.

Tags become the 12 universal ones, or 15 for French (003 §3.3 and 004 §3.3): by the tables of Petrov
et al. (2012) for English and German (pronominal adverbs are PROAV there), clipped at the colon for
French. The tables are `tables/SCHEME-TAGSET.tsv`; a scheme is a set of fine tags:

    ud             Universal Dependencies (spaCy, UDPipe, Stanza), any language
    ptb            Penn, and what TreeTagger makes of it, English
    c5             BNC, as HanTa uses it, English
    stts           German
    treetagger-fr  French

Lemmatisers disagree on pronouns (`elles` becomes `lui`, `elle` or `elles`; `Cela` even `celer`),
but the task is about nothing else, so `tables/lemmas.tsv` says them for en, fr, de and es:

- the lemmas are TreeTagger's, which made those of the tasks. French ones hide number (il for ils,
  elle for elles, ce for ces), so a model over lemmas cannot predict plural pronouns (003 §8.2, 004
  Table 12); elided forms are written out (c' is ce), le stands for la, l' and les too;
- English and German pronouns keep their form (they, them, these; er, sie, ihnen);
- whether `la` or `en` is a pronoun, a determiner or neither is told by the tag;
- a few French prepositions and conjunctions that look like verbs (`entre`, `puis`) are there too.

Backends may stumble over odd words: empty ones, ones with spaces in them, endless ones. They are
shown `presentable` text; tokens carry the text as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.core.example import Token
from crosspro.data_prep.core.files import content_digest
from crosspro.data_prep.words.lists import table_rows

_FOLDER = Path(__file__).resolve().parent / "tables"

UNKNOWN = {"universal": "X", "treetagger-fr": "SYM"}
"""The coarse tag of a fine tag that a table does not list."""

XPOS_SCHEMES = {"en": "ptb", "de": "stts"}
"""The fine tags of parsers and treebanks (XPOS), where they tell more than UPOS."""

TREETAGGER_SCHEMES = {"en": "ptb", "de": "stts", "fr": "treetagger-fr"}
"""The tags of TreeTagger's parameter files."""

_WORD_CLASSES = {
    "PRON": "PRON", "PRO": "PRON", "DET": "DET", "ADP": "ADP", "PRP": "ADP",
    "CONJ": "CONJ", "CCONJ": "CONJ", "SCONJ": "CONJ", "KON": "CONJ",
}  # fmt: skip
"""Coarse tags of both tagsets as the classes of the table of lemmas."""

REMEMBERED = 200_000
"""Tokens that an assembler remembers."""
LONGEST = 80
"""Words beyond this many characters are shown to backends in part, and are their own lemmas."""


def read_table(name: str, columns: int) -> Iterator[tuple[str, ...]]:
    """The rows of `NAME.tsv`."""
    return table_rows(_FOLDER / f"{name}.tsv", columns)


@cache
def tables_digest() -> str:
    """Changes with the tables: annotation kept from before a correction is not used after it."""
    return content_digest(*sorted(_FOLDER.glob("*.tsv")))


@cache
def _tags(scheme: str, tagset: str) -> dict[str, str]:
    return {row[0]: row[1] for row in read_table(f"{scheme}-{tagset}", 2)}


@cache
def _lemmas(language: str) -> dict[str, dict[str, str]]:
    table: dict[str, dict[str, str]] = {}
    for row_language, form, word_class, lemma in read_table("lemmas", 4):
        if row_language == language:
            table.setdefault(form, {})[word_class] = lemma
    return table


@dataclass(frozen=True, slots=True)
class TagConverter:
    """Turns the tags of one scheme into those of a tagset; with `none` they stay as they are."""

    scheme: str
    tagset: str
    language: str

    def __post_init__(self) -> None:
        tables = sorted(_FOLDER.glob(f"{self.scheme}-*.tsv"))
        tagsets = (*(path.stem.removeprefix(f"{self.scheme}-") for path in tables), "none")
        if self.tagset not in tagsets:
            expected = f"{choices(tagsets)} for the {self.scheme} tags of {self.language}"
            raise input_error("settings", "tagset", expected, quoted(self.tagset))

    def knows(self, tag: str) -> bool:
        """Whether the table lists the tag."""
        return self.tagset == "none" or _clip(tag) in _tags(self.scheme, self.tagset)

    def __call__(self, tag: str, word: str) -> str:
        """The coarse tag of a word with this fine tag."""
        if self.tagset == "none":
            return tag
        table, tag = _tags(self.scheme, self.tagset), _clip(tag)
        specific = f"{tag}/{word.lower()}"
        for key in (f"{self.language}:{specific}", specific, f"{self.language}:{tag}", tag):
            if key in table:
                return table[key]
        return UNKNOWN[self.tagset]


def _clip(tag: str) -> str:
    """The tag up to its colon (`VER:futu` is `VER`); the Penn tag `:` stays."""
    return tag.partition(":")[0] or tag


def pronoun_lemma(form: str, tag: str, language: str) -> str | None:
    """The lemma that the table gives a word with this coarse tag; None where it has none."""
    lemmas = _lemmas(language).get(form.lower().replace("’", "'"), {})
    return lemmas.get(_WORD_CLASSES.get(tag, "")) or lemmas.get("*")


@lru_cache(REMEMBERED)
def presentable(form: str) -> str:
    """The word as a backend gets to see it: short, without spaces, with plain apostrophes."""
    return "_".join(form[:LONGEST].replace("’", "'").split()) or "_"


class Assembler:
    """Makes the tokens of one backend, for one language and tagset.

    `scheme` is the set of the backend's fine tags (XPOS); where a word has none that its table
    lists, its tag comes from UPOS. `plain_token(form, lemma, xpos)` remembers tokens, for most
    words occur again.
    """

    def __init__(self, language: str, tagset: str, scheme: str = "ud") -> None:
        self.language, self.tagset, self.scheme = language, tagset, scheme
        self.fine = None if scheme == "ud" else TagConverter(scheme, tagset, language)
        self.coarse = TagConverter("ud", tagset, language)
        self.plain_token = lru_cache(REMEMBERED)(self.token)

    def token(
        self,
        form: str,
        lemma: str,
        xpos: str | None = None,
        upos: str | None = None,
        head: int = -1,
        deprel: str = "",
        features: str = "",
    ) -> Token:
        """The token of a word."""
        if xpos and self.fine and self.fine.knows(xpos):
            tag = self.fine(xpos, form)
        else:
            tag = self.coarse(upos or xpos or "X", form)
        word_class = upos or tag if self.tagset == "none" else tag
        lemma = pronoun_lemma(form, word_class, self.language) or lemma
        if len(form) > LONGEST or not lemma.strip():
            lemma = form
        if any(map(str.isspace, lemma)):
            lemma = "_".join(lemma.split())
        return Token(form, lemma, tag, upos or None, xpos or None, head, deprel, features)
