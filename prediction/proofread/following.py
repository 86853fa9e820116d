"""What else would have to change with a pronoun: verbs, adjectives, contractions, the word order.

A pronoun is changed by itself only where no rule here speaks against it. The rules look at the
words around it and not at a parse, so they forbid too much rather than too little:

- number: a subject and its verb agree. A change of number is refused for subjects, but in English
  before verbs that are the same in both (*would*, *said*) and in German where the verb is already
  of the new number;
- gender: adjectives and participles behind *être*, *ser*, *estar* and the like agree with the
  subject, those behind *avoir* with an object before it. Where a lexicon has the form that is
  wanted, and it can be nothing else, that word follows; where it has one form for both genders
  nothing has to; in all other cases the change is refused;
- contractions: *c'* and another pronoun are never exchanged (*c'est*, *il est*), nor is what would
  lengthen or shorten the word before (*s'il*, *si elle*; *qu'il*, *que cela*). *ce* becomes *il*
  where neither is elided and no noun follows (*ce serait bon*);
- case: what verbs ask for stays (*er*, *ihn*; *lo*, *le*; *le*, *lui*; *he*, *him*), but a German
  preposition gets what it asks for (*bei ihm* for *bei es*);
- order: words that stand at another place in the sentence (*il*, *le*; *eso*, *lo*);
- German capitals that may be formal address; possessives and reflexives of the same clause.
"""

from collections.abc import Callable, Mapping

from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.prediction.proofread.germanic import english, german
from crosspro.prediction.proofread.romance import french, spanish
from crosspro.prediction.proofread.surroundings import Following, PronounChange

_RULES: Mapping[str, Callable[[PronounChange, Lexicon | None], Following]] = {
    "fr": french,
    "es": spanish,
    "de": german,
    "en": english,
}


def following(change: PronounChange, lexicon: Lexicon | None = None) -> Following:
    """What else would have to change with a pronoun; `lexicon` is of its language."""
    rules = _RULES.get(change.language)
    if rules is None:
        return Following("there are no rules of agreement for this language")
    return rules(change, lexicon)
