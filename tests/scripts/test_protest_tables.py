"""`crosspro protest tokens`, `judged` and `stats`, and heads from a parse."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.conftest import GOLDEN
from tests.scripts.run import crosspro

FOLDER = GOLDEN / "protest"
TEXT = ("--source", FOLDER / "text.en", "--reference", FOLDER / "text.fr")
DOCUMENTS = ("--doc-ids", FOLDER / "text.doc-ids")
LINKS = ("--links", FOLDER / "text.links")
OWN_LINKS = ("--candidate-links", FOLDER / "text.links")
BUILD = ("protest", "build", "--annotation", FOLDER / "en", *TEXT, *DOCUMENTS, *LINKS)


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "suite.jsonl"
    result = crosspro(*BUILD, "-o", path)
    assert result.code == 0, result.stderr
    return path


@pytest.fixture
def output(tmp_path):
    """Two pronouns that differ from the reference, *c'* for *il* and *elle* for *il*."""
    text = (FOLDER / "text.fr").read_text("utf-8")
    for old, new in (("Il pleut", "Ça pleut"), ("Il est rouge", "Elle est rouge")):
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "out.fr"
    path.write_text(text, "utf-8")
    return path


def test_tokens_are_what_apt_scores(suite, tmp_path):
    tokens = tmp_path / "tokens"
    result = crosspro("protest", "tokens", suite, "--pronouns", "en-fr", "-o", tokens)
    assert result.code == 0, result.stderr
    assert b"11 tokens: " in result.stderr
    assert b"left out, as en-fr does not have them: 3 you" in result.stderr
    links = ("--links", FOLDER / "text.links", "--candidate-links", FOLDER / "text.links")
    scored = crosspro("apt", *TEXT, "--candidate", FOLDER / "text.fr", *links, "--tokens", tokens)
    assert scored.code == 0, scored.stderr
    assert b"APT of 11 pronouns" in scored.stdout
    everything = crosspro("protest", "tokens", suite)
    assert len(everything.stdout.splitlines()) == 14
    (tmp_path / "suite.bad").write_text("{}\n")
    refused = crosspro("protest", "tokens", tmp_path / "suite.bad", "--pronouns", "xx-yy")
    assert refused.code == 2
    assert b"suite.bad" in refused.stderr
    assert b"pronouns: name: expected one of" in refused.stderr
    assert crosspro("protest", "tokens", suite, "--pronouns", "fr-en").code == 2


def judge(suite, output, tmp_path, said):
    """A store in which somebody has judged all tokens: right, unless it is said otherwise."""
    review, store = tmp_path / "review.tsv", tmp_path / "v.sqlite"
    crosspro(
        "protest",
        "review",
        "export",
        suite,
        "--candidate",
        output,
        *OWN_LINKS,
        "--matches",
        "-o",
        review,
    )
    rows = list(csv.DictReader(io.StringIO(review.read_text("utf-8")), delimiter="\t"))
    for row in rows:
        row["pronoun"] = said.get(row["token"], "right")
        row["antecedent"] = "right" if "anaphoric" in row["category"] else ""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, rows[0], delimiter="\t", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    review.write_text(buffer.getvalue(), "utf-8")
    result = crosspro(
        "protest", "review", "import", suite, review, "--verdicts", store, "--judge", "Anna"
    )
    assert result.code == 0, result.stderr
    return store


@pytest.fixture
def cases(suite, output, tmp_path):
    tokens, path = tmp_path / "tokens", tmp_path / "cases.json"
    crosspro("protest", "tokens", suite, "--pronouns", "en-fr", "-o", tokens)
    links = ("--links", FOLDER / "text.links", "--candidate-links", FOLDER / "text.links")
    apt = ("apt", *TEXT, "--candidate", output, *links, "--tokens", tokens, "--detail", path)
    result = crosspro(*apt, "--no-repair", "--resamples", 0)
    assert result.code == 0, result.stderr
    return path


def test_cases_and_verdicts_become_tables_3_4_and_5(suite, output, cases, tmp_path):
    store = judge(
        suite,
        output,
        tmp_path,
        {"talk1:word_29": "wrong", "talk2:word_7": "unclear"},
    )
    table = tmp_path / "judged.csv"
    call = ("protest", "judged", suite, "--candidate", output, *OWN_LINKS, "--verdicts", store)
    result = crosspro(*call, "--cases", cases, "-o", table)
    assert result.code == 0, result.stderr
    assert b"11 tokens with a case, 10 of them judged; 3 without a case" in result.stderr
    rows = {row["token"]: row for row in csv.DictReader(io.StringIO(table.read_text("utf-8")))}
    bicycle, rain = rows["talk1:word_6"], rows["talk1:word_29"]
    assert [bicycle[name] for name in ("case", "human", "kind")] == ["3", "correct", "V"]
    assert [rain[name] for name in ("case", "human", "kind")] == ["3", "incorrect", ""]
    assert rows["talk2:word_7"]["human"] == ""
    study = ("correlate", "disagreement", table, "--unit", "document")
    content = json.loads(crosspro(*study, "--layout", "json").stdout)
    total = content["categories"][-1]
    assert (total["disagreements"], total["examples"]) == (3, 10)
    assert total["kinds"]["valid alternative"] == 1
    assert total["kinds"]["other"] == 2  # clitics, which are OTHER on both sides
    text = crosspro("correlate", "cases", table, "--resamples", 0).stdout.decode()
    assert "1 pronouns that nobody has judged" in text


def test_faults_of_all_files_together(suite, output, cases, tmp_path):
    store = judge(suite, output, tmp_path, {})
    content = json.loads(cases.read_text("utf-8"))
    content[0]["case"] = 9
    cases.write_text(json.dumps(content), "utf-8")
    bad = tmp_path / "bad.links"
    bad.write_text("9-9\n")
    call = (
        "protest",
        "judged",
        suite,
        "--candidate",
        output,
        "--candidate-links",
        bad,
        "--verdicts",
        store,
    )
    result = crosspro(*call, "--cases", cases)
    assert result.code == 2
    assert b"occurrence 1, case: expected" in result.stderr
    assert b"bad.links" in result.stderr
    for record in content:
        record |= {"case": 1, "system": "another"}
    cases.write_text(json.dumps(content), "utf-8")
    named = crosspro(
        "protest",
        "judged",
        suite,
        "--candidate",
        output,
        *OWN_LINKS,
        "--verdicts",
        store,
        "--cases",
        cases,
    )
    assert b"system: expected one of out, each once (--name), found 'another'" in named.stderr


def test_types_of_pronouns():
    text = crosspro("protest", "stats", FOLDER / "en").stdout.decode()
    assert "pronouns in 2 documents" in text
    assert "– inter-sentential" in text
    content = json.loads(crosspro("protest", "stats", FOLDER / "en", "--layout", "json").stdout)
    assert content["pronouns"] == sum(row["count"] for row in content["types"])
    rows = crosspro("protest", "stats", FOLDER / "en", "--layout", "csv").stdout.decode()
    assert "pleonastic,,1," in rows
    assert crosspro("protest", "stats", FOLDER).code == 2


def parse_of(path):
    """A parse in which the fourth word of a line, or its last, governs the others."""
    blocks = []
    for line in path.read_text("utf-8").splitlines():
        words = line.split()
        top = min(4, len(words))
        rows = [
            f"{at}\t{word}\t_\tNOUN\t_\t_\t{top if at != top else 0}\tdep\t_\t_\n"
            for at, word in enumerate(words, start=1)
        ]
        blocks.append("".join(rows) + "\n")
    return "".join(blocks)


def test_heads_come_from_a_parse(suite, tmp_path):
    parse, built = tmp_path / "text.conllu", tmp_path / "parsed.jsonl"
    parse.write_text(parse_of(FOLDER / "text.en"), "utf-8")
    result = crosspro(*BUILD, "--source-parse", parse, "-o", built)
    assert result.code == 0, result.stderr

    def heads(path):
        records = map(json.loads, path.read_text("utf-8").splitlines())
        return {r["token"]: r["antecedent"]["at"] for r in records if r.get("antecedent")}

    rules, parsed = heads(suite), heads(built)
    assert rules["talk1:word_6"] == parsed["talk1:word_6"] == [3]  # a bicycle
    assert rules["talk2:word_7"] == [4]  # the old house
    assert parsed["talk2:word_7"] == [3]  # as the parse says
    assert json.loads(built.read_text("utf-8").splitlines()[0])["settings"]["heads"] == "parse"
    assert "heads" not in json.loads(suite.read_text("utf-8").splitlines()[0])["settings"]
    parse.write_text(parse_of(FOLDER / "text.fr"), "utf-8")
    refused = crosspro(*BUILD, "--source-parse", parse, "-o", tmp_path / "x.jsonl")
    assert refused.code == 2
    assert refused.stderr.count(b"the words of the text") > 5
