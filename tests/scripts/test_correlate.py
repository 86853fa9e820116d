"""`crosspro correlate` and `crosspro mt-metrics`."""

from __future__ import annotations

import json

import numpy as np
import pytest

from crosspro.evaluation.correlation.study import williams_test
from tests.scripts.run import crosspro

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
    result = crosspro("correlate", table, "--human", "human", "--resamples", 50)
    text = result.stdout.decode()
    assert "correlation with human over 4 systems" in text
    assert "Williams test" in text
    assert "apt > bleu" in text
    assert b"warning: 4 systems say little" in result.stderr


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
    path, page = tmp_path / "t.csv", tmp_path / "p.html"
    path.write_text(HUMANS)
    call = ("correlate", path, "--human", "protest", "--other-human", "discomt", "--resamples", 0)
    text = shown(*call, "--html", page)
    title = "Williams test between protest and discomt (Pearson) over the 5 systems of both"
    assert title in text
    assert title in page.read_text("utf-8")
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
    ("text", "options", "message"),
    [
        (HUMANS, ("discomt", "protest"), "6: discomt: expected a number, found nothing"),
        (HUMANS, ("protest", "protest"), "expected two columns of human scores, found 'protest'"),
        (HUMANS, ("protest", "people"), "human column: expected one of apt, protest, discomt"),
        (HUMANS.replace("0.5\n", "\n").replace("0.7\n", "\n"), ("protest", "discomt"),
         "discomt: expected scores of at least 4 systems, found 3"),
    ],
)  # fmt: skip
def test_human_evaluations_that_cannot_be_compared(tmp_path, text, options, message):
    path = tmp_path / "t.csv"
    path.write_text(text)
    human, other = options
    result = crosspro("correlate", path, "--human", human, "--other-human", other)
    assert result.code == 2
    assert message in result.stderr.decode()


def test_csv(table):
    lines = shown("correlate", table, "--human", "human", "--layout", "csv").splitlines()
    assert lines[0] == "metric,coefficient,value,low,high,p,signature"
    assert len(lines) == 1 + 4 * len({line.partition(",")[0] for line in lines[1:]})
    text = shown("correlate", "disagreement", "--published", "--layout", "csv")
    assert "541,2227," in text
    assert ",24.2928," in text


def test_the_published_table():
    text = shown("correlate", "--published", "--resamples", 0)
    rows = [line.split() for line in text.splitlines() if "Pearson  " in line]
    values = ["0.848", "0.850", "0.853", "0.855"]
    assert [(row[2], row[-1]) for row in rows] == list(zip(values, values, strict=True))


def test_the_published_disagreement():
    text = shown("correlate", "disagreement", "--published")
    assert "precision 0.8940, recall 0.7656" in text
    assert "541     2,227  24.3 [" in text


def test_disagreement_of_a_table(tmp_path):
    path = tmp_path / "j.csv"
    path.write_text("category,case,human,doc\nx,1,correct,a\nx,3,correct,b\ny,2,,b\n")
    content = as_json("correlate", "disagreement", path, "--unit", "doc")
    assert content["systems"][0]["groups"][0]["scores"]["disagreement"]["value"] == 50
    assert "by:doc" in content["signature"]


JUDGED = """category,case,human,kind
x,1,correct,
x,1,bad translation,
x,2,wrong,E
x,3,right,valid alternative
y,3,unclear,
y,4,incorrect,
y,6,bad,
"""


def test_kinds_of_disagreement(tmp_path):
    """Table 4 of 001 from a table, and as it was printed."""
    path = tmp_path / "j.csv"
    path.write_text(JUDGED)
    content = as_json("correlate", "disagreement", path, "--resamples", 0)
    kinds = {"valid_alternative": 1, "incorrect_equivalence": 1, "impersonal": 0, "other": 0}
    (system,) = content["systems"]
    assert system["counts"].items() >= {**kinds, "disagreements": 2, "examples": 3}.items()
    assert system["groups"][0]["counts"] == system["counts"]
    printed = shown("correlate", "disagreement", "--published", "--resamples", 0)
    rows = [line.split() for line in printed.splitlines() if line.startswith("anaphoric_inter_sub")]
    assert rows[1][1:] == ["35", "6", "22", "–"]
    assert "V valid alternative, E incorrect equivalence, I impersonal, O other." in printed


PAIRS = """category,case,human,reference,candidate
pleonastic,3,correct,ça,il
pleonastic,3,correct,ça,Il
event,3,correct,ça,il
event,3,incorrect,ça,il
event,1,incorrect,il,il
event,1,correct,il,il
event,2,incorrect,ce,
event,3,bad translation,ça,il
"""


def test_disagreements_by_pronouns(tmp_path):
    """001 section 6 counts il for cela that people accept, and il for il that they reject."""
    path = tmp_path / "j.csv"
    path.write_text(PAIRS)
    call = ("correlate", "disagreement", path, "--resamples", 0)
    assert as_json(*call)["systems"][0]["pairs"] == [
        {"case": 3, "output": "il", "reference": "ça", "categories": {"pleonastic": 2, "event": 1}},
        {"case": 1, "output": "il", "reference": "il", "categories": {"event": 1}},
    ]
    lines = [" ".join(line.split()) for line in shown(*call).splitlines()]
    assert "3 different, accepted il ça pleonastic 2, event 1 3" in lines
    assert "1 same, rejected il il event 1 1" in lines
    path.write_text(PAIRS.replace("reference,candidate", "reference_pronoun,output_pronoun"))
    assert len(as_json(*call)["systems"][0]["pairs"]) == 2
    path.write_text(PAIRS.replace("candidate", "other"))
    assert as_json(*call)["systems"][0]["pairs"] == []


def test_cases_against_verdicts(tmp_path):
    """Table 5 of 000."""
    path = tmp_path / "j.csv"
    path.write_text(JUDGED)
    text = shown("correlate", "cases", path, "--resamples", 0)
    rows = {" ".join(line.split()[:-4]): line.split()[-4:] for line in text.splitlines()}
    assert rows["1 same"] == ["2", "50.0", "0.0", "50.0"]
    assert rows["2 equivalent"] == ["1", "0.0", "100.0", "0.0"]
    assert rows["6 in neither"] == ["1", "0.0", "0.0", "100.0"]
    assert rows["total"] == ["6", "33.3", "33.3", "33.3"]
    assert "1 pronouns that nobody has judged are left out." in text
    (system,) = as_json("correlate", "cases", path)["systems"]
    assert system["groups"][0]["counts"]["correct"] == 1
    assert system["scores"]["correct_share"]["low"] < 34 < system["scores"]["correct_share"]["high"]
    rows = shown("correlate", "cases", path, "--layout", "csv").splitlines()
    assert rows[0].startswith("system,breakdown,group,correct,incorrect,bad,examples,")


def test_weights_that_are_tuned_on_verdicts(tmp_path):
    path = tmp_path / "j.csv"
    rows = [
        f"x,{case},{verdict},{system},{number}"
        for system, right in (("a", 3), ("b", 5), ("c", 8))
        for number in range(10)
        for case, verdict in (
            (1 if number < right else 3, "correct" if number < right else "incorrect"),
            (2, "correct" if number % 2 else "incorrect"),
        )
    ]
    path.write_text("\n".join(["category,case,human,system,doc", *rows]) + "\n")
    call = ("correlate", "weights", path, "--unit", "doc")
    result = crosspro(*call)
    text = result.stdout.decode()
    assert "60 judged pronouns of 3 systems" in text
    assert "accepted: crosspro apt --weights 1,0.5,0,0,0,0" in text
    assert b"no judged pronoun of case 4, 5, 6" in result.stderr
    content = as_json(*call)
    assert content["systems"] == ["a", "b", "c"]
    assert content["settings"][2]["weights"][:3] == [1, 0.5, 0]
    assert content["settings"][2]["pearson"] == pytest.approx(1)
    rows = shown(*call, "--layout", "csv").splitlines()
    assert rows[0].startswith("weights,w1,w2,w3,w4,w5,w6,pearson,")
    assert b"'team'" in crosspro("correlate", "weights", path, "--system", "team").stderr


def test_faults_of_judged_pronouns_together(tmp_path):
    path = tmp_path / "j.csv"
    path.write_text("category,case,human,kind\nx,7,maybe,Z\n,same,right,V\ny,1\n")
    result = crosspro("correlate", "disagreement", path)
    assert result.code == 2
    assert result.stderr.decode().splitlines() == [
        f"{path}:2: case: expected a case from 1 to 6, found '7'",
        f"{path}:2: human: expected one of correct, incorrect, bad translation, or nothing where "
        "it could not be judged, found 'maybe'",
        f"{path}:2: kind: expected one of V, E, I, O, or nothing, found 'Z'",
        f"{path}:3: category: expected a category, found nothing",
        f"{path}:3: kind: expected nothing, as the case and the verdict do not disagree, found 'V'",
        f"{path}:4: cells: expected 4 as in the heading, found 2",
    ]
    assert b"'sort'" in crosspro("correlate", "disagreement", path, "--kind", "sort").stderr


def test_a_figure_and_a_page(table, tmp_path):
    plot, page = tmp_path / "p.svg", tmp_path / "p.html"
    call = ("correlate", table, "--human", "human", "--resamples", 20)
    result = crosspro(*call, "--plot", plot, "--html", page)
    assert result.code == 0, result.stderr
    assert result.stdout == crosspro(*call).stdout
    assert plot.read_text("utf-8").count("<circle") == 8
    assert page.read_text("utf-8").count("<circle") == 8
    assert b"ends in .svg" in crosspro(*call, "--plot", tmp_path / "p.png").stderr
    assert crosspro(*call, "--plot", tmp_path / "none" / "p.svg").code == 2
    table.write_text(TABLE.replace("20,", "1e101,"))
    refused = crosspro(*call, "--plot", tmp_path / "q.svg")
    assert refused.code == 2
    assert b"bleu: expected numbers for an axis" in refused.stderr
    assert not (tmp_path / "q.svg").exists()


def test_what_is_missing_is_said(table, tmp_path):
    assert b"--human COLUMN" in crosspro("correlate", table).stderr
    assert crosspro("correlate", "systems").code == 2
    assert crosspro("correlate", table, "--published").code == 2
    assert crosspro("correlate", "disagreement").code == 2
    table.write_text("system,bleu,human\na,,1\nb,x,2\nc,1,\n")
    result = crosspro("correlate", table, "--human", "human")
    assert result.code == 2
    assert result.stderr.count(b"expected a number") == 3


def test_bleu_and_chrf(tmp_path):
    pytest.importorskip("sacrebleu")
    for name, lines in (
        ("ref", "a b c d e\nf g h i\n"),
        ("x", "a b c d e\nf g h\n"),
        ("y", "a\nb\n"),
    ):
        (tmp_path / name).write_text(lines)
    names = ["--candidate", tmp_path / "x", tmp_path / "y", "--reference", tmp_path / "ref"]
    text = shown("mt-metrics", *names, "--resamples", 20, "--signatures")
    assert "BLEU" in text
    assert "x - y" in text
    assert "sacrebleu|nrefs:1" in text
    rows = shown("mt-metrics", *names, "--layout", "csv").splitlines()
    assert rows[0] == "system,bleu,chrf"
    content = json.loads(crosspro("mt-metrics", *names, "--layout", "json").stdout)
    assert [one["name"] for one in content["systems"]] == ["x", "y"]
    assert crosspro("mt-metrics", *names[:4], tmp_path / "none").code == 2
