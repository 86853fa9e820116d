"""Subtitles are matched as a subtitler would, and what is no text is no text."""

from __future__ import annotations

import pytest

from crosspro.prediction.proofread.formats import read_translation
from crosspro.prediction.proofread.text import FilePlace
from tests.prediction.proofread.samples import BY_NAME, assert_placed, refused, rows


def clock(seconds):
    whole, rest = divmod(round(seconds * 1000), 1000)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02},{rest:03}"


def srt(*cues, first=1):
    return "".join(
        f"{number}\n{clock(begin)} --> {clock(end)}\n{text}\n\n"
        for number, (begin, end, text) in enumerate(cues, start=first)
    )


def written(folder, source, target, suffix="srt"):
    paths = [folder / f"x.{language}.{suffix}" for language in ("en", "de")]
    for path, content in zip(paths, (source, target), strict=True):
        path.write_text(content, encoding="utf-8", newline="")
    return paths


def read(*content):
    text = read_translation(*written(*content))
    assert_placed(text)
    return text


def texts(text):
    return [row[1:] for row in rows(text)]


def one(text):
    """The text of a cue that is read in both formats."""
    return srt((1, 2, text))


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("Er ist\nda.", "Er ist da."),
        ("Er ist \n  da.  ", "Er ist da."),
        ("<i>Er</i> ist <FONT color='red'>da</font>.", "Er ist da."),
        ("{\\an8}{\\i1}Er{\\i0} ist da.", "Er ist da."),
        ("-Er ist da.\n- Sie auch.", "Er ist da. Sie auch."),
        ("<i>– Er ist da.</i>\n{\\an8}—Sie — auch.", "Er ist da. Sie — auch."),
        ("--Er ist", "Er ist"),
        ("-5 Grad? Es ist kalt.", "-5 Grad? Es ist kalt."),
        ("x < y und <3 & > er", "x < y und <3 & > er"),
        ("Er sagt:\n\n1984", "Er sagt: 1984"),
        ("<i></i>", ""),
        ("", ""),
    ],
)
def test_text_of_a_cue(written, read_as, tmp_path):
    text = read(tmp_path, one("It"), one(written))
    assert texts(text) == [("It", read_as)]


def test_a_line_break_stays_where_it_is():
    text = BY_NAME["harbour"].read()
    target = text.segments[1].target
    assert target.text == "Er war unterwegs zu den Inseln."
    assert text.target.place(*target.span(0, 2)) == FilePlace(7, 3, 5)
    assert text.target.place(*target.span(17, 19)) == FilePlace(8, 0, 2)
    assert not target.stands_together(7, 19)
    with pytest.raises(ValueError, match="unterwegs zu"):
        target.edit(7, 19, "weg")
    edit = target.edit(17, 17, "hin ")  # put before a word of the second line
    assert "unterwegs\nhin zu den" in text.target.mended([edit])
    edit = target.edit(16, 16, " jetzt")  # put after the last word of the first
    assert "unterwegs jetzt\nzu den" in text.target.mended([edit])


def test_words_in_tags_are_replaced_in_them():
    text = BY_NAME["harbour"].read()
    target = text.segments[2].target
    start = target.text.index("Er")
    assert "-<i>Sie</i> schläft." in text.target.mended([target.edit(start, start + 2, "Sie")])
    assert not target.stands_together(start, start + 4)


def test_cues_with_the_same_times_go_together_whatever_their_numbers(tmp_path):
    cues = [(1, 2, "A"), (3, 4, "B")]
    text = read(tmp_path, srt(*cues), srt((1.2, 2.1, "a"), (3, 4.5, "b"), first=7))
    assert texts(text) == [("A", "a"), ("B", "b")]


def test_cues_of_another_frame_rate_go_by_their_order(tmp_path):
    cues = [(9 * i, 9 * i + 2 + i % 4, f"s{i}") for i in range(20)]
    faster = [
        (30 + begin / 1.042, 30 + end / 1.042, f"t{i}") for i, (begin, end, _) in enumerate(cues)
    ]
    text = read(tmp_path, srt(*cues), srt(*faster))
    assert texts(text) == [(f"s{i}", f"t{i}") for i in range(20)]


def test_cues_that_are_cut_otherwise_go_together_by_time(tmp_path):
    source = srt((0, 2, "One."), (2, 4, "Two"), (4, 6, "three."), (8, 9, "Sign"), (10, 12, "Four."))
    target = srt((0, 2, "Eins."), (2, 6, "Zwei drei."), (10, 11, "Vier"), (11, 12, "fünf."))
    text = read(tmp_path, source, target)
    assert texts(text) == [
        ("One.", "Eins."),
        ("Two three.", "Zwei drei."),
        ("Sign", ""),
        ("Four.", "Vier fünf."),
    ]
    edit = text.segments[3].target.edit(5, 9, "acht")
    assert text.target.mended([edit]) == target.replace("fünf", "acht")


def test_cues_of_another_film_are_refused_in_one_message(tmp_path):
    source = srt(*((2 * i, 2 * i + 1, "It is.") for i in range(9)))
    target = srt(*((100 + 3 * i, 102 + 3 * i, "Es ist.") for i in range(7)))
    assert refused(*written(tmp_path, source, target)) == [("x.de.srt", 2, "cues")]


def test_all_faults_are_told_at_once(tmp_path):
    source = one("It").replace("00:00:02", "00:00:00")
    target = f"words\n{one('Es')}3\n00:00:04 --> 00:00:05\nEr\n\n4\n5 --> 6\nSie\n"
    assert refused(*written(tmp_path, source, target)) == [
        ("x.en.srt", 2, "time"),
        ("x.de.srt", 7, "time"),
        ("x.de.srt", 11, "time"),
        ("x.de.srt", 1, "cue"),
    ]


def test_no_cues(tmp_path):
    assert ("x.en.srt", None, "cues") in refused(*written(tmp_path, "\n\n", one("Es")))


WEBVTT = "WEBVTT\n\n"


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("<v Anne>Er <c.red>ist</c> <00:00:01.500>da.</v>", "Er ist da."),
        ("Er &amp; sie&nbsp;&lt;3 &eacute; &#233;", "Er & sie\u00a0<3 &eacute; é"),
        ("- <i>Er</i>\n- Sie\n\nNOTE es ist nicht\nda\n\nSTYLE\nes { }", "Er Sie"),
        ("Er\n\nohne Zeit", "Er"),
    ],
)
def test_text_of_webvtt(written, read_as, tmp_path):
    cue = "00:01.000 --> 00:02.000 line:0 align:left\n"
    text = read(tmp_path, f"{WEBVTT}{cue}It\n", f"{WEBVTT}name\n{cue}{written}\n", "vtt")
    assert texts(text) == [("It", read_as)]


def test_both_kinds_of_subtitles_go_together(tmp_path):
    (tmp_path / "a.srt").write_text(one("It is."), encoding="utf-8")
    (tmp_path / "b.vtt").write_text(
        f"{WEBVTT}00:01.000 --> 00:02.000\nEr &amp; <b>sie</b>\n", encoding="utf-8"
    )
    text = read_translation(tmp_path / "a.srt", tmp_path / "b.vtt")
    assert texts(text) == [("It is.", "Er & sie")]
    target = text.segments[0].target
    assert "Er &amp; sie" not in text.target.content
    mended = text.target.mended([target.edit(3, 4, "<&")])
    assert "Er &lt;&amp; <b>sie</b>" in mended


def test_a_cue_right_after_the_header_is_read(tmp_path):
    cue = "00:01.000 --> 00:02.000\n"
    text = read(tmp_path, f"WEBVTT\n{cue}It\n", f"WEBVTT x\n{cue}Er", "vtt")
    assert texts(text) == [("It", "Er")]
