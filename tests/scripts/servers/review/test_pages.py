"""The pages without a script: an annotator's way, a researcher's, and what comes out of it."""

from __future__ import annotations

import io
import re
import sqlite3
import zipfile
from dataclasses import replace

import pytest

from crosspro.evaluation.human.campaign import PlanSettings
from crosspro.evaluation.human.verdicts import VerdictStore
from tests.evaluation.human.sets import make_set
from tests.scripts.servers.review.conftest import SETTINGS


def stored(served):
    with VerdictStore(served.store, served.site.campaign.items.digest) as store:
        return store.verdicts()


def test_instructions_come_first_then_batches_then_the_end(serve):
    served = serve(settings=replace(SETTINGS, instructions="# Read\n\n<script>x</script> *this*"))
    page = served.get("/", "Anna").text
    assert "<em>this</em>" in page
    assert "&lt;script&gt;" in page
    assert served.get("/work", "Anna").url.path.endswith("/")  # instructions were not read yet
    served.begin("Anna")
    for number in range(1, 13):
        assert f"Question {number} <span" in served.get("/work", "Anna").text
        after = served.answer("Anna")
        assert after.status_code == 303
        page = served.client.get(after.headers["location"]).text
        assert "Saved." in page
        assert ("A batch is done" in page) == (number in (4, 8))
    assert "All done" in page
    assert len(stored(served)) == 18


def test_systems_are_blind_and_in_another_order_for_each(serve, reread):
    names = ("good", "quux-1"), ("bad", "quux-2"), ("copy", "quux-3")
    served = serve(reread(make_set(6), *names))
    for name in ("Anna", "Ben"):
        served.begin(name)
        for address in ("/", "/work", "/list"):
            assert "quux" not in served.get(address, name).text
    assert "quux-1, quux-3" in served.get("/browse").text
    orders = [[one.key for one in places(served, name)] for name in ("Anna", "Ben")]
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]


def places(served, name):
    from crosspro.evaluation.human.campaign import assignments

    with served.site.campaign.file.reading() as database:
        return assignments(database, name)


def test_a_tutorial_gives_feedback_and_stores_no_verdict(serve):
    served = serve(tutorial=True)
    served.begin("Anna")
    after = served.answer("Anna", pronoun="right")
    page = served.client.get(after.headers["location"]).text
    assert "Another answer was expected" in page
    assert "Because &lt;b&gt;elle" in page
    after = served.answer("Anna", pronoun="wrong")
    assert "That is what was expected" in served.client.get(after.headers["location"]).text
    assert "Question 1 <span" in served.get("/work", "Anna").text
    assert stored(served) == []
    assert "2 of 2" in served.get("/").text


@pytest.mark.parametrize("loud", [False, True])
def test_attention_checks_look_like_questions(serve, loud):
    plan = PlanSettings(matches=1, overlap=1, checks=50)
    served = serve(settings=replace(SETTINGS, batch=100, loud_checks=loud, plan=plan))
    served.begin("Anna")
    pages = []
    while 'id="answer"' in served.get("/work", "Anna").text:
        after = served.answer("Anna", pronoun="right")
        pages.append(served.client.get(after.headers["location"]).text)
    kinds = [one.kind for one in places(served, "Anna")]
    assert (kinds.count("item"), kinds.count("check")) == (12, 6)
    assert len(pages) == 18
    assert any("attention check" in page for page in pages) == loud
    assert {one.item.system for one in stored(served)} == {"good", "bad", "copy"}
    assert re.search(r"\d of 6 passed", served.get("/").text)


def test_undo_skip_and_flag(served):
    served.begin("Anna")
    first, hidden = served.next("Anna")
    served.post(first, "Anna", action="skip", **hidden)
    second, hidden = served.next("Anna")
    assert second != first
    back = served.post(second, "Anna", action="flag", remark="odd <i>", **hidden)
    page = served.client.get(back.headers["location"]).text
    assert "Remove the flag" in page
    assert "odd &lt;i&gt;" in served.get("/browse?status=flagged").text
    served.answer("Anna", pronoun="wrong", remark="no")
    back = served.undo("Anna")
    assert back.headers["location"].partition("?")[0].endswith(second)
    assert stored(served) == []
    assert served.undo("Anna").headers["location"].endswith("say=nothing")


def test_what_cannot_be_stored_is_said_and_kept_in_the_form(served):
    served.begin("Anna")
    address, hidden = served.next("Anna")
    page = served.post(address, "Anna", remark='"><script>alert(1)</script>', **hidden)
    assert page.status_code == 422
    assert "pronoun: expected one of right, wrong, unclear, found nothing" in page.text
    assert 'value="&#34;&gt;&lt;script&gt;alert(1)' in page.text
    assert stored(served) == []


def test_two_tabs(served):
    served.begin("Anna")
    address, hidden = served.next("Anna")
    said = {"antecedent": "right", "word": "0", "tag": ["number", "case"]}
    assert served.post(address, "Anna", **hidden, **said, pronoun="right").status_code == 303
    assert served.post(address, "Anna", **hidden, **said, pronoun="right").status_code == 303
    refused = served.post(address, "Anna", **hidden, **said, pronoun="wrong")
    assert refused.status_code == 409
    assert "Another page has saved another answer" in refused.text
    assert {one.pronoun for one in stored(served)} == {"right"}
    seen = re.search(r'name="seen" value="(\d+)"', refused.text)[1]
    again = served.post(address, "Anna", **(hidden | {"seen": seen}), **said, pronoun="wrong")
    assert again.status_code == 303
    assert {one.pronoun for one in stored(served)} == {"wrong"}


def test_conflicts_are_decided_and_data_goes_out_and_comes_in(served, serve, tmp_path):
    for name, value in (("Anna", "right"), ("Ben", "wrong")):
        served.begin(name)
        for _ in range(12):
            served.answer(name, pronoun=value, alternative="elle", word="1", tag="gender")
    page = served.get("/conflicts").text
    assert "12 conflicts" in page
    address = re.search(r'action="/m/[^/]+(/q/\w+)"', page)[1]
    decided = served.post(address, pronoun="wrong", antecedent="right", back="conflicts")
    assert decided.headers["location"].endswith("/conflicts?say=decided")
    assert "11 conflicts" in served.get("/conflicts").text
    assert "Decision" in served.get(address).text
    assert served.post(address, pronoun="wrong").status_code == 422
    assert served.get("/corrections").text.count("elle") > 12
    for filters, count in (
        ("?system=copy", 6), ("?value=wrong&annotator=Ben", 12), ("?status=decided", 1),
        ("?tag=gender", 12), ("?text=bicycle", 0), ("?status=corrected&group=inter+subject+it", 6),
    ):  # fmt: skip
        assert f"<h1>{count} question" in served.get(f"/browse{filters}").text, filters
    table = served.get("/verdicts.tsv?annotator=Anna")
    assert table.headers["content-disposition"] == 'attachment; filename="verdicts.tsv"'
    assert len(table.text.splitlines()) == 19
    history = served.get("/verdicts.jsonl").text
    assert history.count('"kind": "decision"') in (1, 2)
    backup = served.get("/backup.sqlite").content
    (tmp_path / "backup.sqlite").write_bytes(backup)
    with VerdictStore(tmp_path / "backup.sqlite", served.site.campaign.items.digest) as store:
        assert store.verdicts() == stored(served)
    assert served.site.links.management.encode() not in backup
    form = served.site.links.form(served.site.links.management)
    upload = {"file": ("x<b>.tsv", io.BytesIO(table.content), "text/plain")}
    for fields, status in (
        ({"form": form}, 422), ({"form": form, "annotator": "Chris"}, 303), ({"form": "x"}, 403),
    ):  # fmt: skip
        upload["file"][1].seek(0)
        address = served.base() + "/import"
        answer = served.client.post(address, data=fields, files=upload, follow_redirects=False)
        assert answer.status_code == status, answer.text
    assert [one.pronoun for one in stored(served) if one.annotator == "Chris"] == ["right"] * 18


def test_the_archive_is_pages_without_links_scripts_or_secrets(served):
    served.begin("Anna")
    served.answer("Anna", remark="</article><script>alert(1)</script>")
    archive = zipfile.ZipFile(io.BytesIO(served.get("/archive.zip").content))
    names = archive.namelist()
    assert "campaign/index.html" in names
    assert "campaign/questions-1.html" in names
    for name in names:
        content = archive.read(name).decode("utf-8")
        assert "/a/" not in content
        assert served.site.links.management not in content
        if name.endswith(".html"):
            assert "<script" not in content
    assert "1 of 12" in archive.read("campaign/index.html").decode()


def test_annotators_join_and_get_new_links(served):
    served.begin("Anna")
    old = served.base("Anna")
    assert served.post("/annotators", name="Chris", action="add").status_code == 303
    assert "Chris" in served.get("/").text
    assert served.get("/", "Chris").status_code == 200
    assert served.post("/annotators", name="Anna", action="add").status_code == 422
    assert served.post("/annotators", name="Nobody", action="renew").status_code == 404
    assert served.post("/annotators", name="Anna", action="renew").status_code == 303
    assert served.client.get(f"{old}/work").status_code == 404
    assert served.get("/work", "Anna").status_code == 200


def test_links_last_when_the_server_starts_again(served, serve):
    again = serve()
    assert again.base("Anna") == served.base("Anna")
    assert again.base() == served.base()
    assert served.store.with_name("v.sqlite.key").stat().st_mode & 0o077 == 0


def test_the_store_is_read_while_it_is_in_use(served):
    served.begin("Anna")
    served.answer("Anna")
    with served.site.campaign.file.writing():  # a writer that takes its time
        assert stored(served)
    with sqlite3.connect(served.store) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    database.close()


def test_items_without_antecedents_and_references_are_served(serve, reread):
    items = make_set(3, ("bad",), anaphoric=False)
    bare = [replace(line, references=()) for line in items.lines]
    some = [replace(one, pronoun=replace(one.pronoun, references=())) for one in items.items]
    served = serve(reread(replace(items, lines=tuple(bare), items=tuple(some))))
    served.begin("Anna")
    assert 'name="antecedent"' not in served.get("/work", "Anna").text
    address, hidden = served.next("Anna")
    said = {"pronoun": "wrong", "word": "0"}
    assert served.post(address, "Anna", **hidden, **said).status_code == 303
    assert stored(served)[0].antecedent is None
    for page in ("/", "/browse", "/conflicts", "/data", "/archive.zip", "/verdicts.jsonl"):
        assert served.get(page).status_code == 200
