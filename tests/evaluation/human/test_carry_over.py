"""Verdicts from start to start: they stay with their items, and nothing changes by itself."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from crosspro.evaluation.human.campaign import Campaign, CampaignSettings, PlanSettings
from crosspro.evaluation.human.exchange import add_history, history, read_history
from crosspro.evaluation.human.store import CampaignFile
from crosspro.evaluation.human.verdicts import (
    Verdict,
    VerdictStore,
    add_verdict,
    all_verdicts,
)
from crosspro.evaluation.human.work import Response, StaleError, current, read_work, save, undo
from tests.evaluation.human.sets import make_set

NAMES = ("Anna", "Ben")
SYSTEMS = ("good", "bad", "copy", "clone")
VALUES = ("right", "wrong", "unclear")
EVERYTHING = CampaignSettings(plan=PlanSettings(matches=1, overlap=1))


class Served:
    """A campaign that is stopped and started again, and what its store says."""

    def __init__(self, folder, systems=SYSTEMS, name="v.sqlite"):
        self.path = Path(folder) / name
        self.campaign = None
        self.restart(systems)

    def restart(self, systems):
        self.close()
        items = make_set(2, systems)
        self.campaign = Campaign(CampaignFile(self.path, items.digest), items, EVERYTHING)
        self.campaign.start(NAMES)

    def close(self):
        if self.campaign is not None:
            self.campaign.file.close()
            self.campaign = None

    def work(self, name):
        with self.campaign.file.reading() as database:
            return read_work(database, self.campaign, name)

    def judge(self, name, place, value):
        with self.campaign.file.writing() as database:
            given = current(database, place, name)
            seen = 0 if given is None else given.number
            save(database, self.campaign, name, place, Response(value, "right"), seen)

    def undo(self, name, seen=None):
        with self.campaign.file.writing() as database:
            work = read_work(database, self.campaign, name)
            return undo(database, self.campaign, work, work.last_save if seen is None else seen)

    def said(self):
        """What each annotator's last row on each item says; None where it was taken back."""
        with self.campaign.file.reading() as database:
            return {
                (one.annotator, one.item.key): None if one.kind == "withdrawn" else one.pronoun
                for one in all_verdicts(database)
                if one.kind != "decision"
            }

    def by_system(self):
        """What Anna's last row says on the first token in each system's output."""
        return {
            key[1]: value
            for (who, key), value in self.said().items()
            if who == "Anna" and key[0] == "t0"
        }


@pytest.fixture
def served(tmp_path):
    made = []

    def make(*arguments, **named):
        made.append(Served(tmp_path, *arguments, **named))
        return made[-1]

    yield make
    for one in made:
        one.close()


def import_one(served, name, system, value):
    """As the verdicts of a file come in, which are about one system each."""
    item = next(one.item for one in make_set(1, (system,)).items)
    with served.campaign.file.writing() as database:
        add_verdict(database, Verdict(item, name, value, "right"))
        served.campaign.carry_over(database)


def test_different_verdicts_on_equal_translations_do_not_change_places(served):
    one = served(("good", "copy"))
    import_one(one, "Anna", "good", "right")
    import_one(one, "Anna", "copy", "wrong")
    for _ in range(3):
        one.restart(("good", "copy"))
        assert one.by_system() == {"good": "right", "copy": "wrong"}
    one.restart(("good", "copy", "clone"))  # which gets what was said last
    assert one.by_system() == {"good": "right", "copy": "wrong", "clone": "wrong"}


@pytest.mark.parametrize("change", ["undo", "wrong"])
def test_what_is_changed_or_taken_back_while_a_system_is_away_stays_so(served, change):
    one = served(("good", "copy"))
    place = next(place for place in one.work("Anna").places if place.key[0] == "t0")
    one.judge("Anna", place, "right")
    one.restart(("good",))
    if change == "undo":
        assert one.undo("Anna") == place
        assert one.undo("Anna") is None
    else:
        one.judge("Anna", place, "wrong")
    expected = None if change == "undo" else "wrong"
    for systems in (("good", "copy"), ("copy",), ("good", "copy", "clone"), ("good", "copy")):
        one.restart(systems)
        assert set(one.by_system().values()) == {expected}
        assert one.work("Anna").given.get(place.key) == expected
    assert ("clone" in one.by_system()) == (change == "wrong")


def test_decisions_count_for_systems_that_come_later(served):
    one = served(("good",))
    item = one.campaign.items.items[0].item
    with one.campaign.file.writing() as database:
        for name, value in zip(NAMES, VALUES, strict=False):
            add_verdict(database, Verdict(item, name, value, "right"))
        add_verdict(database, Verdict(item, "researcher", "wrong", "right", kind="decision"))
    for _ in range(2):
        one.restart(("good", "copy"))
    with VerdictStore(one.path, one.campaign.items.digest) as store:
        assert {key[1]: said.pronoun for key, said in store.judgements().items()} == {
            "good": "wrong",
            "copy": "wrong",
        }


def test_a_doubled_undo_takes_back_one_answer(served):
    one = served()
    first, second, *_ = one.work("Anna").places
    for place in (first, second):
        one.judge("Anna", place, "right")
    seen = one.work("Anna").last_save
    for _ in range(2):
        assert one.undo("Anna", seen) == second
    assert set(one.work("Anna").given) == {first.key}
    one.judge("Anna", second, "wrong")
    with pytest.raises(StaleError):  # the page is older than the answer
        one.undo("Anna", seen)
    assert set(one.work("Anna").given) == {first.key, second.key}
    assert one.undo("Anna", 10**6) is None


ROW = Verdict(make_set(1, ("good",)).items[0].item, "Anna", "right", "right")


def exported(path, *rows):
    """An export of another store: what was said, and when."""
    path.write_text(
        "".join(
            json.dumps(
                {
                    "kind": "verdict",
                    "item": {
                        name: getattr(ROW.item, name)
                        for name in ("token", "system", "digest", "pronoun", "head", "anaphoric")
                    },
                    **{"annotator": "Anna", "pronoun": value, "antecedent": "right"},
                    **{"tags": [], "remark": "", "alternative": "", "time": time},
                }
                | more
            )
            + "\n"
            for value, time, more in rows
        ),
        "utf-8",
    )
    return read_history(path)


def times(hour):
    return f"2030-01-01T{hour:02}:00:00.000+00:00"


@pytest.mark.parametrize(
    ("rows", "expected", "conflicts"),
    [
        ([("wrong", 3, {})], "right", 1),  # older than what is here
        ([("wrong", 7, {})], "wrong", 1),
        ([("wrong", 5, {})], "right", 1),  # of the same moment: what is here stays
        ([("wrong", 7, {}), ("unclear", 6, {})], "wrong", 1),  # by time, not by row
        ([("right", 5, {}), ("wrong", 7, {})], "wrong", 0),  # it knew what is here
        ([("right", 3, {}), ("right", 5, {})], "right", 0),
        ([("right", 7, {})], "right", 0),  # says the same
        ([("right", 6, {"kind": "withdrawn"})], None, 1),
        ([("right", 4, {"kind": "withdrawn"})], "right", 1),
        ([("wrong", 9, {"annotator": "Ben"})], "right", 0),
    ],
)
def test_of_two_stores_the_newest_counts_and_conflicts_are_told(
    tmp_path, served, rows, expected, conflicts
):
    one = served(("good",))
    with one.campaign.file.writing() as database:
        add_verdict(database, replace(ROW, time=times(5)))
    records = exported(tmp_path / "x.jsonl", *((value, times(t), more) for value, t, more in rows))
    for round_ in range(2):  # the second time nothing is new
        with one.campaign.file.writing() as database:
            merged = add_history(database, records)
        assert (len(merged.conflicts) == conflicts) if round_ == 0 else merged.added == 0
        assert one.said()["Anna", ROW.item.key] == expected
    for text in merged.conflicts:
        assert "Anna on t0 by good" in text
    with one.campaign.file.reading() as database:
        (tmp_path / "again.jsonl").write_text("\n".join(history(database)) + "\n", "utf-8")
    other = served(("good",), name="other.sqlite")
    with other.campaign.file.writing() as database:
        assert add_history(database, read_history(tmp_path / "again.jsonl")).conflicts == ()
    assert other.said() == one.said()


def test_of_decisions_the_newest_counts(tmp_path, served):
    one = served(("good",))
    with one.campaign.file.writing() as database:
        decided = replace(ROW, annotator="researcher", time=times(5), kind="decision")
        add_verdict(database, decided)
    decision = {"kind": "decision", "annotator": "researcher"}
    for value, hour, expected in (("wrong", 4, "right"), ("unclear", 6, "unclear")):
        records = exported(tmp_path / "x.jsonl", (value, times(hour), decision))
        with one.campaign.file.writing() as database:
            (told,) = add_history(database, records).conflicts
        assert "decisions on t0 by good" in told
        with VerdictStore(one.path, one.campaign.items.digest) as store:
            assert store.judgements()[ROW.item.key].pronoun == expected


@pytest.mark.parametrize("time", ["zzz", "5", "2030-99-01T00:00:00+00:00", "9" * 5000])
def test_a_time_that_is_none_is_refused(tmp_path, time):
    with pytest.raises(Exception, match="time: expected a time in the form of ISO 8601"):
        exported(tmp_path / "x.jsonl", ("right", time, {}))


class Starts(RuleBasedStateMachine):
    """People judge and take back, files come in, and systems come and go between starts."""

    @initialize(systems=st.sets(st.sampled_from(SYSTEMS), min_size=1))
    def begin(self, systems):
        self.folder = tempfile.TemporaryDirectory()
        self.served = Served(self.folder.name, sorted(systems))

    def changed(self, action):
        """What an action has changed: items by annotator, with what is said of them now."""
        before = self.served.said()
        result = action()
        after = self.served.said()
        assert before.keys() <= after.keys()
        self.before = before
        return result, {key: value for key, value in after.items()
                        if key not in before or before[key] != value}  # fmt: skip

    @rule(systems=st.sets(st.sampled_from(SYSTEMS), min_size=1))
    def restart(self, systems):
        with self.served.campaign.file.reading() as database:
            newest = {
                (one.annotator, one.item.token, one.item.digest): (
                    None if one.kind == "withdrawn" else one.pronoun
                )
                for one in all_verdicts(database)
            }
        _, changed = self.changed(lambda: self.served.restart(sorted(systems)))
        for (name, (token, system, digest)), value in changed.items():
            assert (name, (token, system, digest)) not in self.before
            assert system in systems
            assert value == newest[name, token, digest] is not None
        assert self.changed(lambda: self.served.restart(sorted(systems)))[1] == {}

    @rule(name=st.sampled_from(NAMES), at=st.integers(0, 7), value=st.sampled_from(VALUES))
    def judge(self, name, at, value):
        places = self.served.work(name).places
        if not places:
            return
        place = places[at % len(places)]
        _, changed = self.changed(lambda: self.served.judge(name, place, value))
        for (who, key), now in changed.items():
            assert (who, key[0], key[2], now) == (name, *place.key, value)
        assert self.served.work(name).given[place.key] == value

    @rule(name=st.sampled_from(NAMES), twice=st.booleans())
    def undo(self, name, twice):
        seen = self.served.work(name).last_save
        place, changed = self.changed(lambda: self.served.undo(name, seen))
        for (who, key), now in changed.items():
            assert (who, key[0], key[2], now) == (name, *place.key, None)
        if place is not None:
            assert place.key not in self.served.work(name).given
        if twice:
            assert self.changed(lambda: self.served.undo(name, seen)) == (place, {})

    @rule(name=st.sampled_from(NAMES), system=st.sampled_from(("good", "bad", "copy")),
          value=st.sampled_from(VALUES))  # fmt: skip
    def import_table(self, name, system, value):
        _, changed = self.changed(lambda: import_one(self.served, name, system, value))
        for who, key in changed:
            assert who == name
            assert key[1] == system or (who, key) not in self.before

    @rule()
    def import_own_history(self):
        path = Path(self.folder.name) / "history.jsonl"
        with self.served.campaign.file.reading() as database:
            path.write_text("".join(f"{line}\n" for line in history(database)), "utf-8")

        def merged():
            with self.served.campaign.file.writing() as database:
                return add_history(database, read_history(path))

        if path.stat().st_size:
            result, changed = self.changed(merged)
            assert (result.added, result.conflicts, changed) == (0, (), {})

    def teardown(self):
        if hasattr(self, "folder"):
            self.served.close()
            self.folder.cleanup()


TestStarts = Starts.TestCase
TestStarts.settings = settings(max_examples=15, stateful_step_count=15, deadline=None)
