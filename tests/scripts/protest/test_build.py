"""`crosspro protest build` as a user calls it: suites, and what is wrong with files."""

from __future__ import annotations

import shutil

import pytest

from crosspro.evaluation.protest.suite import read_suite
from tests.scripts.protest.conftest import (
    ANNOTATION,
    BUILD,
    FOLDER,
    LINKS,
    SIDES,
    TEXT,
    protest,
    refused,
)


def test_build_reports_and_writes(suite, tmp_path):
    again = tmp_path / "again.jsonl"
    report, message = protest(f"{BUILD} --text {tmp_path}/copy -o {again}")
    rows = {line.rsplit(maxsplit=4)[0]: line.split()[-4:] for line in report.splitlines() if line}
    assert rows["pleonastic it"] == ["1", "1", "1", "30"]
    assert "14 tokens" in message
    assert again.read_bytes() == suite.read_bytes()
    for name in ("en", "fr", "doc-ids", "links"):
        files = (tmp_path / f"copy.{name}", FOLDER / f"text.{name}")
        copy, original = (path.read_text("utf-8").splitlines() for path in files)
        assert list(map(sorted, map(str.split, copy))) == list(
            map(sorted, map(str.split, original))
        )
    assert len((tmp_path / "copy.tokens").read_text("utf-8").splitlines()) == 11  # without you


def test_links_are_made_by_the_prior_of_the_languages(tmp_path):
    path = tmp_path / "suite.jsonl"
    protest(f"{ANNOTATION} {TEXT} -o {path}")
    assert read_suite(path).settings["links"].startswith("prior-en-fr")
    protest(f"{ANNOTATION} {TEXT} --prior none -o {path}")
    assert read_suite(path).settings["links"].startswith("learnt")
    refused(f"{BUILD} --prior none -o {path}")


def test_build_with_decisions(suite, tmp_path):
    decisions, path = tmp_path / "d.tsv", tmp_path / "decided.jsonl"
    decisions.write_text("document\tword\tcategory\thead\n001_talk2\tword_13\tevent_it\n", "utf-8")
    protest(f"{BUILD} -o {path} --decisions {decisions}")
    first, decided = ([t.category for t in read_suite(p).tokens] for p in (suite, path))
    assert decided.count("event_it") == first.count("event_it") + 1


def test_heads_come_from_a_parse(suite, tmp_path):
    """In the parse the fourth word of a line, or its last, governs the others."""
    parse, built = tmp_path / "text.conllu", tmp_path / "parsed.jsonl"
    blocks = []
    for line in (FOLDER / "text.en").read_text("utf-8").splitlines():
        words = line.split()
        top = min(4, len(words))
        rows = [
            f"{at}\t{word}\t_\tNOUN\t_\t_\t{top if at != top else 0}\tdep\t_\t_\n"
            for at, word in enumerate(words, start=1)
        ]
        blocks.append("".join(rows) + "\n")
    parse.write_text("".join(blocks), "utf-8")
    protest(f"{BUILD} --source-parse {parse} -o {built}")

    def heads(path):
        tokens = (token for token in read_suite(path).tokens if token.antecedent)
        return {token.name: token.antecedent.at for token in tokens}

    assert heads(suite)["talk1:word_6"] == heads(built)["talk1:word_6"] == (3,)  # a bicycle
    assert heads(suite)["talk2:word_7"] == (4,)  # the old house
    assert heads(built)["talk2:word_7"] == (3,)
    assert read_suite(built).settings["heads"] == "parse"
    parse.write_text("".join(blocks[1:]), "utf-8")
    assert "text.conllu" in refused(f"{BUILD} --source-parse {parse} -o {tmp_path}/x.jsonl")


@pytest.mark.parametrize("fault", ["annotation", "decisions", "short", "links", "doc-ids"])
def test_the_file_with_the_fault_is_named_and_nothing_is_written(fault, tmp_path):
    project = shutil.copytree(FOLDER / "en", tmp_path / "en")
    words = project / "Basedata" / "000_talk1_words.xml"
    short, links, ids, decisions = (tmp_path / name for name in ("short.fr", "l", "ids", "d.tsv"))
    line, name = f"build --annotation {project} {TEXT} {LINKS}", ""
    if fault == "annotation":
        words.write_text(words.read_text("utf-8").replace("</words>", ""), "utf-8")
        name = "000_talk1_words.xml:"
    elif fault == "decisions":
        decisions.write_text("document\tword\tcategory\thead\na\tb\tc\n", "utf-8")
        line, name = f"{line} --decisions {decisions}", "d.tsv:2:"
    elif fault == "short":
        short.write_text("Il .\n", "utf-8")
        line = f"{ANNOTATION} --source {FOLDER}/text.en --reference {short} {LINKS}"
        name = "short.fr:2:"
    elif fault == "links":
        links.write_text("0-0 99-0\n" * 19, "utf-8")
        line, name = f"{ANNOTATION} {TEXT} --links {links}", "l:1:"
    else:
        ids.write_text("other\n" * 19, "utf-8")
        line, name = f"{ANNOTATION} {SIDES} --doc-ids {ids} {LINKS}", "talk1"
    assert name in refused(f"{line} -o {tmp_path}/suite.jsonl")
    assert not (tmp_path / "suite.jsonl").exists()
