"""From what a backend says of a word to a `Token`: tag conversion, pronoun lemmas, odd words.

Odd words are those that a backend may stumble over: empty ones, ones with spaces in them, endless
ones. Backends are shown `presentable` text; tokens carry the text as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from crosspro.data_prep.annotate.pronouns import pronoun_lemma
from crosspro.data_prep.annotate.tags import TagConverter
from crosspro.data_prep.core.token import Token

REMEMBERED = 200_000
"""Tokens that an assembler remembers."""

LONGEST = 80
"""Words beyond this many characters are shown to backends in part, and are their own lemmas."""


@lru_cache(REMEMBERED)
def presentable(form: str) -> str:
    """The word as a backend gets to see it: short, without spaces, with plain apostrophes."""
    return "_".join(form[:LONGEST].replace("’", "'").split()) or "_"


@dataclass(frozen=True)
class Assembler:
    """Makes the tokens of one backend, for one language and tagset.

    `scheme` is the set of the backend's fine tags (XPOS); where a word has none that its table
    lists, its tag comes from UPOS.
    """

    language: str
    tagset: str
    scheme: str = ""
    fine: TagConverter | None = field(init=False, repr=False)
    coarse: TagConverter = field(init=False, repr=False)
    plain_token: Callable[[str, str, str], Token] = field(init=False, repr=False, compare=False)
    """The token of a form, a lemma and a fine tag; remembered, for most words occur again."""

    def __post_init__(self) -> None:
        fine = None
        if self.scheme not in ("", "ud"):
            fine = TagConverter(self.scheme, self.tagset, self.language)
        object.__setattr__(self, "fine", fine)
        object.__setattr__(self, "coarse", TagConverter("ud", self.tagset, self.language))
        object.__setattr__(self, "plain_token", lru_cache(REMEMBERED)(self.token))

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
        tag = self.tag(form, xpos, upos)
        lemma = pronoun_lemma(form, self.word_class(tag, upos), self.language) or lemma
        if len(form) > LONGEST or not lemma.strip():
            lemma = form
        if any(character.isspace() for character in lemma):
            lemma = "_".join(lemma.split())
        return Token(form, lemma, tag, upos or None, xpos or None, head, deprel, features)

    def tag(self, form: str, xpos: str | None, upos: str | None) -> str:
        """The tag of the task's tagset."""
        if xpos and self.fine and self.fine.knows(xpos):
            return self.fine(xpos, form)
        return self.coarse(upos or xpos or "X", form)

    def word_class(self, tag: str, upos: str | None) -> str:
        """What tells a pronoun from a determiner: the tag, or UPOS where tags are not converted."""
        return upos or tag if self.tagset == "none" else tag
