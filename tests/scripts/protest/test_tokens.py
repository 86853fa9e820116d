"""`crosspro protest tokens`, `judged` and `stats`: tokens for other metrics, types of pronouns."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.scripts.protest.conftest import (
    FOLDER,
    LINKS,
    OWN_LINKS,
    REFERENCE,
    SIDES,
    protest,
    refused,
    replaced,
)
from tests.scripts.protest.test_review import export, fill_in, take_in
from tests.scripts.run import crosspro


@pytest.fixture
def output(tmp_path):
    """Two pronouns that differ from the reference, *c'* for *il* and *elle* for *il*."""
    pairs = ("Il pleut", "Ça pleut"), ("Il est rouge", "Elle est rouge")
    return replaced(tmp_path / "out.fr", *pairs)


def apt(tokens, output, *options):
    line = f"{SIDES} --candidate {output} {LINKS} {OWN_LINKS} --tokens {tokens}"
    result = crosspro("apt", *line.split(), "--resamples", 0, *options)
    assert result.code == 0, result.stderr
    return result.stdout.decode()


def test_tokens_are_what_apt_scores(suite, tmp_path):
    tokens = tmp_path / "tokens"
    told = protest(f"tokens {suite} --pronouns en-fr -o {tokens}")[1]
    assert "11 tokens: " in told
    assert "left out, as en-fr does not have them: 3 you" in told
    assert "APT of 11 pronouns" in apt(tokens, REFERENCE)
    assert len(protest(f"tokens {suite}")[0].splitlines()) == 14
    (tmp_path / "suite.bad").write_text("{}\n")
    told = refused(f"tokens {tmp_path}/suite.bad --pronouns xx-yy")
    assert "suite.bad" in told
    assert "pronouns: name: expected one of" in told
    refused(f"tokens {suite} --pronouns fr-en")


@pytest.fixture
def judged(suite, output, tmp_path):
    """The tables of a store in which somebody finds all tokens right, unless it is said otherwise,
    and of the cases of APT."""
    tokens, cases = tmp_path / "tokens", tmp_path / "cases.json"
    protest(f"tokens {suite} --pronouns en-fr -o {tokens}")
    apt(tokens, output, "--detail", cases, "--no-repair")
    review, store = tmp_path / "review.tsv", tmp_path / "v.sqlite"
    export(suite, output, review, "--matches")
    said = {"talk1:word_29": "wrong", "talk2:word_7": "unclear"}
    fill_in(review, lambda token: said.get(token, "right"))
    take_in(suite, review, store, "Anna")
    return cases, f"judged {suite} --candidate {output} --verdicts {store} --cases {cases}"


def test_cases_and_verdicts_become_tables_3_4_and_5(judged, tmp_path):
    table = tmp_path / "judged.csv"
    told = protest(f"{judged[1]} {OWN_LINKS} -o {table}")[1]
    assert "11 tokens with a case, 10 of them judged; 3 without a case" in told
    rows = {row["token"]: row for row in csv.DictReader(io.StringIO(table.read_text("utf-8")))}
    bicycle, rain = rows["talk1:word_6"], rows["talk1:word_29"]
    assert [bicycle[name] for name in ("case", "human", "kind")] == ["3", "correct", "V"]
    assert [rain[name] for name in ("case", "human", "kind")] == ["3", "incorrect", ""]
    assert rows["talk2:word_7"]["human"] == ""
    study = ("correlate", "disagreement", table, "--unit", "document")
    content = json.loads(crosspro(*study, "--layout", "json").stdout)
    total = content["systems"][0]["counts"]
    assert (total["disagreements"], total["examples"]) == (3, 10)
    assert total["valid_alternative"] == 1
    assert total["other"] == 2  # clitics, which are OTHER on both sides
    text = crosspro("correlate", "cases", table, "--resamples", 0).stdout.decode()
    assert "1 pronouns that nobody has judged" in text


def test_faults_of_all_files_together(judged, tmp_path):
    cases, line = judged
    content = json.loads(cases.read_text("utf-8"))
    content[0]["case"] = 9
    cases.write_text(json.dumps(content), "utf-8")
    (tmp_path / "bad.links").write_text("9-9\n")
    told = refused(f"{line} --candidate-links {tmp_path}/bad.links")
    assert "occurrence 1, case: expected" in told
    assert "bad.links" in told
    for record in content:
        record |= {"case": 1, "system": "another"}
    cases.write_text(json.dumps(content), "utf-8")
    told = refused(f"{line} {OWN_LINKS}")
    assert "system: expected one of out, each once (--name), found 'another'" in told


def test_types_of_pronouns():
    stats = f"stats {FOLDER}/en"
    text = protest(stats)[0]
    assert "pronouns in 2 documents" in text
    assert "– inter-sentential" in text
    content = json.loads(protest(f"{stats} --layout json")[0])
    assert content["pronouns"] == sum(row["count"] for row in content["types"])
    assert "pleonastic,,1," in protest(f"{stats} --layout csv")[0]
    refused(f"stats {FOLDER}")
