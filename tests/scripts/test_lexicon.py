"""crosspro lexicon: learn, convert, look up."""

from __future__ import annotations

from tests.scripts.run import crosspro


def test_induce_then_look_up_then_convert(tmp_path):
    text, made = tmp_path / "text.fr", tmp_path / "made.tsv"
    text.write_text("la maison brûle.\n" * 3 + "l'école ferme.\n" * 3, encoding="utf-8")
    result = crosspro("lexicon", "induce", text, "-l", "fr", "-o", made)
    assert result.code == 0, result.stderr
    assert b"2 NOUN" in result.stderr
    shown = crosspro("lexicon", "look-up", made, "Maison", "école", "nez")
    assert shown.code == 1
    assert shown.stdout.decode().splitlines() == [
        "word\tcategory\tgender\tnumber\tcount",
        "maison\tNOUN\tFem\tSing\t3",
        "école\tNOUN\t_\tSing\t3",
    ]
    assert b"nez: not in" in shown.stderr
    assert crosspro("lexicon", "convert", made, "-o", tmp_path / "again.tsv").code == 0
    assert (tmp_path / "again.tsv").read_bytes() == made.read_bytes()


def test_what_is_wrong_is_told(tmp_path):
    result = crosspro("lexicon", "induce", tmp_path / "none", "-l", "it", "-o", tmp_path / "x.tsv")
    assert result.code == 2
    assert b"one of fr, es, de" in result.stderr
    result = crosspro("lexicon", "look-up", "letff", "maison")
    assert result.code == 2
    assert b"or a TSV file" in result.stderr
