"""`crosspro correlate` and `crosspro mt-metrics`."""

from __future__ import annotations

import json

import numpy as np
import pytest

from crosspro.evaluation.correlation.study import williams_test
from crosspro.evaluation.inputs.case_records import read_case_records
from tests.scripts.apt_files import options
from tests.scripts.run import crosspro, each

TABLE = "system,bleu,apt,human\na,20,0.5,0.6\nb,21,0.6,0.5\nc,25,0.7,0.9\nd,30,0.65,0.8\n"


def shown(*call) -> str:
    return crosspro(*call).stdout.decode()


def as_json(*call):
    return json.loads(crosspro(*call, "--layout", "json").stdout)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(TABLE)
    return path


def test_correlations_with_a_warning(table):
    result = crosspro("correlate", "systems", table, "--human", "human", "--resamples", 50)
    text = result.stdout.decode()
    assert "correlation with human over 4 systems" in text
    assert "Williams test" in text
    assert "apt > bleu" in text
    assert b"4 systems" in result.stderr


def test_json_and_choices(table, tmp_path):
    output = tmp_path / "out.json"
    options = f"--human human --metric apt --without d --layout json -o {output}".split()
    result = crosspro("correlate", "systems", table, *options)
    assert result.code == 0, result.stderr
    content = json.loads(output.read_text())
    assert content["systems"] == ["a", "b", "c"]
    assert [one["metric"] for one in content["metrics"]] == ["apt"]
    assert content["williams"] == []


HUMANS = """system,apt,protest,discomt
a,0.5,0.6,0.55
b,0.6,0.5,0.5
c,0.7,0.9,0.7
d,0.65,0.8,0.85
e,0.61,0.81,
f,0.51,0.61,0.62
"""


def test_williams_between_two_human_evaluations(tmp_path):
    """001 section 6: over the systems that both have, with the metric as what they share."""
    path = tmp_path / "t.csv"
    path.write_text(HUMANS)
    humans = ("--human", "protest", "--other-human", "discomt")
    call = ("correlate", "systems", path, *humans, "--resamples", 0)
    text = shown(*call)
    assert "Williams test between protest and discomt (Pearson) over the 5 systems of both" in text
    content = as_json(*call)
    assert len(content["systems"]) == 6
    assert [one["metric"] for one in content["metrics"]] == ["apt"]
    (found,) = content["williams_humans"]
    rows = [line.split(",") for line in HUMANS.splitlines()[1:] if not line.endswith(",")]
    apt, protest, discomt = np.array([row[1:] for row in rows], dtype=float).T
    pairs = ((apt, protest), (apt, discomt), (protest, discomt))
    r12, r13, r23 = (float(np.corrcoef(one, other)[0, 1]) for one, other in pairs)
    expected = williams_test(r12, r13, r23, 5)
    assert (found["systems"], found["test"]["degrees"]) == (5, 2)
    assert found["r_between"] == pytest.approx(r23)
    assert found["test"]["t"] == pytest.approx(expected.t)
    assert found["test"]["p_one_sided"] == pytest.approx(expected.p_one_sided)


@pytest.mark.parametrize(
    ("text", "options", "place"),
    [
        (HUMANS, ("discomt", "protest"), "t.csv:6: discomt"),
        (HUMANS, ("protest", "protest"), "t.csv:1: heading"),
        (HUMANS, ("protest", "people"), "'people'"),
        (HUMANS.replace("0.5\n", "\n").replace("0.7\n", "\n"), ("protest", "discomt"),
         "discomt"),
    ],
)  # fmt: skip
def test_human_evaluations_that_cannot_be_compared(tmp_path, text, options, place):
    path = tmp_path / "t.csv"
    path.write_text(text)
    human, other = options
    result = crosspro("correlate", "systems", path, "--human", human, "--other-human", other)
    assert result.code == 2
    assert place in result.stderr.decode()


def test_the_published_table():
    text = shown("correlate", "systems", "--published", "--resamples", 0)
    rows = [line.split() for line in text.splitlines() if "Pearson  " in line]
    values = ["0.848", "0.850", "0.853", "0.855"]
    assert [(row[2], row[-1]) for row in rows] == list(zip(values, values, strict=True))


JUDGED = """category,case,human,doc
x,1,correct,a
x,3,correct,b
y,2,,b
"""


def test_disagreement_of_a_table(tmp_path):
    path = tmp_path / "j.csv"
    path.write_text(JUDGED)
    content = as_json("correlate", "disagreement", path, "--unit", "doc")
    assert [one["share"]["value"] for one in content["categories"]] == [50, 50]
    assert "by:doc" in content["signature"]
    assert "50.0 [" in shown("correlate", "disagreement", path)
    path.write_text(JUDGED.replace("x,3", "x,7"))
    result = crosspro("correlate", "disagreement", path)
    assert result.code == 2
    assert b"j.csv:3: case" in result.stderr


def test_verdicts_are_joined_with_cases(tmp_path):
    """The cases of `apt --detail`, and a table of verdicts on the same pronouns."""
    cases = tmp_path / "cases.json"
    assert crosspro("apt", *options(), "--detail", cases).code == 0
    records = read_case_records(cases)
    system = records[0].system
    own = [one for one in records if one.system == system]
    rows = [f"{system},{one.line},{one.position},anaphoric,correct" for one in own]
    verdicts = tmp_path / "verdicts.csv"
    verdicts.write_text(
        "\n".join(["system,line,position,category,human", *rows, f"{system},999,0,x,"])
    )
    call = ("correlate", "disagreement", verdicts, "--cases", cases)
    content = as_json(*call, "--target-language", "fr")
    for case in range(1, 7):
        count = sum(one.case == case for one in own)
        assert content["verdicts"][str(case)]["correct"] == count
    kinds = content["categories"][-1]["kinds"]
    assert sum(kinds.values()) == sum(one.case == 3 for one in own)
    assert crosspro(*call).code == 2


def test_what_is_missing_is_said(table, tmp_path):
    assert crosspro("correlate", table).code == 2
    assert crosspro("correlate", "systems").code == 2
    assert crosspro("correlate", "systems", table, "--published").code == 2
    assert crosspro("correlate", "disagreement").code == 2
    table.write_text("system,bleu,human\na,,1\nb,x,2\nc,1,\n")
    result = crosspro("correlate", "systems", table, "--human", "human")
    assert result.code == 2
    assert b"t.csv:2: bleu" in result.stderr
    assert crosspro("correlate", "systems", table, "--human", "human", "--layout", "csv").code == 2


def test_bleu_and_chrf(tmp_path):
    pytest.importorskip("sacrebleu")
    for name, lines in (
        ("ref", "a b c d e\nf g h i\n"),
        ("x", "a b c d e\nf g h\n"),
        ("y", "a\nb\n"),
    ):
        (tmp_path / name).write_text(lines)
    names = [*each("--candidate", tmp_path / "x", tmp_path / "y"), "--reference", tmp_path / "ref"]
    text = shown("mt-metrics", *names, "--resamples", 20)
    assert "BLEU" in text
    assert "x - y" in text
    assert "sacrebleu|nrefs:1" in text
    rows = shown("mt-metrics", *names, "--layout", "csv").splitlines()
    assert rows[0] == "system,bleu,chrf"
    content = json.loads(crosspro("mt-metrics", *names, "--layout", "json").stdout)
    assert [one["name"] for one in content["systems"]] == ["x", "y"]
    assert crosspro("mt-metrics", *names[:4], tmp_path / "none").code == 2
