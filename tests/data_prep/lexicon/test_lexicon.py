"""The table of gender and number: look-ups, files, and the lexicons of installed packages."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.lexicon.lexicon import (
    CATEGORIES,
    GENDERS,
    HEADER,
    NUMBERS,
    Entry,
    Lexicon,
    read_lexicon,
    write_lexicon,
)
from crosspro.data_prep.lexicon.load import PACKAGES, load_lexicon
from tests.conftest import mostly_slow


def test_gender_and_number_are_known_if_all_readings_agree():
    lexicon = Lexicon.of(
        [
            Entry("livre", "NOUN", "Masc", "Sing"),
            Entry("livre", "NOUN", "Fem", "Sing"),
            Entry("maison", "NOUN", "Fem", "Sing"),
            Entry("maison", "X"),
            Entry("élève", "NOUN", None, "Sing"),
            Entry("Pierre", "PROPN", "Masc"),
        ]
    )
    words = ("livre", "maison", "Maison", "élève", "Pierre", "pierre")
    assert [lexicon.gender(word) for word in words] == [None, "Fem", "Fem", None, "Masc", None]
    assert [lexicon.number(word) for word in words] == ["Sing", "Sing", "Sing", "Sing", None, None]
    assert lexicon.gender("maison", ["ADJ"]) is None
    assert [lexicon.is_noun(word) for word in words] == [True, False, False, True, True, False]


def test_counts_tell_what_a_word_mostly_is():
    lexicon = Lexicon.of(
        [
            Entry("porte", "NOUN", "Fem", "Sing", 30),
            Entry("porte", "NOUN", "Fem", "Sing", 30),
            Entry("porte", "X", None, None, 40),
            Entry("est", "NOUN", "Masc", "Sing", 1),
            Entry("est", "X", None, None, 1),
        ]
    )
    assert lexicon.readings("porte")[0].count == 60
    assert lexicon.is_noun("porte")
    assert not lexicon.is_noun("est")
    assert len(lexicon) == 2


words = st.text(
    st.characters(blacklist_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=5
)
entries = st.builds(
    Entry, words, st.sampled_from(CATEGORIES), st.sampled_from([None, *GENDERS]),
    st.sampled_from([None, *NUMBERS]), st.none() | st.integers(0, 10**6),
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(entries))
def test_a_lexicon_survives_writing_and_reading(tmp_path, written):
    lexicon = Lexicon.of(written)
    write_lexicon(tmp_path / "x.tsv", lexicon)
    assert list(load_lexicon(tmp_path / "x.tsv")) == list(lexicon)
    assert set(lexicon.entries) == {entry.word for entry in written}


def test_equal_rows_of_a_table_are_one_reading(tmp_path):
    rows = ["é\tPROPN\t_\t_\t_", "b\tADJ\t_\tPlur\t3", "a\tX\t_\t_\t_", "b\tADJ\t_\tPlur\t4"]
    (tmp_path / "x.tsv").write_text("\r\n".join([HEADER, *rows]), encoding="utf-8")
    lexicon = read_lexicon(tmp_path / "x.tsv")
    assert lexicon.readings("b") == (Entry("b", "ADJ", None, "Plur", 7),)
    assert lexicon.readings("É") == (Entry("é", "PROPN"),)
    assert lexicon.readings("c") == ()
    assert (len(lexicon), bool(lexicon)) == (3, True)


@pytest.mark.parametrize(
    "row",
    ["maison\tNOM\tFem\tSing\t1", "maison\tNOUN\tfem\tSing\t1", "maison\tNOUN\tFem\tsg\t1",
     "maison\tNOUN\tFem\tSing\tmany", " \tNOUN\t_\t_\t_", "too few", HEADER],
)  # fmt: skip
def test_a_fault_of_a_file_has_its_line(tmp_path, row):
    path = tmp_path / "x.tsv"
    path.write_text("\n".join([HEADER, "clé\tNOUN\tFem\tSing\t_", row]), encoding="utf-8")
    with pytest.raises(InputError, match=r"x\.tsv:3: "):
        read_lexicon(path)
    path.write_text("clé\tNOUN\tFem\tSing\t_", encoding="utf-8")
    with pytest.raises(InputError, match=r"x\.tsv:1: header"):
        read_lexicon(path)
    with pytest.raises(InputError):
        load_lexicon("letff")


LEFFF = """\
maison\tnc\tmaison\tfs
montre\tnc\tmontre\tfs
montre\tv\tmontrer\tPS13s
aimées\tv\taimer\tKfp
aimées\tadj\taimer\tKfp
notre\tdet\tson\ts_P1p
dollar\tnc\tdollar\tm
élève\tnc\télève\ts
chanter\tv\tchanter\tW
Paris\tnp\tParis\tms
"""


def test_lefff(tmp_path):
    (tmp_path / "lefff").write_text(LEFFF, encoding="utf-8")
    assert list(PACKAGES["lefff"].read(tmp_path / "lefff")) == [
        Entry("maison", "NOUN", "Fem", "Sing"),
        Entry("montre", "NOUN", "Fem", "Sing"),
        Entry("aimées", "VERB", "Fem", "Plur"),
        Entry("aimées", "ADJ", "Fem", "Plur"),
        Entry("notre", "DET", None, "Sing"),
        Entry("dollar", "NOUN", "Masc", None),
        Entry("élève", "NOUN", None, "Sing"),
        Entry("Paris", "PROPN", "Masc", "Sing"),
        Entry("montre", "X"),
    ]


LEXIQUE = """\
1_ortho\t2\t3\t4_cgram\t5_genre\t6_nombre\t7\t8\t9\t10\t11_infover\t12
été\t\tété\tNOM\tm\ts\t\t\t100,5\t99,5\t\t
été\t\têtre\tAUX\tm\ts\t\t\t2\t4\t"par:pas;"\t
montre\t\tmontrer\tVER\t\t\t\t\t1\t1\t"ind:pre:3s;"\t
montre\t\tmontre\tNOM\tf\ts\t\t\t3\t1\t\t
sa\t\tson\tADJ:pos\tf\ts\t\t\t0\t0\t\t
"""


def test_lexique_is_latin_1_and_has_frequencies(tmp_path):
    (tmp_path / "lexique").write_text(LEXIQUE, encoding="latin-1")
    assert list(PACKAGES["lexique"].read(tmp_path / "lexique")) == [
        Entry("été", "NOUN", "Masc", "Sing", 10_000),
        Entry("été", "VERB", "Masc", "Sing", 300),
        Entry("montre", "NOUN", "Fem", "Sing", 200),
        Entry("sa", "DET", "Fem", "Sing", 0),
        Entry("montre", "X", None, None, 100),
    ]


GERMAN = """\
lemma,pos,genus,genus 1,genus 2,nominativ singular,nominativ singular 1,nominativ singular 2,nominativ plural,dativ plural
Haus,Substantiv,n,,,Haus,,,Häuser,Häusern
Band,Substantiv,,n,m,,Band,Band,,
Paris,"Substantiv,Toponym",n,,,,,,,
Hau,Substantiv,m,,,Hau,,,Haus,
-ung,"Affix,Substantiv",f,,,-ung,,,,
laufen,Verb,,,,,,,,
"""  # noqa: E501


def test_german_nouns_have_all_their_forms(tmp_path):
    (tmp_path / "nouns.csv").write_text(GERMAN, encoding="utf-8")
    assert list(PACKAGES["german-nouns"].read(tmp_path / "nouns.csv")) == [
        Entry("Haus", "NOUN", "Neut", "Sing"),
        Entry("Häuser", "NOUN", "Neut", "Plur"),
        Entry("Häusern", "NOUN", "Neut", "Plur"),
        Entry("Band", "NOUN", "Masc", "Sing"),
        Entry("Band", "NOUN", "Neut", "Sing"),
        Entry("Paris", "PROPN", "Neut", "Sing"),
        Entry("Hau", "NOUN", "Masc", "Sing"),
    ]


@pytest.mark.parametrize(
    ("name", "word", "gender", "number"),
    mostly_slow(
        [
            ("lefff", "maisons", "Fem", "Plur"),
            ("lexique", "théâtre", "Masc", "Sing"),
            ("german-nouns", "Häuser", "Neut", "Plur"),
        ],
        "lexique",
    ),
)
def test_installed_packages(name, word, gender, number):
    try:
        lexicon = load_lexicon(name)
    except CrossproError as error:
        assert "make extras EXTRAS=lexicon" in str(error)
        pytest.skip(str(error))
    assert (lexicon.gender(word), lexicon.number(word)) == (gender, number)
    assert lexicon.readings(word)
