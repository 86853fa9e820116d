"""Campaigns in their file: plans that last, answers that are kept, figures, exchange."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.evaluation.human.campaign import (
    Campaign,
    CampaignSettings,
    PlanSettings,
    assignments,
    people,
)
from crosspro.evaluation.human.exchange import (
    Merged,
    add_history,
    corrected_table,
    history,
    read_history,
    read_review_file,
    review_table,
)
from crosspro.evaluation.human.progress import overview, reviewed
from crosspro.evaluation.human.store import CampaignFile
from crosspro.evaluation.human.verdicts import (
    Verdict,
    VerdictStore,
    all_verdicts,
    last_verdicts,
)
from crosspro.evaluation.human.work import (
    Response,
    ResponseError,
    StaleError,
    current,
    note_event,
    read_work,
    response_of,
    save,
    undo,
)
from tests.evaluation.human.sets import make_set

RIGHT, WRONG = Response("right", "right"), Response("wrong", "right", tags=("gender",))
EVERYTHING = CampaignSettings(batch=4, plan=PlanSettings(matches=1, overlap=1))


@pytest.fixture
def campaign(tmp_path):
    items = make_set(6)
    file = CampaignFile(tmp_path / "v.sqlite", items.digest)
    campaign = Campaign(file, items, EVERYTHING)
    campaign.start(["Anna", "Ben"])
    yield campaign
    file.close()


def work_of(campaign, name):
    with campaign.file.reading() as database:
        return read_work(database, campaign, name)


def answer(campaign, name, place, response, seen=0):
    with campaign.file.writing() as database:
        return save(database, campaign, name, place, response, seen)


def take_back(database, campaign, name):
    """Undo as a page offers it."""
    work = read_work(database, campaign, name)
    return undo(database, campaign, work, work.last_save)


def test_an_answer_counts_for_every_system_that_translates_so(campaign, tmp_path):
    place = next(one for one in work_of(campaign, "Anna").places
                 if campaign.question(one.kind, one.key).systems == ("good", "copy"))  # fmt: skip
    answer(campaign, "Anna", place, RIGHT)
    with VerdictStore(tmp_path / "v.sqlite", campaign.items.digest) as store:
        assert [one.item.system for one in store.verdicts()] == ["good", "copy"]
    figures = overview_of(campaign)
    assert (figures.questions, figures.judged) == (12, 1)


def overview_of(campaign):
    with campaign.file.reading() as database:
        return overview(database, campaign)


def test_work_goes_on_where_it_stopped(campaign):
    work = work_of(campaign, "Anna")
    first, second, third, fourth, fifth, *_ = work.places
    assert work.next == first
    answer(campaign, "Anna", first, RIGHT)
    with campaign.file.writing() as database:
        note_event(database, "Anna", "skip", second.key)
    assert work_of(campaign, "Anna").next == third
    for place in (third, fourth):
        answer(campaign, "Anna", place, WRONG)
    assert work_of(campaign, "Anna").next == second  # skipped: at the end of its batch
    answer(campaign, "Anna", second, RIGHT)
    work = work_of(campaign, "Anna")
    assert (work.next, work.batch(fifth.key), work.done) == (fifth, 1, 4)
    assert work_of(campaign, "Ben").done == 0


def test_undo_takes_back_the_last_answer_again_and_again(campaign):
    first, second, *_ = work_of(campaign, "Anna").places
    for place in (first, second):
        answer(campaign, "Anna", place, RIGHT)
    for expected in (second, first, None):
        with campaign.file.writing() as database:
            assert take_back(database, campaign, "Anna") == expected
    assert work_of(campaign, "Anna").done == 0
    answer(campaign, "Anna", second, WRONG)
    with campaign.file.reading() as database:
        kinds = [(one.pronoun, one.kind) for one in all_verdicts(database)]
        assert ("right", "withdrawn") in kinds
        assert {one.pronoun for one in last_verdicts(database)} == {"wrong"}


def test_two_pages_that_save_at_once(campaign):
    place = work_of(campaign, "Anna").places[0]
    answer(campaign, "Anna", place, RIGHT)
    answer(campaign, "Anna", place, RIGHT)  # a double click is one answer
    with pytest.raises(StaleError):
        answer(campaign, "Anna", place, WRONG)
    with campaign.file.reading() as database:
        seen = current(database, place, "Anna").number
    answer(campaign, "Anna", place, WRONG, seen)
    with campaign.file.reading() as database:
        said = [one.pronoun for one in all_verdicts(database)]
    count = len(campaign.question("item", place.key).items)
    assert said == ["right"] * count + ["wrong"] * count


def test_a_campaign_that_starts_again_keeps_its_plan_and_takes_in_new_systems(tmp_path):
    small, large = make_set(6, ("bad",)), make_set(6)
    path = tmp_path / "v.sqlite"
    first = Campaign(CampaignFile(path, small.digest), small, EVERYTHING)
    assert first.start(["Anna", "Ben"]) == 6
    before = {name: work_of(first, name).places for name in ("Anna", "Ben")}
    first.file.close()
    again = Campaign(CampaignFile(path, large.digest), large, EVERYTHING)
    assert again.start([]) == 6
    for name, places in before.items():
        assert work_of(again, name).places[: len(places)] == places
        assert len(work_of(again, name).places) == 12
    assert again.start([]) == 0
    again.join("Chris")
    with again.file.reading() as database:
        assert [one.name for one in people(database)] == ["Anna", "Ben", "Chris"]
        assert assignments(database, "Chris") == []  # everything is shared already
    with pytest.raises(CrossproError, match="takes part already"):
        again.join("Anna")
    with pytest.raises(CrossproError, match="nobody may be called"):
        again.join("researcher")
    again.file.close()


def test_what_is_judged_already_is_not_asked_and_holds_for_equal_translations(tmp_path):
    items = make_set(4)
    path = tmp_path / "v.sqlite"
    copied = [one.item for one in items.items if one.item.system == "good"]
    with VerdictStore(path, items.digest) as store:
        store.record([Verdict(item, "Old", "right", "right") for item in copied])
    campaign = Campaign(CampaignFile(path, items.digest), items, EVERYTHING)
    assert campaign.start(["Anna"]) == 4
    with campaign.file.reading() as database:
        said = [one.item.system for one in last_verdicts(database, "Old")]
    assert sorted(said) == ["copy"] * 4 + ["good"] * 4
    campaign.file.close()


def test_agreement_conflicts_and_flags(campaign):
    places = work_of(campaign, "Anna").places
    for number, place in enumerate(places):
        answer(campaign, "Anna", place, RIGHT)
        answer(campaign, "Ben", place, WRONG if number < 3 else RIGHT)
    with campaign.file.writing() as database:
        note_event(database, "Ben", "flag", places[0].key, "look here")
        note_event(database, "Anna", "flag", places[0].key)
        note_event(database, "Anna", "unflag", places[0].key)
    figures = overview_of(campaign)
    assert (figures.judged, figures.conflicts) == (12, 3)
    assert figures.agreement["pronoun"].items == 12
    assert figures.agreement["pronoun"].scores["raw"].value == pytest.approx(0.75)
    assert figures.agreement["antecedent"].scores["raw"].value == 1
    with campaign.file.reading() as database:
        found = {one.question.key: one for one in reviewed(database, campaign)}
    assert found[places[0].key].flags == (("Ben", "look here"),)
    assert sum(one.asked for one in figures.systems) == 18
    assert {one.name for one in figures.groups} == {"intra subject it", "inter subject it"}


def test_a_form_is_checked_whole(campaign):
    place = work_of(campaign, "Anna").places[0]
    question, items = campaign.question("item", place.key), campaign.items
    tags = campaign.settings.tags
    with pytest.raises(ResponseError, match=r"pronoun: expected.*antecedent: expected.*tags: exp"):
        response_of({"tag": ["no such"]}, question, items, tags)
    with pytest.raises(ResponseError, match="remark: expected at most 2000"):
        response_of({"bad": ["1"], "remark": ["x" * 2001]}, question, items, tags)
    with pytest.raises(ResponseError, match="word: expected positions below 4"):
        response_of({"bad": ["1"], "words-shown": ["1"], "word": ["4"]}, question, items, tags)
    bad = response_of({"bad": ["1"]}, question, items, tags)
    assert (bad.pronoun, bad.antecedent, bad.bad) == ("unclear", "unclear", True)
    said = {"pronoun": ["right"], "antecedent": ["right"], "words-shown": ["1"]}
    same = response_of({**said, "word": ["0"], "remark": ["a\x00\tb\n c"]}, question, items, tags)
    assert (same.words, same.remark) == (None, "a b c")
    assert response_of({**said, "word": ["2", "1"]}, question, items, tags).words == (1, 2)
    assert response_of(said, question, items, tags).words == ()


def test_everything_goes_out_and_comes_in_elsewhere(campaign, tmp_path):
    places = work_of(campaign, "Anna").places
    corrected = replace(WRONG, words=(1,), alternative="=il", remark='=1+1 "quoted"\t')
    answer(campaign, "Anna", places[0], corrected)
    answer(campaign, "Anna", places[1], RIGHT)
    with campaign.file.writing() as database:
        take_back(database, campaign, "Anna")
    with campaign.file.reading() as database:
        lines = list(history(database))
        rows = corrected_table(campaign.items, last_verdicts(database))
        table = review_table(campaign.items, last_verdicts(database, "Anna"), 2)
        expected = last_verdicts(database)
    assert rows[1][4:7] == ["est", "1", " =il"]
    path = tmp_path / "history.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    other = CampaignFile(tmp_path / "other.sqlite", campaign.items.digest)
    for count in (len(lines), 0):
        with other.writing() as database:
            assert add_history(database, read_history(path)) == Merged(count, ())
    with other.reading() as database:
        assert last_verdicts(database) == expected
        assert list(map(json.loads, history(database))) == list(map(json.loads, lines))
    other.close()
    (tmp_path / "table.tsv").write_bytes(table)
    read = read_review_file(tmp_path / "table.tsv", campaign.items.anaphoric, "Anna")
    assert [(one.item, one.pronoun, one.remark) for one in read] == [
        (one.item, one.pronoun, one.remark.strip()) for one in expected
    ]
    changes = [
        *({"annotator": name} for name in ("", " ", "a\nb", "\0")),
        *({"tags": tags} for tags in (["two words"], [""], "gender")),
        *({"corrected": {"at": at, "words": words}} for at, words in
          (([-1], ["est"]), ([1.5], ["est"]), ("1", ["est"]), ([1], [1]), ([1], "est"))),
    ]  # fmt: skip
    good = json.loads(lines[0])
    wrong = [json.dumps(good | change) for change in changes] + ['{"kind": "verdict"}', "[1]"]
    path.write_text("\n".join([lines[0], *wrong, ""]), "utf-8")
    with pytest.raises(InputError) as caught:
        read_history(path)
    lines_told = dict.fromkeys(one.line for one in caught.value.problems)
    assert list(lines_told) == list(range(2, len(wrong) + 2))


@pytest.mark.parametrize("form", ["jsonl", "tsv"])
def test_a_file_of_bad_lines_is_not_read_to_its_end(campaign, tmp_path, form):
    """2 million of them took minutes, and all problems were kept."""
    count, path = 300_000, tmp_path / f"x.{form}"
    if form == "jsonl":
        path.write_text("{\n" * count, "utf-8")
        read, header = read_history, 0
    else:
        path.write_bytes(review_table(campaign.items, [], 2) + b"x\n" * count)
        anaphoric = campaign.items.anaphoric
        read, header = (lambda path: read_review_file(path, anaphoric, "Anna")), 1
    with pytest.raises(InputError) as caught:
        read(path)
    assert len(caught.value.problems) == 1000
    *_, more, unread = str(caught.value).splitlines()
    assert more == "… and 980 more problems"
    assert unread == f"{count - 1000:,} more lines were not read"
    assert caught.value.problems[-1].line == 1000 + header
