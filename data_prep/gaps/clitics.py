"""Links of object pronouns that stand before the verb in one language and after it in the other.

English says *share it*, French *le partager*: *le* is an article nearly everywhere else, so
aligners link it to no pronoun. Where an English object pronoun follows a verb, and a clitic
precedes what the verb is linked to, perhaps with auxiliaries between them (*l'* ai déjà vu), the
two are linked. Links of a pronoun to such a word elsewhere are taken away: *her time* is *son
heure*, not *l'* heure. A pronoun that is part of its verb (dis-lui, verlo) is no word, and no gap.
"""

from __future__ import annotations

from collections.abc import Sequence

from crosspro.data_prep.core.example import Link
from crosspro.data_prep.gaps.extract import linked_targets
from crosspro.data_prep.words.lists import word_lists, word_set

_OBJECTS = word_set("gaps", "en", "after-verbs")
_PARTICLES = word_set("gaps", "en", "particles")
_FINITE = word_set("gaps", "en", "after-subjects")
_ARTICLES = word_set("gaps", "en", "determiners")
_REACH = 4


def clitic_links(
    languages: tuple[str, str], source: Sequence[str], target: Sequence[str], links: Sequence[Link]
) -> Sequence[Link]:
    """The links of a segment, with those of clitics as the verbs between them say."""
    other = next((language for language in languages if language != "en"), "")
    if "en" not in languages or "before-verbs" not in word_lists("gaps", other):
        return links
    turned = languages[0] != "en"
    english, romance = (target, source) if turned else (source, target)
    pairs = [(t, s) for s, t in links] if turned else list(links)
    corrected = _corrected(
        [word.lower() for word in english],
        [word.lower() for word in romance],
        pairs,
        other,
    )
    return sorted((r, e) if turned else (e, r) for e, r in corrected)


def _corrected(
    english: Sequence[str],
    romance: Sequence[str],
    pairs: Sequence[Link],
    language: str,
) -> list[Link]:
    clitics, passed, articles = (
        word_set("gaps", language, name) for name in ("before-verbs", "between", "articles")
    )
    linked, back = linked_targets(pairs), linked_targets((r, e) for e, r in pairs)
    new: dict[int, int] = {}
    for place, word in enumerate(english):
        if word not in _OBJECTS or _FINITE.intersection(english[place + 1 : place + 2]):
            continue
        verb = _verb(english, place, linked)
        if verb is None:
            continue
        before = min(linked[verb]) - 1
        for _ in range(_REACH):
            if before < 0 or romance[before] not in passed:
                break
            before -= 1
        if before < 0 or romance[before] not in clitics or before in new.values():
            continue
        if not any(english[e] in _ARTICLES for e in back.get(before, ())):
            new[place] = before
    mistaken = {
        (e, r)
        for e, r in pairs
        if romance[r] in articles and english[e] in _OBJECTS and new.get(e) != r
    }
    kept = [
        (e, r)
        for e, r in pairs
        if (e, r) not in mistaken and (r not in new.values() or new.get(e) == r)
    ]
    return sorted({*kept, *new.items()})


def _verb(english: Sequence[str], place: int, linked: dict[int, list[int]]) -> int | None:
    """The linked word whose object a pronoun may be: the one before it, but for a particle."""
    for verb in (place - 1, place - 2):
        if verb < 0 or english[verb] in _OBJECTS:
            return None
        if linked.get(verb):
            return verb
        if english[verb] not in _PARTICLES:
            return None
    return None


def attached(word: str, language: str) -> bool:
    """Whether a word is a verb with a pronoun behind it: dis-lui, verlo (but not Carlos)."""
    joined = word_lists("clitics", language)
    word = word.lower()
    if word in joined.get("whole", ()):
        return False
    stem, hyphen, last = word.rpartition("-")
    if hyphen:
        return bool(stem) and last in joined.get("after-hyphens", ())
    endings = word_lists("gaps", language).get("endings", ())
    return any(len(word) > len(ending) + 1 and word.endswith(ending) for ending in endings)
