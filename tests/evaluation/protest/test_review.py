"""Questions as tables and as a campaign of Pearmut, their verdicts, and what follows from these."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.human.verdicts import Verdict, VerdictStore, verdicts_by_item
from crosspro.evaluation.protest.match import score_system
from crosspro.evaluation.protest.pearmut import campaign, read_annotations
from crosspro.evaluation.protest.review import (
    COLUMNS,
    placed_verdicts,
    questions_of,
    read_review,
    to_judge,
    verdict_table,
    write_review,
)
from crosspro.evaluation.protest.silver import silver_from
from crosspro.evaluation.protest.suite import Place
from tests.conftest import GOLDEN
from tests.evaluation.protest.tokens import CLITIC, HOUSE, RAIN, changed

PEARMUT = GOLDEN / "protest" / "pearmut"


@pytest.fixture
def results(suite, reference, french):
    """The same mismatches of two systems: a pronoun, and a head with two pronouns."""
    outputs = [
        changed(replace(reference, name=name), (15, 5, "manoir"), (4, 0, "Ça"))
        for name in ("old", "new")
    ]
    return [
        result for output in outputs for result in score_system(suite, output, french, repair=True)
    ]


def fill_in(path, **cells):
    """Fill in a row of a review file by the beginning of its token, as a spreadsheet does."""
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8")), delimiter="\t"))
    for row in rows:
        row |= next((c for name, c in cells.items() if row["item"].startswith(name)), {})
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, delimiter="\t", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(b"\xef\xbb\xbf" + text.getvalue().encode("utf-8"))


def test_a_translation_of_two_systems_is_one_question(results):
    questions = to_judge(results, {})
    assert {question.item.token for question in questions} >= {RAIN, HOUSE}
    assert {question.systems for question in questions} == {("old", "new")}
    assert len(to_judge(results, {}, matches=True)) == len(questions_of(results)) == 15


def test_tables_go_out_and_come_back(suite, results, tmp_path):
    path = tmp_path / "review.tsv"
    count = write_review(path, to_judge(results, {}))
    fill_in(
        path,
        **{
            RAIN: {"pronoun": "Right", "remark": 'as "one" says'},
            HOUSE: {"pronoun": "wrong", "antecedent": "right", "annotator": "Ben"},
        },
    )
    verdicts = {verdict.item.token: verdict for verdict in read_review(path, suite, "Ada")}
    assert (len(verdicts), count) == (2, 3)
    rain, house = verdicts[RAIN], verdicts[HOUSE]
    assert (rain.annotator, rain.pronoun, rain.antecedent) == ("Ada", "right", None)
    assert (rain.remark, rain.item.pronoun) == ('as "one" says', "ça")
    assert (house.annotator, house.pronoun, house.antecedent) == ("Ben", "wrong", "right")
    assert house.item.head == "manoir"
    judgements = {key: on_item.judgement for key, on_item in verdicts_by_item([rain]).items()}
    assert RAIN not in {question.item.token for question in to_judge(results, judgements)}


def test_a_table_of_all_verdicts_is_read_into_another_store(suite, results, tmp_path):
    questions = questions_of(results)
    item = next(question.item for question in questions.values() if question.item.token == RAIN)
    given = [
        Verdict(item, "Ada", "wrong", remark="=1+1"),
        Verdict(item, "Ben", "right", remark="- why not"),
        Verdict(item, "Eve", "right", kind="decision"),
    ]
    table = tmp_path / "all.tsv"
    table.write_bytes(b"".join(verdict_table(questions, given)))
    assert b"\t=1" not in table.read_bytes()
    assert read_review(table, suite, None) == given
    store = VerdictStore(tmp_path / "v.sqlite", suite.digest)
    assert store.add(read_review(table, suite, None)) == 3
    assert store.judgements()[item.key].pronoun == "right"


@pytest.mark.parametrize(
    ("cells", "field"),
    [
        ({"item": "talk1:word_29"}, "item"),
        ({"item": "talk9:word_1/0123456789ab"}, "item"),
        ({"item": "talk1:word_29/1.2E+11"}, "item"),
        ({"pronoun": "yes"}, "pronoun"),
        ({"pronoun": "", "remark": "what?"}, "pronoun"),
        ({"antecedent": "right"}, "antecedent"),
        ({"annotator": "a\u0007"}, "annotator"),
        ({"kind": "order"}, "kind"),
    ],
)
def test_faults_name_their_line_and_column(suite, results, tmp_path, cells, field):
    path = tmp_path / "review.tsv"
    write_review(path, to_judge(results, {}))
    fill_in(path, **{RAIN: {"pronoun": "right"} | cells})
    with pytest.raises(InputError) as caught:
        read_review(path, suite, "Ada")
    assert [(problem.line, problem.field) for problem in caught.value.problems] == [(2, field)]


def test_another_table_and_no_annotator(suite, results, tmp_path):
    path = tmp_path / "review.tsv"
    path.write_text("token\tpronoun\n", "utf-8")
    with pytest.raises(InputError, match="columns"):
        read_review(path, suite, "Ada")
    write_review(path, to_judge(results, {}))
    fill_in(path, **{RAIN: {"pronoun": "right"}})
    with pytest.raises(InputError, match="annotator"):
        read_review(path, suite, None)
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join(line.rstrip("\t") for line in lines), "utf-8")
    assert len(read_review(path, suite, "Ada")) == 1  # empty cells at the end may be missing
    path.write_text("\n".join(f"{line}\tmore" for line in lines), "utf-8")
    with pytest.raises(InputError, match="columns"):
        read_review(path, suite, "Ada")


def test_what_people_accept_becomes_silver(suite, results, reference, french):
    questions = {question.item.token: question.item for question in to_judge(results, {})}
    verdicts = [
        Verdict(questions[RAIN], "Ada", "right"),
        Verdict(questions[HOUSE], "Ada", "right", "right"),
        Verdict(questions["talk2:word_19"], "Ada", "right", "wrong"),
    ]
    judgements = [on_item.judgement for on_item in verdicts_by_item(verdicts).values()]
    silver = silver_from(judgements)
    assert {name: [(a.pronoun, a.head) for a in some] for name, some in silver.items()} == {
        RAIN: [(("ça",), ())],
        HOUSE: [(("elle",), ("manoir",))],
    }
    assert silver_from(judgements, silver) == silver
    output = changed(reference, (15, 5, "manoir"), (4, 0, "Ça"))
    outcomes = {r.token.name: r.outcome for r in score_system(suite, output, french, silver, True)}
    assert [outcomes[name] for name in (RAIN, HOUSE)] == ["silver", "silver"]


@pytest.mark.parametrize(
    ("values", "decision", "human"),
    [
        ([], None, ""),
        (["right"], None, "correct"),
        (["wrong"], None, "incorrect"),
        (["unclear"], None, ""),
        (["bad"], None, "bad translation"),
        (["bad", "wrong"], None, ""),
        (["right", "wrong"], None, ""),
        (["right", "wrong"], "wrong", "incorrect"),
        (["unclear"], "bad", "bad translation"),
    ],
)
def test_verdicts_by_place(values, decision, human, results):
    items = (question.item for question in questions_of(results).values())
    item = next(item for item in items if item.token == RAIN)
    verdicts = [Verdict(item, str(number), value) for number, value in enumerate(values)]
    verdicts += [] if decision is None else [Verdict(item, "Eve", decision, kind="decision")]
    judgements = {key: on_item.judgement for key, on_item in verdicts_by_item(verdicts).items()}
    placed = [verdict for verdict in placed_verdicts(results, judgements) if verdict.token == RAIN]
    assert [(one.human, one.line, one.position) for one in placed] == [(human, 4, 0)] * 2
    assert {one.system for one in placed} == {"old", "new"}


def test_tokens_for_apt(suite):
    places = suite.places()
    assert len(places) == len(suite.tokens)
    assert places == sorted(places)
    words = {suite.source[line][at].lower() for line, at in places}
    assert words == {"it", "they", "you"}


def test_a_token_of_several_words_is_where_its_pronoun_is(suite):
    token = next(token for token in suite.tokens if token.name == RAIN)
    line = token.place.line
    source = list(suite.source)
    source[line] = ("'", "It", "'", "rains")
    wide = replace(suite, source=tuple(source))
    assert wide.position(replace(token, place=Place(line, (0, 1, 2)))) == 1
    assert wide.position(replace(token, place=Place(line, (2, 3)))) == 2


# Pearmut: the golden files were loaded, answered and downloaded with Pearmut 1.1.6 ----------------


@pytest.fixture
def judged(suite, reference, french):
    """What the golden campaign asks: the suite without the clitic that only repair finds."""
    used = replace(suite, tokens=tuple(token for token in suite.tokens if token.name != CLITIC))
    old = changed(replace(reference, name="old"), (1, 0, "Elle"))
    new = changed(replace(reference, name="new"), (4, 0, "Ça"), (15, 5, "manoir"))
    every = [result for system in (old, new) for result in score_system(used, system, french)]
    return used, to_judge(every, {})


def test_a_campaign_is_as_pearmut_loads_it(judged):
    ours = json.loads(campaign(*judged, ["Ada", "Ben"]))
    golden = json.loads((PEARMUT / "campaign.json").read_text("utf-8"))
    assert ours["info"] == golden["info"]
    assert ours["data"] == golden["data"]
    assert ours.keys() == golden.keys()


def annotations(suite, tmp_path, change=lambda log: None):
    (log,) = json.loads((PEARMUT / "annotations.json").read_text("utf-8")).values()
    change(log)
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps({f"protest-{suite.digest}": log}), "utf-8")
    return path


def test_annotations_of_pearmut(judged, tmp_path):
    suite, questions = judged
    verdicts = read_annotations(annotations(suite, tmp_path), suite)
    assert [(v.annotator, v.pronoun, v.antecedent) for v in verdicts] == [
        ("Ada", "right", "right"), ("Ada", "wrong", None), ("Ada", "right", "wrong"),
        ("Ada", "bad", None), ("Ben", "right", "right"), ("Ben", "right", None),
        ("Ben", "right", "right"), ("Ben", "unclear", "unclear"),
    ]  # fmt: skip
    assert verdicts[1].remark == "a = b c"
    assert [verdict.item for verdict in verdicts[:4]] == [q.item for q in questions]

    def begun_again(log):
        log[4:4] = [{"user_id": "Ada", "annotation": "__RESET__"}, log[0]]

    again = read_annotations(annotations(suite, tmp_path, begun_again), suite)
    assert [verdict.annotator for verdict in again].count("Ada") == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda log: log[0]["annotation"][0]["output"]["sliders"].update(pronoun=7),
        lambda log: log[0]["annotation"][0]["output"]["sliders"].update(pronoun=-1),
        lambda log: log[0]["annotation"][0]["output"]["sliders"].update(antecedent=0),
        lambda log: log[0].pop("user_id"),
        lambda log: log[0]["item"][0].update(item_id="x"),
        lambda log: log[0].update(annotation=[]),
        lambda log: log.append(5),
    ],
)
def test_other_annotations_are_refused(judged, tmp_path, change):
    suite, _ = judged
    with pytest.raises(InputError, match=r"annotations\.json"):
        read_annotations(annotations(suite, tmp_path, change), suite)


def test_annotations_of_another_suite_and_no_json(suite, tmp_path):
    (tmp_path / "x").write_text("{")
    for path in (PEARMUT / "annotations.json", tmp_path / "x"):
        with pytest.raises(InputError, match=path.name):
            read_annotations(path, suite)
