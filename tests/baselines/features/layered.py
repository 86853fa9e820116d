"""Texts with documents, parses and chains for property tests: any that the readers could give."""

from __future__ import annotations

from hypothesis import strategies as st

from crosspro.data_prep.core.example import AnnotatedSentence, Example, Gap, Mention, Token

_SOURCE = ("it", "they", "It", "car", "cars", "is", "rains", "that", ".")
_TARGET = ("voiture|NOM", "Paris|NAM", "le|DET", "être|VER", "voir|VER", "il|PRO", ".|SENT")
_LABELS = ("il", "elle", "ce", "OTHER", None)
_UPOS = ("NOUN", "PROPN", "VERB", "PRON", "DET")
_FEATURES = ("", "Number=Sing", "Number=Plur", "Gender=Fem", "Gender=Masc|Number=Sing")


@st.composite
def parses(draw, words):
    """A parse of some words, with heads or without."""
    headed = draw(st.booleans())
    tokens = []
    for place, word in enumerate(words):
        upos = draw(st.sampled_from(_UPOS))
        head = draw(st.integers(-1, len(words) - 1)) if headed else -1
        label = draw(st.sampled_from(["nsubj", "obj", "root"])) if headed else ""
        head = -1 if head == place else head
        features = draw(st.sampled_from(_FEATURES))
        tokens.append(Token(word, word.lower(), upos, upos, upos[:2], head, label, features))
    return AnnotatedSentence(tuple(tokens))


@st.composite
def lines(draw, document, parsed, chained):
    """A line; all lines of a text have the same layers."""
    source = tuple(draw(st.lists(st.sampled_from(_SOURCE), min_size=1, max_size=6)))
    target = draw(st.lists(st.sampled_from(_TARGET), min_size=1, max_size=6))
    places = sorted(draw(st.sets(st.integers(0, len(target) - 1), max_size=2)))
    gaps = []
    for place in places:
        index = draw(st.integers(0, len(source) - 1))
        label = draw(st.sampled_from(_LABELS))
        target[place] = f"REPLACE_{index}"
        gaps.append(Gap(place, index, label, None if label is None else f"{label}|PRO"))
    pair = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    links = tuple(sorted(draw(st.sets(pair, max_size=6))))
    words = [token.rpartition("|")[0] or token for token in target]
    chains = None
    if chained:
        sides = {"source": len(source), "target": len(target)}
        chains = []
        for side in draw(st.lists(st.sampled_from(sorted(sides)), max_size=3)):
            first = draw(st.integers(0, sides[side] - 1))
            last = draw(st.integers(first, sides[side] - 1))
            chains.append(Mention(draw(st.sampled_from("abc")), side, first, last))
        chains = tuple(chains)
    return Example.of_tokens(
        source,
        tuple(target),
        links,
        tuple(gaps),
        document,
        source_parse=draw(parses(source)) if parsed else None,
        target_parse=draw(parses(words)) if parsed else None,
        chains=chains,
    )


@st.composite
def texts(draw):
    """Some documents of some lines each, or lines without documents."""
    parsed, chained, known = draw(st.booleans()), draw(st.booleans()), draw(st.booleans())
    found = []
    for number in range(draw(st.integers(1, 3))):
        document = f"d{number}" if known else None
        for _ in range(draw(st.integers(1, 4))):
            found.append(draw(lines(document, parsed, chained)))
    return found
