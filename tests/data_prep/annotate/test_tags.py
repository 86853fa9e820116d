"""Tag tables: complete, and as the papers say."""

from __future__ import annotations

import pytest

from crosspro.data_prep.annotate.tags import TagConverter, clip, conversions, read_table
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.formats.conllu import UPOS

UNIVERSAL = {"VERB", "NOUN", "PRON", "ADJ", "ADV", "ADP", "CONJ", "DET", "NUM", "PRT", "X", "."}
FRENCH = {
    "ABR",
    "ADJ",
    "ADV",
    "DET",
    "INT",
    "KON",
    "NAM",
    "NOM",
    "NUM",
    "PRON",
    "PRP",
    "PUN",
    ".",
    "SYM",
    "VER",
}


@pytest.mark.parametrize(("scheme", "tagset"), conversions())
def test_tables_lead_into_their_tagset(scheme, tagset):
    rows = list(read_table(f"{scheme}-{tagset}", 2))
    assert {coarse for _, coarse in rows} <= (UNIVERSAL if tagset == "universal" else FRENCH)
    assert len({tag for tag, _ in rows}) == len(rows)


@pytest.mark.parametrize("tagset", ["universal", "treetagger-fr"])
def test_every_tag_of_universal_dependencies_is_listed(tagset):
    converter = TagConverter("ud", tagset, "fr")
    assert all(converter.knows(tag) for tag in UPOS if tag != "_")


def test_french_keeps_fifteen_tags():
    table = dict(read_table("treetagger-fr-treetagger-fr", 2))
    assert set(table.values()) == FRENCH
    assert len(table) == len(FRENCH) == 15


@pytest.mark.parametrize(
    ("scheme", "tagset", "language", "tag", "word", "coarse"),
    [
        ("treetagger-fr", "treetagger-fr", "fr", "VER:futu", "ira", "VER"),
        ("treetagger-fr", "treetagger-fr", "fr", "PUN:cit", '"', "PUN"),
        ("treetagger-fr", "universal", "fr", "DET:ART", "le", "DET"),
        ("ud", "treetagger-fr", "fr", "AUX", "est", "VER"),
        ("ud", "treetagger-fr", "fr", "PUNCT", ".", "."),
        ("treetagger-fr", "treetagger-fr", "fr", "PRO:PER", "il", "PRON"),
        ("treetagger-fr", "treetagger-fr", "fr", "SENT", "?", "."),
        ("ud", "treetagger-fr", "fr", "DET", "Cette", "PRON"),
        ("ud", "treetagger-fr", "fr", "PUNCT", ",", "PUN"),
        ("ud", "treetagger-fr", "fr", "PROPN", "Paris", "NAM"),
        ("ud", "universal", "de", "SCONJ", "weil", "CONJ"),
        ("ud", "universal", "en", "SCONJ", "because", "ADP"),
        ("ud", "universal", "en", "PART", "to", "PRT"),
        ("ud", "universal", "en", "PART", "not", "ADV"),
        ("ud", "universal", "es", "PROPN", "Madrid", "NOUN"),
        ("stts", "universal", "de", "PAV", "darauf", "PRON"),
        ("stts", "universal", "de", "PROAV", "darauf", "PRON"),
        ("stts", "universal", "de", "VAFIN", "hat", "VERB"),
        ("stts", "universal", "de", "$.", ".", "."),
        ("ptb", "universal", "en", "MD", "can", "VERB"),
        ("ptb", "universal", "en", "VVZ", "goes", "VERB"),
        ("ptb", "universal", "en", "IN/that", "that", "ADP"),
        ("ptb", "universal", "en", ":", ";", "."),
        ("c5", "universal", "en", "CJT", "that", "ADP"),
        ("c5", "universal", "en", "DTQ", "what", "PRON"),
        ("c5", "universal", "en", "DTQ", "which", "DET"),
        ("c5", "universal", "en", "EX0", "there", "DET"),
        ("c5", "none", "en", "VVZ", "goes", "VVZ"),
        ("stts", "universal", "de", "QQQ", "?", "X"),
    ],
)
def test_conversions(scheme, tagset, language, tag, word, coarse):
    assert TagConverter(scheme, tagset, language)(tag, word) == coarse


@pytest.mark.parametrize(("tag", "clipped"), [("PRO:PER", "PRO"), ("KON", "KON"), (":", ":")])
def test_clipping(tag, clipped):
    assert clip(tag) == clipped


@pytest.mark.parametrize(("scheme", "tagset"), [("stts", "treetagger-fr"), ("ud", "penn")])
def test_a_conversion_that_there_is_not(scheme, tagset):
    with pytest.raises(InputError, match="tagset: expected one of universal"):
        TagConverter(scheme, tagset, "de")


@pytest.mark.parametrize(("model", "scheme"), [("ger", "stts"), ("en", "c5")])
def test_every_tag_of_hanta_is_listed(model, scheme):
    tagger = pytest.importorskip("HanTa.HanoverTagger").HanoverTagger(f"morphmodel_{model}.pgz")
    converter = TagConverter(scheme, "universal", model)
    tags = {tagger.int2tag[tag] for tag in tagger.LP_wtag if tag > 3}
    if scheme == "stts":
        tags = {t if t[0] == "$" else t.translate(str.maketrans("", "", "()")) for t in tags}
    assert tags - {"NNA", "NNI", "END"} and not {
        tag for tag in tags - {"NNA", "NNI", "END"} if not converter.knows(tag)
    }
