"""What the released APT tool computes and cannot read; golden files are run by the command."""

from __future__ import annotations

import shutil

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.released.apt.config import lower, read_config
from crosspro.evaluation.released.apt.tool import run_released
from tests.conftest import GOLDEN, SHARED_DATA


@pytest.fixture
def case(tmp_path, monkeypatch):
    """A copy of the golden inputs in which an INI file can be changed and run."""
    shutil.copytree(GOLDEN / "apt", tmp_path / "apt")
    folder = tmp_path / "apt" / "basic"
    monkeypatch.chdir(folder)

    def run(**changes):
        text = (folder / "config").read_text("utf-8")
        lines = []
        for line in text.splitlines():
            key = line.split(":")[0].split("=")[0].strip()
            lines.append(f"{key}: {changes[key]}" if key in changes else line)
        (folder / "config").write_text("\n".join(lines) + "\n", "utf-8")
        return run_released(read_config(folder / "config"))

    run.folder = folder
    return run


def test_paths_beside_the_config(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    config = read_config(GOLDEN / "apt" / "basic" / "config")
    assert config.output == str(GOLDEN / "apt" / "basic" / "out")
    expected = (GOLDEN / "apt" / "basic" / "out.score").read_text("utf-8")
    assert run_released(config).score == expected


def test_other_counts_as_equal(case):
    files = case(count_OTHER_as_equal="yes")
    assert "Findings per case: 10,2,5,1,1,1" in files.score


def test_all_words_in_the_matrix(case):
    """Two linked pronouns on one side count twice."""
    (case.folder.parent / "mt.align").write_text("0-0 0-1 1-1 2-2\n" + "\n" * 14, "utf-8")
    (case.folder.parent / "mt.fr").write_text("cela il .\n" + "x\n" * 14, "utf-8")
    (case.folder.parent / "similar").write_text("", "utf-8")
    (case.folder.parent / "equal").write_text("", "utf-8")
    first = case().score.splitlines()
    every = case(counting_multiword_in_matrix="true").score.splitlines()
    assert first[-1].split("\t")[-1] == "20"
    assert every[-1].split("\t")[-1] == "21"


def test_without_a_target_list_all_words_count(case):
    files = case(list_target_pronouns="none")
    lines = files.score.splitlines()
    assert "Not list of target pronouns" in files.stdout
    assert lines[3] == "Findings per case: 7,2,8,1,1,1"
    assert "OTHER" not in files.score
    assert files.detail.splitlines()[8] == "7\t2\tit\t1\tle\t1\tla\t3"


def test_an_unlabelled_word_on_both_sides_is_the_same(case):
    """dit-il and a-t-il have no label: the tool takes them for one."""
    (case.folder.parent / "ref.align").write_text("\n" * 12 + "5-4 6-4\n\n\n", "utf-8")
    files = case(source_pronouns="../list_src", target_pronouns="../list_tgt")
    assert "12\t5\tit\t4 3\tdit-il\t4 3\ta-t-il\t1" in files.detail


def test_nothing_found_is_not_a_number(case):
    assert case(list_source_pronouns="none").score.startswith("Score: nan\n")


def test_one_weight_for_all_cases(case):
    files = case(weigths_per_case="1")
    assert files.score.startswith("Score: 1.0000\nCases: 1,2,3,4,5,6\nWeights: 1.0\n")


def test_duplicate_links_are_listed_twice(case):
    (case.folder.parent / "ref.align").write_text("0-0 0-0\n" + "\n" * 14, "utf-8")
    assert case().detail.splitlines()[1] == "0\t0\tit\t0 0\tça ça\t0\tcela\t1"


def test_unicode_line_ends_divide_lines(case):
    """U+2028 ends a line of a text but not of a link file, as in Python 2's codecs."""
    path = case.folder.parent / "src.en"
    path.write_text(path.read_text("utf-8").replace("\n", "\u2028"), "utf-8")
    assert case().score == (GOLDEN / "apt" / "basic" / "out.score").read_text("utf-8")


def test_lower_case_of_python_2():
    assert lower("ÉTÉ ΣΑΣ İ") == "été σασ i"


def test_all_problems_of_a_config_are_reported(tmp_path):
    path = tmp_path / "config"
    path.write_text(
        "[lang]\n[files]\nsource: x\nreference: y\ntarget: " + "z" * 300 + "\ninput_type: word\n"
        "[cases]\ncases_to_use: 1,2\nweigths_per_case: a\ncount_OTHER_as_equal: maybe\n"
        "[output]\nmax_length_matrix: 0\n",
        "utf-8",
    )
    with pytest.raises(InputError) as caught:
        read_config(path)
    fields = {problem.field for problem in caught.value.problems}
    assert {"source", "reference", "target", "weigths_per_case", "count_OTHER_as_equal"} <= fields
    assert {"max_length_matrix", "output_file", "equal", "alignment_source_target"} <= fields
    lines = {problem.field: problem.line for problem in caught.value.problems}
    assert lines["source"] == 3
    assert lines["max_length_matrix"] == 12
    assert lines["alignment_source_target"] == 2  # its section; [dictionary] is not there
    assert lines["equal"] is None


def test_no_ini_file(tmp_path):
    path = tmp_path / "config"
    path.write_text("no section\n", "utf-8")
    with pytest.raises(InputError, match="config:1: file: expected an INI file"):
        read_config(path)


def test_where_the_tool_would_crash_every_reason_is_reported(case):
    (case.folder.parent / "ref.align").write_text("0-9\n0-0\n0-x\n" + "\n" * 12, "utf-8")
    (case.folder.parent / "mt.align").write_text("0-0\n" * 8, "utf-8")
    with pytest.raises(InputError) as caught:
        case()
    shown = str(caught.value)
    assert "ref.align:1: links: expected links inside 3 target words, found 0-9" in shown
    assert "ref.align:3: links: expected links s-t" in shown
    assert "mt.align:9: lines: expected a line 9 as in the source" in shown


def test_bad_positions(case):
    (case.folder.parent / "positions").write_text("0 9\n99 0\nx\n", "utf-8")
    with pytest.raises(InputError) as caught:
        case(input_type="possition", list_source_pronouns="../positions")
    assert [problem.line for problem in caught.value.problems] == [1, 2, 3]


@pytest.mark.parametrize(
    ("heuristics", "weight", "score", "findings"),
    [
        (False, "0", "0.3211", "515,76,799,23,182,9"),
        (False, "0.5", "0.3448", "515,76,799,23,182,9"),
        (False, "1", "0.3685", "515,76,799,23,182,9"),
        (True, "0", "0.3286", "527,85,778,23,182,9"),
        (True, "0.5", "0.3550", "527,85,778,23,182,9"),
        (True, "1", "0.3815", "527,85,778,23,182,9"),
    ],
)
def test_figures_of_the_tool_on_news(case, heuristics, weight, score, findings):
    news = SHARED_DATA / "news_mt"
    if not news.is_dir():
        pytest.skip("the news text is not here")
    lists = {"source_pronouns": "../list_src", "target_pronouns": "../list_tgt"}
    files = case(
        source=news / "mt-output.en.xz",
        reference=news / "pronoun-test.tok.fr.xz",
        target=news / "mt-output.fr.xz",
        alignment_source_reference=news / "pronoun-test.tok.en-fr.alig.xz",
        alignment_source_target=news / "mt-output.en-fr.alig.xz",
        weigths_per_case=f"1,{weight},0,0,0,0",
        **(lists if heuristics else {}),
    )
    lines = files.score.splitlines()
    assert lines[0] == f"Score: {score}"
    assert lines[3:5] == [f"Findings per case: {findings}", "Total findings: 1604"]
