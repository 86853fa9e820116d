"""`crosspro protest review`: verdicts of annotators count in scores and go to `correlate`."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import socket

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
    scores,
)
from tests.scripts.run import crosspro

HAS_EXTRA = all(map(importlib.util.find_spec, ("fastapi", "uvicorn", "python_multipart")))


def fill_in(review, pronoun_of, path=None):
    """Fill in rows of a review file by token; None leaves a row empty."""
    rows = list(csv.DictReader(io.StringIO(review.read_text("utf-8")), delimiter="\t"))
    for row in rows:
        if (pronoun := pronoun_of(row["item"].partition("/")[0])) is not None:
            row["pronoun"] = pronoun
            row["antecedent"] = "right" if row["category"].startswith("anaphoric") else ""
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0], delimiter="\t")
    writer.writeheader()
    writer.writerows(rows)
    (path or review).write_text(text.getvalue(), "utf-8", newline="")
    return path or review


def export(suite, output, review, options=""):
    line = f"review export {suite} --candidate {output} {OWN_LINKS} {options} -o {review}"
    return protest(line)[1]


def take_in(suite, review, store, options):
    return protest(f"review import {suite} {review} --verdicts {store} {options}")


def test_export_import_score_and_silver(suite, wrong, tmp_path):
    review, store, silver = (tmp_path / name for name in ("r.tsv", "v.sqlite", "silver.tsv"))
    assert "3 to judge" in export(suite, wrong, review)
    for name, rain in (("Ada", "right"), ("Ben", "wrong")):
        pronouns = {"talk1:word_29": rain}
        filled = fill_in(review, lambda t, p=pronouns: p.get(t, "right"), tmp_path / f"{name}.tsv")
        table, counts = take_in(suite, filled, store, f"--judge {name}")
    assert "talk1:word_29" in table
    assert "66.7" in table  # of three pronouns
    assert "3 new verdicts, 1 conflict" in counts
    line = f"--verdicts {store} --resamples 50"
    _, second = scores(suite, REFERENCE, wrong, options=line)
    assert second["scores"]["semi-automatic"]["value"] == pytest.approx(100 * 13 / 14)
    disputed = tmp_path / "conflicts.tsv"
    assert "1 to judge" in export(suite, wrong, disputed, f"--verdicts {store} --conflicts")
    fill_in(disputed, lambda token: "wrong")
    assert "0 conflicts" in take_in(suite, disputed, store, "--judge Eve --decide")[1]
    assert "0 to judge" in export(suite, wrong, disputed.with_name("x"), f"--verdicts {store}")
    scores(suite, wrong, options=f"--verdicts {store} --save-silver {silver}")
    assert len(silver.read_text("utf-8").splitlines()) == 3
    (system,) = scores(suite, wrong, options=f"--silver {silver}")
    assert system["counts"]["silver"] == 2


def test_matches_go_out_on_demand_and_count_as_people_say(suite, tmp_path):
    review, store = tmp_path / "all.tsv", tmp_path / "v.sqlite"
    assert "0 to judge" in export(suite, REFERENCE, tmp_path / "none.tsv")
    assert "14 to judge" in export(suite, REFERENCE, review, "--matches")
    fill_in(review, lambda token: "wrong" if token == "talk1:word_29" else None)
    take_in(suite, review, store, "--judge Ada")
    (system,) = scores(suite, REFERENCE, options=f"--verdicts {store}")
    values = [score["value"] for score in system["scores"].values()]
    assert values == pytest.approx([100, 100 * 13 / 14])


def test_no_output_replaces_verdicts(suite, wrong, tmp_path):
    review, store = tmp_path / "r.tsv", tmp_path / "v.sqlite"
    export(suite, wrong, review)
    take_in(suite, fill_in(review, lambda token: "right"), store, "--judge Ada")
    before = review.read_bytes(), store.read_bytes()
    system = f"{suite} --candidate {wrong} {OWN_LINKS}"
    for line in (
        f"score {system} --verdicts {store} --save-silver {store}",
        f"score {system} --resamples 0 --html {store}",
        f"review export {system} -o {store}",
    ):
        refused(line)
        assert (review.read_bytes(), store.read_bytes()) == before


def test_a_campaign_of_pearmut(suite, wrong, tmp_path):
    path = tmp_path / "campaign.json"
    export(suite, wrong, path, "--format pearmut --judge Ada --judge Ben")
    content = json.loads(path.read_text("utf-8"))
    assert content["info"]["users"] == ["Ada", "Ben"]
    assert [len(task) for task in content["data"]] == [3, 3]
    refused(f"review import {suite} {path} --format pearmut --verdicts {tmp_path}/v")


def test_cases_and_verdicts_become_tables_3_4_and_5(suite, tmp_path):
    """Two pronouns differ from the reference: *c'* for *il* and *elle* for *il*."""
    pairs = ("Il pleut", "Ça pleut"), ("Il est rouge", "Elle est rouge")
    output = replaced(tmp_path / "out.fr", *pairs)
    tokens, cases, table = (tmp_path / name for name in ("copy.tokens", "cases.json", "judged.csv"))
    text = f"{SIDES} --doc-ids {FOLDER}/text.doc-ids {LINKS}"
    again = f"build --annotation {FOLDER}/en {text} --text {tmp_path}/copy -o {tmp_path}/again"
    protest(again)
    assert len(tokens.read_text("utf-8").splitlines()) == 11
    line = f"{SIDES} --candidate {output} {LINKS} {OWN_LINKS} -m apt --resamples 0"
    settings = f"--set apt.tokens={tokens} --set apt.repair=off --detail {cases}"
    assert crosspro("score", *line.split(), *settings.split()).code == 0
    review, store = tmp_path / "review.tsv", tmp_path / "v.sqlite"
    export(suite, output, review, "--matches")
    pronouns = {"talk1:word_29": "wrong", "talk2:word_7": "unclear"}
    take_in(suite, fill_in(review, lambda t: pronouns.get(t, "right")), store, "--judge Ada")
    protest(f"score {suite} --candidate {output} {OWN_LINKS} --verdicts {store} --judged {table}")
    rows = {row["token"]: row for row in csv.DictReader(io.StringIO(table.read_text("utf-8")))}
    human = [rows[name]["human"] for name in ("talk1:word_6", "talk1:word_29", "talk2:word_7")]
    assert human == ["correct", "incorrect", ""]
    joined = ("--cases", cases, "--target-language", "fr")
    study = crosspro("correlate", "disagreement", table, *joined, "--layout", "json")
    result = json.loads(study.stdout)
    total = result["categories"][-1]
    assert (total["disagreements"], total["examples"]) == (3, 10)
    assert total["kinds"] == {"V": 1, "E": 0, "I": 0, "O": 2}
    assert result["verdicts"]["3"] == {"correct": 3, "incorrect": 1, "bad translation": 0}
    assert result["not_judged"] == 1


def test_what_is_needed_to_serve(suite, wrong, tmp_path):
    line = f"review serve {suite} --candidate {wrong} {OWN_LINKS} --verdicts {tmp_path}/v.sqlite"
    if not HAS_EXTRA:
        assert "crosspro[review]" in refused(f"{line} --judge Ada")
        return
    refused(line)
    for options in ("--judge=", "--judge A --judge A", "--judge A --host 0.0.0.0",
                    "--judge A --url ftp://x"):  # fmt: skip
        refused(f"{line} {options}")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert str(port) in refused(f"{line} --judge A --port {port}")
