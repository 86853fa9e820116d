"""A hand-written document with all layers: what features say of it can be read off."""

from __future__ import annotations

from crosspro.data_prep.core.example import AnnotatedSentence, Gap, Mention, Token
from crosspro.data_prep.lexicon.lexicon import Entry, Lexicon
from tests.examples import example_of

LEXICON = Lexicon.of(
    [Entry("voiture", "NOUN", "Fem", "Sing"), Entry("garage", "NOUN", "Masc", "Sing")]
)


def parse(*rows: str) -> AnnotatedSentence:
    """Tokens from `form lemma UPOS XPOS head label features`."""
    tokens = []
    for row in rows:
        form, lemma, upos, xpos, head, label, *features = row.split()
        tokens.append(Token(form, lemma, upos, upos, xpos, int(head), label, "".join(features)))
    return AnnotatedSentence(tuple(tokens))


FIRST = example_of(
    source=("The", "car", "left", "Paris", "."),
    target=("le|DET", "voiture|NOM", "quitter|VER", "Paris|NAM", ".|SENT"),
    links=((0, 0), (1, 1), (2, 2), (3, 3), (4, 4)),
    gaps=(),
    document="d",
    source_parse=parse(
        "The the DET DT 1 det",
        "car car NOUN NN 2 nsubj Number=Sing",
        "left leave VERB VBD -1 root",
        "Paris Paris PROPN NNP 2 obj Number=Sing",
        ". . PUNCT . 2 punct",
    ),
    target_parse=parse(
        "le le DET DET 1 det",
        "voiture voiture NOUN NOM 2 nsubj",
        "quitter quitter VERB VER -1 root",
        "Paris Paris PROPN NAM 2 obj",
        ". . PUNCT SENT 2 punct",
    ),
    chains=(Mention("car", "source", 0, 1),),
)
SECOND = example_of(
    source=("At", "noon", "it", "was", "at", "the", "garage", "."),
    target=("à|PRP", "midi|NOM", "REPLACE_2", "être|VER", "à+le|PRP", "garage|NOM", ".|SENT"),
    links=((0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (6, 5), (7, 6)),
    gaps=(Gap(2, 2, "elle", "elle|PRON"),),
    document="d",
    source_parse=parse(
        "At at ADP IN 1 case",
        "noon noon NOUN NN 6 obl Number=Sing",
        "it it PRON PRP 6 nsubj",
        "was be AUX VBD 6 cop",
        "at at ADP IN 6 case",
        "the the DET DT 6 det",
        "garage garage NOUN NN -1 root Number=Sing",
        ". . PUNCT . 6 punct",
    ),
    target_parse=parse(
        "à à ADP PRP 1 case",
        "midi midi NOUN NOM 5 obl",
        "REPLACE_2 REPLACE_2 X _ 5 dep",
        "être être AUX VER 5 cop",
        "à+le à+le ADP PRP 5 case",
        "garage garage NOUN NOM -1 root",
        ". . PUNCT SENT 5 punct",
    ),
    chains=(Mention("car", "source", 2, 2),),
)
DOCUMENT = (FIRST, SECOND)
