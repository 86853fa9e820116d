"""`crosspro correlate`: tables of systems, and verdicts joined with APT's cases."""

from __future__ import annotations

import json

import numpy as np
import pytest

from crosspro.evaluation.correlation.systems import williams_test
from tests.scripts.run import crosspro

HUMANS = """system,apt,protest,discomt
a,0.5,0.6,0.55
b,0.6,0.5,0.5
c,0.7,0.9,0.7
d,0.65,0.8,0.85
e,0.61,0.81,
f,0.51,0.61,0.62
"""

pytest.importorskip("scipy", reason="needs the extra `mt`")


def as_json(*call):
    return json.loads(crosspro("correlate", *call, "--layout", "json").stdout)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(HUMANS)
    return path


def test_a_table_of_systems(table):
    call = ("systems", table, "--human", "protest", "--other-human", "discomt", "--resamples", 50)
    content = as_json(*call)
    assert content["systems"] == ["a", "b", "c", "d", "e", "f"]
    kinds = {one["coefficient"]: one for one in content["correlations"]}
    assert kinds["pearson"]["low"] <= kinds["pearson"]["value"] <= kinds["pearson"]["high"]
    shown = crosspro("correlate", *call).stdout.decode()
    assert f"{as_json(*call)['correlations'][0]['value']:.3f} [" in shown


def test_williams_between_two_human_evaluations(table):
    """001 section 6: over the systems that both have, with the metric as what they share."""
    humans = ("--human", "protest", "--other-human", "discomt", "--resamples", 0)
    (result,) = as_json("systems", table, *humans)["williams_humans"]
    rows = [line.split(",") for line in HUMANS.splitlines()[1:] if not line.endswith(",")]
    apt, protest, discomt = np.array([row[1:] for row in rows], dtype=float).T
    pairs = ((apt, protest), (apt, discomt), (protest, discomt))
    r12, r13, r23 = (float(np.corrcoef(one, other)[0, 1]) for one, other in pairs)
    expected = williams_test(r12, r13, r23, 5)
    assert (result["systems"], result["test"]["degrees"]) == (5, 2)
    assert result["test"]["t"] == pytest.approx(expected.t)
    assert result["test"]["p_one_sided"] == pytest.approx(expected.p_one_sided)
    assert crosspro("correlate", "systems", table, *humans).code == 0


def test_disagreement(tmp_path):
    verdicts, cases = tmp_path / "v.csv", tmp_path / "cases.json"
    verdicts.write_text(
        "system,line,position,category,human\na,0,1,anaphoric,correct\na,9,1,x,incorrect\n"
    )
    sides = {"reference": {"labels": ["elle"]}, "translation": {"labels": ["il"]}}
    place = {"candidate": "a", "sentence": 0, "position": 1, "case": 3}
    cases.write_text(json.dumps({"apt": [place | sides]}))
    call = ("disagreement", verdicts, "--cases", cases)
    content = as_json(*call, "--target-language", "fr")
    assert content["verdicts"]["3"] == {"correct": 1, "incorrect": 0, "bad translation": 0}
    assert content["categories"][-1]["kinds"] == {"V": 1, "E": 0, "I": 0, "O": 0}
    shown = crosspro("correlate", *call, "--target-language", "fr").stdout.decode()
    assert "100.0 [100.0, 100.0]" in shown
    assert crosspro("correlate", *call).code == 2


def test_what_is_missing_or_wrong_is_an_error(table):
    for line in (
        ("systems",),
        ("systems", table),
        ("systems", table, "--human", "discomt"),
        ("systems", table, "--human", "protest", "--weights", "1,x"),
        ("systems", table, "--human", "protest", "--layout", "csv"),
        ("disagreement", table),
    ):
        result = crosspro("correlate", *line)
        assert (result.code, result.stdout) == (2, b""), line
