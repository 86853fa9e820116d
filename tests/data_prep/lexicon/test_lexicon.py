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


spaces = st.sampled_from(["\u00a0x", "x\u2003", "x\u0085", "\u00abx", "xx\u00b0", "\u3000"])
cells = {
    "category": st.sampled_from([*CATEGORIES, "NOM"]),
    "gender": st.sampled_from([*GENDERS, "_", "Mas"]),
    "number": st.sampled_from([*NUMBERS, "_", ""]),
    "count": st.sampled_from(["_", "0", "17", "9" * 15, "9" * 16, "1_", "__", "-1", "²"]),
}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_table_in_order_is_read_as_line_by_line(tmp_path, data):
    """A sorted table is searched by bisection, another one is read as a whole."""
    names = sorted(data.draw(st.lists(words | spaces | st.just("élevage" * 4), max_size=8)))
    usual = {"category": "NOUN", "gender": "Fem", "number": "Sing", "count": "3"}
    odd = data.draw(st.sets(st.sampled_from(sorted(cells)), max_size=1))
    rows = [
        "\t".join([name, *(data.draw(cells[one]) if one in odd else usual[one] for one in usual)])
        for name in names
    ]
    found = []
    for order in (rows, rows[::-1]):
        path = tmp_path / "x.tsv"
        path.write_text("\n".join([HEADER, *order]) + "\n", encoding="utf-8")
        try:
            lexicon = read_lexicon(path)
            found.append({name: {*lexicon.readings(name)} for name in {*names, "nothing"}})
        except InputError:
            found.append(None)
    assert found[0] == found[1]


fields = st.sampled_from(["", " ", "maison", "NOUN", "Fem", "Sing", "_", "1", "-1", "²", "9" * 20])
lines = st.lists(fields, max_size=6).map(lambda columns: "\t".join(columns).encode())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(lines | st.binary(max_size=20)))
def test_files_of_any_content_give_a_lexicon_or_our_own_error(tmp_path, content):
    path = tmp_path / "x.tsv"
    path.write_bytes(b"\n".join([HEADER.encode(), *content]))
    try:
        list(read_lexicon(path))
    except InputError as error:
        assert error.problems


@pytest.mark.parametrize(
    ("row", "line"),
    [
        ("maison\tNOM\tFem\tSing\t1", 3),
        ("maison\tNOUN\tfem\tSing\t1", 3),
        ("maison\tNOUN\tFem\tsg\t1", 3),
        ("maison\tNOUN\tFem\tSing\tmany", 3),
        (" \tNOUN\t_\t_\t_", 3),
        ("too few", 3),
        (HEADER, 3),
    ],
)
def test_a_fault_of_a_file_has_its_line(tmp_path, row, line):
    path = tmp_path / "x.tsv"
    path.write_text("\n".join([HEADER, "clé\tNOUN\tFem\tSing\t_", row]), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_lexicon(path)
    assert [(problem.path, problem.line) for problem in caught.value.problems] == [
        (str(path), line)
    ]
    path.write_text(row, encoding="utf-8")
    if row != HEADER:
        with pytest.raises(InputError):
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


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_package_files_of_any_content_give_entries_or_our_own_error(tmp_path, data):
    good = data.draw(st.sampled_from([LEFFF, LEXIQUE, GERMAN])).encode()
    at = data.draw(st.integers(0, len(good)))
    path = tmp_path / "x"
    path.write_bytes(good[:at] + data.draw(st.binary(max_size=6)) + good[at:])
    for package in PACKAGES.values():
        try:
            assert all(isinstance(entry, Entry) for entry in package.read(path))
        except CrossproError as error:
            assert str(error)


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
